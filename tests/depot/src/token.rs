//! The bearer token.

use std::fmt;

use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The token that every request must carry. Debug output hides it.
#[derive(Clone)]
pub struct Token(String);

/// The error for an invalid token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenError;

impl Token {
    /// Returns a new random token.
    #[must_use]
    pub fn random() -> Self {
        let (one, two) = (Uuid::new_v4().simple(), Uuid::new_v4().simple());
        Self(format!("{one}{two}"))
    }

    /// Returns the given token without surrounding white space.
    ///
    /// # Errors
    /// When it has fewer than 16 characters, or characters other than visible ASCII.
    pub fn new(text: &str) -> Result<Self, TokenError> {
        let text = text.trim();
        if text.len() >= 16 && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(TokenError)
        }
    }

    /// The token as a string.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns true if an `Authorization` header carries this token.
    ///
    /// Compares digests, because the time of a comparison could reveal the token.
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
    fn a_token_matches_only_its_own_header() {
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
    fn short_tokens_are_rejected_and_debug_output_hides_tokens() {
        assert!(Token::new("short").is_err());
        assert!(Token::new("0123456789 abcdef").is_err());
        let token = Token::random();
        assert_eq!(token.expose().len(), 64);
        assert!(!format!("{token:?}").contains(token.expose()));
    }
}
