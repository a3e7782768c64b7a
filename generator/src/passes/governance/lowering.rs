//! Whether an overlay makes a tool look less dangerous than its evidence does.

use toolwright_model::{Category, Governance};

use crate::{
    source::{Place, Placed},
    spec::overlay::GovernanceCuration,
};

/// What was lowered.
pub(super) struct Lowered {
    /// Where the overlay says so.
    pub(super) place: Place,
    /// What it is: `the category`.
    pub(super) what: &'static str,
    /// What it would be by the evidence: `execute`.
    pub(super) evidence: String,
}

/// The first thing that an overlay lowers.
pub(super) fn find(
    evidence: Governance,
    curated: Governance,
    said: &GovernanceCuration,
) -> Option<Lowered> {
    let hints = evidence.hints;
    let rows = [
        Row::of(
            "the category",
            &said.category,
            rank(curated.category) < rank(evidence.category),
            evidence.category,
        ),
        Row::of(
            "`approval_required`",
            &said.approval_required,
            evidence.approval_required && !curated.approval_required,
            true,
        ),
        Row::of(
            "the hint `read_only`",
            &said.read_only,
            !hints.read_only && curated.hints.read_only,
            false,
        ),
        Row::of(
            "the hint `destructive`",
            &said.destructive,
            hints.destructive && !curated.hints.destructive,
            true,
        ),
        Row::of(
            "the hint `idempotent`",
            &said.idempotent,
            !hints.idempotent && curated.hints.idempotent,
            false,
        ),
        Row::of(
            "the hint `open_world`",
            &said.open_world,
            hints.open_world && !curated.hints.open_world,
            true,
        ),
        Row::of(
            "`enabled_by_default`",
            &said.enabled_by_default,
            !evidence.enabled_by_default && curated.enabled_by_default,
            false,
        ),
    ];
    // What is lowered but not said outright follows from the effect or the category.
    let implied = said
        .effect
        .as_ref()
        .map(|said| said.place)
        .or(said.category.as_ref().map(|said| said.place));
    rows.into_iter().filter(|row| row.lowered).find_map(|row| {
        Some(Lowered {
            place: row.place.or(implied)?,
            what: row.what,
            evidence: row.evidence,
        })
    })
}

struct Row {
    what: &'static str,
    place: Option<Place>,
    lowered: bool,
    evidence: String,
}

impl Row {
    fn of<T>(
        what: &'static str,
        said: &Option<Placed<T>>,
        lowered: bool,
        evidence: impl ToString,
    ) -> Self {
        Self {
            what,
            place: said.as_ref().map(|said| said.place),
            lowered,
            evidence: format!("`{}`", evidence.to_string()),
        }
    }
}

/// What changes nothing is below what does.
const fn rank(category: Category) -> u8 {
    match category {
        Category::Observe => 0,
        Category::Report => 1,
        Category::Execute | Category::Approve => 2,
    }
}
