//! The faults of the parameters of a request whose method is known.

use rmcp::{
    ErrorData,
    model::{
        CallToolRequestMethod, CompleteRequestMethod, ConstString as _, CustomRequest, ErrorCode,
        GetPromptRequestMethod, ListPromptsRequestMethod, ListResourceTemplatesRequestMethod,
        ListResourcesRequestMethod, ListToolsRequestMethod, ReadResourceRequestMethod,
    },
};
use serde_json::Value;

/// The methods that have parameters.
const KNOWN: [&str; 8] = [
    CallToolRequestMethod::VALUE,
    CompleteRequestMethod::VALUE,
    GetPromptRequestMethod::VALUE,
    ListPromptsRequestMethod::VALUE,
    ListResourceTemplatesRequestMethod::VALUE,
    ListResourcesRequestMethod::VALUE,
    ListToolsRequestMethod::VALUE,
    ReadResourceRequestMethod::VALUE,
];

/// Returns the error of a request that is not one of those that the library knows: it has another method, or a
/// known one with parameters that do not fit.
pub(crate) fn error(request: CustomRequest) -> ErrorData {
    let CustomRequest { method, params, .. } = request;
    if !KNOWN.contains(&&*method) {
        return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None);
    }
    let fault = match (&*method, &params) {
        (_, None) => "they are missing".to_owned(),
        (CallToolRequestMethod::VALUE, Some(Value::Object(params))) => {
            let name = params.get("name").map(Value::is_string);
            match (name, params.get("arguments")) {
                (None, _) => "`name` is missing".to_owned(),
                (Some(false), _) => "`name` must be a string".to_owned(),
                (_, Some(arguments)) if !arguments.is_object() => {
                    format!("`arguments` must be an object, found {}", kind(arguments))
                }
                _ => "they do not fit the method".to_owned(),
            }
        }
        (_, Some(params)) if !params.is_object() => {
            format!("they must be an object, found {}", kind(params))
        }
        _ => "they do not fit the method".to_owned(),
    };
    ErrorData::invalid_params(
        format!("the parameters of `{method}` are not valid: {fault}"),
        None,
    )
}

/// Returns the kind of a value with its article.
const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
