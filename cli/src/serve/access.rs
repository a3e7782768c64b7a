//! Who may use the server over HTTP.

use super::token::Token;

/// Who may use the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Every process of this machine, as the operator chose on the command line.
    Everyone,
    /// Clients that show the token.
    Token(Token),
    /// Nobody, since the token cannot be read.
    Nobody,
}

/// The reason why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Refused {
    /// It shows no token.
    NoToken,
    /// It shows another token.
    WrongToken,
    /// The server has no token to compare with.
    NoAccess,
}

impl Access {
    /// Checks the value of a request's `Authorization` header.
    pub(super) fn check(&self, header: Option<&str>) -> Result<(), Refused> {
        match (self, header) {
            (Self::Everyone, _) => Ok(()),
            (Self::Nobody, _) => Err(Refused::NoAccess),
            (Self::Token(_), None) => Err(Refused::NoToken),
            (Self::Token(token), Some(header)) if token.is_shown_by(header) => Ok(()),
            (Self::Token(_), Some(_)) => Err(Refused::WrongToken),
        }
    }
}

impl Refused {
    /// The reason in a word, for the audit.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::NoToken => "no_token",
            Self::WrongToken => "wrong_token",
            Self::NoAccess => "token_unreadable",
        }
    }
}
