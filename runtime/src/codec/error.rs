//! Why a value does not fit a type.

use std::fmt;

use serde_json::Value;

/// A value does not fit a type. It names the place and what was expected there, and never
/// repeats the value itself, which may be a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// From the innermost step to the outermost.
    steps: Vec<Step>,
    expected: String,
    found: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Field(String),
    Index(usize),
}

impl DecodeError {
    /// `expected` says what would have fitted: `a string`, `one of its variants`.
    #[must_use]
    pub fn new(expected: impl Into<String>, found: &Value) -> Self {
        Self {
            steps: Vec::new(),
            expected: expected.into(),
            found: kind(found),
        }
    }

    /// A field that has to be there is absent.
    #[must_use]
    pub fn missing(field: &str) -> Self {
        Self {
            steps: vec![Step::Field(field.to_owned())],
            expected: "a value".to_owned(),
            found: "nothing",
        }
    }

    /// The same error, seen from the object that holds the value in this field.
    #[must_use]
    pub fn in_field(mut self, field: &str) -> Self {
        self.steps.push(Step::Field(field.to_owned()));
        self
    }

    /// The same error, seen from the array that holds the value at this index.
    #[must_use]
    pub fn at_index(mut self, index: usize) -> Self {
        self.steps.push(Step::Index(index));
        self
    }

    /// The place of the value that does not fit, as a JSON pointer.
    #[must_use]
    pub fn pointer(&self) -> String {
        self.steps
            .iter()
            .rev()
            .fold(String::new(), |mut out, step| {
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

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
