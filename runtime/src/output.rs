//! The output of a call, and the arguments of the call for the next page.

mod continuation;

pub(crate) use continuation::continuation;
use serde_json::{Map, Value};

use crate::{codec::Codec, error::ToolError};

/// The output of a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolOutput {
    /// The result.
    ///
    /// For a truncated answer, this is a string: the first part, and a last line that reports the
    /// truncation. It then does not match the tool's output schema. For a truncated stream, it is
    /// the part that arrived whole.
    pub value: Value,
    /// The HTTP status of the service's answer; none for a native tool.
    pub status: Option<u16>,
    /// Set if the answer exceeded the bound, or a stream did not end in time.
    pub truncated: bool,
    /// The arguments for the next page, if the tool returns a list in parts.
    pub next: Continuation,
    /// Set if the specification declares such an answer empty, although it is not.
    pub(crate) undescribed: bool,
    /// The URL of the next page in the header `Link`.
    pub(crate) link: Option<String>,
}

/// The continuation of a list after one page.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Continuation {
    /// The list ends here, or the tool does not return pages.
    #[default]
    End,
    /// A call with these arguments, in addition to the given ones.
    With(Map<String, Value>),
    /// There is a next page, but no way to request it, for this reason.
    Unclear(String),
}

impl ToolOutput {
    /// Creates the output of a function.
    pub(crate) const fn native(value: Value) -> Self {
        Self {
            value,
            status: None,
            truncated: false,
            next: Continuation::End,
            undescribed: false,
            link: None,
        }
    }

    /// Creates the output of a service's answer.
    pub(crate) fn answered(value: Value, status: u16) -> Self {
        Self {
            status: Some(status),
            ..Self::native(value)
        }
    }

    /// Returns the output unless it was truncated.
    pub(crate) fn whole(self) -> Result<Self, ToolError> {
        if self.truncated {
            return Err(ToolError::UnusableAnswer {
                status: self.status,
                message: "the service's answer was longer than the limit and was cut".to_owned(),
                request: None,
            });
        }
        Ok(self)
    }

    /// Decodes the result as its type.
    pub(crate) fn typed<O: Codec>(self) -> Result<O, ToolError> {
        let Self {
            value,
            status,
            undescribed,
            ..
        } = self.whole()?;
        // The type of an empty answer cannot hold a value.
        let value = if undescribed { Value::Null } else { value };
        O::decode(value).map_err(|error| ToolError::UnusableAnswer {
            status,
            message: format!("the service's answer is not of the expected type: {error}"),
            request: None,
        })
    }
}
