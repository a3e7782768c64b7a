//! The audit: who called what, what was decided, and what came of it.
//!
//! A call that is refused leaves one [`Decision`] event. A call that is let pass leaves a decision
//! event before anything is done, and an [`Outcome`] event afterwards; both carry the call's
//! correlation id. When the decision cannot be recorded the call is refused; when the outcome
//! cannot be, the result stands, since what was done is done, and the decision tells of it.
//!
//! A person's decision about a call that waits leaves one [`Approval`] event before it counts. The
//! decision events of the call tell the same approval by its id.
//!
//! No event holds the value of an argument or a secret: arguments are there by name and digest.

mod file;
mod memory;

use std::{fmt, sync::Arc};

pub use file::AuditFile;
use jiff::Timestamp;
pub use memory::MemoryAudit;
use serde::Serialize;
use toolwright_model::{Category, Role, ServiceName};
use uuid::Uuid;

use crate::approval::{self, ApprovalId};

/// Where audit events go.
///
/// It is called while a call is decided, so it has to be quick; it may be called from several
/// threads at once.
pub trait AuditSink: Send + Sync {
    /// Records an event for good.
    ///
    /// # Errors
    /// When the event was not recorded; a call that was being decided is then refused.
    fn record(&self, event: &AuditEvent) -> Result<(), AuditError>;
}

/// An event could not be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditError(pub String);

/// One event. Its JSON form is one flat object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AuditEvent {
    /// When.
    pub time: Timestamp,
    /// Which call: the same in all events of one call.
    pub correlation_id: Uuid,
    /// Who called.
    pub role: Role,
    /// The name that was called, at most 64 characters of it. It may be no tool's name: of a call
    /// that is routed by a type of artifact, and finds no tool, it is what was asked for.
    pub tool: String,
    /// The service of the tool, where there is such a tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceName>,
    /// The category of the tool, where there is such a tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// Why the tool's governance is what the overlay says, in its words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub governance_reason: Option<String>,
    /// The names of the arguments, at most 64 of them and 64 characters of each.
    pub argument_names: Vec<String>,
    /// The SHA-256 of the canonical form of the arguments, those that the operator pins included
    /// once it is known that the call gets that far.
    pub argument_digest: String,
    /// What happened.
    #[serde(flatten)]
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum What {
    /// It was decided whether the call may pass.
    Decision(Decision),
    /// A call that was let pass has ended.
    Outcome(Outcome),
    /// A person decided about a call that waits.
    Approval(Approval),
}

/// What a person decided about a call that waits: the role, the tool and the digest of the
/// arguments are those of the call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Approval {
    /// Whether the call may pass, once.
    pub decision: approval::Verdict,
    /// The request that was decided on.
    pub approval: ApprovalId,
    /// The name of the person.
    pub person: String,
}

/// Whether a call may pass, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// Yes or no.
    pub decision: Verdict,
    /// Why.
    pub reason: Reason,
    /// The approval that let the call pass, or that it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalId>,
    /// The person who approved or rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Well, badly or not at all.
    pub outcome: Ending,
    /// The code of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The HTTP status of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Whether the answer was cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

/// Yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The call may pass.
    Allow,
    /// The call may not pass.
    Deny,
}

/// How a call that was let pass ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// With a result.
    Ok,
    /// With an error.
    Error,
    /// The caller went away before it had ended.
    Abandoned,
}

/// Why a call may pass, or may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// Allowed: the role has the tool, and no approval is needed.
    Granted,
    /// Allowed: a person approved this call.
    Approved,
    /// There is no such tool.
    UnknownTool,
    /// The role was not granted the tool.
    NotGranted,
    /// The tool is switched off.
    Disabled,
    /// The tool is outside of the run's allow-list.
    NotInAllowList,
    /// Several of the role's tools may be meant.
    Ambiguous,
    /// The arguments do not fit.
    InvalidArguments,
    /// The call needs approval, and the service cannot do what would be approved.
    ServiceNotReady,
    /// A person has to approve this call.
    ApprovalRequired,
    /// A person rejected this call.
    ApprovalRejected,
    /// It could not be decided, which means no.
    Undecided,
    /// What the service needs to be spoken to is missing.
    CredentialsMissing,
    /// What the service needs to be spoken to cannot be used.
    CredentialsInvalid,
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the audit failed: {}", self.0)
    }
}

impl std::error::Error for AuditError {}

impl<S: AuditSink + ?Sized> AuditSink for Arc<S> {
    fn record(&self, event: &AuditEvent) -> Result<(), AuditError> {
        (**self).record(event)
    }
}
