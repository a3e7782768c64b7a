//! The state of one decoding: the current path, and the mismatches so far.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::{
    Codec, DecodeError, Fields, Variants,
    error::{Mismatch, Step, kind},
};

/// The most mismatches that are kept; more of them help no reader.
const MOST_KEPT: usize = 16;

/// The deepest nesting of objects and arrays. A parser of JSON stops at 128.
const DEEPEST: usize = 256;

/// The state of one decoding: the current path, and the mismatches so far.
#[derive(Debug, Default)]
pub struct Reader {
    path: Vec<Step>,
    kept: Vec<Mismatch>,
    /// The fit of the value so far.
    fit: Fit,
    /// The number of placeholders in progress. Nothing is counted meanwhile.
    muted: usize,
    /// The number of variants that may still be tried, while a union is being read.
    pub(super) attempts: Option<usize>,
}

/// The fit of a value to a type: first the number of mismatches, then the number of places that fit
/// only because the type tolerates them, such as unknown fields. A lower fit is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fit {
    pub(super) mismatches: usize,
    pub(super) strangers: usize,
}

impl Reader {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn finish(self) -> Result<(), DecodeError> {
        if self.fit.mismatches == 0 {
            Ok(())
        } else {
            Err(DecodeError::from_mismatches(self.kept))
        }
    }

    /// Records that the value here is not the expected one: `a string`.
    pub fn mismatch(&mut self, expected: impl Into<Cow<'static, str>>, found: &Value) {
        self.keep(expected.into(), kind(found));
    }

    /// Counts a part of the value that the type does not know and lets pass.
    pub fn stranger(&mut self) {
        if self.muted == 0 {
            self.fit.strangers += 1;
        }
    }

    /// Reads a string.
    pub fn text(&mut self, value: Value) -> String {
        match value {
            Value::String(text) => text,
            other => {
                self.mismatch("a string", &other);
                String::new()
            }
        }
    }

    /// Begins to read an object.
    pub fn object(&mut self, value: Value) -> Fields<'_> {
        let map = match value {
            Value::Object(map) if self.path.len() < DEEPEST => map,
            Value::Object(_) => {
                self.keep("fewer levels".into(), "more");
                Map::new()
            }
            other => {
                self.mismatch("an object", &other);
                self.muted += 1;
                return Fields::placeholder(self);
            }
        };
        Fields::new(self, map)
    }

    /// Begins to read one of several types; the one that fits best is taken.
    pub fn union<U>(&mut self, value: Value) -> Variants<'_, U> {
        Variants::new(self, value, None)
    }

    /// Begins to read one of several types that a property distinguishes.
    pub fn tagged_union<U>(&mut self, value: Value, property: &str) -> Variants<'_, U> {
        let tag = match value.get(property) {
            Some(Value::String(tag)) => Some(tag.clone()),
            _ => None,
        };
        Variants::new(self, value, tag)
    }

    /// Reads the value of a field.
    pub(super) fn field<T: Codec>(&mut self, name: Cow<'static, str>, value: Value) -> T {
        self.within(Step::Field(name), value)
    }

    /// Reads an element of an array.
    pub(super) fn item<T: Codec>(&mut self, index: usize, value: Value) -> T {
        self.within(Step::Index(index), value)
    }

    /// Keeps that a field is missing, and makes a placeholder for it.
    pub(super) fn missing<T: Codec>(&mut self, name: &'static str) -> T {
        self.path.push(Step::Field(Cow::Borrowed(name)));
        self.keep("a value".into(), "nothing");
        self.path.pop();
        self.placeholder()
    }

    /// Makes a placeholder, in which nothing is a mismatch.
    pub(super) fn placeholder<T: Codec>(&mut self) -> T {
        self.muted += 1;
        let placeholder = T::read(Value::Null, self);
        self.muted -= 1;
        placeholder
    }

    /// Returns whether a placeholder is being made, which is not worth an attempt.
    pub(super) const fn is_muted(&self) -> bool {
        self.muted > 0
    }

    pub(super) const fn unmute(&mut self) {
        self.muted -= 1;
    }

    /// Reads something, and gives how well it fitted. That is forgotten until [`Reader::adopt`].
    pub(super) fn attempt<T: Codec>(&mut self, value: Value) -> (T, Fit) {
        let before = std::mem::take(&mut self.fit);
        let kept = self.kept.len();
        let read = T::read(value, self);
        self.kept.truncate(kept);
        (read, std::mem::replace(&mut self.fit, before))
    }

    /// Counts how well something fitted that was attempted before.
    pub(super) const fn adopt(&mut self, fit: Fit) {
        if self.muted == 0 {
            self.fit.mismatches += fit.mismatches;
            self.fit.strangers += fit.strangers;
        }
    }

    fn within<T: Codec>(&mut self, step: Step, value: Value) -> T {
        self.path.push(step);
        let read = T::read(value, self);
        self.path.pop();
        read
    }

    fn keep(&mut self, expected: Cow<'static, str>, found: &'static str) {
        if self.muted > 0 {
            return;
        }
        self.fit.mismatches += 1;
        if self.kept.len() < MOST_KEPT {
            self.kept.push(Mismatch {
                path: self.path.clone(),
                expected,
                found,
            });
        }
    }
}
