//! Who may use a server over HTTP, and with which role.

use std::{collections::BTreeMap, fmt, sync::Arc};

use jiff::Timestamp;
use sha2::{Digest, Sha256};
use toolwright::Role;
use toolwright_model::hex;

/// The number of hexadecimal digits of a token's digest that name its holder.
const PRINCIPAL_DIGITS: usize = 8;

/// A bearer token. Only its SHA-256 is kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Token([u8; 32]);

/// Who may use a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// Every process of this machine, without a token. Its clients have the role of the server.
    Everyone,
    /// Clients that send the token. They have the role of the server.
    Token(Token),
    /// Clients that send a token of their own. Each has the role of its token.
    Holders(Holders),
    /// Nobody, for example while the token cannot be read.
    Nobody,
}

/// The tokens of clients, with their holders. Cloning it is cheap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holders(Arc<BTreeMap<Token, Holder>>);

/// The holder of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The name of the token, for the audit.
    pub name: String,
    /// The role of the clients that show it.
    pub role: Role,
    /// The workspace that their calls are recorded with.
    pub workspace: Option<String>,
    /// The time until which it is accepted.
    pub until: Timestamp,
    /// True if it is not accepted any more, although its time is not over.
    pub revoked: bool,
}

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
    /// Its session was begun by another client.
    OtherSession,
    /// The server has no token to compare with.
    NoAccess,
}

impl Access {
    /// Lets in the client that sends a request with this value of the header `Authorization`.
    pub(crate) fn admit(&self, header: Option<&str>, now: Timestamp) -> Result<Caller, Refused> {
        let shown = || {
            let header = header.ok_or(Refused::NoToken)?;
            Token::of_header(header).ok_or(Refused::WrongToken)
        };
        match self {
            Self::Everyone => Ok(Caller::anyone()),
            Self::Nobody => Err(Refused::NoAccess),
            Self::Token(token) => match shown()? {
                shown if shown == *token => Ok(Caller::of_server(shown)),
                _ => Err(Refused::WrongToken),
            },
            Self::Holders(holders) => holders.admit(shown()?, now),
        }
    }

    /// Checks whether a client that was let in may still use the server.
    pub(crate) fn keeps(&self, caller: &Caller, now: Timestamp) -> bool {
        match (self, caller.proof) {
            (Self::Everyone, Proof::Nothing) => true,
            (Self::Token(token), Proof::Token(_)) => Caller::of_server(*token) == *caller,
            (Self::Holders(holders), Proof::Token(shown)) => {
                holders.admit(shown, now).as_ref() == Ok(caller)
            }
            _ => false,
        }
    }
}

impl Holders {
    /// Returns the holders of these tokens.
    #[must_use]
    pub fn new(holders: impl IntoIterator<Item = (Token, Holder)>) -> Self {
        Self(Arc::new(holders.into_iter().collect()))
    }

    fn admit(&self, shown: Token, now: Timestamp) -> Result<Caller, Refused> {
        let holder = self.0.get(&shown).ok_or(Refused::WrongToken)?;
        if holder.revoked {
            return Err(Refused::Revoked);
        }
        if now >= holder.until {
            return Err(Refused::Expired);
        }
        Ok(Caller {
            proof: Proof::Token(shown),
            role: Some(holder.role.clone()),
            workspace: holder.workspace.clone(),
            principal: Some(format!("token:{}", holder.name)),
        })
    }
}

impl Caller {
    /// A client that shows nothing.
    const fn anyone() -> Self {
        Self {
            proof: Proof::Nothing,
            role: None,
            workspace: None,
            principal: None,
        }
    }

    /// A client with the role of the server, named by the beginning of its token's digest.
    fn of_server(token: Token) -> Self {
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
    fn of_header(header: &str) -> Option<Self> {
        let (scheme, text) = header.split_once(' ')?;
        let is_bearer = scheme.eq_ignore_ascii_case("bearer");
        is_bearer.then(|| Self::of_text(text.trim()))
    }

    fn of_text(text: &str) -> Self {
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

    const TEXT: &str = "0123456789abcdef";

    fn token() -> Token {
        Token::new(TEXT).unwrap()
    }

    fn holder(role: &str) -> Holder {
        Holder {
            name: "nightly-build".to_owned(),
            role: Role::new(role).unwrap(),
            workspace: None,
            until: Timestamp::from_second(100).unwrap(),
            revoked: false,
        }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn only_its_own_header_shows_a_token() {
        assert_eq!(Token::of_header("Bearer 0123456789abcdef"), Some(token()));
        assert_eq!(Token::of_header("bearer  0123456789abcdef"), Some(token()));
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
            assert_ne!(Token::of_header(wrong), Some(token()), "{wrong}");
        }
    }

    #[test]
    fn a_holder_is_let_in_until_its_time_is_over_or_it_is_revoked() {
        let header = format!("Bearer {TEXT}");
        let access = Access::Holders(Holders::new([(token(), holder("reader"))]));
        let caller = access.admit(Some(&header), at(99)).unwrap();
        assert_eq!(caller.role, Some(Role::new("reader").unwrap()));
        assert_eq!(caller.principal.as_deref(), Some("token:nightly-build"));
        assert!(access.keeps(&caller, at(99)));
        assert!(!access.keeps(&caller, at(100)));
        let late = access.admit(Some(&header), at(100));
        assert_eq!(late, Err(Refused::Expired));
        let revoked = Holder {
            revoked: true,
            ..holder("reader")
        };
        let access = Access::Holders(Holders::new([(token(), revoked)]));
        let refused = access.admit(Some(&header), at(99));
        assert_eq!(refused, Err(Refused::Revoked));
        assert!(!access.keeps(&caller, at(99)));
    }

    #[test]
    fn a_caller_is_kept_only_by_the_access_that_let_it_in() {
        let header = format!("Bearer {TEXT}");
        let alone = Access::Token(token());
        let several = Access::Holders(Holders::new([(token(), holder("reader"))]));
        let other = Access::Holders(Holders::new([(token(), holder("clerk"))]));
        let all = [Access::Everyone, alone, several, other];
        for (index, access) in all.iter().enumerate() {
            let caller = access.admit(Some(&header), at(0)).unwrap();
            for (place, other) in all.iter().enumerate() {
                let keeps = other.keeps(&caller, at(0));
                assert_eq!(keeps, index == place, "{access:?} {other:?}");
            }
            assert!(!Access::Nobody.keeps(&caller, at(0)));
        }
    }
}
