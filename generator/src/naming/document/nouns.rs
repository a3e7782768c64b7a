//! The words of the noun: those of the base name, and between them the other words of the path and of
//! the operation id.

use super::{
    atoms::Tier,
    segments::{Piece, Placed},
};
use crate::{
    language::{WordList, facts::OperationFacts, singular, vocabulary::tool_verb, words},
    naming::{Naming, noun::WordRank},
};

/// The first number of a segment that is not one of the path.
pub(super) const OWN: usize = 10_000;

/// Words of an operation id that tell nothing.
static FILLERS: WordList = WordList::new("a an and api for from in of on or s the to using with");

/// A word of the noun.
#[derive(Clone, Debug, Default)]
pub(super) struct Noun {
    pub(super) text: String,
    /// Its singular, by which the words of the sources are matched.
    key: String,
    pub(super) tier: Tier,
    pub(super) segment: usize,
    /// The rank in the whole noun.
    pub(super) rank: WordRank,
    /// The spelling of the path, if it differs.
    pub(super) spelled: Option<String>,
    /// True if a word of the path is matched with it.
    matched: bool,
}

/// The words of the noun, in the order of the name.
#[derive(Debug)]
pub(super) struct Nouns {
    pub(super) all: Vec<Noun>,
}

impl Nouns {
    /// Takes the words of the whole noun, and marks those of the base name.
    pub(super) fn new(naming: &Naming) -> Self {
        let whole = glued(&naming.whole);
        let mut nouns = Self {
            all: whole
                .into_iter()
                .enumerate()
                .map(|(at, text)| Noun {
                    rank: naming.ranks.get(at).copied().unwrap_or_default(),
                    ..Noun::new(text, Tier::Path, OWN + at)
                })
                .collect(),
        };
        nouns.mark(&glued(&naming.base));
        nouns
    }

    /// Marks the words of the base name, from the last one. Words that the whole noun does not have
    /// are inserted.
    fn mark(&mut self, base: &[String]) {
        let mut end = self.all.len();
        for text in base.iter().rev() {
            let key = singular(text);
            let mut all = self.all.iter().enumerate().take(end);
            let found = all.rfind(|(_, noun)| noun.key == key && noun.tier != Tier::Base);
            if let Some(at) = found.map(|(at, _)| at) {
                if let Some(noun) = self.all.get_mut(at) {
                    noun.tier = Tier::Base;
                    noun.text.clone_from(text);
                }
                end = at;
            } else {
                let own = OWN + self.all.len();
                let noun = Noun::new(text.clone(), Tier::Base, own);
                self.all.insert(end.min(self.all.len()), noun);
            }
        }
    }

    /// Adds the words of the path, each in its segment.
    pub(super) fn add_path(&mut self, pieces: &[Placed], verb: &str) {
        let last = pieces.iter().map(|(segment, _)| *segment).max();
        let mut cursor = 0;
        for (segment, piece) in pieces {
            let Piece::Words(words) = piece else {
                continue;
            };
            for word in words {
                if let Some(at) = self.find(word, cursor) {
                    if let Some(noun) = self.all.get_mut(at) {
                        noun.matched = true;
                        noun.segment = *segment;
                        noun.spelled = Some(word.clone()).filter(|word| *word != noun.text);
                    }
                    cursor = cursor.max(at + 1);
                } else {
                    let called = Some(*segment) == last && tool_verb(word) == Some(verb);
                    let tier = match called {
                        true if word == verb => Tier::Repeated,
                        true => Tier::Synonym,
                        false if self.covers(word) => Tier::Repeated,
                        false => Tier::Rest,
                    };
                    let mut noun = Noun::new(word.clone(), tier, *segment);
                    noun.matched = true;
                    // `groups/all`
                    let before = usize::from(word == "all" && Some(*segment) == last);
                    let at = cursor.min(self.all.len()).saturating_sub(before);
                    self.all.insert(at, noun);
                    cursor += 1;
                }
            }
        }
    }

    /// Adds the words of the operation id that the noun does not have.
    pub(super) fn add_id(&mut self, facts: &OperationFacts, verb: &str) {
        let id = facts.operation_id.as_deref().unwrap_or_default();
        let method = facts.method.word().to_ascii_lowercase();
        for noun in &mut self.all {
            noun.matched = false;
        }
        let mut cursor = 0;
        for word in words(id) {
            let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
            if is_opaque(word)
                || word == method
                || FILLERS.has(word)
                || tool_verb(word) == Some(verb)
            {
                continue;
            }
            if let Some(at) = self.find(word, cursor) {
                if let Some(noun) = self.all.get_mut(at) {
                    noun.matched = true;
                }
                cursor = cursor.max(at + 1);
            } else if !self.covers(word) {
                let own = OWN + self.all.len();
                let mut noun = Noun::new(word.to_owned(), Tier::Id, own);
                noun.matched = true;
                self.all.insert(cursor.min(self.all.len()), noun);
                cursor += 1;
            }
        }
    }

    /// Returns the word that matches: after the cursor, or else anywhere.
    fn find(&self, word: &str, cursor: usize) -> Option<usize> {
        let key = singular(word);
        let free = |noun: &Noun| !noun.matched && noun.key == key;
        let after = self.all.iter().skip(cursor).position(free);
        let after = after.map(|at| at + cursor);
        after.or_else(|| self.all.iter().position(free))
    }

    /// Checks whether a longer word, or several that the path joins, contain the word.
    fn covers(&self, word: &str) -> bool {
        let all: String = self
            .all
            .iter()
            .filter(|noun| matches!(noun.tier, Tier::Base | Tier::Path))
            .map(|noun| noun.text.as_str())
            .collect();
        word.len() > LONG && all.contains(singular(word).as_str())
    }
}

/// Checks whether a word of an operation id is a number or the digits of a hash: `1cbd`.
fn is_opaque(word: &str) -> bool {
    let hexadecimal = word.bytes().all(|b| b.is_ascii_hexdigit());
    word.contains(|c: char| c.is_ascii_digit()) || hexadecimal && word.len() != 2 && word.len() != 3
}

/// Shorter words occur in others by chance.
const LONG: usize = 8;

impl Noun {
    fn new(text: String, tier: Tier, segment: usize) -> Self {
        Self {
            key: singular(&text),
            text,
            tier,
            segment,
            ..Self::default()
        }
    }
}

/// The most words of a key: after more of them, `by` belongs to the thing.
const KEY: usize = 3;

/// Joins `by` and the words of a key after it, which have no meaning without it.
fn glued(words: &[String]) -> Vec<String> {
    let by = words.iter().skip(1).position(|word| word == "by");
    let split = by.and_then(|at| words.split_at_checked(at + 1));
    let Some((things, by)) = split.filter(|(_, by)| by.len() <= KEY + 1) else {
        return words.to_vec();
    };
    let mut glued = things.to_vec();
    glued.push(by.join("-"));
    glued
}
