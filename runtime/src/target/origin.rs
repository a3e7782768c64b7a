//! Origins: a scheme, a host and a port, or a Unix socket.

use std::{fmt, path::PathBuf, str::FromStr};

use reqwest::Url;

/// The part of an address that credentials belong to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// A scheme, a host and a port: `https://plane.example`.
    Web(String),
    /// A Unix socket: `unix:/run/kicad.sock`.
    Socket(PathBuf),
}

impl Origin {
    /// Returns the origin of an `http` or `https` URL, whatever its path.
    #[must_use]
    pub fn of_url(url: &str) -> Option<Self> {
        Url::parse(url).ok().as_ref().and_then(Self::from_url)
    }

    /// Returns the origin of a domain service's endpoint: a socket, as `unix:/run/kicad.sock` or
    /// `/run/kicad.sock`, or a URL.
    #[must_use]
    pub fn of_endpoint(text: &str) -> Option<Self> {
        let path = text.strip_prefix("unix:").unwrap_or(text);
        if path.starts_with('/') {
            return Some(Self::Socket(path.into()));
        }
        Self::of_url(text)
    }

    /// Replaces the text of a web origin. The path of a socket is the operator's or a document's,
    /// and never an answer's.
    pub(crate) fn map_text(self, replace: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Web(text) => Self::Web(replace(text)),
            Self::Socket(path) => Self::Socket(path),
        }
    }

    pub(crate) fn from_url(url: &Url) -> Option<Self> {
        let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
        is_web.then(|| Self::Web(url.origin().ascii_serialization()))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Web(origin) => f.write_str(origin),
            Self::Socket(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl FromStr for Origin {
    type Err = String;

    /// Parses `https://plane.example`, `http://127.0.0.1:7071` or `unix:/run/kicad.sock`. A path
    /// is refused, since an origin has none.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            return match path.starts_with('/') {
                true => Ok(Self::Socket(path.into())),
                false => Err(format!("`{text}` is not an absolute path of a socket")),
            };
        }
        let url =
            Url::parse(text).map_err(|error| format!("`{text}` is not an origin: {error}"))?;
        let origin = Self::from_url(&url);
        let origin = origin.ok_or_else(|| {
            format!(
                "`{text}` is not an origin, which begins with `http://`, `https://` or `unix:/`"
            )
        })?;
        let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        if !is_bare || !url.username().is_empty() || url.password().is_some() {
            return Err(format!(
                "`{text}` has more than a scheme, a host and a port; write `{origin}`"
            ));
        }
        Ok(origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_has_one_spelling() {
        for (text, origin) in [
            ("https://Plane.Example:443/", "https://plane.example"),
            ("http://127.1:9101", "http://127.0.0.1:9101"),
            ("unix:/run/kicad.sock", "unix:/run/kicad.sock"),
        ] {
            assert_eq!(text.parse::<Origin>().unwrap().to_string(), origin);
        }
        assert_eq!(
            Origin::of_url("https://plane.example/api/v1?x=1"),
            Some("https://plane.example".parse().unwrap())
        );
    }

    #[test]
    fn a_string_that_is_not_exactly_an_origin_is_refused() {
        for text in [
            "",
            "plane.example",
            "ftp://plane.example",
            "https://plane.example/api",
            "https://ann@plane.example",
            "unix:kicad.sock",
            "file:///etc",
        ] {
            assert!(text.parse::<Origin>().is_err(), "{text}");
        }
        assert_eq!(Origin::of_url("file:///etc"), None);
    }
}
