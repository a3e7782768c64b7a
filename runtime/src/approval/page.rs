//! The operator's page on which a person decides about calls that wait.

use std::{fmt, str::FromStr};

use url::{Host, Url};

use super::ApprovalId;

/// The operator's console. The page of a waiting call is `waiting/` and the id of its approval, below this URL.
///
/// It is an `https` URL, or an `http` URL of this machine. The page asks the person to log in: whoever knows its
/// URL can decide nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalPage(Url);

/// The reason why a URL is not that of a console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAConsole(String);

impl ApprovalPage {
    /// Returns the page of a waiting call.
    #[must_use]
    pub fn of(&self, id: &ApprovalId) -> Url {
        let mut page = self.0.clone();
        // Each URL of this type has a path.
        if let Ok(mut path) = page.path_segments_mut() {
            path.pop_if_empty().extend(["waiting", id.as_str()]);
        }
        page
    }
}

impl FromStr for ApprovalPage {
    type Err = NotAConsole;

    fn from_str(text: &str) -> Result<Self, NotAConsole> {
        let wrong = |why: &str| NotAConsole(format!("`{text}` is no URL of a console: {why}"));
        let url = Url::parse(text).map_err(|error| wrong(&error.to_string()))?;
        match url.scheme() {
            "https" => {}
            "http" if is_here(&url) => {}
            "http" => return Err(wrong("outside of this machine, it must be `https`")),
            _ => return Err(wrong("it must be `https`")),
        }
        let is_plain = url.username().is_empty() && url.password().is_none();
        if !is_plain || url.query().is_some() || url.fragment().is_some() {
            return Err(wrong("it must not have credentials, `?` or `#`"));
        }
        Ok(Self(url))
    }
}

fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

impl fmt::Display for NotAConsole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotAConsole {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_below_the_console() {
        let id: ApprovalId = "wait-5a7c9e1f3b2d".parse().unwrap();
        for (console, page) in [
            (
                "https://console.example",
                "https://console.example/waiting/wait-5a7c9e1f3b2d",
            ),
            (
                "http://127.0.0.1:7182/",
                "http://127.0.0.1:7182/waiting/wait-5a7c9e1f3b2d",
            ),
            (
                "http://localhost/a/b/",
                "http://localhost/a/b/waiting/wait-5a7c9e1f3b2d",
            ),
        ] {
            let console: ApprovalPage = console.parse().unwrap();
            assert_eq!(console.of(&id).as_str(), page);
        }
        for wrong in [
            "console",
            "http://console.example",
            "ftp://localhost",
            "https://ann:secret@console.example",
            "https://console.example/?a=b",
        ] {
            assert!(wrong.parse::<ApprovalPage>().is_err(), "{wrong}");
        }
    }
}
