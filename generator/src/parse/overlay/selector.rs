//! SelectorsShape of operations in overlays.

use std::{fmt, str::FromStr};

use toolwright_model::{Method, matches_glob};

use crate::parse::openapi::OperationKey;

/// The prefix of a tag selector.
const TAG: &str = "tag:";

/// A selector of operations: `getItem`, `GET /items/{id}`, `DELETE *`, `* /admin/*`, `tag:Items`.
///
/// `*` matches any string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Selector {
    /// Matches the operation id.
    OperationId(String),
    /// Matches one of the tags.
    Tag(String),
    /// Matches the method and the path.
    Endpoint {
        /// The method; `None` matches any.
        method: Option<Method>,
        /// The path template.
        path: String,
    },
}

impl Selector {
    /// Checks whether the selector matches the operation.
    #[must_use]
    pub(crate) fn matches(&self, key: &OperationKey) -> bool {
        match self {
            Self::OperationId(pattern) => key
                .operation_id
                .as_deref()
                .is_some_and(|id| matches_glob(pattern, id)),
            Self::Tag(pattern) => key.tags.iter().any(|tag| matches_glob(pattern, tag)),
            Self::Endpoint { method, path } => {
                method.is_none_or(|method| method == key.method) && matches_glob(path, &key.path)
            }
        }
    }

    /// Checks whether the selector can match several operations.
    #[must_use]
    pub(crate) fn is_pattern(&self) -> bool {
        match self {
            Self::OperationId(pattern) => pattern.contains('*'),
            Self::Tag(_) => true,
            Self::Endpoint { method, path } => method.is_none() || path.contains('*'),
        }
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OperationId(pattern) => f.write_str(pattern),
            Self::Tag(pattern) => write!(f, "{TAG}{pattern}"),
            Self::Endpoint { method, path } => {
                write!(f, "{} {path}", method.map_or("*", Method::word))
            }
        }
    }
}

impl FromStr for Selector {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(tag) = text.trim().strip_prefix(TAG) {
            return Ok(Self::Tag(tag.trim().to_owned()));
        }
        let Some((method, path)) = text.trim().split_once(' ') else {
            return Ok(Self::OperationId(text.trim().to_owned()));
        };
        let method = match method {
            "*" => None,
            word => Some(Method::from_word(&word.to_ascii_uppercase()).ok_or_else(|| {
                format!("`{word}` is not an HTTP method; expected a selector such as `getItem` or `GET /items`")
            })?),
        };
        let path = path.trim().to_owned();
        Ok(Self::Endpoint { method, path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_are_read_and_written() {
        for text in [
            "getItem",
            "list*",
            "GET /items/{id}",
            "* /admin/*",
            "tag:Two words",
        ] {
            assert_eq!(text.parse::<Selector>().unwrap().to_string(), text);
        }
        assert!("FETCH /items".parse::<Selector>().is_err());
    }
}
