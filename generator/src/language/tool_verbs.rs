//! The verbs of tool names.

pub(crate) use toolwright_model::TOOL_VERBS as VERBS;

use super::vocabulary::{Tag, is};
pub(crate) use super::vocabulary::{join_particles, tool_verb};

/// Checks whether the verb applies to many items at once.
pub(crate) fn is_of_many(verb: &str) -> bool {
    is(verb, Tag::OfMany)
}
