//! The outermost object of a message that cannot be read, and the answer to it.
//!
//! A client waits for an answer to each of its requests, also to one that is too long, nested too deeply or broken
//! somewhere inside. The request id is in the outermost object, often at its end.

use std::fmt;

use rmcp::{
    ErrorData,
    model::{RequestId, ServerJsonRpcMessage},
};
use serde_json::{Map, Value, json};

/// The longest outline that is kept, in bytes. One of a request needs about a hundred.
const LONGEST: usize = 4 << 10;

/// The depth from which the reader of JSON refuses a message.
const DEEPEST: usize = 128;

/// The text of a message without what is inside of its values. It may be built from parts of the message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    text: Vec<u8>,
    depth: usize,
    deepest: usize,
    is_in_string: bool,
    is_escaped: bool,
}

/// The reason why a message cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is longer than this number of bytes.
    TooLong(usize),
    /// It cannot be read as a message.
    Unreadable,
}

/// What is known about a message.
enum Sort {
    /// It is a request with this id.
    Request(RequestId),
    /// It expects no answer.
    Silent,
    /// It is an object or a list, but no message.
    NoMessage(Option<RequestId>),
    /// It is not JSON, as far as its outline shows.
    NoJson,
}

impl Outline {
    /// Returns the outline of a whole message.
    pub(crate) fn of(message: &[u8]) -> Self {
        let mut outline = Self::default();
        outline.add(message);
        outline
    }

    /// Adds the next part of the message.
    pub(crate) fn add(&mut self, part: &[u8]) {
        for &byte in part {
            let before = self.depth;
            if self.is_in_string {
                let is_escape = byte == b'\\' && !self.is_escaped;
                self.is_in_string = byte != b'"' || self.is_escaped;
                self.is_escaped = is_escape;
            } else {
                match byte {
                    b'"' => self.is_in_string = true,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
            }
            self.deepest = self.deepest.max(self.depth);
            if self.depth.min(before) <= 1 && self.text.len() < LONGEST {
                self.text.push(byte);
            }
        }
    }

    /// Returns the answer to the message. A notification, and an answer of the client, have none.
    pub(crate) fn answer(&self, fault: Fault) -> Option<ServerJsonRpcMessage> {
        let sort = self.sort();
        let error = match (fault, &sort) {
            (_, Sort::Silent) => return None,
            (Fault::TooLong(limit), _) => ErrorData::invalid_request(
                format!(
                    "the message is longer than {limit} bytes; send less at a time, or give the handle of a file"
                ),
                Some(json!({"code": "message_too_long", "limit": limit})),
            ),
            (Fault::Unreadable, _) if self.deepest >= DEEPEST => ErrorData::invalid_request(
                format!(
                    "the message is nested more than {} levels deep",
                    DEEPEST - 1
                ),
                Some(json!({"code": "message_too_deep", "limit": DEEPEST - 1})),
            ),
            (Fault::Unreadable, Sort::NoMessage(_)) => ErrorData::invalid_request(
                "the message is JSON, but no request, notification or answer of JSON-RPC 2.0",
                None,
            ),
            (Fault::Unreadable, Sort::Request(_) | Sort::NoJson) => {
                ErrorData::parse_error("the message is not valid JSON in UTF-8", None)
            }
        };
        let id = match sort {
            Sort::Request(id) => Some(id),
            Sort::NoMessage(id) => id,
            Sort::Silent | Sort::NoJson => None,
        };
        Some(ServerJsonRpcMessage::error(error, id))
    }

    fn sort(&self) -> Sort {
        let Ok(outline) = serde_json::from_slice::<Value>(&self.text) else {
            return Sort::NoJson;
        };
        let Value::Object(fields) = outline else {
            return Sort::NoMessage(None);
        };
        let id = id(&fields);
        match (id, fields.contains_key("method")) {
            (Some(id), true) => Sort::Request(id),
            (None, true) if !fields.contains_key("id") => Sort::Silent,
            (_, false)
                if ["result", "error"]
                    .iter()
                    .any(|one| fields.contains_key(*one)) =>
            {
                Sort::Silent
            }
            (id, _) => Sort::NoMessage(id),
        }
    }
}

/// Returns the id of a request.
fn id(fields: &Map<String, Value>) -> Option<RequestId> {
    serde_json::from_value(fields.get("id")?.clone()).ok()
}

impl fmt::Display for Outline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the id and the code of the answer to a message.
    fn answer(message: &str, fault: Fault) -> Option<(Value, i64)> {
        let answer = Outline::of(message.as_bytes()).answer(fault)?;
        let answer = serde_json::to_value(answer).unwrap();
        Some((
            answer["id"].clone(),
            answer["error"]["code"].as_i64().unwrap(),
        ))
    }

    #[test]
    fn an_outline_has_no_content_and_does_not_depend_on_the_parts() {
        let message = r#"{"a":{"b":["}\"\\",{}]},"method":"x\"[{","id":"7\\"}"#;
        let whole = Outline::of(message.as_bytes());
        assert_eq!(whole.to_string(), r#"{"a":{},"method":"x\"[{","id":"7\\"}"#);
        for size in 1..message.len() {
            let mut outline = Outline::default();
            for part in message.as_bytes().chunks(size) {
                outline.add(part);
            }
            assert_eq!(outline.to_string(), whole.to_string(), "{size}");
        }
    }

    #[test]
    fn the_answer_has_the_id_of_the_request() {
        let deep = "[".repeat(200) + &"]".repeat(200);
        let deep = format!(r#"{{"params":{deep},"method":"ping","id":"last"}}"#);
        for (message, expected) in [
            (
                r#"{"id":3,"method":"ping","params":{"a":}}"#,
                (json!(3), -32700),
            ),
            (
                r#"{"id":3,"method":"ping","params":"#,
                (Value::Null, -32700),
            ),
            ("certainly not JSON", (Value::Null, -32700)),
            (r#"[{"id":3,"method":"ping"}]"#, (Value::Null, -32600)),
            (r#"{"id":3}"#, (json!(3), -32600)),
            (r#"{"id":true,"method":"ping"}"#, (Value::Null, -32600)),
            (&*deep, (json!("last"), -32600)),
        ] {
            assert_eq!(
                answer(message, Fault::Unreadable),
                Some(expected),
                "{message}"
            );
        }
        let long = format!(
            r#"{{"method":"ping","params":{{"a":"{}"}},"id":9}}"#,
            "x".repeat(9999)
        );
        assert_eq!(answer(&long, Fault::TooLong(1)), Some((json!(9), -32600)));
    }

    #[test]
    fn what_expects_no_answer_has_none() {
        for message in [
            r#"{"method":"notifications/cancelled","params":[}]}"#,
            r#"{"id":3,"result":{"a":}}"#,
            r#"{"id":3,"error":{}}"#,
        ] {
            for fault in [Fault::Unreadable, Fault::TooLong(1)] {
                assert_eq!(answer(message, fault), None, "{message}");
            }
        }
    }
}
