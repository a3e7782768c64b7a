//! The address at which browsers find the console.

use std::fmt;

use url::Url;

/// The URL of the console, as browsers know it: requests for any other host are refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    origin: String,
    host: String,
    /// The path without a slash at its end.
    path: String,
    is_secure: bool,
    port: u16,
}

/// A URL that cannot be the address of a console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAnAddress(String);

impl Address {
    /// Parses the address: an `https` URL, or an `http` URL of this machine.
    ///
    /// # Errors
    /// [`NotAnAddress`] for any other URL, and for one with a user, a query or a fragment.
    pub fn new(url: &str) -> Result<Self, NotAnAddress> {
        let refused = || NotAnAddress(url.to_owned());
        let parsed = Url::parse(url).map_err(|_| refused())?;
        let is_plain = parsed.query().is_none()
            && parsed.fragment().is_none()
            && parsed.username().is_empty()
            && parsed.password().is_none();
        let is_secure = parsed.scheme() == "https";
        let is_local = parsed.scheme() == "http"
            && matches!(parsed.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
        let host = parsed.host_str().ok_or_else(refused)?;
        if !is_plain || !(is_secure || is_local) {
            return Err(refused());
        }
        let host = match parsed.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        Ok(Self {
            origin: format!("{}://{host}", parsed.scheme()),
            port: parsed.port_or_known_default().ok_or_else(refused)?,
            path: parsed.path().trim_end_matches('/').to_owned(),
            host,
            is_secure,
        })
    }

    /// Returns the origin, as browsers send it.
    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns the host with its port, as browsers send it.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Returns the path of a page, for links.
    pub(crate) fn path(&self, page: &str) -> String {
        format!("{}{page}", self.path)
    }

    /// Returns the whole URL of a page.
    pub(crate) fn url(&self, page: &str) -> String {
        format!("{}{}{page}", self.origin, self.path)
    }

    /// Returns the name of the cookie. Browsers do not separate the cookies of ports, so the port is in it.
    pub(crate) fn cookie(&self) -> String {
        format!("toolwright_console_{}", self.port)
    }

    /// Returns the attributes of the cookie.
    pub(crate) fn cookie_attributes(&self) -> String {
        let secure = if self.is_secure { "; Secure" } else { "" };
        format!("; Path={}/; HttpOnly; SameSite=Strict{secure}", self.path)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.url("/"))
    }
}

impl fmt::Display for NotAnAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not the address of a console: an `https` URL, or an `http` URL of this machine",
            self.0
        )
    }
}

impl std::error::Error for NotAnAddress {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_of_this_machine_or_encrypted() {
        let address = Address::new("http://127.0.0.1:7182").unwrap();
        assert_eq!(address.origin(), "http://127.0.0.1:7182");
        assert_eq!(address.host(), "127.0.0.1:7182");
        assert_eq!(address.path("/tools"), "/tools");
        assert!(!address.cookie_attributes().contains("Secure"));
        let mounted = Address::new("https://ops.example/console/").unwrap();
        assert_eq!(mounted.url("/tools"), "https://ops.example/console/tools");
        assert_eq!(mounted.host(), "ops.example");
        assert!(mounted.cookie_attributes().ends_with("; Secure"));
        for refused in [
            "http://ops.example",
            "http://127.0.0.1.evil.example",
            "ftp://127.0.0.1",
            "https://ops.example/?a=b",
            "https://user@ops.example",
            "127.0.0.1:7182",
        ] {
            assert!(Address::new(refused).is_err(), "{refused}");
        }
    }
}
