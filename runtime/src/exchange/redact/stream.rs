//! The search for secrets in a body that is saved block by block.
//!
//! A saved body is what the service sent or it is nothing, since its size and its digest are
//! reported. So a secret is not replaced: the body is refused.

use super::{Matcher, Redactor, SHORTEST_IN_RESULT, forms::Alphabet};

/// The bytes that are searched at once.
const BLOCK: usize = 64 * 1024;

/// The bytes of the previous block that are searched again, at least.
const OVERLAP: usize = 4 * 1024;

/// A search in the blocks of a body. Bytes are released after they were searched, and the end of
/// what was searched only when the next block was.
pub(crate) struct StreamSearch<'r> {
    redactor: &'r Redactor,
    held: Vec<u8>,
    overlap: usize,
    /// The bytes of the whole body so far, as long as they are fewer than a short secret.
    seen: usize,
    begins_in_word: bool,
}

/// A body contains a secret of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SecretFound;

impl Redactor {
    /// Begins the search in a body.
    pub(crate) fn search_stream(&self) -> StreamSearch<'_> {
        let longest = self.in_results().map_or(0, Matcher::longest);
        StreamSearch {
            redactor: self,
            held: Vec::new(),
            // Encoded twice, a secret has at most twice its letters, and other characters between.
            overlap: if longest == 0 {
                0
            } else {
                OVERLAP.max(longest.saturating_mul(4))
            },
            seen: 0,
            begins_in_word: false,
        }
    }

    /// Checks whether a string of a result contains a secret.
    pub(crate) fn has_secret(&self, text: &str) -> bool {
        self.remove_secrets(self.in_results(), text).is_some()
    }
}

impl StreamSearch<'_> {
    /// Takes bytes, and returns those that may leave.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<u8>, SecretFound> {
        self.seen = self.seen.saturating_add(bytes.len());
        self.held.extend_from_slice(bytes);
        if self.held.len() < BLOCK + self.overlap {
            return Ok(Vec::new());
        }
        self.search()?;
        let kept = self.held.len() - self.overlap;
        let rest = self.held.split_off(kept);
        let last = self.held.last();
        self.begins_in_word = last.is_some_and(|byte| Alphabet::Base64.has(*byte));
        Ok(std::mem::replace(&mut self.held, rest))
    }

    /// Returns the remaining bytes.
    pub(crate) fn finish(self) -> Result<Vec<u8>, SecretFound> {
        self.search()?;
        let is_short = self.seen < SHORTEST_IN_RESULT && self.seen == self.held.len();
        let mut short = self.redactor.short();
        if is_short && short.any(|secret| secret.expose().as_bytes() == self.held) {
            return Err(SecretFound);
        }
        Ok(self.held)
    }

    fn search(&self) -> Result<(), SecretFound> {
        let matcher = self.redactor.in_results();
        match matcher.is_some_and(|matcher| matcher.is_in_block(&self.held, self.begins_in_word)) {
            true => Err(SecretFound),
            false => Ok(()),
        }
    }
}

impl Matcher {
    /// Returns the length of the longest form.
    fn longest(&self) -> usize {
        let lengths = self.forms.iter().map(|form| form.expose().len());
        lengths.max().unwrap_or(0)
    }

    fn shortest(&self) -> usize {
        let lengths = self.forms.iter().map(|form| form.expose().len());
        lengths.min().unwrap_or(0)
    }

    /// Checks whether a block of a body contains a form, or base64 of one. A word of base64 that
    /// began in an earlier block is decoded from each of its first four characters.
    fn is_in_block(&self, block: &[u8], begins_in_word: bool) -> bool {
        if self.is_in(block) {
            return true;
        }
        let shortest = self.shortest();
        let is_other = |byte: &u8| !Alphabet::Base64.has(*byte);
        let mut words = block.split(is_other).enumerate();
        words.any(|(index, word)| {
            let starts = if index == 0 && begins_in_word { 4 } else { 1 };
            word.len() > shortest
                && (0..starts).any(|start| self.is_in_word(word.get(start..).unwrap_or_default()))
        })
    }

    fn is_in_word(&self, word: &[u8]) -> bool {
        // The end of the block may have cut the word within a group.
        let whole = word.len() - word.len() % 4;
        let texts = [word, word.get(..whole).unwrap_or_default()];
        texts.into_iter().any(|word| {
            let text = std::str::from_utf8(word);
            text.is_ok_and(|text| self.is_within(text, super::DEEPEST))
        })
    }
}
