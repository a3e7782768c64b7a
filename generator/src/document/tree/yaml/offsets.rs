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
        let noted = self.noted.get(character / STRIDE).copied();
        noted
            .and_then(|start| {
                let rest = self.text.get(start..)?;
                let (at, _) = rest.char_indices().nth(character % STRIDE)?;
                Some(start + at)
            })
            .unwrap_or(self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_found() {
        for text in ["", "plain", &"aé✓𝄞".repeat(100)] {
            let offsets = Offsets::new(text);
            for (number, (at, _)) in text.char_indices().enumerate() {
                assert_eq!(offsets.byte(number), at);
            }
            assert_eq!(offsets.byte(text.chars().count()), text.len());
            assert_eq!(offsets.byte(usize::MAX), text.len());
        }
    }
}
