//! Reads files of our own: overlays and locks. Every fault in them is an error, since they have to
//! say what is meant.

use std::{fmt::Display, str::FromStr};

use toolwright_model::most_similar;

use crate::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::{Place, Placed},
    tree::Node,
};

/// Reads the tree of a file. Its methods for each kind of file are beside the file's record.
pub(crate) struct Reader<'d> {
    diagnostics: &'d mut Diagnostics,
}

impl<'d> Reader<'d> {
    pub(crate) const fn new(diagnostics: &'d mut Diagnostics) -> Self {
        Self { diagnostics }
    }

    pub(crate) fn check_keys(&mut self, node: &Node, known: &[&str]) {
        self.check_keys_unless(node, known, |_| false);
    }

    fn check_keys_unless(&mut self, node: &Node, known: &[&str], free: fn(&str) -> bool) {
        for (key, field) in node.as_object().into_iter().flatten() {
            if known.contains(&key.as_str()) || free(key) {
                continue;
            }
            let message = format!("the key `{key}` is not known here");
            let diagnostic = Diagnostic::error(Code::UnknownKey, field.key, message);
            self.report(match most_similar(key, known.iter().copied()) {
                Some(similar) => diagnostic.help(format!("a key with a similar name: `{similar}`")),
                None => diagnostic.note(format!("known are {}", listed(known))),
            });
        }
    }

    /// The same where `x-` keys are free to say whatever they like.
    pub(crate) fn check_keys_but_extensions(&mut self, node: &Node, known: &[&str]) {
        self.check_keys_unless(node, known, |key| key.starts_with("x-"));
    }

    pub(crate) fn table<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n Node> {
        if node.as_object().is_none() {
            self.wrong_type(node, what, "a table");
            return None;
        }
        Some(node)
    }

    pub(crate) fn text(&mut self, node: &Node, key: &str) -> Option<String> {
        self.placed_text(node, key).map(|placed| placed.value)
    }

    /// A text that is not blank.
    pub(crate) fn placed_text(&mut self, node: &Node, key: &str) -> Option<Placed<String>> {
        let value = node.get(key)?;
        match value.as_str().map(str::trim) {
            Some("") => {
                let message = format!("`{key}` is empty");
                self.report(
                    Diagnostic::error(Code::Missing, value.place, message)
                        .help("write something, or remove the line"),
                );
                None
            }
            Some(text) => Some(Placed {
                value: text.to_owned(),
                place: value.place,
            }),
            None => {
                self.wrong_type(value, &format!("`{key}`"), "a text");
                None
            }
        }
    }

    /// A text that is not blank, with the space around it.
    fn exact_text(&mut self, node: &Node, key: &str) -> Option<Placed<String>> {
        let text = self.placed_text(node, key)?;
        let exact = node.get(key).and_then(Node::as_str);
        Some(text.map(|text| exact.map_or(text, ToOwned::to_owned)))
    }

    /// An array of texts.
    pub(crate) fn texts(&mut self, node: &Node, key: &str) -> Vec<Placed<String>> {
        let Some(node) = node.get(key) else {
            return Vec::new();
        };
        let Some(items) = node.as_array() else {
            self.wrong_type(node, &format!("`{key}`"), "an array of texts");
            return Vec::new();
        };
        let mut texts = Vec::new();
        for item in items {
            match item.as_str() {
                Some(text) => texts.push(Placed {
                    value: text.to_owned(),
                    place: item.place,
                }),
                None => self.wrong_type(item, &format!("an entry of `{key}`"), "a text"),
            }
        }
        texts
    }

    /// A position, counted from 0.
    pub(crate) fn index(&mut self, node: &Node, key: &str) -> Option<Placed<usize>> {
        let value = node.get(key)?;
        let index = value.to_value().as_u64();
        let index = index.and_then(|index| usize::try_from(index).ok());
        if index.is_none() {
            self.wrong_type(value, &format!("`{key}`"), "a whole number from 0");
        }
        Some(Placed {
            value: index?,
            place: value.place,
        })
    }

    pub(crate) fn boolean(&mut self, node: &Node, key: &str) -> Option<Placed<bool>> {
        let value = node.get(key)?;
        if value.as_bool().is_none() {
            self.wrong_type(value, &format!("`{key}`"), "`true` or `false`");
        }
        Some(Placed {
            value: value.as_bool()?,
            place: value.place,
        })
    }

    /// One of a closed set of words.
    pub(crate) fn word<T: Display>(
        &mut self,
        node: &Node,
        key: &str,
        read: fn(&str) -> Option<T>,
        known: &[T],
    ) -> Option<Placed<T>> {
        let text = self.exact_text(node, key)?;
        if let Some(value) = read(&text.value) {
            return Some(Placed {
                value,
                place: text.place,
            });
        }
        let known: Vec<String> = known.iter().map(ToString::to_string).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let message = format!("`{}` is no {key}", text.value);
        let diagnostic = Diagnostic::error(Code::UnknownValue, text.place, message);
        self.report(match most_similar(&text.value, known.iter().copied()) {
            Some(similar) => diagnostic.help(format!("a similar one is `{similar}`")),
            None => diagnostic.note(format!("known are {}", listed(&known))),
        });
        None
    }

    pub(crate) fn parsed_at<T: FromStr<Err: Display>>(
        &mut self,
        node: &Node,
        key: &str,
    ) -> Option<Placed<T>> {
        let text = self.exact_text(node, key)?;
        self.parsed(&text.value, text.place)
    }

    pub(crate) fn parsed<T: FromStr<Err: Display>>(
        &mut self,
        text: &str,
        place: Place,
    ) -> Option<Placed<T>> {
        match text.parse() {
            Ok(value) => Some(Placed { value, place }),
            Err(error) => {
                let message = error.to_string();
                self.report(Diagnostic::error(Code::UnknownValue, place, message));
                None
            }
        }
    }

    pub(crate) fn wrong_type(&mut self, node: &Node, what: &str, expected: &str) {
        let message = format!("{what} has to be {expected}, this is {}", node.kind());
        self.report(Diagnostic::error(Code::WrongType, node.place, message));
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.report(diagnostic);
    }
}

fn listed(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}
