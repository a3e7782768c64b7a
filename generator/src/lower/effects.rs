//! The effects of an overlay's corrections on the operations of a document.

use std::collections::BTreeMap;

use crate::document::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::Place,
};

/// The corrections that apply to an operation, by their places; true if one changes an operation.
#[derive(Default)]
pub(super) struct Effects(BTreeMap<Place, bool>);

impl Effects {
    /// Records that a correction applies to an operation.
    pub(super) fn record(&mut self, correction: Place, changes: bool) {
        *self.0.entry(correction).or_default() |= changes;
    }

    /// Reports a correction without an effect: one that applies to nothing, or one that the document
    /// no longer needs.
    pub(super) fn report(
        &self,
        correction: Place,
        unmatched: impl FnOnce() -> String,
        needless: impl FnOnce() -> Diagnostic,
        diagnostics: &mut Diagnostics,
    ) {
        match self.0.get(&correction) {
            Some(true) => {}
            Some(false) => diagnostics.report(needless()),
            None => diagnostics.report(
                Diagnostic::error(Code::UnmatchedOverlay, correction, unmatched())
                    .note("other entries win over it, or its operations do not become tools")
                    .help("remove it"),
            ),
        }
    }
}
