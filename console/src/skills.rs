//! The skills: their standings and health, the review of one, and sequences of calls that could be one.

mod list;
mod one;

pub(crate) use list::list;
pub(crate) use one::{decide, one};

use toolwright_model::Standing;

/// Returns the class of the mark of a standing.
const fn mark(standing: Standing) -> &'static str {
    match standing {
        Standing::Active => "state on",
        Standing::Deprecated | Standing::Retired => "state off",
        Standing::Proposed | Standing::Reviewed => "state",
    }
}
