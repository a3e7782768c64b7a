//! Why a call has no result.

use std::{borrow::Cow, fmt};

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use toolwright_model::{Role, ToolName, eab::ErrorCode};

use crate::{Failure, Refusal, ToolCall, approval::ApprovalId, credentials::CredentialsError};

/// Why a call has no result.
///
/// Its message is safe to show to an agent: it never holds a secret, the value of an argument, a file
/// or an internal address. [`ToolError::detail`] is for the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolError {
    /// The tool does not exist, was not granted to the role, is switched off, or is outside of
    /// the run's allow-list. The four cannot be told apart; the audit does.
    ToolNotPermitted {
        /// The role that asked.
        role: Role,
        /// The name that was asked for, at most 64 characters of it.
        tool: String,
    },
    /// No tool that the role may call has the method for artifacts of the type: there is none, or
    /// it was not granted, is switched off, or is outside of the run's allow-list.
    ArtifactNotPermitted {
        /// The role that asked.
        role: Role,
        /// The method that was asked for, at most 64 characters of it.
        method: String,
        /// The type of artifact, at most 64 characters of it.
        artifact_type: String,
    },
    /// Several services take artifacts of the type, and the role may call each of them.
    ArtifactAmbiguous {
        /// What was asked for: `validate of kicad_pcb`.
        asked: String,
        /// The tools that it may mean, at least two.
        tools: Vec<ToolName>,
    },
    /// The arguments do not fit the tool.
    InvalidArguments {
        /// The tool.
        tool: ToolName,
        /// What is wrong, at least one.
        violations: Vec<Violation>,
    },
    /// A person has to approve this call. Calling again with the same arguments after that
    /// passes once.
    ApprovalRequired {
        /// What the person approves.
        id: ApprovalId,
        /// Until when the approval can be given and used.
        expires: Timestamp,
    },
    /// A person has rejected this call.
    ApprovalRejected {
        /// What the person rejected.
        id: ApprovalId,
        /// Until when the same call is refused without asking again.
        expires: Timestamp,
    },
    /// A person would have to approve this call, and too many calls of the role and run wait for one
    /// already.
    ApprovalLimit,
    /// What the service needs to be spoken to is missing or unusable.
    Credentials(CredentialsError),
    /// The service answered with an error.
    Service {
        /// The HTTP status.
        status: u16,
        /// What the service said, bounded and without secrets; may be empty.
        message: String,
        /// The answer as the service gave it, without secrets: JSON, a text, or for other bytes what
        /// a download is; null when it was empty. Agents are not shown it.
        body: Box<Value>,
    },
    /// The service could not be reached, or did not answer in time.
    Transport {
        /// What went wrong.
        fault: TransportFault,
        /// The same in words.
        message: String,
        /// Where: for the operator, not for the caller.
        detail: Option<String>,
    },
    /// The service answered, and the answer cannot be used.
    UnusableAnswer {
        /// The HTTP status.
        status: Option<u16>,
        /// Why it cannot be used.
        message: String,
    },
    /// An error while deciding, which means no: the audit or the store of approvals failed.
    Undecided {
        /// What failed: for the operator, not for the caller.
        message: String,
    },
    /// Tools call each other too deeply.
    NestedTooDeeply,
    /// The function of a native tool panicked.
    Panicked {
        /// The tool.
        tool: ToolName,
    },
    /// A domain service cannot do what its document says, as it says itself; nothing was asked of
    /// it.
    NotReady {
        /// In what it is not what its document says.
        fault: ReadinessFault,
        /// The same in words.
        message: String,
    },
    /// A method of a domain service could not run, as the service says.
    Method {
        /// Why, in the words of the protocol.
        code: ErrorCode,
        /// What the service said, bounded and without secrets.
        message: String,
    },
    /// A native tool failed.
    Failed {
        /// The tool's own code, such as `tool_failed`.
        code: String,
        /// What happened.
        message: String,
        /// Whether the same call may succeed later.
        retryable: bool,
    },
}

/// One way in which arguments do not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The place in the arguments, as a JSON pointer; empty for the whole.
    pub pointer: String,
    /// What is wrong there. It never repeats the value.
    pub message: String,
}

/// How a service could not be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransportFault {
    /// No connection could be made.
    Connect,
    /// There was no whole answer in time.
    Timeout,
    /// The service redirects to where a call must not follow.
    Redirect,
    /// The connection broke, or what came was not HTTP.
    Broken,
    /// The request cannot be put on the wire at all.
    Unsendable,
}

