//! The passes: they complete the catalogue, each in one respect.

mod governance;
mod pagination;
mod texts;

pub(crate) use texts::DEPRECATED;

use crate::{diagnostic::Diagnostics, ir::Catalog};

/// Runs all passes, in this order.
///
/// What an overlay says wrongly of the governance is reported.
pub fn run(catalog: &mut Catalog, diagnostics: &mut Diagnostics) {
    texts::run(catalog);
    governance::run(catalog, diagnostics);
    pagination::run(catalog);
}
