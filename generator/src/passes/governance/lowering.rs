//! Finds the settings with which an overlay makes a tool look less dangerous than its evidence.

use toolwright_model::Governance;

use crate::{
    document::source::{Place, Placed},
    parse::overlay::GovernanceCuration,
};

/// A lowered part of the governance.
pub(super) struct Lowered {
    /// The place in the overlay.
    pub(super) place: Place,
    /// The name of the part: `the category`.
    pub(super) what: &'static str,
    /// The value by the evidence: `execute`.
    pub(super) evidence: String,
}

/// The first thing that an overlay lowers.
pub(super) fn find(
    evidence: Governance,
    curated: Governance,
    said: &GovernanceCuration,
) -> Option<Lowered> {
    // A part that is lowered without a setting of its own follows from the effect or the category.
    let effect = said.effect.as_ref().map(|said| said.place);
    let category = said.category.as_ref().map(|said| said.place);
    if curated.category().is_below(evidence.category()) {
        return Some(Lowered {
            place: category.or(effect)?,
            what: "the category",
            evidence: evidence.category().to_string(),
        });
    }
    if effect.is_some() && curated.effect().is_below(evidence.effect()) {
        return Some(Lowered {
            place: effect?,
            what: "the effect",
            evidence: evidence.effect().to_string(),
        });
    }
    let before = flags(evidence);
    let after = flags(curated);
    let places = places(said);
    let mut rows = before.into_iter().zip(after).zip(places);
    rows.find_map(|((before, after), place)| {
        let lowered = before.value == before.careful && after.value != before.careful;
        Some(Lowered {
            place: place.or(effect).or(category).filter(|_| lowered)?,
            what: before.what,
            evidence: before.value.to_string(),
        })
    })
}

/// A truth value of the governance.
struct Flag {
    what: &'static str,
    value: bool,
    /// The value that makes the tool look more dangerous, or watches it more.
    careful: bool,
}

fn flags(governance: Governance) -> [Flag; 6] {
    let Governance {
        approval_required,
        enabled_by_default,
        hints,
        ..
    } = governance;
    [
        ("`approval_required`", approval_required, true),
        ("`enabled_by_default`", enabled_by_default, false),
        ("the hint `read_only`", hints.read_only, false),
        ("the hint `destructive`", hints.destructive, true),
        ("the hint `idempotent`", hints.idempotent, false),
        ("the hint `open_world`", hints.open_world, true),
    ]
    .map(|(what, value, careful)| Flag {
        what,
        value,
        careful,
    })
}

/// Returns the places of the settings, in the order of [`flags`].
fn places(said: &GovernanceCuration) -> [Option<Place>; 6] {
    [
        &said.approval_required,
        &said.enabled_by_default,
        &said.read_only,
        &said.destructive,
        &said.idempotent,
        &said.open_world,
    ]
    .map(|said: &Option<Placed<bool>>| said.as_ref().map(|said| said.place))
}
