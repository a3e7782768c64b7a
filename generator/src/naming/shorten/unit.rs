//! The units of a noun: what of it stays or goes together, and how soon it is taken.

use crate::language::WordList;

/// Words that are not specific.
pub(super) static HOLLOW: WordList =
    WordList::new("data detail details entity info information metadata");

/// A word or more of a noun that stay or go together.
pub(super) struct Unit {
    pub(super) words: Vec<String>,
    pub(super) rank: Rank,
    /// True if it has no meaning without the unit after it.
    pub(super) leans: bool,
}

/// The order in which units are kept: lower ranks first.
pub(super) type Rank = (Tier, usize);

/// The tier of a unit. The units of a noun are kept in this order while they fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tier {
    /// The thing itself: the last word.
    Thing,
    /// The version of its group.
    Version,
    /// The other words of a call's object, from the last on.
    Object,
    /// The selecting key.
    By,
    /// The nearest parent of which a parameter selects an item.
    Nearest,
    /// The first word of the thing, unless it is an adjective.
    First,
    /// The parents between that one and the thing, the nearest first.
    Between,
    /// The other words of the object: from the last on, with adjectives after them.
    OfThing,
    /// The other chosen parents, the nearest first.
    Chosen,
    /// The other parents, the nearest first.
    Other,
    /// Words that are not specific.
    Hollow,
}

/// More than a part has words.
pub(super) const FAR: usize = 100;

impl Unit {
    /// The number of its characters, with a hyphen after each word.
    pub(super) fn length(&self) -> usize {
        self.words.iter().map(|word| word.len() + 1).sum()
    }
}

/// All of these words as one unit.
pub(super) fn together(words: &[String], rank: Rank) -> Unit {
    Unit {
        words: words.to_vec(),
        rank,
        leans: false,
    }
}