/// In what a domain service is not what its document says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadinessFault {
    /// It is another service, or one of another domain.
    Service,
    /// It speaks another version of its API.
    ApiVersion,
    /// It does not have the method, or does not take the type of artifact.
    Capability,
    /// It says that it cannot work now.
    Unavailable,
}

impl ToolError {
    /// A native tool's own failure, which a second call would not mend.
    #[must_use]
    pub fn failed(message: impl fmt::Display) -> Self {
        Self::Failed {
            code: "tool_failed".to_owned(),
            message: message.to_string(),
            retryable: false,
        }
    }

    /// The stable word for the kind of error.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::ToolNotPermitted { .. } | Self::ArtifactNotPermitted { .. } => {
                "tool_not_permitted"
            }
            Self::ArtifactAmbiguous { .. } => "artifact_ambiguous",
            Self::InvalidArguments { .. } => "invalid_arguments",
            Self::ApprovalRequired { .. } => "approval_required",
            Self::ApprovalRejected { .. } => "approval_rejected",
            Self::ApprovalLimit => "approval_limit",
            Self::Credentials(error) => error.code(),
            Self::Service { .. } => "service_error",
            Self::Transport { fault, .. } => fault.code(),
            Self::UnusableAnswer { .. } => "unusable_answer",
            Self::Undecided { .. } => "undecided",
            Self::NestedTooDeeply => "nested_too_deeply",
            Self::Panicked { .. } => "tool_panicked",
            Self::NotReady { fault, .. } => fault.code(),
            Self::Method { code, .. } => code.word(),
            Self::Failed { code, .. } => code,
        }
    }

    /// The HTTP status of the service's answer, where there was one.
    #[must_use]
    pub const fn status(&self) -> Option<u16> {
        match self {
            Self::Service { status, .. } => Some(*status),
            Self::UnusableAnswer { status, .. } => *status,
            _ => None,
        }
    }

    /// The service's answer, where it answered with an error.
    #[must_use]
    pub fn body(&self) -> Option<&Value> {
        match self {
            Self::Service { body, .. } => Some(body),
            _ => None,
        }
    }

    /// The service's answer as what the specification says of its status, for the tool that was
    /// called. A status of its own counts before its class (`4XX`), and that before `default`.
    ///
    /// There is none where the service did not answer with an error, and where what it answered is
    /// not what the specification says; [`ToolError::body`] has it all the same.
    #[must_use]
    pub fn documented<T: ToolCall>(&self) -> Option<T::Failure> {
        match self {
            Self::Service { status, body, .. } => T::Failure::read(Refusal::new(*status, body)),
            _ => None,
        }
    }

    /// What the operator needs to know in addition to the message, and the caller does not: which file or
    /// which origin is concerned.
    #[must_use]
    pub fn detail(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Undecided { message } => Some(message.into()),
            Self::Transport { detail, .. } => detail.as_deref().map(Cow::Borrowed),
            Self::Credentials(error) => Some(error.detail().into()),
            _ => None,
        }
    }

    /// Whether the same call may succeed later without anybody's doing: the service is busy
    /// (429, 502, 503, 504), was not reached or did not answer in time.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::Service { status, .. } => matches!(*status, 429 | 502 | 503 | 504),
            Self::Transport { fault, .. } => fault.is_retryable(),
            Self::NotReady { fault, .. } => matches!(fault, ReadinessFault::Unavailable),
            Self::Method { code, .. } => code.is_retryable(),
            Self::Failed { retryable, .. } => *retryable,
            _ => false,
        }
    }

    /// Whether it is certain that no service was sent anything.
    pub(crate) const fn has_sent_nothing(&self) -> bool {
        matches!(
            self,
            Self::Credentials(_)
                | Self::Transport {
                    fault: TransportFault::Connect | TransportFault::Unsendable,
                    ..
                }
        )
    }

    /// `{ "error": { code, message, status?, retryable } }`, as an agent is shown it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut error = Map::new();
        error.insert("code".to_owned(), self.code().into());
        error.insert("message".to_owned(), self.to_string().into());
        if let Some(status) = self.status() {
            error.insert("status".to_owned(), status.into());
        }
        error.insert("retryable".to_owned(), self.is_retryable().into());
        json!({ "error": error })
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ToolNotPermitted { role, tool } => {
                write!(f, "the role `{role}` may not call a tool named `{tool}`")
            }
            Self::ArtifactNotPermitted {
                role,
                method,
                artifact_type,
            } => write!(
                f,
                "the role `{role}` may call no tool that does `{method}` with artifacts of the type `{artifact_type}`"
            ),
            Self::ArtifactAmbiguous { asked, tools } => {
                write!(
                    f,
                    "several tools do `{asked}`; call one of them by its name:"
                )?;
                tools.iter().try_for_each(|tool| write!(f, " `{tool}`"))
            }
            Self::InvalidArguments { tool, violations } => {
                write!(f, "the arguments do not fit `{tool}`: ")?;
                write_violations(violations, f)
            }
            Self::ApprovalRequired { id, expires } => write!(
                f,
                "a person has to approve this call as `{id}` before {expires:.0}; after that, call again with the same arguments"
            ),
            Self::ApprovalRejected { id, expires } => write!(
                f,
                "a person rejected this call as `{id}`; it is refused until {expires:.0}"
            ),
            Self::ApprovalLimit => f.write_str(
                "too many calls of this role and run wait for a person; call again when some were decided",
            ),
            Self::Credentials(error) => error.fmt(f),
            Self::Service {
                status, message, ..
            } if message.is_empty() => {
                write!(f, "the service answered {status}")
            }
            Self::Service {
                status, message, ..
            } => {
                write!(f, "the service answered {status}: {message}")
            }
            Self::Undecided { .. } => {
                f.write_str("it could not be decided whether the call may pass, which means no")
            }
            Self::NestedTooDeeply => f.write_str("the tool was called through too many other tools"),
            Self::Panicked { tool } => write!(f, "the tool `{tool}` broke off unexpectedly"),
            Self::Transport { message, .. }
            | Self::UnusableAnswer { message, .. }
            | Self::NotReady { message, .. }
            | Self::Method { message, .. }
            | Self::Failed { message, .. } => f.write_str(message),
        }
    }
}

