//! The errors of calls.

mod display;
mod fault;
mod request;

use std::{borrow::Cow, fmt};

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use toolwright_model::{Role, ToolName, eab::ErrorCode, write_joined};

use toolwright_adapter::{Failure, Refusal, ToolCall};
pub use toolwright_model::NameError;
pub use toolwright_policy::{RefusalReason, VariableFault};

pub use self::{
    fault::{ReadinessFault, TransportFault},
    request::SentRequest,
};
pub use crate::done::Done;
pub use crate::files::FileError;
pub use crate::schema::Violation;
use crate::{audit::AuditError, credentials::CredentialsError, verdict::ApprovalId};

/// The reason why a call has no result.
///
/// Its message is safe to show to an agent: it never holds a secret, the value of an argument, a
/// file or an internal address. [`ToolError::detail`] and [`ToolError::request`] are for the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolError {
    /// The tool does not exist, was not granted to the role, is switched off, or is outside of the
    /// run's allow-list. The caller cannot distinguish the four; the audit records which it was.
    ToolNotPermitted {
        /// The role that asked.
        role: Role,
        /// The requested name, at most 64 characters of it.
        tool: String,
    },
    /// No tool that the role may call has the method for artifacts of the type: there is none, or
    /// it was not granted, is switched off, or is outside of the run's allow-list.
    ArtifactNotPermitted {
        /// The role that asked.
        role: Role,
        /// The requested method, at most 64 characters of it.
        method: String,
        /// The type of artifact, at most 64 characters of it.
        artifact_type: String,
    },
    /// Several services take artifacts of the type, and the role may call each of them.
    ArtifactAmbiguous {
        /// The requested method and type: `validate of kicad_pcb`.
        asked: String,
        /// The matching tools, at least two.
        tools: Vec<ToolName>,
    },
    /// The arguments do not fit the tool.
    InvalidArguments {
        /// The tool.
        tool: ToolName,
        /// The violations, at least one.
        violations: Vec<Violation>,
    },
    /// The tool is offered, and the policy does not allow this call of it.
    OutOfScope {
        /// The tool.
        tool: ToolName,
        /// The reason.
        reason: RefusalReason,
        /// The scope parameter that refused the call, such as `arguments.name`. Its values belong to
        /// the operator and are not shown.
        rule: Option<String>,
    },
    /// A person must approve this call. After that, calling again with the same arguments passes
    /// once.
    ApprovalRequired {
        /// The id of the request for approval.
        id: ApprovalId,
        /// The time until which the approval can be given and used.
        expires: Timestamp,
    },
    /// A person has rejected this call.
    ApprovalRejected {
        /// The id of the rejected request.
        id: ApprovalId,
        /// The time until which the same call is refused without asking again.
        expires: Timestamp,
    },
    /// A person must approve this call, and too many calls of the role and run already wait for
    /// one.
    ApprovalLimit,
    /// The credentials or settings of the service are missing or unusable.
    Credentials(CredentialsError),
    /// The service answered with an error.
    Service {
        /// The HTTP status.
        status: u16,
        /// The service's message, bounded and without secrets; may be empty.
        message: String,
        /// The service's answer without secrets: JSON, a string, or a description of other bytes;
        /// null if it was empty. Agents do not see it.
        body: Box<Value>,
        /// The request, for the operator and not for the caller.
        request: Option<Box<SentRequest>>,
        /// The form of authentication that was used, and the others that the service accepts, for
        /// the operator and not for the caller: if the service answered 401 or 403.
        detail: Option<String>,
    },
    /// The service could not be reached, or did not answer in time.
    Transport {
        /// The kind of failure.
        fault: TransportFault,
        /// The message for the caller.
        message: String,
        /// The target, for the operator and not for the caller.
        detail: Option<String>,
        /// The request, for the operator and not for the caller.
        request: Option<Box<SentRequest>>,
    },
    /// The service answered, and the answer cannot be used.
    UnusableAnswer {
        /// The HTTP status.
        status: Option<u16>,
        /// The reason why it cannot be used.
        message: String,
        /// The request, for the operator and not for the caller. None if the answer arrived, but
        /// does not fit the expected type or page.
        request: Option<Box<SentRequest>>,
    },
    /// The decision about the call could not be recorded, so the call is refused.
    AuditUnavailable {
        /// The failure, for the operator and not for the caller.
        message: String,
    },
    /// The service answered, and the answer is larger than the limit. It was not read to its end.
    AnswerTooLarge {
        /// The HTTP status.
        status: u16,
        /// The limit in bytes.
        limit: u64,
        /// The size of the answer in bytes, if the service states it.
        size: Option<u64>,
        /// True if a call that saves the answer has another limit.
        can_be_saved: bool,
        /// The request, for the operator and not for the caller.
        request: Option<Box<SentRequest>>,
    },
    /// A file of the call cannot be stored or read.
    File(FileError),
    /// The call could not be decided and is therefore refused: the store of approvals failed, for
    /// example.
    Undecided {
        /// The failure, for the operator and not for the caller.
        message: String,
    },
    /// Tools call each other too deeply.
    NestedTooDeeply,
    /// The function of a native tool panicked.
    Panicked {
        /// The tool.
        tool: ToolName,
    },
    /// A domain service reports that it cannot do what its document declares. It received no
    /// request.
    NotReady {
        /// The difference between the service and its document.
        fault: ReadinessFault,
        /// The message for the caller.
        message: String,
        /// The request, for the operator and not for the caller.
        request: Option<Box<SentRequest>>,
    },
    /// A domain service reports that a method could not run.
    Method {
        /// The error code of the protocol.
        code: ErrorCode,
        /// The service's message, bounded and without secrets.
        message: String,
        /// The request, for the operator and not for the caller.
        request: Option<Box<SentRequest>>,
    },
    /// A native tool failed.
    Failed {
        /// The tool's own code, such as `tool_failed`.
        code: String,
        /// The message of the tool.
        message: String,
        /// Set if the same call may succeed later.
        retryable: bool,
    },
}

