//! Who may use a server over HTTP, and with which role.

use std::{collections::BTreeMap, sync::Arc};

use jiff::Timestamp;
use toolwright::Role;

use crate::{
    caller::{Caller, Proof, Refused, Token},
    oauth::Issuer,
};

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
pub struct Holders {
    tokens: Arc<BTreeMap<Token, Holder>>,
    issuer: Option<Issuer>,
}

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
            (Self::Holders(holders), Proof::Subject(_, until)) => {
                holders.issuer.is_some() && now < until
            }
            _ => false,
        }
    }
}

impl Holders {
    /// Returns the holders of these tokens.
    #[must_use]
    pub fn new(holders: impl IntoIterator<Item = (Token, Holder)>) -> Self {
        Self {
            tokens: Arc::new(holders.into_iter().collect()),
            issuer: None,
        }
    }

    /// Accepts the access tokens of an authorization server, too.
    #[must_use]
    pub fn with_issuer(self, issuer: Issuer) -> Self {
        Self {
            issuer: Some(issuer),
            ..self
        }
    }

    /// The authorization server whose access tokens are accepted.
    pub(crate) const fn issuer(&self) -> Option<&Issuer> {
        self.issuer.as_ref()
    }

    fn admit(&self, shown: Token, now: Timestamp) -> Result<Caller, Refused> {
        let holder = self.tokens.get(&shown).ok_or(Refused::WrongToken)?;
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
