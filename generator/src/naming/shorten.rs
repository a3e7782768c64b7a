//! Shortening a noun to the room that its name leaves, by leaving out whole words.

mod parents;
mod thing;
mod unit;

use super::noun::Group;
use unit::{Tier, Unit, together};

/// Returns as much of a noun and of its group's version as fits: see [`Tier`].
///
/// A selected parent is dropped if a nearer one was dropped. A parent of three or more words may
/// keep only its last ones, and so may the nearest parent if the object is a single word.
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
    kept.map(Unit::length).sum::<usize>().saturating_sub(1)
}

/// Returns the units of a noun, in their order.
fn units(groups: &[Group], version: &[String], room: usize) -> Vec<Unit> {
    let Some((thing, parents)) = groups.split_last() else {
        return Vec::new();
    };
    let version = together(version, (Tier::Version, 0));
    let mut units = parents::units(parents, thing);
    units.extend(thing::units(thing, room.saturating_sub(version.length())));
    units.push(version);
    units
}
