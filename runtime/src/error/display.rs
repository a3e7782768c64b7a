//! The messages of errors.

use std::fmt::{self, Display as _};

use toolwright_model::write_joined;

use super::{SentRequest, ToolError};

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_message(f)?;
        f.write_str(self.request().map_or("", SentRequest::warning))
    }
}

impl ToolError {
    /// Returns the message with the detail that it omits, for the operator.
    pub(crate) fn in_full(&self) -> String {
        match self.detail() {
            Some(detail) => format!("{self} ({detail})"),
            None => self.to_string(),
        }
    }

    fn write_message(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
                "the role `{role}` may call no tool for the method `{method}` and the artifact type `{artifact_type}`"
            ),
            Self::ArtifactAmbiguous { asked, tools } => {
                write!(
                    f,
                    "several tools implement `{asked}`; call one of them by its name:"
                )?;
                tools.iter().try_for_each(|tool| write!(f, " `{tool}`"))
            }
            Self::InvalidArguments { tool, violations } => {
                write!(f, "invalid arguments for `{tool}`: ")?;
                write_joined(f, violations, "; ")
            }
            Self::OutOfScope { tool, reason, rule } => {
                let rule = rule.as_deref().unwrap_or_default();
                write!(f, "the policy does not allow this call of `{tool}`: ")?;
                reason.write(f, rule)
            }
            Self::ApprovalRequired { id, expires } => write!(
                f,
                "a person must approve this call as `{id}` before {expires:.0}; after that, call again with the same arguments"
            ),
            Self::ApprovalRejected { id, expires } => write!(
                f,
                "a person rejected this call as `{id}`; it is refused until {expires:.0}"
            ),
            Self::ApprovalLimit => f.write_str(
                "too many calls of this role and run wait for approval; call again after some are decided",
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
            Self::AuditUnavailable { .. } => f.write_str(
                "the call is refused because the decision about it could not be recorded",
            ),
            Self::AnswerTooLarge {
                limit,
                size,
                can_be_saved,
                ..
            } => {
                write!(f, "the service's answer is larger than the limit of {limit} bytes")?;
                if let Some(size) = size {
                    write!(f, ": it has {size} bytes")?;
                }
                f.write_str("; ask for less of it, such as a page or fewer fields")?;
                if *can_be_saved {
                    f.write_str(", or save it to a file with `toolwright call --output FILE`")?;
                }
                Ok(())
            }
            Self::File(error) => error.fmt(f),
            Self::Undecided { .. } => {
                f.write_str("the call is refused because its permission could not be determined")
            }
            Self::NestedTooDeeply => f.write_str("the tool was called through too many other tools"),
            Self::Panicked { tool } => write!(f, "the tool `{tool}` stopped unexpectedly"),
            Self::Transport { message, .. }
            | Self::UnusableAnswer { message, .. }
            | Self::NotReady { message, .. }
            | Self::Method { message, .. }
            | Self::Failed { message, .. } => f.write_str(message),
        }
    }
}
