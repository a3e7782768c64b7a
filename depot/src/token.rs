//! The bearer token.

use std::fmt;

use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The token that every request has to carry. Its text never shows in debug output.
#[derive(Clone)]
pub struct Token(String);

/// Why a text cannot be a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenError;

impl Token {
    /// A new token, which nobody can guess.
    #[must_use]
    pub fn random() -> Self {
        let (one, two) = (Uuid::new_v4().simple(), Uuid::new_v4().simple());
        Self(format!("{one}{two}"))
    }

    /// A token of the caller's choice; white space around it is dropped.
    ///
    /// # Errors
    /// When it has fewer than 16 characters, or other characters than visible ASCII.
    pub fn new(text: &str) -> Result<Self, TokenError> {
        let text = text.trim();
        if text.len() >= 16 && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(TokenError)
        }
    }

    /// The text of the token.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether an `Authorization` header carries this token.
    ///
    /// The digests are compared, so that the time it takes says nothing about the token.
    pub(crate) fn is_carried_by(&self, header: &str) -> bool {
        let Some((scheme, text)) = header.split_once(' ') else {
            return false;
        };
        let carried = Sha256::digest(text.trim().as_bytes());
        scheme.eq_ignore_ascii_case("bearer") && carried == Sha256::digest(self.0.as_bytes())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a token has at least 16 characters, all of them visible ASCII")
    }
}

impl std::error::Error for TokenError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_header_carries_a_token() {
        let token = Token::new(" 0123456789abcdef\n").unwrap();
        assert!(token.is_carried_by("Bearer 0123456789abcdef"));
        assert!(token.is_carried_by("bearer 0123456789abcdef"));
        for wrong in [
            "",
            "Bearer",
            "Bearer ",
            "Bearer 0123456789abcdeF",
            "Basic 0123456789abcdef",
            "0123456789abcdef",
        ] {
            assert!(!token.is_carried_by(wrong), "{wrong}");
        }
    }

    #[test]
    fn a_token_is_long_enough_and_stays_secret() {
        assert!(Token::new("short").is_err());
        assert!(Token::new("0123456789 abcdef").is_err());
        let token = Token::random();
        assert_eq!(token.expose().len(), 64);
        assert!(!format!("{token:?}").contains(token.expose()));
    }
}
