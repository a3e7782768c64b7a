//! Reads the settings files of the project: configurations, overlays and locks.
//!
//! A reader reports every fault with its place and goes on, so that a user sees all of them at
//! once. The format is a matter of [`Node`]; where faults go, of [`Reader::report_fault`].

use std::{fmt::Display, ops::RangeInclusive, str::FromStr};

use crate::most_similar;

/// A value in a settings file.
pub trait Node<'n>: Copy {
    /// A place in a file.
    type Place;

    /// Returns the place of the value.
    fn place(self) -> Self::Place;

    /// Returns the kind of the value for messages, such as `a string`.
    fn kind(self) -> &'static str;

    /// Returns the string, if the value is one.
    fn as_str(self) -> Option<&'n str>;

    /// Returns the boolean, if the value is one.
    fn as_bool(self) -> Option<bool>;

    /// Returns the number, if the value is a whole number from 0.
    fn as_u64(self) -> Option<u64>;

    /// Returns the elements, if the value is an array.
    fn elements(self) -> Option<Vec<Self>>;

    /// Returns the keys with their places and values, if the value is a table.
    fn entries(self) -> Option<Vec<(&'n str, Self::Place, Self)>>;

    /// Returns the value of a key, if the value is a table that has it.
    fn value_of(self, key: &str) -> Option<Self>;
}

/// A value with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed<T, P> {
    /// The value.
    pub value: T,
    /// The place of the value.
    pub place: P,
}

/// A fault in a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault<P> {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// The place of the fault.
    pub place: P,
    /// The message.
    pub message: String,
    /// The suggested fix, if there is one.
    pub help: Option<String>,
}

/// The kinds of faults in settings files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A key that the table does not have.
    UnknownKey,
    /// A string that is not one of those that are allowed.
    UnknownValue,
    /// A value of the wrong type.
    WrongType,
    /// A string that is empty.
    Missing,
}

/// Reads nodes and reports their faults. Methods that take a key return `None` for a key that the
/// table does not have, which is not a fault.
pub trait Reader<'n, N: Node<'n>> {
    /// Keeps a fault.
    fn report_fault(&mut self, fault: Fault<N::Place>);

    /// Reports each key of a table that is not known.
    fn check_keys(&mut self, table: N, known: &[&str]) {
        self.check_keys_unless(table, known, |_| false);
    }

    /// Reports each key of a table that is neither known nor free, such as an extension.
    fn check_keys_unless(&mut self, table: N, known: &[&str], is_free: fn(&str) -> bool) {
        for (key, place, _) in table.entries().into_iter().flatten() {
            if !known.contains(&key) && !is_free(key) {
                self.report_fault(unknown("key", key, place, FaultKind::UnknownKey, known));
            }
        }
    }

    /// Checks that a value is a table. `subject` names it in the message.
    fn table(&mut self, node: N, subject: &str) -> Option<N> {
        if node.entries().is_none() {
            self.wrong_type(node, subject, "a table");
            return None;
        }
        Some(node)
    }

    /// Returns the string of a key.
    fn string(&mut self, table: N, key: &str) -> Option<Placed<String, N::Place>> {
        let node = table.value_of(key)?;
        self.string_of(node, &format!("`{key}`"))
    }

    /// Returns a value that must be a string. `subject` names it in the message.
    fn string_of(&mut self, node: N, subject: &str) -> Option<Placed<String, N::Place>> {
        let text = node.as_str();
        if text.is_none() {
            self.wrong_type(node, subject, "a string");
        }
        let value = text?.to_owned();
        let place = node.place();
        Some(Placed { value, place })
    }

    /// Returns the string of a key, which must not be blank, with the space around it.
    fn exact_text(&mut self, table: N, key: &str) -> Option<Placed<String, N::Place>> {
        let string = self.string(table, key)?;
        if string.value.trim().is_empty() {
            self.report_fault(Fault {
                kind: FaultKind::Missing,
                place: string.place,
                message: format!("`{key}` is empty"),
                help: Some("set a value, or remove the line".to_owned()),
            });
            return None;
        }
        Some(string)
    }

    /// Returns the string of a key, which must not be blank, without the space around it.
    fn placed_text(&mut self, table: N, key: &str) -> Option<Placed<String, N::Place>> {
        let text = self.exact_text(table, key)?;
        Some(text.map(|text| text.trim().to_owned()))
    }

    /// Returns the string of a key, which must not be blank, without the space around it and
    /// without its place.
    fn text(&mut self, table: N, key: &str) -> Option<String> {
        self.placed_text(table, key).map(|text| text.value)
    }

