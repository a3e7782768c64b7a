//! Numbers for the strings that tell operations apart, and the strings by which names are compared.

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

/// Returns the string by which names are compared. The Rust names of tools do not have the hyphens, so
/// `items-2` and `items2` are the same.
pub(crate) fn key(name: &str) -> String {
    let mut key = String::with_capacity(name.len());
    let mut characters = name.chars().peekable();
    while let Some(character) = characters.next() {
        let number = characters.peek().is_some_and(char::is_ascii_digit);
        if character != '-' || !number {
            key.push(character);
        }
    }
    key
}
