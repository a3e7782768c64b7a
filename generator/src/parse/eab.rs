//! EAB documents: domain services on the Extension API Bridge.
//!
//! A method is an operation `POST /api/v1/<method>`. Its params are the body; its result is part of
//! the response. An EAB document is therefore parsed into the same record as an OpenAPI document.
//! Later stages distinguish the two only if the wire formats differ.
//!
//! EAB documents are written for this tool, so every fault in one is an error.

mod outcome;
mod reader;

use std::sync::Arc;

use toolwright_model::{
    Effect, Transport,
    eab::{ApiVersion, MAJOR_VERSION},
};

use super::{
    openapi::{Document, Schemes},
    strict,
};
use crate::{
    document::{
        OUTCOME_PATH,
        diagnostic::{Code, Diagnostic, Diagnostics},
        documents::Documents,
        source::{SourceId, Sources},
        tree::Node,
    },
    parse::dialect::Dialect,
};

/// The service that a document declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EabService {
    /// The name that the service declares for itself.
    pub name: String,
    /// The domain.
    pub domain: String,
    /// The API version that the document describes.
    pub api_version: ApiVersion,
    /// The transports of the service.
    pub transports: Vec<Transport>,
    /// The artifact types that the service accepts.
    pub artifact_types: Vec<String>,
    /// The interface types that the service supports.
    pub interface_types: Vec<String>,
}

/// The properties of a method that other operations do not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EabCall {
    /// The service.
    pub service: Arc<EabService>,
    /// The noun of the tool's name.
    pub noun: Option<String>,
    /// The effect of a call on the service's state.
    pub effect: Option<Effect>,
    /// The timeout of a call, in seconds.
    pub timeout_seconds: u64,
}

/// Parses an EAB document.
///
/// Reports an error and returns `None` if the version is not supported or the service description
/// is incomplete.
pub(crate) fn parse<'a>(
    documents: &'a Documents,
    sources: &'a Sources,
    source: SourceId,
    diagnostics: &mut Diagnostics,
) -> Option<Document<'a>> {
    let root = documents.root(source)?;
    let version = match version(root.get("eab")?, sources) {
        Ok(version) => version,
        Err(fault) => {
            diagnostics.report(fault);
            return None;
        }
    };
    let outcome = documents.root(documents.source_of(OUTCOME_PATH)?)?;
    let mut reader = reader::EabReader {
        strict: strict::StrictReader::new(diagnostics),
        sources,
        outcome,
    };
    let read = reader.document(root)?;
    let path = sources.path(source);
    Some(Document {
        source,
        file_name: path.rsplit('/').next().unwrap_or_default().to_owned(),
        format: format!("eab {version}"),
        dialect: Dialect::JsonSchema,
        title: read.title,
        version: read.version,
        service: Some(read.service),
        servers: Vec::new().into(),
        schemes: Schemes::new(),
        operations: read.operations,
        broken: read.broken,
    })
}

/// Returns the format version of a document.
fn version(node: &Node, sources: &Sources) -> Result<ApiVersion, Box<Diagnostic>> {
    let text = super::openapi::text(node, sources).unwrap_or_default();
    let version: Option<ApiVersion> = text.parse().ok();
    version
        .filter(|version| version.major == MAJOR_VERSION)
        .ok_or_else(|| {
            let message = format!("unsupported version `{text}` of `eab`");
            Box::new(
                Diagnostic::error(Code::UnsupportedVersion, node.place, message)
                    .label("expected `1.0` or a later `1.x`")
                    .help(
                        "write `eab: \"1.0\"`, or use a version of toolwright that supports this one",
                    ),
            )
        })
}