/// The reason why a view is not opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// Variables that the scopes of the role refer to cannot be inserted.
    Variables(Vec<VariableFault>),
    /// The audit cannot record the scopes.
    Audit(AuditError),
}

impl ToolError {
    /// Creates a native tool's own failure, which repeating the call does not fix.
    #[must_use]
    pub fn failed(message: impl fmt::Display) -> Self {
        Self::Failed {
            code: "tool_failed".to_owned(),
            message: message.to_string(),
            retryable: false,
        }
    }

    /// Returns the stable code of the error.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::ToolNotPermitted { .. } | Self::ArtifactNotPermitted { .. } => {
                "tool_not_permitted"
            }
            Self::ArtifactAmbiguous { .. } => "artifact_ambiguous",
            Self::InvalidArguments { .. } => "invalid_arguments",
            Self::OutOfScope { reason, .. } => reason.code(),
            Self::ApprovalRequired { .. } => "approval_required",
            Self::ApprovalRejected { .. } => "approval_rejected",
            Self::ApprovalLimit => "approval_limit",
            Self::Credentials(error) => error.code(),
            Self::Service { status: 304, .. } => "not_modified",
            Self::Service { status: 412, .. } => "precondition_failed",
            Self::Service { .. } => "service_error",
            Self::Transport { fault, .. } => fault.code(),
            Self::UnusableAnswer { .. } => "unusable_answer",
            Self::AuditUnavailable { .. } => "audit_unavailable",
            Self::AnswerTooLarge { .. } => "answer_too_large",
            Self::File(error) => error.code(),
            Self::Undecided { .. } => "undecided",
            Self::NestedTooDeeply => "nested_too_deeply",
            Self::Panicked { .. } => "tool_panicked",
            Self::NotReady { fault, .. } => fault.code(),
            Self::Method { code, .. } => code.word(),
            Self::Failed { code, .. } => code,
        }
    }

    /// Returns the HTTP status of the service's answer, if it answered.
    #[must_use]
    pub const fn status(&self) -> Option<u16> {
        match self {
            Self::Service { status, .. } | Self::AnswerTooLarge { status, .. } => Some(*status),
            Self::UnusableAnswer { status, .. } => *status,
            _ => None,
        }
    }

    /// Returns the service's answer, if it is an error.
    #[must_use]
    pub fn body(&self) -> Option<&Value> {
        match self {
            Self::Service { body, .. } => Some(body),
            _ => None,
        }
    }

    /// Reads the service's answer as the failure that the specification of the tool declares for
    /// its status. An exact status takes precedence over its class (`4XX`), and the class over
    /// `default`.
    ///
    /// Returns none if the service did not answer with an error, or if its answer does not match
    /// the specification; [`ToolError::body`] holds it in both cases.
    #[must_use]
    pub fn documented<T: ToolCall>(&self) -> Option<T::Failure> {
        match self {
            Self::Service { status, body, .. } => T::Failure::read(Refusal::new(*status, body)),
            _ => None,
        }
    }

    /// Returns the details for the operator that the message omits, such as the file or the origin
    /// concerned.
    #[must_use]
    pub fn detail(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::AuditUnavailable { message } | Self::Undecided { message } => {
                Some(message.into())
            }
            Self::Transport { detail, .. } | Self::Service { detail, .. } => {
                detail.as_deref().map(Cow::Borrowed)
            }
            Self::Credentials(error) => Some(error.detail().into()),
            Self::File(error) => error.detail().map(Cow::Borrowed),
            _ => None,
        }
    }

    /// Returns the request to which the error belongs, for the operator: the message omits it, since
    /// its URL may be an internal address.
    #[must_use]
    pub fn request(&self) -> Option<&SentRequest> {
        match self {
            Self::Service { request, .. }
            | Self::Transport { request, .. }
            | Self::UnusableAnswer { request, .. }
            | Self::AnswerTooLarge { request, .. }
            | Self::NotReady { request, .. }
            | Self::Method { request, .. } => request.as_deref(),
            _ => None,
        }
    }

    /// Returns what is certain about the effect of the call; none if the call only reads, and if the
    /// error does not come from a service.
    #[must_use]
    pub fn done(&self) -> Option<Done> {
        self.request()?.done
    }

    /// Adds the request to which the error belongs, unless it is known.
    pub(crate) fn with_request(mut self, sent: &SentRequest) -> Self {
        if let Some(request) = self.request_mut() {
            request.get_or_insert_with(|| Box::new(sent.clone()));
        }
        self
    }

    /// Changes the request to which the error belongs, if there is one.
    pub(crate) fn map_request(mut self, change: impl FnOnce(&mut SentRequest)) -> Self {
        if let Some(Some(request)) = self.request_mut() {
            change(request);
        }
        self
    }

    const fn request_mut(&mut self) -> Option<&mut Option<Box<SentRequest>>> {
        match self {
            Self::Service { request, .. }
            | Self::Transport { request, .. }
            | Self::UnusableAnswer { request, .. }
            | Self::AnswerTooLarge { request, .. }
            | Self::NotReady { request, .. }
            | Self::Method { request, .. } => Some(request),
            _ => None,
        }
    }

    /// Checks whether the same call may succeed later without any change: the service is busy (429,
    /// 502, 503, 504), was not reached or did not answer in time. A call that may have been carried
    /// out is not retryable if a second one would have a second effect.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.may_pass_later() && self.request().is_none_or(SentRequest::can_be_repeated)
    }

    const fn may_pass_later(&self) -> bool {
        match self {
            Self::Service { status, .. } => matches!(*status, 429 | 502 | 503 | 504),
            Self::Transport { fault, .. } => fault.is_retryable(),
            Self::OutOfScope { reason, .. } => matches!(reason, RefusalReason::RateExceeded),
            Self::NotReady { fault, .. } => matches!(fault, ReadinessFault::Unavailable),
            Self::Method { code, .. } => code.is_retryable(),
            Self::Failed { retryable, .. } => *retryable,
            _ => false,
        }
    }

    /// Checks whether the time for the call was over.
    pub(crate) const fn is_timeout(&self) -> bool {
        matches!(
            self,
            Self::Transport {
                fault: TransportFault::Timeout,
                ..
            }
        )
    }

    /// Adds a detail for the operator to the error of a service.
    pub(crate) fn with_detail(mut self, more: String) -> Self {
        if let Self::Service { detail, .. } = &mut self {
            let parts: Vec<_> = detail.take().into_iter().chain([more]).collect();
            *detail = Some(parts.join("; "));
        }
        self
    }

    /// Checks whether it is certain that no service received anything.
    pub(crate) const fn has_sent_nothing(&self) -> bool {
        matches!(
            self,
            Self::Credentials(_)
                | Self::File(FileError::NotFound | FileError::NoStore)
                | Self::Transport {
                    fault: TransportFault::Connect | TransportFault::Unsendable,
                    ..
                }
        )
    }

    /// Returns the error as an agent sees it: `{ "error": { code, message, status?, retryable } }`, and
    /// `limit` and `size?` in bytes for an answer that is too large. If the call changes something and
    /// a service received it, `done` is what is certain about its effect ([`Done`]), and `repeat_with`
    /// holds the arguments that a repetition needs in addition.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut error = Map::new();
        error.insert("code".to_owned(), self.code().into());
        error.insert("message".to_owned(), self.to_string().into());
        if let Some(status) = self.status() {
            error.insert("status".to_owned(), status.into());
        }
        if let Self::AnswerTooLarge { limit, size, .. } = self {
            error.insert("limit".to_owned(), (*limit).into());
            error.extend(size.map(|size| ("size".to_owned(), size.into())));
        }
        if let Self::ApprovalRequired { id, .. } | Self::ApprovalRejected { id, .. } = self {
            error.insert("approval".to_owned(), id.as_str().into());
        }
        error.insert("retryable".to_owned(), self.is_retryable().into());
        if let Some(request) = self.request() {
            let done = request.done.map(|done| done.word().into());
            error.extend(done.map(|done| ("done".to_owned(), done)));
            if !request.repeat_with.is_empty() {
                let arguments = request.repeat_with.clone().into();
                error.insert("repeat_with".to_owned(), arguments);
            }
        }
        json!({ "error": error })
    }
}

impl std::error::Error for ToolError {}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variables(faults) => write_joined(f, faults, "; "),
            Self::Audit(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OpenError {}

impl From<FileError> for ToolError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<CredentialsError> for ToolError {
    fn from(error: CredentialsError) -> Self {
        Self::Credentials(error)
    }
}

#[cfg(test)]
mod tests;
