//! Documents that are part of the program: the schema of the outcome in an EAB response.

use super::tree::Node;

/// The path of the outcome schema among the sources. User files cannot have this path.
pub(crate) const OUTCOME_PATH: &str = "eab:outcome.json";

/// The outcome schema.
pub(super) const OUTCOME_TEXT: &str = include_str!("eab_outcome.json");

/// The key of the text of a GraphQL schema, in the tree that the loading stage makes of it.
pub(crate) const GRAPHQL_TEXT: &str = "$graphql-text";

/// Checks whether a document is an EAB document.
#[must_use]
pub(crate) fn is_eab(root: &Node) -> bool {
    root.get("eab").is_some()
}
