//! The lines of the overlay that exclude operations which cannot be tools.

use super::{CheckedService, selectors::Selectors};
use crate::{
    document::{
        diagnostic::Diagnostic,
        fix::{Change, Fix},
        source::Place,
    },
    ir::LeftOutBecause,
};

impl CheckedService {
    /// Returns the line that excludes each operation which no other line makes a tool: those that are
    /// broken or not offered. The reasons are in the diagnostics of the run.
    #[must_use]
    pub fn exclusions(&self, diagnostics: &[Diagnostic]) -> Vec<Fix> {
        let service = &self.service;
        let operations = service.operations.iter().map(|named| &named.operation);
        let selectors = Selectors::new(operations, &service.left_out);
        let is_hopeless = |why| matches!(why, LeftOutBecause::Broken | LeftOutBecause::NotOffered);
        let hopeless = service.left_out.iter().filter(|one| is_hopeless(one.why));
        hopeless
            .filter_map(|one| {
                let reason = reason(one.place, diagnostics);
                Some(Fix {
                    service: service.name.clone(),
                    selector: selectors.select(one)?,
                    has_entry: false,
                    change: Change::Exclude,
                    reason: reason.unwrap_or(one.why.word()).to_owned(),
                })
            })
            .collect()
    }
}

/// Returns the message that explains why the operation at a place is left out.
fn reason(operation: Place, diagnostics: &[Diagnostic]) -> Option<&str> {
    let explains = |diagnostic: &&Diagnostic| {
        let mut labels = diagnostic.secondary.iter().chain([&diagnostic.primary]);
        labels.any(|label| label.place == operation)
    };
    let diagnostic = diagnostics.iter().find(explains)?;
    Some(&diagnostic.message)
}
