//! The bearer token that HTTP clients have to show.

use std::{fmt, path::Path};

use sha2::{Digest, Sha256};

use crate::Failure;

/// The shortest token that is accepted, in characters.
const SHORTEST: usize = 16;

/// A bearer token, of which only the digest is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Token([u8; 32]);

impl Token {
    /// Reads the token that a file holds; white space around it is dropped.
    pub(super) fn read(file: &Path) -> Result<Self, Failure> {
        let text =
            std::fs::read_to_string(file).map_err(|error| Failure::file("read", file, &error))?;
        Self::new(text.trim()).ok_or_else(|| {
            Failure::new(format!("`{}` holds no bearer token", file.display())).help(format!(
                "write one of at least {SHORTEST} visible ASCII characters into it"
            ))
        })
    }

    /// The token of this text, if it can be one.
    pub(super) fn new(text: &str) -> Option<Self> {
        let fits = text.len() >= SHORTEST && text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| Self::digest(text))
    }

    /// Whether the value of an `Authorization` header shows this token.
    ///
    /// The digests are compared, so that the time it takes says nothing about the token.
    pub(super) fn is_shown_by(&self, header: &str) -> bool {
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

    #[test]
    fn a_file_has_to_hold_a_token() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token.txt");
        for bad in ["", "short", "0123456789 abcdef"] {
            std::fs::write(&file, bad).unwrap();
            let failure = Token::read(&file).unwrap_err().to_string();
            assert!(failure.contains("holds no bearer token"), "{failure}");
        }
        std::fs::write(&file, "0123456789abcdef\n").unwrap();
        assert!(Token::read(&file).is_ok());
    }
}
