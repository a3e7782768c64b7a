//! The output of a call, and the arguments of the call for the next page.

mod continuation;

pub(crate) use continuation::continuation;
use serde_json::{Map, Value, json};

use crate::{codec::Codec, error::ToolError, files::FileFacts};

/// The output of a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolOutput {
    /// The result. For a stream that did not end in time, it is the part that arrived whole.
    ///
    /// If the answer was saved, this is an object with `media_type`, `size`, `sha256`, `file` (the
    /// handle, if it is in a store) and `name` (if the service suggests one).
    pub value: Value,
    /// The HTTP status of the service's answer; none for a native tool.
    pub status: Option<u16>,
    /// Set if a stream did not end in time. An answer that is too large is an error.
    pub truncated: bool,
    /// The saved answer, if it was not returned as a value.
    pub file: Option<FileFacts>,
    /// The version of what was read or changed: the header `ETag` of the answer, as `"v7"` or `W/"v7"`.
    pub etag: Option<String>,
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
            file: None,
            etag: None,
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

    /// Creates the output of an answer that was saved.
    pub(crate) fn saved(file: FileFacts, status: u16) -> Self {
        let mut value = json!({
            "media_type": file.media_type,
            "size": file.size,
            "sha256": file.sha256,
        });
        let handle = file.handle.as_ref().map(ToString::to_string);
        for (key, text) in [("file", handle), ("name", file.name.clone())] {
            if let (Some(text), Some(object)) = (text, value.as_object_mut()) {
                object.insert(key.to_owned(), text.into());
            }
        }
        Self {
            file: Some(file),
            ..Self::answered(value, status)
        }
    }

    /// Returns the output unless it was truncated.
    pub(crate) fn whole(self) -> Result<Self, ToolError> {
        if self.truncated {
            return Err(ToolError::UnusableAnswer {
                status: self.status,
                message: "the service's answer did not end in time and was cut".to_owned(),
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
