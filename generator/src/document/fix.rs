//! Lines that are missing in an overlay, as data.
//!
//! The help of a diagnostic and `toolwright generate --fix` are both made of a [`Fix`].

use std::fmt::Write as _;

use toolwright_model::{
    ServiceName,
    text::{is_invisible, show_invisible},
};

/// A line that is missing in the overlay of a service. It is complete: it can be added as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The service.
    pub service: ServiceName,
    /// The selector of the only operation that the line is for. If the overlay has an entry for this
    /// operation alone, it is the key of that entry.
    pub selector: String,
    /// True if the overlay has an entry with this selector.
    pub has_entry: bool,
    /// The line.
    pub change: Change,
    /// The reason for the line, in one sentence.
    pub reason: String,
}

/// A change of an overlay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Sets keys in the entry of the operation, which has none of them.
    Set(Vec<(&'static str, String)>),
    /// Excludes the operation.
    Exclude,
}

impl Fix {
    /// Returns the reason as a comment, without a line break.
    #[must_use]
    pub fn comment(&self) -> String {
        let words: Vec<_> = self.reason.split_whitespace().collect();
        format!("# {}", show_invisible(&words.join(" ")))
    }

    /// Returns what the line states, without its place and its reason: `noun = "items"`.
    #[must_use]
    pub fn line(&self) -> String {
        match &self.change {
            Change::Set(keys) => {
                let keys = keys.iter();
                let lines = keys.map(|(name, value)| format!("{name} = {}", quoted(value)));
                lines.collect::<Vec<_>>().join("\n")
            }
            Change::Exclude => "exclude".to_owned(),
        }
    }

    /// Returns the lines as a part of an overlay.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let comment = self.comment();
        match &self.change {
            Change::Set(_) => {
                let selector = key(&self.selector);
                format!("[operations.{selector}]\n{comment}\n{}", self.line())
            }
            Change::Exclude => format!(
                "exclude = [\n    {comment}\n    {},\n]",
                quoted(&self.selector)
            ),
        }
    }

    /// Returns the help of the diagnostic that the lines settle.
    #[must_use]
    pub(crate) fn help(&self) -> String {
        let target = match &self.change {
            Change::Set(_) if self.has_entry => "add to this entry of the overlay",
            Change::Set(_) => "add to the overlay",
            Change::Exclude => "add to this list of the overlay",
        };
        format!("{target}:\n\n{}", self.to_toml())
    }
}

/// Returns a key of a TOML table.
#[must_use]
pub fn key(text: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !text.is_empty() && text.chars().all(is_bare) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// Returns a TOML string in one line, in which invisible characters are escaped.
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            _ if is_invisible(character) => {
                // Writing to a string cannot fail.
                let _ = write!(quoted, "\\U{:08X}", u32::from(character));
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_toml_whatever_the_document_contains() {
        let selector = "GET /a\"b\\c\u{200b}\r\n\u{7f}{id}";
        let mut fix = Fix {
            service: ServiceName::new("shop").unwrap(),
            selector: selector.to_owned(),
            has_entry: false,
            change: Change::Set(vec![("noun", "item".to_owned())]),
            reason: "one\nor \u{202e}two".to_owned(),
        };
        let table: toml::Table = fix.to_toml().parse().unwrap();
        assert_eq!(table["operations"][selector]["noun"].as_str(), Some("item"));
        assert!(fix.to_toml().contains("\n# one or \\u{202e}two\n"));
        fix.change = Change::Exclude;
        let table: toml::Table = fix.to_toml().parse().unwrap();
        assert_eq!(table["exclude"][0].as_str(), Some(selector));
    }

    #[test]
    fn simple_keys_have_no_quotes() {
        assert_eq!(key("list_items-2"), "list_items-2");
        assert_eq!(key("GET /items"), "\"GET /items\"");
        assert_eq!(key(""), "\"\"");
    }
}
