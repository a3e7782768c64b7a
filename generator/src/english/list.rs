//! Lists of words.

/// A list of lower-case words, written as one text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WordList(&'static str);

impl WordList {
    /// The list of the words of a text.
    pub(crate) const fn new(words: &'static str) -> Self {
        Self(words)
    }

    /// Whether the word is one of the list.
    pub(crate) fn has(self, word: &str) -> bool {
        self.iter().any(|other| other == word)
    }

    /// Whether one of the words is one of the list.
    pub(crate) fn has_any<'a>(self, words: impl IntoIterator<Item = &'a String>) -> bool {
        words.into_iter().any(|word| self.has(word))
    }

    /// The words, in the order of the text.
    pub(crate) fn iter(self) -> impl Iterator<Item = &'static str> {
        self.0.split_ascii_whitespace()
    }
}
