//! The passes: they complete the catalogue, each in one respect.

mod clean;
mod governance;
mod pagination;
mod patterns;
mod texts;

pub(crate) use texts::DEPRECATED;

use crate::{diagnostic::Diagnostics, ir::Catalog};

/// Runs all passes, in this order.
///
/// Faults in an overlay's governance are reported, and so are patterns that cannot
/// be compiled.
pub fn run(catalog: &mut Catalog, diagnostics: &mut Diagnostics) {
    texts::run(catalog);
    patterns::run(catalog, diagnostics);
    governance::run(catalog, diagnostics);
    pagination::run(catalog);
    clean::run(catalog);
}
