//! The search for secrets in a body that is saved block by block.
//!
//! A saved body is what the service sent or it is nothing, since its size and its digest are
//! reported. So a secret is not replaced: the body is refused.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::{
    DEEPEST, Matcher, Redactor, SHORTEST_IN_RESULT, automaton, automaton_of_letters,
    forms::Alphabet, long_letters,
};
use crate::secret::Secret;

/// The bytes that are searched at once.
const BLOCK: usize = 64 * 1024;

/// The bytes of the previous block that are searched again, at least.
const OVERLAP: usize = 4 * 1024;

/// A search in the blocks of a body. Bytes are released after they were searched, and the end of
/// what was searched only when the next block was.
pub(crate) struct StreamSearch<'r> {
    redactor: &'r Redactor,
    /// The search for all blocks after the first, made when there is a second one.
    fast: Option<BlockSearch>,
    held: Vec<u8>,
    overlap: usize,
    /// The bytes of the whole body so far.
    seen: usize,
    begins_in_word: bool,
}

/// A body contains a secret of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SecretFound;

/// A search for forms in blocks.
struct BlockSearch {
    forms: AhoCorasick,
    letters: Option<AhoCorasick>,
    /// The length of the shortest form.
    shortest: usize,
}

/// The parts of a block that encodings are searched in.
struct Parts<'b> {
    letters: Vec<u8>,
    /// The words of base64 that may hold a form.
    words: Vec<&'b [u8]>,
}

impl Redactor {
    /// Begins the search in a body.
    pub(crate) fn search_stream(&self) -> StreamSearch<'_> {
        let longest = self.in_results().map_or(0, Matcher::longest);
        StreamSearch {
            redactor: self,
            fast: None,
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
        if let (None, Some(matcher)) = (&self.fast, self.redactor.in_results()) {
            self.fast = matcher.for_blocks();
        }
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
        let Some(matcher) = self.redactor.in_results() else {
            return Ok(());
        };
        let own = BlockSearch {
            forms: matcher.automaton.clone(),
            letters: matcher.letters.clone(),
            shortest: matcher.shortest(),
        };
        let search = self.fast.as_ref().unwrap_or(&own);
        if search.is_in(matcher, &self.held, self.begins_in_word) {
            return Err(SecretFound);
        }
        Ok(())
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

    /// Returns a search that takes longer to make, and less long for each byte; none if it cannot be
    /// made.
    fn for_blocks(&self) -> Option<BlockSearch> {
        let forms: Vec<&str> = self.forms.iter().map(Secret::expose).collect();
        let letters = long_letters(forms.iter().copied());
        let kind = AhoCorasickKind::DFA;
        Some(BlockSearch {
            forms: automaton(forms.into_iter(), kind)?,
            letters: automaton_of_letters(&letters, kind),
            shortest: self.shortest(),
        })
    }

    fn is_in_word(&self, word: &[u8]) -> bool {
        // The end of the block may have cut the word within a group.
        let whole = word.len() - word.len() % 4;
        let texts = [word, word.get(..whole).unwrap_or_default()];
        texts.into_iter().any(|word| {
            let text = std::str::from_utf8(word);
            text.is_ok_and(|text| self.is_within(text, DEEPEST))
        })
    }
}

impl BlockSearch {
    /// Checks whether a block contains a form, one with other characters between, or base64 of one. A
    /// word of base64 that began in an earlier block is decoded from each of its first four
    /// characters.
    fn is_in(&self, matcher: &Matcher, block: &[u8], begins_in_word: bool) -> bool {
        if self.forms.is_match(block) {
            return true;
        }
        let parts = Parts::of(block, self.shortest);
        if let Some(letters) = &self.letters
            && letters.is_match(&parts.letters)
        {
            return true;
        }
        let is_first = |word: &[u8]| word.as_ptr() == block.as_ptr();
        parts.words.into_iter().any(|word| {
            let starts = if begins_in_word && is_first(word) {
                4
            } else {
                1
            };
            (0..starts).any(|start| matcher.is_in_word(word.get(start..).unwrap_or_default()))
        })
    }
}

impl<'b> Parts<'b> {
    /// Divides a block. One loop takes less time than an iterator for each of the parts.
    fn of(block: &'b [u8], shortest: usize) -> Self {
        let mut letters = Vec::with_capacity(block.len());
        let mut words = Vec::new();
        let mut start = 0;
        let mut end_word = |start: usize, end: usize| {
            if end - start > shortest {
                words.extend(block.get(start..end));
            }
        };
        for (at, byte) in block.iter().enumerate() {
            match *byte {
                byte @ (b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z') => letters.push(byte),
                b'+' | b'/' | b'-' | b'_' | b'=' => {}
                _ => {
                    end_word(start, at);
                    start = at + 1;
                }
            }
        }
        end_word(start, block.len());
        Self { letters, words }
    }
}
