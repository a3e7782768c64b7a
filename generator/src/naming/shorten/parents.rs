//! The units of what a thing belongs to.

use super::unit::{FAR, HOLLOW, Rank, Tier, Unit, together};
use crate::{english::is_plural, naming::noun::Group};

/// Of how many words a parent is at most that says nothing without its first.
const PAIR: usize = 2;

/// Of more words than this the first tells more than those between it and the last.
const LONG: usize = 3;

/// The units of the parents of a thing.
pub(super) fn units(parents: &[Group], thing: &Group) -> Vec<Unit> {
    let nearest = parents.iter().rposition(|parent| parent.item);
    let nearest = nearest.or_else(|| described(thing, parents));
    let mut units: Vec<Unit> = Vec::new();
    for (at, parent) in parents.iter().enumerate() {
        let tier = tier(parent, at, nearest);
        let far = (parents.len() - at) * FAR;
        let single = tier == Tier::Nearest && thing.words.len() == 1;
        let single = single || parent.words.first().is_some_and(|first| first == "current");
        if parent.words.len() <= PAIR && !single {
            units.push(together(&parent.words, (tier, far)));
        } else {
            let many = !parent.item && tier == Tier::Nearest;
            units.extend(apart(&parent.words, many, |from_end| {
                (tier, far + from_end)
            }));
        }
    }
    units
}

/// What a parent is, the nearest of which one is chosen being there.
fn tier(parent: &Group, at: usize, nearest: Option<usize>) -> Tier {
    match parent.item {
        _ if Some(at) == nearest => Tier::Nearest,
        true => Tier::Chosen,
        false if is_hollow(parent) => Tier::Hollow,
        false if nearest.is_some_and(|nearest| at > nearest) => Tier::Between,
        false => Tier::Other,
    }
}

/// The many things that something is known of, where no parameter chooses one: `notes` of
/// `notes/entity-information/fields`.
fn described(thing: &Group, parents: &[Group]) -> Option<usize> {
    let many = |group: &Group| group.words.last().is_some_and(|last| is_plural(last));
    let at = parents.iter().rposition(|parent| !is_hollow(parent))?;
    let known = at + 1 < parents.len() || thing.words.last().is_some_and(|last| HOLLOW.has(last));
    (known && parents.get(at).is_some_and(many)).then_some(at)
}

/// Whether a group says little.
fn is_hollow(group: &Group) -> bool {
    group.words.iter().all(|word| HOLLOW.has(word))
}

/// A unit for each of the words of a parent, by its distance from the last: none says anything
/// without those behind it.
fn apart(words: &[String], many: bool, rank: impl Fn(usize) -> Rank) -> impl Iterator<Item = Unit> {
    let last = words.len().saturating_sub(1);
    let long = many && words.len() > LONG;
    words.iter().enumerate().map(move |(at, word)| {
        let tells = long && at == 0;
        Unit {
            words: vec![word.clone()],
            rank: rank(if tells {
                1
            } else {
                last - at + usize::from(long && at < last)
            }),
            leans: at < last && !tells,
        }
    })
}
