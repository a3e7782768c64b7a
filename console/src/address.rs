//! The address at which browsers find the console.

use std::fmt;

use url::Url;

/// The time within which a person must come back from a provider, in seconds.
const SIGN_IN_SECONDS: u32 = 600;

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

    /// Returns the name of the cookie of the session.
    pub(crate) fn cookie(&self) -> String {
        self.cookie_name("console")
    }

    /// Returns the attributes of the cookie of the session.
    pub(crate) fn cookie_attributes(&self) -> String {
        self.attributes("Strict")
    }

    /// Returns the name of the cookie of a sign-in through a provider.
    pub(crate) fn sign_in_cookie_name(&self) -> String {
        self.cookie_name("sign_in")
    }

    /// Returns the cookie of a sign-in, which a browser sends with the request to which the provider
    /// leads.
    pub(crate) fn sign_in_cookie(&self, value: &str) -> String {
        let (name, attributes) = (self.sign_in_cookie_name(), self.attributes("Lax"));
        format!("{name}={value}; Max-Age={SIGN_IN_SECONDS}{attributes}")
    }

    /// Returns the cookie that removes the one of a sign-in.
    pub(crate) fn sign_in_cookie_end(&self) -> String {
        let (name, attributes) = (self.sign_in_cookie_name(), self.attributes("Lax"));
        format!("{name}=; Max-Age=0{attributes}")
    }

    /// Returns the name of a cookie. Browsers do not separate the cookies of ports, so the port is in it.
    /// With the prefix, they take it from this host only, and not from one with the same parent.
    fn cookie_name(&self, purpose: &str) -> String {
        let is_alone = self.is_secure && self.path.is_empty();
        let prefix = if is_alone { "__Host-" } else { "" };
        format!("{prefix}toolwright_{purpose}_{}", self.port)
    }

    fn attributes(&self, same_site: &str) -> String {
        let secure = if self.is_secure { "; Secure" } else { "" };
        format!(
            "; Path={}/; HttpOnly; SameSite={same_site}{secure}",
            self.path
        )
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
        assert_eq!(mounted.cookie(), "toolwright_console_443");
        let alone = Address::new("https://ops.example").unwrap();
        assert_eq!(alone.cookie(), "__Host-toolwright_console_443");
        assert!(
            alone
                .sign_in_cookie("x")
                .contains("; Path=/; HttpOnly; SameSite=Lax; Secure")
        );
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
