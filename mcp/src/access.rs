//! Who may use a server over HTTP.

use std::fmt;

use sha2::{Digest, Sha256};
use toolwright_model::hex;

/// The number of hexadecimal digits of a token's digest that name its holder.
const PRINCIPAL_DIGITS: usize = 8;

/// A bearer token. Only its SHA-256 is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Token([u8; 32]);

/// Who may use a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Every process of this machine, without a token.
    Everyone,
    /// Clients that send the token.
    Token(Token),
    /// Nobody, for example while the token cannot be read.
    Nobody,
}

/// The reason why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Refused {
    /// It shows no token.
    NoToken,
    /// It shows another token.
    WrongToken,
    /// The server has no token to compare with.
    NoAccess,
}

impl Access {
    /// Checks the value of a request's `Authorization` header.
    pub(crate) fn check(&self, header: Option<&str>) -> Result<(), Refused> {
        match (self, header) {
            (Self::Everyone, _) => Ok(()),
            (Self::Nobody, _) => Err(Refused::NoAccess),
            (Self::Token(_), None) => Err(Refused::NoToken),
            (Self::Token(token), Some(header)) if token.is_shown_by(header) => Ok(()),
            (Self::Token(_), Some(_)) => Err(Refused::WrongToken),
        }
    }
}

impl Access {
    /// Returns the name of a client that was let in, for the audit: the beginning of the token's digest.
    pub(crate) fn principal(&self) -> Option<String> {
        match self {
            Self::Token(token) => {
                let id: String = hex(token.0).chars().take(PRINCIPAL_DIGITS).collect();
                Some(format!("token:{id}"))
            }
            Self::Everyone | Self::Nobody => None,
        }
    }
}

impl Refused {
    /// The reason in a word, for the audit.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::NoToken => "no_token",
            Self::WrongToken => "wrong_token",
            Self::NoAccess => "token_unreadable",
        }
    }
}

impl Token {
    /// The shortest token that is accepted, in characters.
    pub const SHORTEST: usize = 16;

    /// Returns the token of a text: at least [`Token::SHORTEST`] visible ASCII characters.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let fits = text.len() >= Self::SHORTEST && text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| Self::digest(text))
    }

    /// Checks whether the value of an `Authorization` header contains this token.
    ///
    /// The digests are compared, so the time reveals nothing about the token.
    fn is_shown_by(&self, header: &str) -> bool {
        header.split_once(' ').is_some_and(|(scheme, text)| {
            scheme.eq_ignore_ascii_case("bearer") && Self::digest(text.trim()) == *self
        })
    }

    fn digest(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_header_shows_a_token() {
        let token = Token::new("0123456789abcdef").unwrap();
        assert!(token.is_shown_by("Bearer 0123456789abcdef"));
        assert!(token.is_shown_by("bearer  0123456789abcdef"));
        for wrong in [
            "",
            "Bearer",
            "Bearer ",
            "Bearer 0123456789abcdeF",
            "Basic 0123456789abcdef",
        ] {
            assert!(!token.is_shown_by(wrong), "{wrong}");
        }
    }
}
