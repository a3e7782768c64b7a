//! Numbers for the strings that tell operations apart.

use std::collections::HashMap;

/// The number of a string. Equal strings have equal numbers.
pub(super) type Token = usize;

/// The tokens of a document.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    known: HashMap<String, Token>,
}

impl Tokens {
    /// Returns the token of a string.
    pub(super) fn intern(&mut self, text: String) -> Token {
        let next = self.known.len();
        *self.known.entry(text).or_insert(next)
    }
}
