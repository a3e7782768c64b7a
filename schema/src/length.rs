//! The length of a value as JSON, without writing it.

use serde_json::Value;

/// Returns the length of a value as JSON without white space, in bytes.
///
/// ```
/// use serde_json::json;
///
/// let value = json!({"name": "a\n\u{1}ä", "parts": [1, -2.5, null]});
/// assert_eq!(toolwright_schema::json_length(&value), value.to_string().len());
/// ```
#[must_use]
pub fn json_length(value: &Value) -> usize {
    let mut length = 0;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        length += match value {
            Value::Null | Value::Bool(true) => 4,
            Value::Bool(false) => 5,
            Value::Number(number) => number.to_string().len(),
            Value::String(text) => string_length(text),
            Value::Array(items) => {
                open.extend(items);
                brackets_and_commas(items.len())
            }
            Value::Object(fields) => {
                open.extend(fields.values());
                let names = fields.keys().map(|name| string_length(name) + 1);
                brackets_and_commas(fields.len()) + names.sum::<usize>()
            }
        };
    }
    length
}

const fn brackets_and_commas(members: usize) -> usize {
    2 + members.saturating_sub(1)
}

fn string_length(text: &str) -> usize {
    let escapes = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 1,
        0..0x20 => 5,
        _ => 0,
    });
    2 + text.len() + escapes.sum::<usize>()
}
