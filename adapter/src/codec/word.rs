//! String enumerations.

use serde_json::Value;

use super::Reader;

/// A string enumeration. An unlisted string survives in its variant `Unlisted`.
pub trait Word: Sized {
    /// Returns the value for a string.
    fn from_word(word: String) -> Self;

    /// Returns the string.
    fn as_word(&self) -> &str;

    /// Returns whether the string is not listed.
    fn is_unlisted(&self) -> bool;
}

/// Reads a value of a string enumeration.
pub fn read<T: Word>(value: Value, reader: &mut Reader) -> T {
    let word = T::from_word(reader.text(value));
    if word.is_unlisted() {
        reader.stranger();
    }
    word
}
