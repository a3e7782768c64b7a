//! The operations that an overlay selects, and their settings.

use toolwright_model::{Method, most_similar};

use crate::{
    document::{
        diagnostic::{Code, Diagnostic, Diagnostics},
        source::Placed,
    },
    parse::{
        openapi::{Document, OperationKey},
        overlay::{Curation, Overlay, Selector},
    },
};

/// The answers of an overlay to questions about operations.
pub(super) struct Selection<'o> {
    /// The entries by precedence: single operations before patterns, then later before earlier
    /// ones.
    entries: Vec<(&'o Selector, &'o Curation)>,
}

impl<'o> Selection<'o> {
    /// Prepares the answers. An entry that matches none of the document's operations is reported.
    pub(super) fn new(
        document: &Document<'_>,
        overlay: &'o Overlay,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let selectors = overlay.operations.iter().map(|(selector, _)| selector);
        let proposed = overlay.proposals.iter().map(|(selector, _)| selector);
        let all = selectors
            .chain(&overlay.include)
            .chain(&overlay.exclude)
            .chain(proposed);
        for selector in all {
            if !document.keys().any(|key| selector.value.matches(key)) {
                diagnostics.report(unmatched(selector, document));
            }
        }
        let mut entries: Vec<_> = overlay
            .operations
            .iter()
            .rev()
            .map(|(selector, curation)| (&selector.value, curation))
            .collect();
        entries.sort_by_key(|(selector, _)| selector.is_pattern());
        Self { entries }
    }

    /// Merges all entries for an operation.
    pub(super) fn curation(&self, key: &OperationKey) -> Curation {
        let matching = self
            .entries
            .iter()
            .filter(|(selector, _)| selector.matches(key));
        matching.fold(Curation::default(), |mut curation, (_, entry)| {
            curation.complete(entry);
            curation
        })
    }
}

fn unmatched(selector: &Placed<Selector>, document: &Document<'_>) -> Diagnostic {
    let text = selector.value.to_string();
    let diagnostic = Diagnostic::error(
        Code::UnmatchedOverlay,
        selector.place,
        format!("`{text}` matches no operation in the document"),
    );
    if let Some(meant) = suggest(&text) {
        return diagnostic.help(meant);
    }
    let candidates: Vec<String> = match selector.value {
        Selector::OperationId(_) => document
            .keys()
            .filter_map(|key| key.operation_id.clone())
            .collect(),
        Selector::Tag(_) => document
            .keys()
            .flat_map(|key| &key.tags)
            .map(|tag| Selector::Tag(tag.clone()).to_string())
            .collect(),
        Selector::Endpoint { .. } => document
            .keys()
            .map(|key| format!("{} {}", key.method, key.path))
            .collect(),
    };
    match most_similar(&text, candidates.iter().map(String::as_str)) {
        Some(similar) => diagnostic.help(format!("the document contains `{similar}`")),
        None => diagnostic.help("`toolwright inspect` lists the operations of a document"),
    }
}

/// Suggests a selector for one that is only a method or only a path.
fn suggest(text: &str) -> Option<String> {
    if Method::from_word(text).is_some() {
        Some(format!(
            "`{text} *` selects all operations with this method"
        ))
    } else if text.starts_with('/') {
        Some(format!("`* {text}` selects all operations of this path"))
    } else {
        None
    }
}
