//! Clean-up and length limits for foreign prose that agents and people read.
//!
//! A description becomes part of the context of every agent that sees the tool. Invisible
//! characters can hide, reorder or split the visible ones, and a very long description displaces
//! everything else. Descriptions therefore contain visible characters only and have a maximum
//! length. Values of requests, such as the members of an `enum`, are left unchanged.

use serde_json::{Map, Value};
use toolwright_schema::walk_mut;

use crate::{
    Answer, Binding,
    text::{has_invisible, remove_invisible},
};

/// The first line of the description of a deprecated tool.
pub const DEPRECATED: &str = "Deprecated: the service's owner advises against it.";

/// The longest title of a tool, in characters: a line of a list.
pub const LONGEST_TITLE: usize = 120;

/// The longest line about a tool, in characters: two lines of a terminal.
pub const LONGEST_SHORT: usize = 200;

/// The longest heading of a list of tools, in characters.
pub const LONGEST_SECTION: usize = 80;

/// The maximum length of a description of a tool, an argument or a response, in characters. Nearly
/// all descriptions in public specifications are shorter, and a hundred of this length still fit a
/// context.
pub const LONGEST_TEXT: usize = 4_000;

/// Returns the visible characters and line breaks, cut to the maximum length.
#[must_use]
pub fn prose(text: &str, longest: usize) -> String {
    bounded(&visible(text), longest)
}

/// Returns the visible characters on one line, cut to the maximum length.
#[must_use]
pub fn line(text: &str, longest: usize) -> String {
    let text = visible(text);
    if text.contains(['\n', '\t']) {
        let words: Vec<&str> = text.split_whitespace().collect();
        return bounded(&words.join(" "), longest);
    }
    bounded(text.trim(), longest)
}

/// Cuts the string after the last word that fits, and appends an ellipsis if it was cut.
#[must_use]
pub fn bounded(text: &str, longest: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(longest) else {
        return text.to_owned();
    };
    let kept = text.get(..end).unwrap_or(text);
    // A word that is nearly all of it is cut, too.
    let words = kept.rsplit_once(char::is_whitespace);
    let words = words.map(|(words, _)| words.trim_end());
    let kept = words
        .filter(|words| words.len() > kept.len() / 2)
        .unwrap_or(kept);
    format!("{kept} …")
}

/// Cleans the response descriptions of a binding.
pub fn clean_binding(binding: &mut Binding) {
    if let Binding::Http(http) = binding {
        let clean = |answer: &mut Answer| {
            answer.description = prose(&answer.description, LONGEST_TEXT);
        };
        http.answers.iter_mut().for_each(clean);
    }
}

/// Cleans the descriptions of a schema and its subschemas. Examples with invisible characters are
/// removed.
pub fn clean_schema(schema: &mut Value) {
    clean_schema_after(schema, |_| {});
}

/// Cleans a schema as [`clean_schema`] does. Before, `change` is called with the schema and each subschema.
pub fn clean_schema_after(schema: &mut Value, mut change: impl FnMut(&mut Value)) {
    walk_mut(schema, |_, schema| {
        change(schema);
        if let Value::Object(schema) = schema {
            clean_own(schema);
        }
    });
}

fn clean_own(schema: &mut Map<String, Value>) {
    for keyword in ["title", "description", "$comment"] {
        if let Some(Value::String(text)) = schema.get_mut(keyword) {
            *text = prose(text, LONGEST_TEXT);
        }
    }
    if let Some(Value::Array(examples)) = schema.get_mut("examples") {
        examples.retain(is_visible);
        if examples.is_empty() {
            schema.shift_remove("examples");
        }
    }
}

/// Checks whether all strings of a value contain visible characters only.
fn is_visible(value: &Value) -> bool {
    match value {
        Value::String(text) => !has_invisible(text),
        Value::Array(items) => items.iter().all(is_visible),
        Value::Object(fields) => fields
            .iter()
            .all(|(name, value)| !has_invisible(name) && is_visible(value)),
        _ => true,
    }
}

/// Removes invisible characters, and normalises every line break to `\n`.
fn visible(text: &str) -> String {
    if !has_invisible(text) {
        return text.to_owned();
    }
    let text = without_terminal_codes(text).replace("\r\n", "\n");
    let text = text.replace(
        ['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'],
        "\n",
    );
    remove_invisible(&text).into_owned()
}

