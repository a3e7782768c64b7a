//! The statuses of answers.

use std::{borrow::Cow, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// The statuses that an answer stands for: one, a class of them, or all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum StatusPattern {
    /// This status.
    Exact(u16),
    /// The hundred that begins with this digit: `4XX`.
    Class(u8),
    /// Every status without a response of its own.
    Default,
}

impl StatusPattern {
    /// Checks whether the key covers the status.
    #[must_use]
    pub fn matches(self, status: u16) -> bool {
        match self {
            Self::Exact(exact) => exact == status,
            Self::Class(class) => u16::from(class) == status / 100,
            Self::Default => true,
        }
    }

    /// Returns the meaning in words, such as `Not Found`, `Client Error` for `4XX`, or `Default`. A
    /// status without a registered phrase is `Status 499`.
    #[must_use]
    pub fn phrase(self) -> Cow<'static, str> {
        let known = match self {
            Self::Default => "Default",
            Self::Class(1) => "Informational",
            Self::Class(2) => "Success",
            Self::Class(3) => "Redirection",
            Self::Class(4) => "Client Error",
            Self::Class(5) => "Server Error",
            Self::Class(class) => return format!("Status {class}XX").into(),
            Self::Exact(status) => match PHRASES.iter().find(|(known, _)| *known == status) {
                Some((_, phrase)) => phrase,
                None => return format!("Status {status}").into(),
            },
        };
        known.into()
    }

    /// Checks whether the key covers a success: a status from 200 to 299.
    #[must_use]
    pub fn is_success(self) -> bool {
        match self {
            Self::Exact(status) => (200..300).contains(&status),
            Self::Class(class) => class == 2,
            Self::Default => false,
        }
    }
}

impl fmt::Display for StatusPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(status) => write!(f, "{status}"),
            Self::Class(class) => write!(f, "{class}XX"),
            Self::Default => f.write_str("default"),
        }
    }
}

impl FromStr for StatusPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || format!("`{text}` is not a status such as `200`, `4XX` or `default`");
        if text == "default" {
            return Ok(Self::Default);
        }
        if let Some(class) = text.strip_suffix("XX").or_else(|| text.strip_suffix("xx")) {
            return match class.parse() {
                Ok(class @ 1..=5) => Ok(Self::Class(class)),
                _ => Err(refused()),
            };
        }
        match text.parse() {
            Ok(status @ 100..=999) => Ok(Self::Exact(status)),
            _ => Err(refused()),
        }
    }
}

impl TryFrom<String> for StatusPattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<StatusPattern> for String {
    fn from(pattern: StatusPattern) -> Self {
        pattern.to_string()
    }
}

/// The registered phrases of the HTTP status codes that are not successes, by status.
const PHRASES: &[(u16, &str)] = &[
    (300, "Multiple Choices"),
    (301, "Moved Permanently"),
    (302, "Found"),
    (303, "See Other"),
    (304, "Not Modified"),
    (305, "Use Proxy"),
    (307, "Temporary Redirect"),
    (308, "Permanent Redirect"),
    (400, "Bad Request"),
    (401, "Unauthorized"),
    (402, "Payment Required"),
    (403, "Forbidden"),
    (404, "Not Found"),
    (405, "Method Not Allowed"),
    (406, "Not Acceptable"),
    (407, "Proxy Authentication Required"),
    (408, "Request Timeout"),
    (409, "Conflict"),
    (410, "Gone"),
    (411, "Length Required"),
    (412, "Precondition Failed"),
    (413, "Content Too Large"),
    (414, "Uri Too Long"),
    (415, "Unsupported Media Type"),
    (416, "Range Not Satisfiable"),
    (417, "Expectation Failed"),
    (421, "Misdirected Request"),
    (422, "Unprocessable Content"),
    (423, "Locked"),
    (424, "Failed Dependency"),
    (425, "Too Early"),
    (426, "Upgrade Required"),
    (428, "Precondition Required"),
    (429, "Too Many Requests"),
    (431, "Request Header Fields Too Large"),
    (451, "Unavailable For Legal Reasons"),
    (500, "Internal Server Error"),
    (501, "Not Implemented"),
    (502, "Bad Gateway"),
    (503, "Service Unavailable"),
    (504, "Gateway Timeout"),
    (505, "Http Version Not Supported"),
    (506, "Variant Also Negotiates"),
    (507, "Insufficient Storage"),
    (508, "Loop Detected"),
    (511, "Network Authentication Required"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_pattern_is_read_and_written() {
        for text in ["200", "4XX", "default"] {
            let pattern: StatusPattern = text.parse().unwrap();
            assert_eq!(pattern.to_string(), text);
        }
        for bad in ["", "2x", "9XX", "20", "ok"] {
            assert!(bad.parse::<StatusPattern>().is_err(), "{bad}");
        }
        assert!(StatusPattern::Class(4).matches(404));
        assert!(!StatusPattern::Class(4).matches(500));
    }

    #[test]
    fn every_status_has_words() {
        for (pattern, words) in [
            ("404", "Not Found"),
            ("400", "Bad Request"),
            ("511", "Network Authentication Required"),
            ("499", "Status 499"),
            ("5XX", "Server Error"),
            ("default", "Default"),
        ] {
            let pattern: StatusPattern = pattern.parse().unwrap();
            assert_eq!(pattern.phrase(), words);
        }
        assert!(PHRASES.is_sorted_by(|(a, _), (b, _)| a < b));
    }
}
