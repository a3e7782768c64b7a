//! The YAML parser counts characters; places count bytes.

/// How many characters stand between two noted offsets.
const STRIDE: usize = 64;

/// The byte offset of each character of a text.
pub(super) struct Offsets<'t> {
    text: &'t str,
    /// The offset of every [`STRIDE`]th character; empty when the text is ASCII.
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

    /// The byte offset of a character; that of the end for one behind it.
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
