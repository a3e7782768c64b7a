//! The answer: from bytes to a result, by the binding's table or else by the content type.

use std::borrow::Cow;

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use toolwright_model::{Answer, AnswerContent, HttpBinding};

use super::{receive::RawAnswer, stream};
use crate::{
    error::ToolError,
    exchange::request::is_json,
    output::{Continuation, ToolOutput},
};

/// The detail of an error that followed a redirect.
const REDIRECTED: &str = "the service redirected the request before";

/// The byte order mark that some services put before UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The places of an error's message, the most specific first.
const MESSAGE_PLACES: &[&str] = &[
    "/error/message",
    "/error_description",
    "/message",
    "/detail",
    "/errors/0/message",
    "/errors/0/detail",
    "/errors/0",
    "/error",
    "/title",
    "/msg",
    "/reason",
];

/// The result that an answer stands for.
pub(super) fn decode_answer(
    binding: &HttpBinding,
    raw: &RawAnswer,
) -> Result<ToolOutput, ToolError> {
    if let Some(file) = &raw.saved {
        return Ok(ToolOutput {
            link: raw.link.clone(),
            etag: raw.etag.clone(),
            ..ToolOutput::saved(file.clone(), raw.status)
        });
    }
    let content = content_of(binding, raw.status, raw.content_type.as_deref(), &raw.bytes);
    if !(200..300).contains(&raw.status) {
        return Err(failure_of(content, raw));
    }
    if let Some(error) = raw.too_large(true) {
        return Err(error);
    }
    Ok(ToolOutput {
        value: decode(content, raw)?,
        status: Some(raw.status),
        truncated: raw.cut.is_some(),
        file: None,
        etag: raw.etag.clone(),
        next: Continuation::End,
        undescribed: content != AnswerContent::Empty && is_declared_empty(binding, raw.status),
        link: raw.link.clone(),
    })
}

/// Returns the error for a response of an error status that the document does not describe.
pub(crate) fn failure(raw: &RawAnswer) -> ToolError {
    let actual = raw.content_type.as_deref().map(essence);
    let content = actual.map_or_else(|| guess(&raw.bytes), |actual| content_of_type(&actual));
    failure_of(content, raw)
}

fn failure_of(content: AnswerContent, raw: &RawAnswer) -> ToolError {
    // Keep a response that does not match its declared type as a string.
    let body = decode(content, raw).unwrap_or_else(|_| text(&raw.bytes, raw.cut.is_some()).into());
    ToolError::Service {
        status: raw.status,
        message: message(raw),
        body: Box::new(body),
        request: None,
        detail: raw.follows_redirect.then(|| REDIRECTED.to_owned()),
    }
}

/// Chooses how the bytes become the result: by the binding for this status and type, else by the
/// type itself.
fn content_of(
    binding: &HttpBinding,
    status: u16,
    content_type: Option<&str>,
    bytes: &[u8],
) -> AnswerContent {
    if bytes.is_empty() && is_declared_empty(binding, status) {
        return AnswerContent::Empty;
    }
    let actual = content_type.map(essence);
    let declared = answers(binding, status).find(|answer| {
        let described = answer.content != AnswerContent::Empty;
        described
            && actual
                .as_ref()
                .is_none_or(|actual| declares(answer, actual))
    });
    match (declared, actual) {
        (Some(answer), Some(actual)) if contradicts_document(answer, &actual) => {
            content_of_type(&actual)
        }
        (Some(answer), _) => answer.content,
        (None, Some(actual)) => content_of_type(&actual),
        (None, None) => guess(bytes),
    }
}

/// Returns whether an answer with this head is bytes. One without a type is, if it is declared as
/// bytes.
pub(super) fn is_binary(binding: &HttpBinding, status: u16, content_type: Option<&str>) -> bool {
    content_of(binding, status, content_type, b"text") == AnswerContent::Binary
}

/// Returns whether the declared type differs from the first one of the document, in name and in
/// kind.
fn contradicts_document(answer: &Answer, actual: &str) -> bool {
    let first = answer.media_types.first().map(|first| essence(first));
    first.is_some_and(|first| first != actual && content_of_type(&first) != content_of_type(actual))
}

/// The answers that the document describes for a status, the most specific first.
fn answers(binding: &HttpBinding, status: u16) -> impl Iterator<Item = &Answer> {
    binding
        .answers
        .iter()
        .filter(move |answer| answer.status.matches(status))
}

/// Returns whether the document declares responses of this status empty.
fn is_declared_empty(binding: &HttpBinding, status: u16) -> bool {
    answers(binding, status)
        .next()
        .is_some_and(|answer| answer.content == AnswerContent::Empty)
}

fn declares(answer: &Answer, actual: &str) -> bool {
    answer.media_types.iter().any(|declared| {
        let declared = essence(declared);
        match declared.strip_suffix("/*") {
            Some("*") => false,
            Some(kind) => actual.split('/').next() == Some(kind),
            None => declared == actual,
        }
    })
}

