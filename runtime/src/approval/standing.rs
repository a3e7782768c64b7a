//! Standing grants: a person approves several calls of a role in advance.

use std::{fmt, str::FromStr};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolwright_model::{Role, ToolName, WorkspaceName};

use super::{
    ApprovalError, ApprovalRequest, Approver, ApproverKey, Decision, Signature, Unverified, Verdict,
};
use crate::{
    audit::StandingGrantChange,
    canonical::canonical,
    statement::is_reason,
    verdict::{are_digits, random_digits},
};

/// The prefix of an id.
const PREFIX: &str = "grant-";

/// The most calls that one grant can let pass.
pub const MOST_USES: u32 = 10_000;

/// The name of a standing grant: `grant-1f3a5c7e9b0d`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StandingId(String);

/// The approval of a number of calls of a role, until a time.
///
/// It covers the calls of one tool whose arguments have the pinned values; other arguments are free.
/// A value that the person is not shown is compared by its mask.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct StandingGrant {
    /// Its name.
    pub id: StandingId,
    /// The role whose calls pass.
    pub role: Role,
    /// The tool.
    pub tool: ToolName,
    /// The workspace of the service; none if the service has no named ones. A call of another one does
    /// not pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<WorkspaceName>,
    /// The arguments that a call must have, with their values.
    pub arguments: Map<String, Value>,
    /// The number of calls that pass.
    pub uses: u32,
    /// The time until which calls pass.
    pub until: Timestamp,
    /// The person who grants it, the user of the operating system, the time, and the signature.
    pub decision: Decision,
    /// The person's reason.
    pub why: String,
}

/// The calls that a standing grant covers, for how long, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct StandingTerms {
    /// The role whose calls pass.
    pub role: Role,
    /// The tool.
    pub tool: ToolName,
    /// The workspace of the service; none if the service has no named ones.
    pub workspace: Option<WorkspaceName>,
    /// The arguments that a call must have, with their values.
    pub arguments: Map<String, Value>,
    /// The number of calls that pass: at most [`MOST_USES`].
    pub uses: u32,
    /// The time until which calls pass.
    pub until: Timestamp,
    /// The reason.
    pub why: String,
}

impl StandingGrant {
    /// Creates a grant and signs it.
    ///
    /// # Errors
    /// [`ApprovalError::NoPerson`] and [`ApprovalError::NoReason`] if the name or the reason is not
    /// one line of visible characters, and [`ApprovalError::Terms`] if the grant would let no call
    /// pass, or too many.
    pub fn new(
        terms: StandingTerms,
        person: &str,
        now: Timestamp,
        key: &ApproverKey,
    ) -> Result<Self, ApprovalError> {
        if !(1..=MOST_USES).contains(&terms.uses) || terms.until <= now {
            return Err(ApprovalError::Terms);
        }
        if !is_reason(&terms.why) {
            return Err(ApprovalError::NoReason);
        }
        let mut grant = Self {
            id: StandingId(format!("{PREFIX}{}", random_digits())),
            role: terms.role,
            tool: terms.tool,
            workspace: terms.workspace,
            arguments: terms.arguments,
            uses: terms.uses,
            until: terms.until,
            decision: Decision::new(Verdict::Approved, person, now)?,
            why: terms.why,
        };
        let signature: Signature = key.sign(&grant.signed_text());
        grant.decision.signature = Some(signature);
        Ok(grant)
    }

    /// Returns the beginning of the grant, as the audit records it.
    #[must_use]
    pub fn beginning(&self) -> StandingGrantChange {
        StandingGrantChange {
            standing_grant: self.id.to_string(),
            revoked: false,
            role: self.role.clone(),
            tool: self.tool.clone(),
            source_workspace: self.workspace.clone(),
            uses: self.uses,
            until: self.until,
            person: self.decision.person.clone(),
            os_user: self.decision.os_user.clone(),
            why: self.why.clone(),
        }
    }

    /// Returns whether the grant is for calls like this one, at this time. A grant covers no run of
    /// several calls: nobody has seen them.
    #[must_use]
    pub fn covers(&self, call: &ApprovalRequest) -> bool {
        let arguments = &call.shown.arguments;
        let mut pins = self.arguments.iter();
        call.shown.steps.is_empty()
            && self.role == call.role
            && self.tool == call.tool
            && self.workspace == call.shown.workspace
            && call.requested < self.until
            && pins.all(|(name, value)| arguments.get(name) == Some(value))
    }

    /// Checks that the grant is signed by someone who may approve the call.
    ///
    /// # Errors
    /// [`Unverified`] with the first rule that is broken.
    pub fn verify(&self, call: &ApprovalRequest, approvers: &[Approver]) -> Result<(), Unverified> {
        if !self.covers(call) {
            return Err(Unverified::AnotherRequest);
        }
        let signature = self.decision.signature.as_ref();
        let signature = signature.ok_or(Unverified::NotSigned)?;
        let text = self.signed_text();
        let mut approvers = approvers.iter();
        let signer = approvers.find(|approver| approver.key.has_signed(&text, signature));
        let signer = signer.ok_or(Unverified::Signature)?;
        super::verify::check_person(call, &self.decision, signer.name.as_deref())
    }

    fn signed_text(&self) -> String {
        let mut text = json!({
            "toolwright-standing-grant": 1,
            "id": self.id,
            "role": self.role,
            "tool": self.tool,
            "arguments": self.arguments,
            "uses": self.uses,
            "until": self.until,
            "person": self.decision.person,
            "os_user": self.decision.os_user,
            "time": self.decision.time,
            "why": self.why,
        });
        // A grant without a workspace has the text of earlier versions.
        if let (Some(workspace), Some(text)) = (&self.workspace, text.as_object_mut()) {
            text.insert("workspace".to_owned(), workspace.as_str().into());
        }
        canonical(&text)
    }
}

impl StandingId {
    /// Returns the id as a string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for StandingId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix(PREFIX) {
            Some(digits) if are_digits(digits) => Ok(Self(text.to_owned())),
            _ => Err(format!(
                "`{text}` is not the id of a standing grant: `{PREFIX}` and twelve hexadecimal digits"
            )),
        }
    }
}

impl TryFrom<String> for StandingId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<StandingId> for String {
    fn from(id: StandingId) -> Self {
        id.0
    }
}

impl fmt::Display for StandingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
