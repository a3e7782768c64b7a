//! The results of calls for clients.

use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock},
};
use serde_json::json;
use toolwright::{
    ToolError, ToolOutput,
    approval::ApprovalPage,
    codec::Value,
    error::Violation,
    pages::Continuation,
    render::mcp::{ResultForm, text},
};

use crate::{calls::Busy, files::link};

/// The note to a stream that did not end in time.
const CUT: &str = "The stream did not end in time: this is the part that arrived.";

/// The error code for a call that is refused because the server is busy.
pub(crate) const BUSY: &str = "server_busy";

/// Returns the result of a successful call.
///
/// A picture, a sound or a short text is a block of its own, so that a model can see, hear or read it.
///
/// A client would reject a result that does not fit the promised schema, and would not learn that
/// the call was carried out. Such a result is returned as an error that contains all of it.
pub(crate) fn result(
    output: &ToolOutput,
    form: &ResultForm,
    of_file: Option<ContentBlock>,
) -> CallToolResult {
    let block = ContentBlock::text(text(&output.value));
    match form.structured_content(&output.value) {
        Ok(content) => {
            let link = output.file.as_ref().and_then(link);
            let link = link.map(ContentBlock::resource_link);
            let next = following(&output.next).map(ContentBlock::text);
            let cut = output.truncated.then(|| ContentBlock::text(CUT));
            let blocks = [block].into_iter().chain(of_file).chain(link);
            let blocks = blocks.chain(next).chain(cut);
            let blocks = blocks.collect();
            let mut result = CallToolResult::success(blocks);
            result.structured_content = Some(content);
            result
        }
        Err(violations) => {
            let error = ToolError::UnusableAnswer {
                status: output.status,
                message: misfit(output, &violations),
                request: None,
            };
            let explanation = ContentBlock::text(error.to_json().to_string());
            CallToolResult::error(vec![explanation, block])
        }
    }
}

/// Returns the result of a call that no longer has a schema, as unstructured content.
pub(crate) fn unpromised(output: &ToolOutput) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text(&output.value))])
}

/// Describes how to get the next page of a list.
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

/// Returns the result of a failed call: an unknown tool is an error of the protocol, anything else
/// an error of the tool.
///
/// The error is JSON in the unstructured content, and also structured content if the tool has no
/// output schema: clients check the structured content of an error against that schema too. That of a call
/// which waits for a person has the URL of the operator's page.
pub(crate) fn error(
    error: &ToolError,
    form: Option<&ResultForm>,
    page: Option<&ApprovalPage>,
) -> Result<CallToolResult, ErrorData> {
    if let ToolError::ToolNotPermitted { .. } = error {
        return Err(ErrorData::invalid_params(error.to_string(), None));
    }
    let mut json = error.to_json();
    if let (ToolError::ApprovalRequired { id, .. }, Some(page)) = (error, page)
        && let Some(fields) = json.get_mut("error").and_then(Value::as_object_mut)
    {
        fields.insert("page".to_owned(), page.of(id).as_str().into());
    }
    Ok(match form.and_then(ResultForm::output_schema) {
        Some(_) => CallToolResult::error(vec![ContentBlock::text(json.to_string())]),
        None => CallToolResult::structured_error(json),
    })
}

/// The answer to a call that was not begun. It has no structure, since the tool may promise another.
pub(crate) fn busy(busy: &Busy) -> CallToolResult {
    let error = json!({"error": {
        "code": BUSY,
        "message": busy.to_string(),
        "retryable": true,
    }});
    CallToolResult::error(vec![ContentBlock::text(error.to_string())])
}

/// Explains why a result does not fit its schema.
fn misfit(output: &ToolOutput, violations: &[Violation]) -> String {
    const DONE: &str = "the call was carried out, but";
    if output.truncated {
        return format!(
            "{DONE} its answer did not end in time and was cut; the first part follows"
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
