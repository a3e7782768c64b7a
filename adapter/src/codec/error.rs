//! The error of a value that does not fit a type.

use std::{borrow::Cow, fmt};

use serde_json::Value;
use toolwright_model::{JsonPointer, write_joined};

/// A value does not fit a type. It names each place that does not fit and what was expected
/// there, and never repeats a value, which may be a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// At least one, in the order of discovery.
    mismatches: Vec<Mismatch>,
}

/// A place that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mismatch {
    pub(super) path: Vec<Step>,
    pub(super) expected: Cow<'static, str>,
    pub(super) found: &'static str,
}

/// A step from a value to one inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Field(Cow<'static, str>),
    Index(usize),
}

impl DecodeError {
    /// Creates an error for the whole value. `expected` describes a value that fits: `a string`.
    #[must_use]
    pub fn new(expected: impl Into<Cow<'static, str>>, found: &Value) -> Self {
        Self {
            mismatches: vec![Mismatch {
                path: Vec::new(),
                expected: expected.into(),
                found: kind(found),
            }],
        }
    }

    /// The same mismatches, of the field of an object.
    #[must_use]
    pub fn within(mut self, field: &'static str) -> Self {
        for mismatch in &mut self.mismatches {
            mismatch.path.insert(0, Step::Field(field.into()));
        }
        self
    }

    /// Adds the mismatches of another value.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.mismatches.extend(other.mismatches);
        self
    }

    pub(super) const fn from_mismatches(mismatches: Vec<Mismatch>) -> Self {
        Self { mismatches }
    }

    /// Returns the JSON pointers of the mismatches, in the order of discovery.
    pub fn pointers(&self) -> impl Iterator<Item = String> {
        self.mismatches
            .iter()
            .map(|mismatch| mismatch.pointer().into())
    }

    /// The JSON pointer of the first place that does not fit.
    #[must_use]
    pub fn pointer(&self) -> String {
        self.pointers().next().unwrap_or_default()
    }
}

impl Mismatch {
    fn pointer(&self) -> JsonPointer {
        let mut pointer = JsonPointer::root();
        for step in &self.path {
            match step {
                Step::Field(name) => pointer.push(name),
                Step::Index(index) => pointer.push(&index.to_string()),
            }
        }
        pointer
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_joined(f, &self.mismatches, "; ")
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "at `{}`: expected {}, found {}",
            self.pointer(),
            self.expected,
            self.found
        )
    }
}

impl std::error::Error for DecodeError {}

/// Returns the JSON type of a value, for messages.
pub(super) const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
