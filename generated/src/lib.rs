//! Adapters generated from the specifications in specs/.

use toolwright::EmbeddedTools;

/// The tools of every service that is compiled in.
#[must_use]
pub fn all() -> Vec<EmbeddedTools> {
    Vec::new()
}
