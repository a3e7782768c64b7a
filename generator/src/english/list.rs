//! Lists of words.

use std::{collections::HashSet, sync::OnceLock};

/// A list of lower-case words, written as one text.
#[derive(Debug)]
pub(crate) struct WordList {
    text: &'static str,
    /// The words, once one was looked for.
    words: OnceLock<HashSet<&'static str>>,
}

impl WordList {
    /// The list of the words of a text.
    pub(crate) const fn new(words: &'static str) -> Self {
        Self {
            text: words,
            words: OnceLock::new(),
        }
    }

    /// Whether the word is one of the list.
    pub(crate) fn has(&self, word: &str) -> bool {
        let words = self.words.get_or_init(|| self.iter().collect());
        words.contains(word)
    }

    /// Whether one of the words is one of the list.
    pub(crate) fn has_any<'a>(&self, words: impl IntoIterator<Item = &'a String>) -> bool {
        words.into_iter().any(|word| self.has(word))
    }

    /// The words, in the order of the text.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.text.split_ascii_whitespace()
    }
}
