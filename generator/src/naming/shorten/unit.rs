//! The units of a noun: what of it stays or goes together, and how soon it is taken.

use crate::english::WordList;

/// Words that say little of what a thing is.
pub(super) static HOLLOW: WordList =
    WordList::new("data detail details entity info information metadata");

/// A word or more of a noun that stay or go together.
pub(super) struct Unit {
    pub(super) words: Vec<String>,
    pub(super) rank: Rank,
    /// Whether it says nothing without the unit behind it.
    pub(super) leans: bool,
}

/// How soon a unit is taken: lower ranks first.
pub(super) type Rank = (Tier, usize);

/// What a unit is, in the order in which the units of a noun are taken as long as there is room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tier {
    /// The thing itself: the last word.
    Thing,
    /// The version of its group.
    Version,
    /// The other words of what a call is done to, from the last on.
    Object,
    /// By what it is chosen.
    By,
    /// The nearest parent of which a parameter chooses one.
    Nearest,
    /// The first word of the thing, unless it is an adjective.
    First,
    /// The parents between that one and the thing, the nearest first.
    Between,
    /// The other words of the thing: from the last on, adjectives behind them.
    OfThing,
    /// The other chosen parents, the nearest first.
    Chosen,
    /// The other parents, the nearest first.
    Other,
    /// What says little.
    Hollow,
}

/// More than a part has words.
pub(super) const FAR: usize = 100;

impl Unit {
    /// Its characters, with a hyphen behind each word.
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
