//! The failures of the tools, each with a stable code.

use toolwright::ToolError;

/// Creates the failure of a tool. The same call fails again.
pub(crate) fn failed(code: &str, message: impl Into<String>) -> ToolError {
    ToolError::Failed {
        code: code.to_owned(),
        message: message.into(),
        retryable: false,
    }
}
