//! Descriptions of a specification as documentation of Rust items.
//!
//! Descriptions contain Markdown of all dialects, and HTML. Everything that rustdoc or clippy would
//! interpret differently from the author is escaped.

use serde_json::Value;

/// The keywords of a schema that constrain a value, and their names in documentation.
const CONSTRAINTS: &[(&str, &str)] = &[
    ("default", "default"),
    ("minimum", "at least"),
    ("exclusiveMinimum", "greater than"),
    ("maximum", "at most"),
    ("exclusiveMaximum", "less than"),
    ("multipleOf", "a multiple of"),
    ("minLength", "minimum length"),
    ("maxLength", "maximum length"),
    ("pattern", "pattern"),
    ("format", "format"),
    ("minItems", "minimum number of items"),
    ("maxItems", "maximum number of items"),
];

/// Returns a description as safe Markdown: one line for each paragraph or list item, without links
/// and HTML.
pub(super) fn text(source: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut in_paragraph = false;
    let mut fenced = false;
    let source = source.replace('\t', "    ");
    for line in source.lines() {
        let line = line.trim();
        if line.starts_with("```") {
            lines.push(if fenced { "```" } else { "```text" }.to_owned());
            fenced = !fenced;
            in_paragraph = false;
        } else if fenced {
            lines.push(line.to_owned());
        } else if line.is_empty() || is_rule(line) {
            lines.push(String::new());
            in_paragraph = false;
        } else if in_paragraph && !starts_block(line) {
            if let Some(last) = lines.last_mut() {
                last.push(' ');
                last.push_str(&inline(line));
            }
        } else {
            // A table does not continue the paragraph before it.
            let is_row = |line: &str| line.starts_with('|');
            if is_row(line) && lines.last().is_some_and(|last| !is_row(last)) {
                lines.push(String::new());
            }
            lines.push(inline(line));
            in_paragraph = !line.starts_with(['#', '|']);
        }
    }
    if fenced {
        lines.push("```".to_owned());
    }
    lines.dedup_by(|next, before| next.is_empty() && before.is_empty());
    lines.join("\n").trim().to_owned()
}

/// Returns a description as safe Markdown, or a default if it is empty.
pub(super) fn text_or(source: &str, otherwise: &str) -> String {
    let text = text(source);
    if text.is_empty() {
        otherwise.to_owned()
    } else {
        text
    }
}

/// Returns the documentation of a value: the description, the constraints and an example of its
/// schema.
pub(super) fn of_schema(schema: &Value, wire_name: &str) -> String {
    let description = schema.get("description").and_then(Value::as_str);
    let mut docs = text_or(description.unwrap_or_default(), &format!("`{wire_name}`."));
    let constraints: Vec<String> = CONSTRAINTS
        .iter()
        .filter_map(|(keyword, words)| Some(format!("{words} {}", code(schema.get(keyword)?))))
        .collect();
    if !constraints.is_empty() {
        docs.push_str(&format!("\n\nConstraints: {}.", constraints.join(", ")));
    }
    let examples = schema.get("examples").and_then(Value::as_array);
    if let Some(example) = examples.and_then(|examples| examples.first()) {
        docs.push_str(&format!("\n\nExample: {}.", code(example)));
    }
    docs
}

/// Returns a value as inline code, cut if it is long.
fn code(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let mut short: String = text.chars().take(80).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    let short = short.replace(['`', '\n', '\r'], " ");
    format!(
        "`{}`",
        if short.trim().is_empty() {
            "\"\""
        } else {
            short.trim()
        }
    )
}

/// Checks for `---` and `===`, which would turn the line above into a heading.
fn is_rule(line: &str) -> bool {
    line.chars().all(|c| matches!(c, '-' | '=' | '*' | '_'))
}

/// Checks whether a line starts a list item, a heading or a row of a table.
fn starts_block(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with(['#', '|'])
        || ["- ", "* ", "+ "]
            .iter()
            .any(|marker| line.starts_with(marker))
        || (number.len() < line.len() && (number.starts_with(". ") || number.starts_with(") ")))
}

/// Escapes links, HTML and bare addresses; code is not changed.
fn inline(line: &str) -> String {
    if !line.matches('`').count().is_multiple_of(2) {
        return prose(line);
    }
    let mut out = String::with_capacity(line.len());
    for (at, piece) in line.split('`').enumerate() {
        let is_code = !at.is_multiple_of(2);
        let piece = match is_code {
            true => format!("`{piece}`"),
            false => prose(piece),
        };
        // Two pieces of code in a row would be one.
        if out.ends_with('`') && piece.starts_with('`') {
            out.push(' ');
        }
        out.push_str(&piece);
    }
    out
}

/// Escapes the part of a line outside code.
fn prose(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        if is_address(word) {
            return address(word);
        }
        let mut out = String::with_capacity(word.len());
        for c in word.chars() {
            if matches!(c, '`' | '[' | ']' | '<' | '>' | '\\') {
                out.push('\\');
            }
            out.push(c);
        }
        out
    });
    words.collect::<Vec<_>>().join(" ")
}

fn is_address(word: &str) -> bool {
    word.contains("http://") || word.contains("https://")
}

/// Returns an address as code, which is never a link.
fn address(word: &str) -> String {
    format!(
        "`{}`",
        word.replace(['`', '<', '>', '[', ']', '(', ')'], " ")
            .trim()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_escaped_for_rustdoc() {
        assert_eq!(text("a [b] <br> c"), r"a \[b\] \<br\> c");
        assert_eq!(text("see https://x.org/[a]."), "see `https://x.org/ a .`");
        assert_eq!(
            text("`Vec<T>` and [x](https://y)"),
            r"`Vec<T>` and `x  https://y`"
        );
        assert_eq!(
            text("the [`Get`](https://x.org/a) and `b`"),
            r"the \[`Get` `https://x.org/a` and `b`"
        );
        assert_eq!(text("    indented\n    code"), "indented code");
        assert_eq!(text("a ` b"), r"a \` b");
        assert_eq!(text("a\tb\n```\nc\td\n```"), "a    b\n```text\nc    d\n```");
    }

    #[test]
    fn paragraphs_and_items_are_one_line_each() {
        assert_eq!(text("- a\n  b\n- c\n\n\n\nd\ne"), "- a b\n- c\n\nd e");
        assert_eq!(text("title\n-----\nbody"), "title\n\nbody");
        assert_eq!(text("1. a\n2) b"), "1. a\n2) b");
        assert_eq!(text("- a\n| b |\n| c |"), "- a\n\n| b |\n| c |");
    }

    #[test]
    fn code_blocks_are_marked_as_text_and_closed() {
        assert_eq!(text("```json\n{\n"), "```text\n{\n```");
    }
}
