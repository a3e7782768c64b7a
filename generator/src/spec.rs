//! The parsing stage: specifications and our own files, each part with its place.

pub mod eab;
pub mod openapi;
pub mod overlay;

pub(crate) mod strict;

use crate::{
    diagnostic::Diagnostics,
    documents::Documents,
    source::{SourceId, Sources},
};

/// Reads a specification, of whichever format.
///
/// `None` when it is none, or of a version that cannot be read, which is then reported.
pub fn parse<'a>(
    documents: &'a Documents,
    sources: &'a Sources,
    source: SourceId,
    diagnostics: &mut Diagnostics,
) -> Option<openapi::Document<'a>> {
    if eab::is_eab(documents.root(source)?) {
        return eab::parse(documents, sources, source, diagnostics);
    }
    openapi::parse(documents, sources, source, diagnostics)
}
