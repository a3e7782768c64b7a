//! What a client is answered to a call.

use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock},
};
use serde_json::json;
use toolwright::{
    ToolError, ToolOutput, Violation,
    codec::Value,
    pages::Continuation,
    render::mcp::{ResultForm, text},
};

use super::calls::Busy;

/// The code of the error by which a call is refused while the server has too much to do.
pub(super) const BUSY: &str = "server_busy";

/// The answer to a call that had a result.
///
/// A result that does not fit what was promised would be refused by the client, and with it the
/// knowledge that the call was carried out. It is told as an error instead, with all there is.
pub(super) fn result(output: &ToolOutput, form: &ResultForm) -> CallToolResult {
    let block = ContentBlock::text(text(&output.value));
    match form.structured_content(&output.value) {
        Ok(content) => {
            let next = following(&output.next).map(ContentBlock::text);
            let blocks = [block].into_iter().chain(next).collect();
            let mut result = CallToolResult::success(blocks);
            result.structured_content = Some(content);
            result
        }
        Err(violations) => {
            let error = ToolError::UnusableAnswer {
                status: output.status,
                message: misfit(output, &violations),
            };
            let explanation = ContentBlock::text(error.to_json().to_string());
            CallToolResult::error(vec![explanation, block])
        }
    }
}

/// The answer to a call whose result has no form any more, as text alone.
pub(super) fn unpromised(output: &ToolOutput) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text(&output.value))])
}

/// What is said of the next page of a list.
fn following(next: &Continuation) -> Option<String> {
    match next {
        Continuation::End => None,
        Continuation::With(arguments) => {
            let arguments = Value::Object(arguments.clone());
            Some(format!(
                "There is a next page: give the same arguments with {arguments}."
            ))
        }
        Continuation::Unclear(why) => {
            Some(format!("How to get the next page is not known: {why}."))
        }
    }
}

/// The answer to a call that had none: that there is no such tool is an error of the protocol,
/// anything else an error of the tool.
///
/// The error is told as JSON text, and as structured content where the tool promises no other
/// structure: clients hold the structure of an error against the output schema too.
pub(super) fn error(
    error: &ToolError,
    form: Option<&ResultForm>,
) -> Result<CallToolResult, ErrorData> {
    if let ToolError::ToolNotPermitted { .. } = error {
        return Err(ErrorData::invalid_params(error.to_string(), None));
    }
    let json = error.to_json();
    Ok(match form.and_then(ResultForm::output_schema) {
        Some(_) => CallToolResult::error(vec![ContentBlock::text(json.to_string())]),
        None => CallToolResult::structured_error(json),
    })
}

/// The answer to a call that was not begun. It has no structure, since the tool may promise another.
pub(super) fn busy(busy: &Busy) -> CallToolResult {
    let error = json!({"error": {
        "code": BUSY,
        "message": busy.to_string(),
        "retryable": true,
    }});
    CallToolResult::error(vec![ContentBlock::text(error.to_string())])
}

/// Why a result cannot be given as one.
fn misfit(output: &ToolOutput, violations: &[Violation]) -> String {
    const DONE: &str = "the call was carried out, but";
    if output.truncated {
        return format!(
            "{DONE} its answer is longer than the bound and was cut; the first part follows"
        );
    }
    let places = violations
        .iter()
        .map(|Violation { pointer, message }| format!("at `{pointer}`: {message}"));
    let places: Vec<_> = places.collect();
    let places = places.join("; ");
    format!(
        "{DONE} its answer differs from what the specification says ({places}); it follows as it is"
    )
}
