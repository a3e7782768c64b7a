//! The table of weights.
//!
//! No weight is negative, so no evidence of a change makes an operation look safer. The figures are
//! fitted to the labelled operations; only their order and a few sums matter:
//!
//! - If HTTP declares a read (2), a verb in a name (5) outweighs it with any one other source, and a
//!   plain description of a change (100) outweighs everything.
//! - A POST starts with a danger of 6. A plain name outweighs it (11), with a `201` (4) too. Anything
//!   less needs a second source: a noun (4), a vague verb (2) or a derivation (3) with a description
//!   (6), the page of another operation (3) with a list (2) and a query (2). A word of a name that may
//!   be a verb of a change (11) needs all of them against it.
//! - Other evidence of a change in a POST (30, 40) outweighs everything. Evidence of 40 tells the
//!   kind too.

use toolwright_model::Kind;

use super::signal::{Signal, SignalPlace};

/// The weights of evidence at a place: for a read, for a derivation, and for a change. Each is for a
/// method that HTTP declares safe, and for others.
struct WeightRow(SignalPlace, [(u8, u8); 3]);

const TABLE: &[WeightRow] = &[
    WeightRow(SignalPlace::Method, [(2, 0), (0, 0), (100, 40)]),
    WeightRow(SignalPlace::Open, [(0, 0), (0, 0), (6, 6)]),
    // names
    WeightRow(SignalPlace::Sure, [(3, 11), (3, 3), (5, 40)]),
    WeightRow(SignalPlace::Repeated, [(2, 11), (2, 3), (5, 40)]),
    WeightRow(SignalPlace::State, [(4, 11), (4, 3), (5, 40)]),
    WeightRow(SignalPlace::Objects, [(3, 11), (3, 3), (3, 40)]),
    WeightRow(SignalPlace::Whole, [(1, 4), (1, 3), (2, 30)]),
    WeightRow(SignalPlace::Within, [(1, 4), (1, 3), (2, 11)]),
    WeightRow(SignalPlace::Vague, [(1, 2), (1, 1), (2, 30)]),
    WeightRow(SignalPlace::Command, [(0, 0), (0, 0), (100, 40)]),
    WeightRow(SignalPlace::Issued, [(0, 0), (0, 0), (4, 40)]),
    WeightRow(SignalPlace::Power, [(0, 0), (0, 0), (2, 30)]),
    // descriptions
    WeightRow(SignalPlace::Given, [(0, 0), (0, 0), (0, 30)]),
    WeightRow(SignalPlace::Made, [(0, 0), (0, 0), (3, 30)]),
    WeightRow(SignalPlace::Secret, [(0, 0), (0, 0), (100, 40)]),
    WeightRow(SignalPlace::Said, [(2, 6), (2, 6), (4, 40)]),
    WeightRow(SignalPlace::Plainly, [(2, 6), (2, 6), (100, 40)]),
    WeightRow(SignalPlace::Generated, [(2, 6), (2, 6), (3, 40)]),
    WeightRow(SignalPlace::Alone, [(2, 7), (2, 7), (4, 40)]),
    WeightRow(SignalPlace::Again, [(2, 1), (2, 1), (4, 40)]),
    WeightRow(SignalPlace::Loosely, [(1, 3), (1, 3), (2, 30)]),
    WeightRow(SignalPlace::SideEffect, [(0, 0), (0, 0), (100, 40)]),
    // shapes
    WeightRow(SignalPlace::Shape, [(1, 2), (1, 2), (2, 30)]),
    WeightRow(SignalPlace::Computed, [(0, 0), (1, 5), (2, 30)]),
    WeightRow(SignalPlace::Created, [(0, 0), (0, 0), (2, 4)]),
    WeightRow(SignalPlace::Shared, [(1, 3), (1, 3), (2, 30)]),
    // declarations
    WeightRow(SignalPlace::Required, [(1, 4), (1, 4), (5, 40)]),
    WeightRow(SignalPlace::Either, [(0, 0), (0, 0), (2, 30)]),
    WeightRow(SignalPlace::Declared, [(1, 7), (1, 7), (100, 40)]),
];

/// From this weight on, evidence tells the kind of the change.
pub(super) const fn tells(safe: bool) -> u8 {
    if safe { 4 } else { 40 }
}

/// Returns the weight of a piece of evidence.
pub(super) fn weight(signal: &Signal, safe: bool) -> u8 {
    let row = TABLE
        .iter()
        .find(|WeightRow(place, _)| *place == signal.place);
    row.map_or(u8::MAX, |WeightRow(_, [reads, derives, changes])| {
        let (declared, open) = match signal.suggests {
            Kind::Read => reads,
            Kind::Derive => derives,
            _ => changes,
        };
        if safe { *declared } else { *open }
    })
}