/// Removes complete terminal control sequences.
fn without_terminal_codes(text: &str) -> String {
    const INTRODUCERS: [char; 7] = [
        '\u{1b}', '\u{90}', '\u{98}', '\u{9b}', '\u{9d}', '\u{9e}', '\u{9f}',
    ];
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(INTRODUCERS) {
        let (before, code) = rest.split_at_checked(at).unwrap_or((rest, ""));
        kept.push_str(before);
        rest = after_code(code);
    }
    kept.push_str(rest);
    kept
}

/// Returns the remainder after the control sequence at the start of the string.
fn after_code(text: &str) -> &str {
    let mut characters = text.chars();
    let kind = match characters.next() {
        Some('\u{1b}') => characters.next(),
        // A one-character introducer is its two-character form minus 0x40.
        Some(single) => char::from_u32(u32::from(single).wrapping_sub(0x40)),
        None => None,
    };
    let rest = characters.as_str();
    match kind {
        Some('[') => after_parameters(rest),
        Some(']' | 'P' | 'X' | '^' | '_') => after_string(rest),
        Some(' '..='/') => rest.get(1..).unwrap_or_default(),
        Some('0'..='~') | None => rest,
        // It is not a sequence.
        Some(_) => text.get('\u{1b}'.len_utf8()..).unwrap_or_default(),
    }
}

/// Returns the remainder after the parameters and the final character of a control sequence: `31m`.
fn after_parameters(text: &str) -> &str {
    let end = text.find(|c: char| !(' '..='?').contains(&c));
    let Some((_, rest)) = end.and_then(|end| text.split_at_checked(end)) else {
        return "";
    };
    match rest.chars().next() {
        Some('@'..='~') => rest.get(1..).unwrap_or_default(),
        _ => rest,
    }
}

/// Returns the remainder after a control string and its terminator. An unterminated one ends with
/// its line.
fn after_string(text: &str) -> &str {
    let end = text.find(['\u{7}', '\u{1b}', '\u{9c}', '\n']);
    let Some((_, rest)) = end.and_then(|end| text.split_at_checked(end)) else {
        return "";
    };
    ["\u{1b}\\", "\u{7}", "\u{9c}"]
        .iter()
        .find_map(|terminator| rest.strip_prefix(terminator))
        .unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn terminal_codes_are_removed_completely() {
        for (text, expected) in [
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("a\u{1b}[1;38;5;200mb", "ab"),
            ("a\u{9b}31mb", "ab"),
            ("a\u{1b}]0;title\u{7}b", "ab"),
            (
                "a\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\b",
                "alinkb",
            ),
            ("a\u{1b}P1$r\u{1b}\\b", "ab"),
            ("a\u{1b}(Bb", "ab"),
            ("a\u{1b}cb", "ab"),
            ("a\u{1b}", "a"),
            ("a\u{1b}[", "a"),
            ("a\u{1b}]never\nends", "a\nends"),
            ("a\u{1b}\u{e9}b", "a\u{e9}b"),
            ("a\u{1b}\u{1b}[31mb", "ab"),
        ] {
            assert_eq!(prose(text, 100), expected, "{text:?}");
        }
    }

    #[test]
    fn invisible_characters_are_removed() {
        let hidden =
            "List\u{200b} items\u{202e}.\u{e0041}\u{fe0f}\r\nMore\u{2028}lines\u{a0}here\u{0}";
        assert_eq!(prose(hidden, 100), "List items.\nMore\nlines here");
        assert_eq!(line(hidden, 100), "List items. More lines here");
    }

    #[test]
    fn long_texts_are_cut_between_words() {
        assert_eq!(bounded("one two three", 9), "one two …");
        assert_eq!(bounded("one two", 9), "one two");
        assert_eq!(bounded(&"x".repeat(20), 9), "xxxxxxxxx …");
        assert_eq!(
            bounded(&format!("a {}", "é".repeat(20)), 9).chars().count(),
            11
        );
    }

    #[test]
    fn sent_values_are_unchanged() {
        let mut schema = json!({
            "description": "a\u{1b}[31mb",
            "properties": {
                "description": {"enum": ["x\u{200b}"], "default": "y\u{202e}", "title": "t\u{200b}"},
                "b": {"const": "z\u{0}", "examples": ["good", "bad\u{200b}", {"k\u{200b}": 1}]},
            },
            "$defs": {"d": {"anyOf": [{"description": "c\u{7}"}]}},
        });
        clean_schema(&mut schema);
        let expected = json!({
            "description": "ab",
            "properties": {
                "description": {"enum": ["x\u{200b}"], "default": "y\u{202e}", "title": "t"},
                "b": {"const": "z\u{0}", "examples": ["good"]},
            },
            "$defs": {"d": {"anyOf": [{"description": "c"}]}},
        });
        assert_eq!(schema, expected);
    }
}
