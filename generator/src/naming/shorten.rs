//! Shortening a noun to the room that its name leaves, by leaving out whole words.

use super::noun::{ADJECTIVES, Group, PREPOSITIONS};
use crate::english::{WordList, is_plural};

/// Words that say little of what a thing is.
static HOLLOW: WordList = WordList::new("data detail details entity info information metadata");

/// A word or more of a noun that stay or go together.
struct Unit {
    words: Vec<String>,
    rank: Rank,
    /// Whether it says nothing without the unit behind it.
    leans: bool,
}

/// How soon a unit is taken: lower ranks first.
type Rank = (Tier, usize);

/// What a unit is, in the order in which the units of a noun are taken as long as there is room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
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

/// As much of a noun, and of the version of its group, as there is room for: see [`Tier`].
///
/// Of the chosen parents none is taken where a nearer one was left out. Of a parent of three words or
/// more the last ones may be taken alone, and of the nearest where the thing is a single word.
pub(crate) fn shorten(groups: &[Group], version: &[String], room: usize) -> Vec<String> {
    let units = units(groups, version, room);
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_by_key(|at| units.get(*at).map(|unit| unit.rank));
    let mut kept: Vec<usize> = Vec::new();
    let mut left_out = false;
    for at in order {
        let Some(unit) = units.get(at) else { continue };
        let tier = unit.rank.0;
        if left_out && matches!(tier, Tier::Chosen | Tier::Other)
            || unit.leans && !kept.contains(&(at + 1))
        {
            continue;
        }
        kept.push(at);
        if length(&units, &kept) > room && tier != Tier::Thing {
            kept.pop();
            left_out |= matches!(tier, Tier::Chosen | Tier::Nearest);
        }
    }
    kept.sort_unstable();
    let kept = kept.iter().filter_map(|at| units.get(*at));
    kept.flat_map(|unit| unit.words.clone()).collect()
}

/// The characters of the units that are kept, joined by hyphens.
fn length(units: &[Unit], kept: &[usize]) -> usize {
    let kept = kept.iter().filter_map(|at| units.get(*at));
    let words = kept.flat_map(|unit| &unit.words);
    words
        .map(|word| word.len() + 1)
        .sum::<usize>()
        .saturating_sub(1)
}

/// The units of a noun, as they stand in it.
fn units(groups: &[Group], version: &[String], room: usize) -> Vec<Unit> {
    let Some((thing, parents)) = groups.split_last() else {
        return Vec::new();
    };
    let nearest = parents.iter().rposition(|parent| parent.item);
    let nearest = nearest.or_else(|| described(thing, parents));
    let mut units: Vec<Unit> = Vec::new();
    for (at, parent) in parents.iter().enumerate() {
        let tier = match parent.item {
            _ if Some(at) == nearest => Tier::Nearest,
            true => Tier::Chosen,
            false if is_hollow(parent) => Tier::Hollow,
            false if nearest.is_some_and(|nearest| at > nearest) => Tier::Between,
            false => Tier::Other,
        };
        let distance = parents.len() - at;
        let single = tier == Tier::Nearest && thing.words.len() == 1;
        let single = single || parent.words.first().is_some_and(|first| first == "current");
        if parent.words.len() <= PAIR && !single {
            units.push(together(&parent.words, (tier, distance * FAR)));
        } else {
            units.extend(apart(
                &parent.words,
                !parent.item && tier == Tier::Nearest,
                |from_end| (tier, distance * FAR + from_end),
            ));
        }
    }
    let room = room.saturating_sub(version.iter().map(|word| word.len() + 1).sum());
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
    units.push(together(version, (Tier::Version, 0)));
    units
}

/// The words of a thing, and those from its preposition on: `target`, `from-maintenance-window`.
///
/// Where they are longer than the room, the relation has its preposition and its last word; where
/// there is no room for these either, it is left out.
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

/// Of how many words a parent is at most that says nothing without its first.
const PAIR: usize = 2;

/// Of more words than this the first tells more than those between it and the last.
const LONG: usize = 3;

/// More than a part has words.
const FAR: usize = 100;

/// All of these words as one unit.
fn together(words: &[String], rank: Rank) -> Unit {
    Unit {
        words: words.to_vec(),
        rank,
        leans: false,
    }
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
