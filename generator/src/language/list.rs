//! Lists of words.

use std::{collections::HashSet, sync::OnceLock};

use foldhash::fast::FixedState;

/// A list of lower-case words, written as one string.
#[derive(Debug)]
pub(crate) struct WordList {
    text: &'static str,
    /// The words, once one was looked for.
    words: OnceLock<HashSet<&'static str, FixedState>>,
}

impl WordList {
    /// Creates a list from a string of words.
    pub(crate) const fn new(words: &'static str) -> Self {
        Self {
            text: words,
            words: OnceLock::new(),
        }
    }

    /// Checks whether the list contains the word.
    pub(crate) fn has(&self, word: &str) -> bool {
        let words = self.words.get_or_init(|| self.iter().collect());
        words.contains(word)
    }

    /// Checks whether the list contains one of the words.
    pub(crate) fn has_any<'a>(&self, words: impl IntoIterator<Item = &'a String>) -> bool {
        words.into_iter().any(|word| self.has(word))
    }

    /// Returns the words, in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.text.split_ascii_whitespace()
    }
}