    /// Returns the array of strings of a key.
    fn texts(&mut self, table: N, key: &str) -> Vec<Placed<String, N::Place>> {
        let Some(node) = table.value_of(key) else {
            return Vec::new();
        };
        let Some(elements) = node.elements() else {
            self.wrong_type(node, &format!("`{key}`"), "an array of strings");
            return Vec::new();
        };
        let subject = format!("each entry of `{key}`");
        let strings = elements.into_iter();
        strings
            .filter_map(|element| self.string_of(element, &subject))
            .collect()
    }

    /// Returns the array of a key, each of whose strings is parsed.
    fn parsed_list<T: FromStr<Err: Display>>(
        &mut self,
        table: N,
        key: &str,
    ) -> Vec<Placed<T, N::Place>> {
        let texts = self.texts(table, key).into_iter();
        texts
            .filter_map(|text| self.parsed(&text.value, text.place))
            .collect()
    }

    /// Returns the parsed string of a key.
    fn parsed_at<T: FromStr<Err: Display>>(
        &mut self,
        table: N,
        key: &str,
    ) -> Option<Placed<T, N::Place>> {
        let text = self.exact_text(table, key)?;
        self.parsed(&text.value, text.place)
    }

    /// Parses a string.
    fn parsed<T: FromStr<Err: Display>>(
        &mut self,
        text: &str,
        place: N::Place,
    ) -> Option<Placed<T, N::Place>> {
        match text.parse() {
            Ok(value) => Some(Placed { value, place }),
            Err(error) => {
                self.report_fault(Fault {
                    kind: FaultKind::UnknownValue,
                    place,
                    message: error.to_string(),
                    help: None,
                });
                None
            }
        }
    }

    /// Returns the word of a key, one of a closed set.
    fn word<T: Copy + Display>(
        &mut self,
        table: N,
        key: &str,
        known: &[T],
    ) -> Option<Placed<T, N::Place>> {
        let word = self.exact_text(table, key)?;
        self.listed_word(key, word, known)
    }

    /// Returns the value of a word of a key.
    fn listed_word<T: Copy + Display>(
        &mut self,
        key: &str,
        word: Placed<String, N::Place>,
        known: &[T],
    ) -> Option<Placed<T, N::Place>> {
        let Placed { value, place } = word;
        let words: Vec<String> = known.iter().map(ToString::to_string).collect();
        let mut pairs = known.iter().zip(&words);
        if let Some((known, _)) = pairs.find(|(_, word)| **word == value) {
            let value = *known;
            return Some(Placed { value, place });
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.report_fault(unknown(key, &value, place, FaultKind::UnknownValue, &words));
        None
    }

    /// Returns the whole number of a key.
    fn number(
        &mut self,
        table: N,
        key: &str,
        range: RangeInclusive<u64>,
    ) -> Option<Placed<u64, N::Place>> {
        let node = table.value_of(key)?;
        let number = node.as_u64().filter(|number| range.contains(number));
        if number.is_none() {
            let (first, last) = range.into_inner();
            let bound = match last {
                u64::MAX => String::new(),
                last => format!(" to {last}"),
            };
            let expected = format!("a whole number from {first}{bound}");
            self.wrong_type(node, &format!("`{key}`"), &expected);
        }
        let place = node.place();
        number.map(|value| Placed { value, place })
    }

    /// Returns the boolean of a key.
    fn boolean(&mut self, table: N, key: &str) -> Option<Placed<bool, N::Place>> {
        let node = table.value_of(key)?;
        let value = node.as_bool();
        if value.is_none() {
            self.wrong_type(node, &format!("`{key}`"), "`true` or `false`");
        }
        let place = node.place();
        value.map(|value| Placed { value, place })
    }

    /// Reports a value of the wrong type. `subject` names it in the message.
    fn wrong_type(&mut self, node: N, subject: &str, expected: &str) {
        self.report_fault(Fault {
            kind: FaultKind::WrongType,
            place: node.place(),
            message: format!("expected {subject} to be {expected}, found {}", node.kind()),
            help: None,
        });
    }
}

impl<T, P> Placed<T, P> {
    /// Converts the value and keeps the place.
    #[must_use]
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Placed<U, P> {
        Placed {
            value: change(self.value),
            place: self.place,
        }
    }
}

fn unknown<P>(what: &str, word: &str, place: P, kind: FaultKind, known: &[&str]) -> Fault<P> {
    let help = match most_similar(word, known.iter().copied()) {
        Some(similar) => format!("a similar {what} is `{similar}`"),
        None => format!("use one of `{}`", known.join("`, `")),
    };
    Fault {
        kind,
        place,
        message: format!("unknown {what} `{word}`"),
        help: Some(help),
    }
}
