//! What the operation id and the texts say, where the path says too little.

mod id_parts;
mod many;
mod things;
mod verbs;

use super::operation_id;
use crate::{english::words, facts::OperationFacts};
use id_parts::IdParts;
pub(crate) use id_parts::SEPARATORS;
pub(crate) use verbs::{calls, is_called, is_plain};

/// The words of the operation id and of the beginnings of the texts.
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

/// How many words of a text are looked at.
const OPENING: usize = 12;

impl Said {
    /// Reads the operation id and the texts.
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

    /// Whether the operation id has the one word before the other.
    pub(crate) fn has_before(&self, one: &str, other: &str) -> bool {
        let at = |word: &str| self.id.iter().position(|said| said == word);
        at(one).is_some_and(|one| at(other).is_some_and(|other| one < other))
    }

    /// Whether the operation id has the word, be it in two: `look up` for `lookup`.
    pub(crate) fn has(&self, word: &str) -> bool {
        let in_two = self.id.windows(2).any(|pair| pair.concat() == word);
        in_two || self.id.iter().any(|said| said == word)
    }

    /// Whether the operation id ends in a number that only keeps it apart from another.
    pub(crate) const fn is_numbered(&self) -> bool {
        self.numbered
    }
}