fn content_of_type(media_type: &str) -> AnswerContent {
    let is_text = media_type.starts_with("text/")
        || media_type.ends_with("+xml")
        || matches!(
            media_type,
            "application/xml"
                | "application/yaml"
                | "application/x-yaml"
                | "application/javascript"
                | "application/x-www-form-urlencoded"
        );
    if media_type == "text/event-stream" {
        AnswerContent::Events
    } else if is_lines(media_type) {
        AnswerContent::Lines
    } else if is_json(media_type) {
        AnswerContent::Json
    } else if is_text {
        AnswerContent::Text
    } else {
        AnswerContent::Binary
    }
}

/// Returns whether a response of this content type is a stream, which need not end.
pub(super) fn is_stream(content_type: &str) -> bool {
    let content = content_of_type(&essence(content_type));
    matches!(content, AnswerContent::Lines | AnswerContent::Events)
}

/// Returns whether the type is a sequence of JSON values.
fn is_lines(media_type: &str) -> bool {
    let (_, subtype) = media_type.split_once('/').unwrap_or_default();
    [
        "ndjson",
        "jsonl",
        "jsonlines",
        "json-lines",
        "json-seq",
        "stream+json",
    ]
    .iter()
    .any(|known| subtype.ends_with(known))
}

/// Guesses the content of bytes without a type.
fn guess(bytes: &[u8]) -> AnswerContent {
    if serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok() {
        AnswerContent::Json
    } else if std::str::from_utf8(bytes).is_ok() {
        AnswerContent::Text
    } else {
        AnswerContent::Binary
    }
}

/// Returns the whole value of a response.
fn decode(content: AnswerContent, raw: &RawAnswer) -> Result<Value, ToolError> {
    if raw.bytes.is_empty() {
        return Ok(match content {
            AnswerContent::Text => "".into(),
            AnswerContent::Lines | AnswerContent::Events | AnswerContent::EventData => json!([]),
            _ => Value::Null,
        });
    }
    let bytes = raw.bytes.strip_prefix(BYTE_ORDER_MARK);
    let bytes = bytes.unwrap_or(&raw.bytes);
    match content {
        AnswerContent::Empty => Ok(Value::Null),
        AnswerContent::Binary => Ok(binary(raw)),
        AnswerContent::Json if raw.cut.is_none() => {
            serde_json::from_slice(bytes).map_err(|error| not_json(raw, &error))
        }
        AnswerContent::Lines => {
            let values = stream::values(bytes, raw.cut.is_some());
            let values = values.map_err(|error| not_json(raw, &error))?;
            Ok(values.into())
        }
        AnswerContent::Events => Ok(stream::events(&lossy(bytes), raw.cut.is_some()).into()),
        AnswerContent::EventData => Ok(stream::data(&lossy(bytes), raw.cut.is_some()).into()),
        AnswerContent::Json | AnswerContent::Text => Ok(text(bytes, raw.cut.is_some()).into()),
    }
}

fn text(bytes: &[u8], truncated: bool) -> String {
    let mut text = lossy(bytes).into_owned();
    if truncated {
        let kept = bytes.len();
        text.push_str(&format!(
            "\n[truncated: the answer is longer than {kept} bytes]"
        ));
    }
    text
}

fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

fn binary(raw: &RawAnswer) -> Value {
    let octets = || "application/octet-stream".to_owned();
    let media_type = raw.content_type.as_deref().map_or_else(octets, essence);
    let (size, content) = (raw.bytes.len(), BASE64_STANDARD.encode(&raw.bytes));
    if raw.cut.is_some() {
        json!({ "media_type": media_type, "size": size, "content": content, "truncated": true })
    } else {
        json!({ "media_type": media_type, "size": size, "content": content })
    }
}

fn not_json(raw: &RawAnswer, error: &serde_json::Error) -> ToolError {
    let (line, column) = (error.line(), error.column());
    ToolError::UnusableAnswer {
        status: Some(raw.status),
        message: format!("the service's answer is not JSON at line {line}, column {column}"),
        request: None,
    }
}

/// Returns the service's error message, on one line.
fn message(raw: &RawAnswer) -> String {
    let text = lossy(&raw.bytes);
    let is_html = raw
        .content_type
        .as_deref()
        .is_some_and(|kind| essence(kind) == "text/html");
    let words = match serde_json::from_slice::<Value>(&raw.bytes) {
        Ok(value) => message_in(&value),
        Err(_) if is_html => String::new(),
        Err(_) => text.into_owned(),
    };
    words
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn message_in(value: &Value) -> String {
    let said = MESSAGE_PLACES
        .iter()
        .filter_map(|place| value.pointer(place))
        .find_map(Value::as_str);
    match (said, value) {
        (Some(said), _) => said.to_owned(),
        (None, Value::String(text)) => text.clone(),
        (None, Value::Null) => String::new(),
        (None, other) => other.to_string(),
    }
}

/// A media type without its parameters, in lower case.
fn essence(media_type: &str) -> String {
    let essence = media_type.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}
