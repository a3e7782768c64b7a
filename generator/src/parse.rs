//! The parsing stage: reads specifications, overlays and locks, with the source span of each part.

pub(crate) mod dialect;
pub(crate) mod eab;
pub(crate) mod format;
pub(crate) mod graphql;
pub(crate) mod grpc;
pub(crate) mod lock;
mod long_names;
pub(crate) mod mcp;
pub(crate) mod openapi;
pub(crate) mod openapi_overlay;
pub(crate) mod overlay;

pub(crate) mod strict;

use crate::document::{
    diagnostic::Diagnostics,
    documents::Documents,
    is_eab,
    source::{SourceId, Sources},
};

/// Parses a specification in any supported format.
///
/// Reports an error and returns `None` if the document is not a specification or its version is not
/// supported.
pub(crate) fn parse<'a>(
    documents: &'a Documents,
    sources: &'a Sources,
    source: SourceId,
    diagnostics: &mut Diagnostics,
) -> Option<openapi::Document<'a>> {
    let mut document = read(documents, sources, source, diagnostics)?;
    long_names::leave_out(&mut document, diagnostics);
    Some(document)
}

fn read<'a>(
    documents: &'a Documents,
    sources: &'a Sources,
    source: SourceId,
    diagnostics: &mut Diagnostics,
) -> Option<openapi::Document<'a>> {
    let root = documents.root(source)?;
    if is_eab(root) {
        return eab::parse(documents, sources, source, diagnostics);
    }
    if root.get(mcp::MARK).is_some() {
        return mcp::parse(documents, sources, source, diagnostics);
    }
    if graphql::is_arranged(root) {
        return graphql::parse(documents, sources, source);
    }
    if root.get(grpc::MARK).is_some() {
        return grpc::parse(documents, sources, source);
    }
    openapi::parse(documents, sources, source, diagnostics)
}
