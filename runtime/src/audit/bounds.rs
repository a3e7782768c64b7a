//! Length bounds for the strings of events: a caller must not be able to fill the disk or to forge
//! a line.

use serde_json::Value;
use toolwright_model::text::escape_invisible;

/// The greatest length of a name that a caller chose, in characters.
const NAME_LIMIT: usize = 64;

/// The greatest length of a string among recorded values, in characters.
const STRING_LIMIT: usize = 256;

/// The greatest length of recorded values as JSON, in bytes.
const VALUE_LIMIT: usize = 8 * 1024;

/// The last character of a shortened string.
const CUT: char = '…';

/// Returns a name that a caller chose: at most 64 characters, invisible ones escaped.
pub(crate) fn bounded_name(name: &str) -> String {
    bounded(name, NAME_LIMIT)
}

/// Escapes the invisible characters of a string and shortens it to at most `limit` characters. A
/// shortened string ends in `…`.
pub(crate) fn bounded(text: &str, limit: usize) -> String {
    // Escaping never shortens a string, so the characters beyond the limit are not read.
    let end = text.char_indices().nth(limit + 1).map(|(end, _)| end);
    let beginning = end.and_then(|end| text.get(..end)).unwrap_or(text);
    let escaped = escape_invisible(beginning);
    if escaped.chars().count() <= limit {
        return escaped.into_owned();
    }
    let kept = escaped.chars().take(limit.saturating_sub(1));
    kept.chain([CUT]).collect()
}

/// Bounds a value: each string to 256 characters, the whole to 8 KiB of JSON. A longer value is
/// replaced by a string with its length.
pub(crate) fn bounded_value(value: Value) -> Value {
    let value = bounded_strings(value);
    match serde_json::to_string(&value) {
        Ok(text) if text.len() <= VALUE_LIMIT => value,
        Ok(text) => Value::String(format!("{} bytes{CUT}", text.len())),
        Err(_) => Value::Null,
    }
}

fn bounded_strings(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(bounded(&text, STRING_LIMIT)),
        Value::Array(items) => items.into_iter().map(bounded_strings).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            let fields = fields.map(|(name, field)| (bounded_name(&name), bounded_strings(field)));
            Value::Object(fields.collect())
        }
        scalar => scalar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_of_any_length_is_bounded_and_visible() {
        assert_eq!(bounded("tool", 4), "tool");
        assert_eq!(bounded("tools", 4), "too…");
        assert_eq!(bounded("a\nb\u{202e}c", 64), "a\\nb\\u{202e}c");
        for text in ["\u{e0041}", "\n", "\\", "é", "\u{10ffff}"] {
            let long = text.repeat(100_000);
            assert!(bounded(&long, 64).chars().count() <= 64, "{text:?}");
        }
    }
}
