//! The response of a GraphQL endpoint, which reports errors with the status 200.

use serde_json::{Map, Value};

use super::receive::RawAnswer;
use crate::{done::Done, error::ToolError};

/// The key of the errors in a response, and in a result that is only a part.
const ERRORS: &str = "errors";

/// The most errors that a result or a message has.
const MOST_ERRORS: usize = 10;

/// The most steps of the place of an error.
const LONGEST_PLACE: usize = 50;

/// What a response is.
pub(super) enum Judgement {
    /// The data, with the errors if parts of it are missing.
    Data(Value),
    /// An error, and what is certain about the effect of the operation.
    Failure(ToolError, Done),
}

/// Judges a response: the data is the result, and errors without data are a failure.
pub(super) fn judge(response: Value, raw: &RawAnswer) -> Judgement {
    let Value::Object(mut response) = response else {
        return unusable(raw);
    };
    let errors = match response.remove(ERRORS) {
        Some(Value::Array(errors)) => errors,
        None | Some(Value::Null) => Vec::new(),
        Some(_) => return unusable(raw),
    };
    let data = response.remove("data");
    match data {
        Some(Value::Object(data)) if errors.is_empty() => Judgement::Data(data.into()),
        Some(Value::Object(mut data)) if data.values().any(|value| !value.is_null()) => {
            let errors = errors.iter().take(MOST_ERRORS).map(shown);
            data.insert(ERRORS.to_owned(), errors.collect());
            Judgement::Data(data.into())
        }
        _ if errors.is_empty() => unusable(raw),
        data => {
            // A response without data is the refusal of the request before it was executed, unless an
            // error has a place in the data.
            let is_refused =
                data.is_none() && errors.iter().all(|error| error.get("path").is_none());
            let done = if is_refused { Done::No } else { Done::Unknown };
            Judgement::Failure(failure(&errors, raw), done)
        }
    }
}

fn failure(errors: &[Value], raw: &RawAnswer) -> ToolError {
    let messages: Vec<_> = errors.iter().take(MOST_ERRORS).map(message).collect();
    let body: Vec<Value> = errors.iter().take(MOST_ERRORS).cloned().collect();
    ToolError::Service {
        status: raw.status,
        message: messages.join("; "),
        body: Box::new(body.into()),
        request: None,
        detail: None,
    }
}

fn unusable(raw: &RawAnswer) -> Judgement {
    let error = ToolError::UnusableAnswer {
        status: Some(raw.status),
        message:
            "the service's answer is not a response of GraphQL: it has neither `data` nor `errors`"
                .to_owned(),
        request: None,
    };
    Judgement::Failure(error, Done::Unknown)
}

/// Returns the parts of an error that are shown: its message, its place in the data, and its code. The
/// rest may be a stack trace.
fn shown(error: &Value) -> Value {
    let mut shown = Map::new();
    shown.insert("message".to_owned(), message(error).into());
    if let Some(Value::Array(steps)) = error.get("path") {
        let is_step = |step: &&Value| step.is_string() || step.is_u64();
        let steps = steps.iter().filter(is_step).take(LONGEST_PLACE);
        shown.insert("path".to_owned(), steps.cloned().collect());
    }
    if let Some(code) = error.pointer("/extensions/code").and_then(Value::as_str) {
        shown.insert("code".to_owned(), plain(code).into());
    }
    shown.into()
}

fn message(error: &Value) -> String {
    let text = error.get("message").and_then(Value::as_str);
    plain(text.unwrap_or("the service reports an error without a message"))
}

/// Returns a text on one line. It is not cut here: a part of a secret could not be removed later.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(response: Value) -> Result<Value, (String, Done)> {
        let raw = RawAnswer {
            status: 200,
            content_type: None,
            link: None,
            etag: None,
            retry_after: None,
            bytes: Vec::new(),
            cut: None,
            saved: None,
            follows_redirect: false,
        };
        match judge(response, &raw) {
            Judgement::Data(value) => Ok(value),
            Judgement::Failure(error, done) => Err((error.code().to_owned(), done)),
        }
    }

    #[test]
    fn data_without_errors_is_the_result() {
        for errors in [json!(null), json!([])] {
            let response =
                json!({"data": {"a": null}, "errors": errors, "extensions": {"cost": 1}});
            assert_eq!(judged(response), Ok(json!({"a": null})));
        }
    }

    #[test]
    fn a_part_of_the_data_has_its_errors() {
        let error = json!({
            "message": "not\n  allowed", "path": ["a", 0, "b", {}], "locations": [{"line": 1}],
            "extensions": {"code": "FORBIDDEN", "stack": "at /srv"},
        });
        let response = json!({"data": {"a": [{"b": null}]}, "errors": [error, {}]});
        let shown = json!([
            {"message": "not allowed", "path": ["a", 0, "b"], "code": "FORBIDDEN"},
            {"message": "the service reports an error without a message"},
        ]);
        assert_eq!(
            judged(response),
            Ok(json!({"a": [{"b": null}], "errors": shown}))
        );
        let many = vec![json!({"message": "x"}); 5_000];
        let response = judged(json!({"data": {"a": 1}, "errors": many})).unwrap();
        assert_eq!(response["errors"].as_array().unwrap().len(), MOST_ERRORS);
    }

    #[test]
    fn errors_without_data_are_a_failure() {
        let refused = json!({"errors": [{"message": "unknown field"}]});
        assert_eq!(judged(refused), Err(("service_error".to_owned(), Done::No)));
        for executed in [
            json!({"data": null, "errors": [{"message": "x"}]}),
            json!({"data": {"a": null}, "errors": [{"message": "x", "path": ["a"]}]}),
            json!({"errors": [{"message": "x", "path": ["a"]}]}),
        ] {
            let failure = Err(("service_error".to_owned(), Done::Unknown));
            assert_eq!(judged(executed), failure);
        }
    }

    #[test]
    fn anything_else_is_no_response() {
        for response in [
            json!(null),
            json!([]),
            json!("ok"),
            json!({}),
            json!({"data": null}),
            json!({"data": [1]}),
            json!({"data": {"a": 1}, "errors": "none"}),
        ] {
            let failure = Err(("unusable_answer".to_owned(), Done::Unknown));
            assert_eq!(judged(response.clone()), failure, "{response}");
        }
    }
}
