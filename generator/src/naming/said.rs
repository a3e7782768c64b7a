//! The operation id and the descriptions, for paths that are not specific enough.

mod id_parts;
mod many;
mod things;
mod verbs;

use super::operation_id;
use crate::language::{facts::OperationFacts, words};
use id_parts::IdParts;
pub(crate) use id_parts::SEPARATORS;
pub(crate) use verbs::{calls, is_called, is_plain};

/// The words of the operation id and of the first words of the descriptions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    /// The words of the operation id, without that of the method.
    pub(crate) id: Vec<String>,
    /// The first words of the summary and of the description.
    openings: Vec<Vec<String>>,
    /// The words of the operation id, the method's own included.
    whole: Vec<String>,
    numbered: bool,
    /// The parts of the operation id.
    pub(crate) parts: IdParts,
}

/// The number of words of a description that are read.
const OPENING: usize = 12;

impl Said {
    /// Reads the operation id and the descriptions.
    pub(crate) fn by(facts: &OperationFacts) -> Self {
        let method = facts.method.word().to_ascii_lowercase();
        let id = facts.operation_id.as_deref().unwrap_or_default();
        let numbered = operation_id::is_numbered(id);
        let id = words(id);
        let opening = |text: &str| {
            let line = text.lines().next().unwrap_or_default();
            words(line).into_iter().take(OPENING).collect()
        };
        Self {
            numbered,
            parts: IdParts::of(facts),
            id: id.iter().filter(|word| **word != method).cloned().collect(),
            whole: id,
            openings: facts.texts().map(opening).collect(),
        }
    }

    /// The first word of the operation id, the method's own included.
    pub(crate) fn first(&self) -> Option<&str> {
        self.whole.first().map(String::as_str)
    }

    /// Checks whether the operation id contains one word before another.
    pub(crate) fn has_before(&self, one: &str, other: &str) -> bool {
        let at = |word: &str| self.id.iter().position(|said| said == word);
        at(one).is_some_and(|one| at(other).is_some_and(|other| one < other))
    }

    /// Checks whether the operation id contains the word, even if split in two: `look up` for
    /// `lookup`.
    pub(crate) fn has(&self, word: &str) -> bool {
        let in_two = self.id.windows(2).any(|pair| pair.concat() == word);
        in_two || self.id.iter().any(|said| said == word)
    }

    /// Checks whether the operation id ends in a number that only makes it unique.
    pub(crate) const fn is_numbered(&self) -> bool {
        self.numbered
    }
}
