//! Enumerations of texts.

use serde_json::Value;

use super::Reader;

/// An enumeration of texts. What is not listed survives in its variant `Unlisted`.
pub trait Word: Sized {
    /// The value that a text stands for.
    fn from_word(word: String) -> Self;

    /// The text.
    fn as_word(&self) -> &str;

    /// Whether the text is none of those that are listed.
    fn is_unlisted(&self) -> bool;
}

/// Reads one of an enumeration of texts.
pub fn read<T: Word>(value: Value, reader: &mut Reader) -> T {
    let word = T::from_word(reader.text(value));
    if word.is_unlisted() {
        reader.stranger();
    }
    word
}
