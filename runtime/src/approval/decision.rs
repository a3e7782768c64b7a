//! A person's decision about a call that waits.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{ApprovalError, ApprovalRequest, ApproverKey, Signature, Verdict};
use crate::{
    canonical::{canonical, digest},
    statement::{is_name, is_reason},
    system,
};

/// A person's decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// Yes or no.
    pub verdict: Verdict,
    /// The name of the person, as the person gave it.
    pub person: String,
    /// The user of the operating system who decided.
    pub os_user: String,
    /// When.
    pub time: Timestamp,
    /// The person's reason, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The signature of the person's key. A store that other processes can write to wants one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
}

impl Decision {
    /// Creates an unsigned decision of a named person.
    ///
    /// # Errors
    /// [`ApprovalError::NoPerson`] if the name is not one line of 1 to 128 visible characters.
    pub fn new(
        verdict: Verdict,
        person: impl Into<String>,
        time: Timestamp,
    ) -> Result<Self, ApprovalError> {
        let person = person.into();
        if !is_name(&person) {
            return Err(ApprovalError::NoPerson);
        }
        Ok(Self {
            verdict,
            person,
            os_user: system::user(),
            time,
            why: None,
            signature: None,
        })
    }

    /// Adds the person's reason. Sign the decision afterwards.
    ///
    /// # Errors
    /// [`ApprovalError::NoReason`] if the reason is not one line of 1 to 512 visible characters.
    pub fn because(mut self, why: impl Into<String>) -> Result<Self, ApprovalError> {
        let why = why.into();
        if !is_reason(&why) {
            return Err(ApprovalError::NoReason);
        }
        self.why = Some(why);
        Ok(self)
    }

    /// Signs the decision about this request.
    #[must_use]
    pub fn signed(mut self, key: &ApproverKey, request: &ApprovalRequest) -> Self {
        self.signature = Some(key.sign(&self.signed_text(request)));
        self
    }

    /// Returns the signed message: the whole decision, the request that it decides, and the changes
    /// that the person was shown.
    pub(super) fn signed_text(&self, request: &ApprovalRequest) -> String {
        let mut message = json!({
            "toolwright-approval": 1,
            "id": request.id,
            "digest": request.digest(),
            "requested": request.requested,
            "expires": request.expires,
            "verdict": self.verdict,
            "person": self.person,
            "os_user": self.os_user,
            "time": self.time,
        });
        if let (Some(policy), Some(fields)) = (&request.policy, message.as_object_mut()) {
            fields.insert("policy".to_owned(), json!(policy));
        }
        if let (Some(why), Some(fields)) = (&self.why, message.as_object_mut()) {
            fields.insert("why".to_owned(), json!(why));
        }
        if let (Some(changes), Some(fields)) = (&request.changes, message.as_object_mut()) {
            fields.insert("changes".to_owned(), digest(&json!(changes)).into());
        }
        canonical(&message)
    }
}
