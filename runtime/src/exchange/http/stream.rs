//! Answers that are a sequence of values: JSON values one after another, server-sent events.
//!
//! The complete values of a truncated stream are kept.

use serde_json::{Map, Value};

/// The separator of values in a JSON text sequence (RFC 7464).
const RECORD_SEPARATOR: u8 = 0x1e;

/// The data of the last event of some services.
const LAST: &str = "[DONE]";

/// JSON values one after another, such as one a line.
pub(super) fn values(bytes: &[u8], truncated: bool) -> Result<Vec<Value>, serde_json::Error> {
    // No string of JSON has an unescaped separator in it.
    let separated = |byte: &u8| matches!(*byte, b'\n' | RECORD_SEPARATOR);
    let whole = if truncated {
        let end = bytes.iter().rposition(separated).unwrap_or_default();
        bytes.get(..end).unwrap_or_default()
    } else {
        bytes
    };
    let spaced: Vec<u8> = whole
        .iter()
        .map(|byte| {
            if *byte == RECORD_SEPARATOR {
                b'\n'
            } else {
                *byte
            }
        })
        .collect();
    serde_json::Deserializer::from_slice(&spaced)
        .into_iter()
        .collect()
}

/// Parses server-sent events. Each is an object with `data`, and with `event`, `id` and `retry` if
/// present.
pub(super) fn events(text: &str, truncated: bool) -> Vec<Value> {
    let mut events = Vec::new();
    let mut fields = Map::new();
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    for line in text.split('\n') {
        if line.is_empty() {
            events.extend(event(&mut fields));
        } else {
            field(line, &mut fields);
        }
    }
    if !truncated {
        events.extend(event(&mut fields));
    }
    events
}

/// Returns the data of server-sent events: JSON, or a string if it is not JSON.
pub(super) fn data(text: &str, truncated: bool) -> Vec<Value> {
    let mut data: Vec<Value> = events(text, truncated)
        .into_iter()
        .filter_map(|mut event| event.get_mut("data").map(Value::take))
        .collect();
    if data.last().and_then(Value::as_str) == Some(LAST) {
        data.pop();
    }
    let parsed = data.into_iter().map(|value| {
        let json = value
            .as_str()
            .and_then(|text| serde_json::from_str(text).ok());
        json.unwrap_or(value)
    });
    parsed.collect()
}

/// The event that the fields make; without data it is none.
fn event(fields: &mut Map<String, Value>) -> Option<Value> {
    let fields = std::mem::take(fields);
    fields.contains_key("data").then_some(Value::Object(fields))
}

/// Reads a line: a field, or a comment.
fn field(line: &str, fields: &mut Map<String, Value>) {
    let (name, value) = line.split_once(':').unwrap_or((line, ""));
    let value = value.strip_prefix(' ').unwrap_or(value);
    match name {
        "data" => match fields.get_mut(name) {
            Some(Value::String(before)) => {
                before.push('\n');
                before.push_str(value);
            }
            _ => {
                fields.insert(name.to_owned(), value.into());
            }
        },
        "event" | "id" => {
            fields.insert(name.to_owned(), value.into());
        }
        "retry" => {
            let milliseconds = value.parse::<u64>().ok();
            fields.extend(milliseconds.map(|number| (name.to_owned(), number.into())));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_follow_one_another() {
        for bytes in [
            "{\"a\":1}\n[2]\n",
            "{\"a\":1}[2]",
            "\u{1e}{\"a\":1}\n\u{1e}[2]\n",
        ] {
            let read = values(bytes.as_bytes(), false).unwrap();
            assert_eq!(read, [json!({"a": 1}), json!([2])], "{bytes:?}");
        }
        assert_eq!(values(b"1\n2\n34", true).unwrap(), [json!(1), json!(2)]);
        assert!(values(b"1\n{", false).is_err());
    }

    #[test]
    fn events_have_fields() {
        let text = ": comment\nevent: made\nid: 7\ndata: a\ndata: b\n\nretry: 10\n\r\ndata:c\rretry: x\r\r";
        let made = json!({"event": "made", "id": "7", "data": "a\nb"});
        assert_eq!(events(text, false), [made, json!({"data": "c"})]);
        assert_eq!(events("data: a\n\ndata: b", true), [json!({"data": "a"})]);
        assert_eq!(events("data: a\n\ndata: b", false).len(), 2);
    }

    #[test]
    fn data_is_json_if_possible() {
        let text = "data: {\"a\": 1}\n\ndata: words\n\ndata: [DONE]\n\n";
        assert_eq!(data(text, false), [json!({"a": 1}), json!("words")]);
    }
}
