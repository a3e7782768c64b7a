//! The result of a call.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};
use toolwright::{ToolContext, ToolError, ToolSpec};
use toolwright_model::text::remove_invisible;

/// The longest message of a failure, in characters.
const LONGEST_MESSAGE: usize = 500;

/// Reads an answer: its structured content, or else its text, or all of its parts.
pub(crate) fn read(
    answer: CallToolResult,
    spec: &ToolSpec,
    context: &ToolContext,
    most_bytes: usize,
) -> Result<Value, ToolError> {
    if answer.is_error == Some(true) {
        return Err(failure(&text_of(&answer.content)));
    }
    let value = match (answer.structured_content, answer.content.as_slice()) {
        (Some(value), _) => value,
        (None, _) if spec.output_schema.is_some() => {
            return Err(unusable("the result has no structured content"));
        }
        (None, [ContentBlock::Text(text)]) => Value::String(text.text.clone()),
        (None, parts) => {
            let parts = serde_json::to_value(parts).map_err(ToolError::failed)?;
            json!({"content": parts})
        }
    };
    let length = serde_json::to_vec(&value).map_or(usize::MAX, |bytes| bytes.len());
    if length > most_bytes {
        let message =
            format!("the result is larger than {most_bytes} bytes (`max_response_bytes`)");
        return Err(ToolError::Failed {
            code: "answer_too_large".to_owned(),
            message,
            retryable: false,
        });
    }
    context.check_output(&value)?;
    Ok(value)
}

/// Returns the error of a result that cannot be used.
pub(crate) fn unusable(message: &str) -> ToolError {
    ToolError::UnusableAnswer {
        status: None,
        message: message.to_owned(),
        request: None,
    }
}

/// Returns the error of a tool that failed, with the message of the server.
pub(crate) fn failure(message: &str) -> ToolError {
    let message = remove_invisible(message);
    let message: String = message.trim().chars().take(LONGEST_MESSAGE).collect();
    ToolError::failed(message)
}

fn text_of(content: &[ContentBlock]) -> String {
    let texts = content.iter().filter_map(|part| match part {
        ContentBlock::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}
