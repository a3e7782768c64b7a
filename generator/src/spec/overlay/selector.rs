//! Which operations an entry of an overlay speaks of.

use std::{fmt, str::FromStr};

use toolwright_model::Method;

use crate::spec::openapi::OperationKey;

/// What a selector by tag begins with.
const TAG: &str = "tag:";

/// Which operations an entry speaks of: `getItem`, `GET /items/{id}`, `DELETE *`, `* /admin/*`,
/// `tag:Items`.
///
/// `*` stands for any text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// Those with this operation id.
    OperationId(String),
    /// Those with this tag.
    Tag(String),
    /// Those with this method, or with any, and this path.
    Endpoint {
        /// The method; `None` stands for any.
        method: Option<Method>,
        /// The path template.
        path: String,
    },
}

impl Selector {
    /// Whether it speaks of the operation.
    #[must_use]
    pub fn matches(&self, key: &OperationKey) -> bool {
        match self {
            Self::OperationId(pattern) => key
                .operation_id
                .as_deref()
                .is_some_and(|id| matches(pattern, id)),
            Self::Tag(pattern) => key.tags.iter().any(|tag| matches(pattern, tag)),
            Self::Endpoint { method, path } => {
                method.is_none_or(|method| method == key.method) && matches(path, &key.path)
            }
        }
    }

    /// Whether it may speak of several operations.
    #[must_use]
    pub fn is_pattern(&self) -> bool {
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
                format!("`{word}` is no HTTP method; expected a text such as `getItem` or `GET /items`")
            })?),
        };
        let path = path.trim().to_owned();
        Ok(Self::Endpoint { method, path })
    }
}

/// Whether a text is what a pattern stands for, in which `*` is any text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((prefix, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(prefix) else {
        return false;
    };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return text.ends_with(part);
        }
        match text.split_once(part) {
            Some((_, behind)) => text = behind,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, text) in [
            ("/a", "/a"),
            ("*", ""),
            ("*", "/a/b"),
            ("/a/*", "/a/b/c"),
            ("/a/*/c", "/a/b/b/c"),
            ("*/b/*", "/a/b/c"),
            ("a*b*c", "abbbc"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("/a", "/ab"),
            ("/a/*", "/b/c"),
            ("/a/*/c", "/a/c"),
            ("a*a", "a"),
        ] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }

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
