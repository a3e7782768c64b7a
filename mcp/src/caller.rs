//! A client of a server over HTTP: what it shows, and who it is then.

use std::fmt;

use jiff::Timestamp;
use sha2::{Digest, Sha256};
use toolwright::Role;
use toolwright_model::hex;

/// The number of hexadecimal digits of a token's digest that name its holder.
const PRINCIPAL_DIGITS: usize = 8;

/// A bearer token. Only its SHA-256 is kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Token([u8; 32]);

/// A client that was let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Caller {
    /// What the client showed. Two callers with the same proof are the same one.
    pub(crate) proof: Proof,
    /// The role of the token; none if the client has the role of the server.
    pub(crate) role: Option<Role>,
    /// The workspace of the token.
    pub(crate) workspace: Option<String>,
    /// The name of the client for the audit.
    pub(crate) principal: Option<String>,
}

/// What a client showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// Nothing: everyone may use the server.
    Nothing,
    /// A token.
    Token(Token),
    /// Access tokens of an authorization server, with the digest of their subject, and the time until
    /// which the last one is accepted.
    Subject([u8; 32], Timestamp),
}

/// The reason why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Refused {
    /// It shows no token.
    NoToken,
    /// It shows a token that is not known.
    WrongToken,
    /// Its token was revoked.
    Revoked,
    /// The time of its token is over.
    Expired,
    /// The role of its token is not declared.
    NoRole,
    /// Its access token names no role.
    NoScope,
    /// The keys of the issuer of its access token cannot be read.
    NoKeys,
    /// Its session was begun by another client.
    OtherSession,
    /// The server has no token to compare with.
    NoAccess,
}

impl Caller {
    /// Checks whether another caller is the same client. It may have a new access token.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let is_same_proof = match (self.proof, other.proof) {
            (Proof::Subject(own, _), Proof::Subject(others, _)) => own == others,
            (own, others) => own == others,
        };
        is_same_proof && self.role == other.role && self.workspace == other.workspace
    }

    /// A client that shows nothing.
    pub(crate) const fn anyone() -> Self {
        Self {
            proof: Proof::Nothing,
            role: None,
            workspace: None,
            principal: None,
        }
    }

    /// A client with the role of the server, named by the beginning of its token's digest.
    pub(crate) fn of_server(token: Token) -> Self {
        let id: String = hex(token.0).chars().take(PRINCIPAL_DIGITS).collect();
        Self {
            proof: Proof::Token(token),
            principal: Some(format!("token:{id}")),
            ..Self::anyone()
        }
    }
}

impl Refused {
    /// The reason in a word, for the audit.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::NoToken => "no_token",
            Self::WrongToken => "wrong_token",
            Self::Revoked => "token_revoked",
            Self::Expired => "token_expired",
            Self::NoRole => "unknown_role",
            Self::NoScope => "no_scope",
            Self::NoKeys => "keys_unreadable",
            Self::OtherSession => "other_session",
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
        fits.then(|| Self::of_text(text))
    }

    /// Returns the token with this SHA-256, for a program that does not keep tokens.
    #[must_use]
    pub const fn from_digest(digest: [u8; 32]) -> Self {
        Self(digest)
    }

    /// Returns the SHA-256 of the token.
    #[must_use]
    pub const fn digest(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the token in the value of an `Authorization` header; none if it has another scheme.
    ///
    /// Tokens are compared by their digests, so the time reveals nothing about one that is accepted.
    pub(crate) fn of_header(header: &str) -> Option<Self> {
        bearer(header).map(Self::of_text)
    }

    fn of_text(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }
}

/// Returns the token in the value of an `Authorization` header; none if it has another scheme.
pub(crate) fn bearer(header: &str) -> Option<&str> {
    let (scheme, text) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| text.trim())
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
        assert_eq!(
            Token::of_header("Bearer 0123456789abcdef"),
            Some(Token::new("0123456789abcdef").unwrap())
        );
        assert_eq!(
            Token::of_header("bearer  0123456789abcdef"),
            Some(Token::new("0123456789abcdef").unwrap())
        );
        for wrong in [
            "",
            "Bearer",
            "Bearer ",
            "Bearer 0123456789abcdeF",
            "Basic 0123456789abcdef",
            "Bearer0123456789abcdef",
            "DPoP 0123456789abcdef",
            "Bearer Bearer 0123456789abcdef",
        ] {
            assert_ne!(
                Token::of_header(wrong),
                Some(Token::new("0123456789abcdef").unwrap()),
                "{wrong}"
            );
        }
    }
}
