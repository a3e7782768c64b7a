//! The units of an object's parents.

use super::unit::{FAR, HOLLOW, Rank, Tier, Unit, together};
use crate::{language::is_plural, naming::noun::Group};

/// The most words of a parent that has no meaning without its first word.
const PAIR: usize = 2;

/// From more words than this, the first is more specific than those between it and the last.
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

/// Returns the tier of a parent, given the nearest selected one.
fn tier(parent: &Group, at: usize, nearest: Option<usize>) -> Tier {
    match parent.item {
        _ if Some(at) == nearest => Tier::Nearest,
        true => Tier::Chosen,
        false if is_hollow(parent) => Tier::Hollow,
        false if nearest.is_some_and(|nearest| at > nearest) => Tier::Between,
        false => Tier::Other,
    }
}

/// Returns the collection that the object describes, if no parameter selects an item: `notes` of
/// `notes/entity-information/fields`.
fn described(thing: &Group, parents: &[Group]) -> Option<usize> {
    let many = |group: &Group| group.words.last().is_some_and(|last| is_plural(last));
    let at = parents.iter().rposition(|parent| !is_hollow(parent))?;
    let known = at + 1 < parents.len() || thing.words.last().is_some_and(|last| HOLLOW.has(last));
    (known && parents.get(at).is_some_and(many)).then_some(at)
}

/// Checks whether a group is not specific.
fn is_hollow(group: &Group) -> bool {
    group.words.iter().all(|word| HOLLOW.has(word))
}

/// Returns a unit for each word of a parent, ranked by its distance from the last: no word has a
/// meaning without those after it.
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
