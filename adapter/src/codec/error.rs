//! Why a value does not fit a type.

use std::{borrow::Cow, fmt};

use serde_json::Value;

/// A value does not fit a type. It names each place that does not fit and what was expected
/// there, and never repeats a value, which may be a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// At least one, in the order in which they were found.
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
    /// The whole value does not fit. `expected` says what would have fitted: `a string`.
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

    /// These mismatches, and those of another value.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.mismatches.extend(other.mismatches);
        self
    }

    pub(super) const fn of(mismatches: Vec<Mismatch>) -> Self {
        Self { mismatches }
    }

    /// The JSON pointers of the places that do not fit, in the order in which they were found.
    pub fn pointers(&self) -> impl Iterator<Item = String> {
        self.mismatches.iter().map(Mismatch::pointer)
    }

    /// The JSON pointer of the first place that does not fit.
    #[must_use]
    pub fn pointer(&self) -> String {
        self.pointers().next().unwrap_or_default()
    }
}

impl Mismatch {
    fn pointer(&self) -> String {
        self.path.iter().fold(String::new(), |mut out, step| {
            out.push('/');
            match step {
                Step::Field(name) => out.push_str(&name.replace('~', "~0").replace('/', "~1")),
                Step::Index(index) => out.push_str(&index.to_string()),
            }
            out
        })
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, mismatch) in self.mismatches.iter().enumerate() {
            if at > 0 {
                f.write_str("; ")?;
            }
            write!(
                f,
                "at `{}`: expected {}, found {}",
                mismatch.pointer(),
                mismatch.expected,
                mismatch.found
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for DecodeError {}

/// What kind of value it is, for messages.
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
