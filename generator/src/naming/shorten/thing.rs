//! The units of the thing itself, and of how it is chosen.

use super::unit::{FAR, HOLLOW, Tier, Unit, together};
use crate::naming::noun::{ADJECTIVES, Group, PREPOSITIONS};

/// The units of a thing, for which there is this room.
pub(super) fn units(thing: &Group, room: usize) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    if PREPOSITIONS.has_any(&thing.words) && thing.words.join("-").len() <= room {
        units.push(together(&thing.words, (Tier::Thing, 0)));
    } else {
        let (words, relation) = related(&thing.words, room);
        units.extend(of_thing(words, thing.object));
        units.push(together(&relation, (Tier::Thing, 0)));
    }
    if !thing.by.is_empty() {
        let says_little = thing.by.len() > 1 || thing.by == ["id"];
        let tier = if says_little { Tier::OfThing } else { Tier::By };
        units.push(together(&thing.manner(), (tier, 0)));
    }
    units
}

/// Splits the words of an object at its preposition: `target`, `from-maintenance-window`.
///
/// If they are too long, the relation keeps its preposition and its last word; if these do not fit
/// either, it is dropped.
fn related(words: &[String], room: usize) -> (&[String], Vec<String>) {
    let at = words.iter().skip(1).position(|word| PREPOSITIONS.has(word));
    let split = at.and_then(|at| words.split_at_checked(at + 1));
    let Some((things, relation)) = split.filter(|(_, relation)| relation.len() > 1) else {
        return (words, Vec::new());
    };
    let ends = [relation.first(), relation.last()].map(|end| end.cloned());
    let short: Vec<String> = ends.into_iter().flatten().collect();
    let least = things.last().map_or(0, String::len) + 1;
    let fits = |relation: &Vec<String>| least + relation.join("-").len() <= room;
    let relations = [relation.to_vec(), short].into_iter();
    (things, relations.into_iter().find(fits).unwrap_or_default())
}

/// A unit for each of the words of the thing.
fn of_thing(words: &[String], object: bool) -> impl Iterator<Item = Unit> {
    let last = words.len().saturating_sub(1);
    words.iter().enumerate().map(move |(at, word)| {
        let rank = match last - at {
            0 => (Tier::Thing, 0),
            from_end if object => (Tier::Object, from_end),
            from_end if HOLLOW.has(word) => (Tier::Hollow, from_end),
            from_end if ADJECTIVES.has(word) => (Tier::OfThing, FAR + from_end),
            _ if at == 0 => (Tier::First, 0),
            from_end => (Tier::OfThing, from_end),
        };
        together(std::slice::from_ref(word), rank)
    })
}
