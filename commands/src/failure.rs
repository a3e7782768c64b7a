//! The failures of the tools, each with a stable code.

use serde::{Deserialize, Serialize};
use toolwright::ToolError;

/// The failure of a tool, also of its part that runs in a child process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The stable code.
    pub code: String,
    /// The message for the caller.
    pub message: String,
    /// True if the same call may pass later.
    pub retryable: bool,
}

impl Failure {
    /// Creates a failure. The same call fails again.
    #[must_use]
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            retryable: false,
        }
    }
}

impl From<Failure> for ToolError {
    fn from(failure: Failure) -> Self {
        Self::Failed {
            code: failure.code,
            message: failure.message,
            retryable: failure.retryable,
        }
    }
}

/// Creates the failure of a tool. The same call fails again.
#[must_use]
pub fn failed(code: &str, message: impl Into<String>) -> ToolError {
    Failure::new(code, message).into()
}

/// Creates the failure of a command that its operator must correct.
#[must_use]
pub fn misconfigured(message: impl Into<String>) -> ToolError {
    failed("command_misconfigured", message)
}
