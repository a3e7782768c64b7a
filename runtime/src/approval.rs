//! Approval: a call that waits for a person.
//!
//! An approval is bound to the role, the tool, the digest of the arguments and an expiry. It is
//! decided out of band by a named person, which [`decide`] tells the audit, and lets one call pass.
//! Neither the model nor the client can give it: neither [`decide`] nor [`ApprovalStore::decide`] is
//! reachable from a [`ScopedToolView`](crate::ScopedToolView).

mod decided;
mod folder;
mod memory;
mod shown;

use std::fmt;

pub use decided::decide;
pub use folder::FolderApprovals;
use jiff::Timestamp;
pub use memory::MemoryApprovals;
use serde::{Deserialize, Serialize};
use serde_json::Value;
pub(crate) use shown::{names_a_secret, shown};
use toolwright_model::{Role, ToolName};
use uuid::Uuid;

use crate::{audit::AuditError, tool::BoxFuture};

/// Where requests for approval wait, and where decisions about them are kept.
pub trait ApprovalStore: Send + Sync {
    /// Lets the call pass if an approval of the same call stands, and uses that approval up. Of
    /// two callers at once only one passes.
    ///
    /// Otherwise tells the standing rejection, or leaves a request waiting: the one that is
    /// already there for the same call, or this one.
    fn admit(&self, request: ApprovalRequest) -> BoxFuture<'_, Result<Admission, ApprovalError>>;

    /// The requests that wait at this time, the oldest first.
    fn pending(&self, now: Timestamp)
    -> BoxFuture<'_, Result<Vec<ApprovalRequest>, ApprovalError>>;

    /// Takes down a person's decision and returns what was decided on. A request can be decided
    /// once. The store tells no audit of it; [`decide`] does.
    fn decide(
        &self,
        id: ApprovalId,
        decision: Decision,
    ) -> BoxFuture<'_, Result<ApprovalRequest, ApprovalError>>;
}

/// What a person types to name a request: twelve hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ApprovalId(Box<str>);

/// A call that waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalRequest {
    /// What a person names it by.
    pub id: ApprovalId,
    /// Who wants to call.
    pub role: Role,
    /// What it wants to call.
    pub tool: ToolName,
    /// The SHA-256 of the canonical form of the arguments.
    pub argument_digest: String,
    /// The arguments as a person is shown them: what looks like a secret is left out.
    pub arguments: Value,
    /// When the call was tried.
    pub requested: Timestamp,
    /// Until when it can be approved, and the approval used.
    pub expires: Timestamp,
}

/// What a person decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// Yes or no.
    pub verdict: Verdict,
    /// The name of the person.
    pub person: String,
    /// When.
    pub time: Timestamp,
}

/// Yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The call may pass, once.
    Approved,
    /// The call may not pass.
    Rejected,
}

/// What became of a call that needs approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It was approved, and that approval is now used up.
    Approved(ApprovalRequest, Decision),
    /// It was rejected, and the rejection still stands.
    Rejected(ApprovalRequest, Decision),
    /// It waits for a person.
    Waiting(ApprovalRequest),
}

/// Why a store of approvals could not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApprovalError {
    /// No request with this id waits: it never did, it has expired, or it was decided.
    NotPending(ApprovalId),
    /// The text is not an id.
    NotAnId(String),
    /// The decision names no person.
    NoPerson,
    /// The decision could not be recorded, so it was not taken.
    Audit(AuditError),
    /// The store itself failed.
    Store(String),
}

impl ApprovalRequest {
    /// Whether both are about the same call: the same role, tool and arguments.
    #[must_use]
    pub fn is_same_call(&self, other: &Self) -> bool {
        self.role == other.role
            && self.tool == other.tool
            && self.argument_digest == other.argument_digest
    }

    /// Whether it can still be approved, or its approval used.
    #[must_use]
    pub fn is_live(&self, now: Timestamp) -> bool {
        now < self.expires
    }
}

impl Decision {
    /// A decision of a named person.
    ///
    /// # Errors
    /// [`ApprovalError::NoPerson`] when the name is empty or has a control character.
    pub fn new(
        verdict: Verdict,
        person: impl Into<String>,
        time: Timestamp,
    ) -> Result<Self, ApprovalError> {
        let person = person.into();
        if person.trim().is_empty() || person.chars().any(char::is_control) {
            return Err(ApprovalError::NoPerson);
        }
        Ok(Self {
            verdict,
            person,
            time,
        })
    }
}

impl ApprovalId {
    const LENGTH: usize = 12;

    pub(crate) fn random() -> Self {
        let digits = Uuid::new_v4().simple().to_string();
        Self(digits.chars().take(Self::LENGTH).collect())
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for ApprovalId {
    type Err = ApprovalError;

    fn from_str(text: &str) -> Result<Self, ApprovalError> {
        let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if text.len() == Self::LENGTH && text.bytes().all(digit) {
            Ok(Self(text.into()))
        } else {
            Err(ApprovalError::NotAnId(text.to_owned()))
        }
    }
}

impl TryFrom<String> for ApprovalId {
    type Error = ApprovalError;

    fn try_from(text: String) -> Result<Self, ApprovalError> {
        text.parse()
    }
}

impl From<ApprovalId> for String {
    fn from(id: ApprovalId) -> Self {
        id.0.into()
    }
}

impl fmt::Display for ApprovalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Display for ApprovalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPending(id) => write!(
                f,
                "no request `{id}` waits for approval: it has expired, was decided, or never was"
            ),
            Self::NotAnId(text) => {
                write!(
                    f,
                    "`{text}` is not the id of a request: twelve hexadecimal digits"
                )
            }
            Self::NoPerson => f.write_str("a decision names the person who takes it"),
            Self::Audit(error) => write!(f, "{error}; nothing was decided"),
            Self::Store(message) => write!(f, "the store of approvals failed: {message}"),
        }
    }
}

impl std::error::Error for ApprovalError {}