impl std::error::Error for ToolError {}

impl From<CredentialsError> for ToolError {
    fn from(error: CredentialsError) -> Self {
        Self::Credentials(error)
    }
}

impl TransportFault {
    const fn is_retryable(self) -> bool {
        matches!(self, Self::Connect | Self::Timeout | Self::Broken)
    }

    const fn code(self) -> &'static str {
        match self {
            Self::Connect => "connect_failed",
            Self::Timeout => "timeout",
            Self::Redirect => "redirect_refused",
            Self::Broken => "connection_broken",
            Self::Unsendable => "unsendable",
        }
    }
}

impl ReadinessFault {
    const fn code(self) -> &'static str {
        match self {
            Self::Service => "service_mismatch",
            Self::ApiVersion => ErrorCode::ApiVersionMismatch.word(),
            Self::Capability | Self::Unavailable => "tool_unavailable",
        }
    }
}

fn write_violations(violations: &[Violation], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (index, violation) in violations.iter().enumerate() {
        let separator = if index == 0 { "" } else { "; " };
        let Violation { pointer, message } = violation;
        if pointer.is_empty() {
            write!(f, "{separator}{message}")?;
        } else {
            write!(f, "{separator}at `{pointer}`: {message}")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_form_has_a_status_only_where_there_was_one() {
        let busy = ToolError::Service {
            status: 503,
            message: "try later".to_owned(),
            body: Box::new(json!({"message": "try later", "trace": "0815"})),
        };
        assert_eq!(
            busy.to_json(),
            json!({"error": {"code": "service_error", "message": "the service answered 503: try later",
                             "status": 503, "retryable": true}})
        );
        assert_eq!(
            ToolError::failed("no disk").to_json(),
            json!({"error": {"code": "tool_failed", "message": "no disk", "retryable": false}})
        );
    }

    #[test]
    fn times_are_told_to_the_second() {
        let waiting = ToolError::ApprovalRequired {
            id: "wait-0123456789ab".parse().unwrap(),
            expires: "2026-11-22T00:28:30.854726835Z".parse().unwrap(),
        };
        assert_eq!(
            waiting.to_string(),
            "a person has to approve this call as `wait-0123456789ab` before 2026-11-22T00:28:30Z; \
             after that, call again with the same arguments"
        );
    }

    #[test]
    fn only_what_may_pass_by_itself_is_retryable() {
        for (status, expected) in [
            (400, false),
            (404, false),
            (429, true),
            (500, false),
            (504, true),
        ] {
            let error = ToolError::Service {
                status,
                message: String::new(),
                body: Box::default(),
            };
            assert_eq!(error.is_retryable(), expected, "{status}");
        }
        for (fault, expected) in [
            (TransportFault::Connect, true),
            (TransportFault::Timeout, true),
            (TransportFault::Broken, true),
            (TransportFault::Redirect, false),
            (TransportFault::Unsendable, false),
        ] {
            let error = ToolError::Transport {
                fault,
                message: String::new(),
                detail: None,
            };
            assert_eq!(error.is_retryable(), expected, "{fault:?}");
        }
    }
}
