//! Converts the YAML parser's character offsets to byte offsets.

/// The number of characters between two recorded offsets.
const STRIDE: usize = 64;

/// The byte offset of each character in a string.
pub(super) struct Offsets<'t> {
    text: &'t str,
    /// The offset of every [`STRIDE`]th character; empty for ASCII input.
    noted: Vec<usize>,
}

impl<'t> Offsets<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let noted = if text.is_ascii() {
            Vec::new()
        } else {
            text.char_indices()
                .step_by(STRIDE)
                .map(|(at, _)| at)
                .collect()
        };
        Self { text, noted }
    }

    /// Returns the byte offset of a character, or the end if the index is too large.
    pub(super) fn byte(&self, character: usize) -> usize {
        if self.noted.is_empty() {
            return character.min(self.text.len());
        }
        self.noted_byte(character).unwrap_or(self.text.len())
    }

    /// Counts from the recorded offset before the character.
    fn noted_byte(&self, character: usize) -> Option<usize> {
        let (stretch, within) = (character / STRIDE, character % STRIDE);
        let start = *self.noted.get(stretch)?;
        // Most stretches are ASCII, even where a text is not.
        if self.noted.get(stretch + 1) == Some(&(start + STRIDE)) {
            return Some(start + within);
        }
        let (at, _) = self.text.get(start..)?.char_indices().nth(within)?;
        Some(start + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_found() {
        for text in [
            "",
            "plain",
            &"aé✓𝄞".repeat(100),
            &("a".repeat(200) + "é" + &"b".repeat(200)),
        ] {
            let offsets = Offsets::new(text);
            for (number, (at, _)) in text.char_indices().enumerate() {
                assert_eq!(offsets.byte(number), at);
            }
            assert_eq!(offsets.byte(text.chars().count()), text.len());
            assert_eq!(offsets.byte(usize::MAX), text.len());
        }
    }
}
