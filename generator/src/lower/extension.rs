//! `x-toolwright`: overlay settings of operations within a document.
//!
//! A document that governs its own tools could declare anything harmless, so the extension applies
//! only if the overlay trusts the document.

use std::borrow::Cow;

use crate::{
    document::{
        diagnostic::{Code, Diagnostic, Diagnostics},
        source::Placed,
        tree::Node,
    },
    parse::{
        openapi::{Document, OperationKey, ParsedOperation},
        overlay::{self, Overlay, Selector},
    },
};

/// The name of the extension.
const NAME: &str = "x-toolwright";

/// The overlay, with an entry for each operation whose extension counts, before its own.
pub(super) fn with_extensions<'o>(
    overlay: &'o Overlay,
    document: &Document<'_>,
    diagnostics: &mut Diagnostics,
) -> Cow<'o, Overlay> {
    let operations = document.operations.iter();
    let extended: Vec<_> = operations
        .filter_map(|operation| Some((&operation.key, extension_of(operation)?)))
        .collect();
    let Some(trust) = overlay.trust_document.as_ref().filter(|trust| trust.value) else {
        diagnostics.append(warn_ignored(&extended).into_iter().collect());
        return Cow::Borrowed(overlay);
    };
    if extended.is_empty() {
        let message = format!("no operation of the document has the extension `{NAME}`");
        diagnostics.report(
            Diagnostic::error(Code::UnmatchedOverlay, trust.place, message)
                .help("remove this line"),
        );
    }
    let mut with = overlay.clone();
    let included = extended
        .into_iter()
        .filter(|(key, _)| overlay.includes(key));
    let entries = included.map(|(key, node)| {
        let curation = overlay::parse_extension(node, diagnostics);
        (selector(key), curation)
    });
    with.operations = entries.chain(overlay.operations.iter().cloned()).collect();
    Cow::Owned(with)
}

/// The selector of one operation.
fn selector(key: &OperationKey) -> Placed<Selector> {
    Placed {
        value: Selector::Endpoint {
            method: Some(key.method),
            path: key.path.clone(),
        },
        place: key.place,
    }
}

/// Reports once per document that its extensions are ignored.
fn warn_ignored(extended: &[(&OperationKey, &Node)]) -> Option<Diagnostic> {
    let ((_, first), others) = extended.split_first()?;
    let message = format!("the extension `{NAME}` is ignored");
    let diagnostic = Diagnostic::warning(Code::UntrustedExtension, first.place, message);
    let diagnostic = match others.len() {
        0 => diagnostic,
        1 => diagnostic.note("another operation has it, too"),
        others => diagnostic.note(format!("{others} other operations have it, too")),
    };
    Some(
        diagnostic
            .note("the author of a document could declare a harmful operation harmless")
            .help("if the document is yours, set `trust_document = true` in the overlay"),
    )
}

fn extension_of<'a>(operation: &ParsedOperation<'a>) -> Option<&'a Node> {
    let mut extensions = operation.extensions.iter();
    let (_, node) = extensions.find(|(name, _)| *name == NAME)?;
    Some(node)
}
