//! EAB documents: domain services behind the Extension API Bridge.
//!
//! A method is an operation like any other, `POST /api/v1/<method>`: its params are the body and
//! its result is part of the answer. So a document becomes the same record as one of OpenAPI, and
//! nothing behind the parsing stage need tell the two apart but where they differ on the wire.
//!
//! Whoever writes such a document writes it for us, so every fault in it is an error.

mod outcome;
mod reader;
mod standard;

use std::sync::Arc;

use toolwright_model::{
    Effect, Transport,
    eab::{ApiVersion, MAJOR_VERSION},
};

use super::{openapi::Document, strict};
use crate::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    documents::Documents,
    lower::schema::Dialect,
    source::{SourceId, Sources},
    tree::Node,
};

pub(crate) use outcome::{PATH as OUTCOME_PATH, TEXT as OUTCOME_TEXT};
pub use standard::{STANDARD, StandardMethod};

/// What a document says of its service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// The service, as it names itself.
    pub name: String,
    /// The domain.
    pub domain: String,
    /// The version of the API that the document describes.
    pub api_version: ApiVersion,
    /// Where the service is.
    pub transports: Vec<Transport>,
    /// The types of artifacts that it takes.
    pub artifact_types: Vec<String>,
    /// The types of interfaces that it knows.
    pub interface_types: Vec<String>,
}

/// What a document says of a method beyond what every operation has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The service.
    pub service: Arc<Service>,
    /// The noun of the tool's name.
    pub noun: Option<String>,
    /// What a call does to the service's state.
    pub effect: Option<Effect>,
    /// How long a call may take.
    pub timeout_seconds: u64,
}

/// Whether a document is one of EAB.
#[must_use]
pub fn is_eab(root: &Node) -> bool {
    root.get("eab").is_some()
}

/// Reads an EAB document.
///
/// `None` when it is of a version that cannot be read or says too little of its service, which is
/// then reported.
pub fn parse<'a>(
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
    let mut reader = reader::Reader {
        strict: strict::Reader::new(diagnostics),
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
        operations: read.operations,
        broken: read.broken,
    })
}

/// The version of the format that a document is written in.
fn version(node: &Node, sources: &Sources) -> Result<ApiVersion, Box<Diagnostic>> {
    let text = super::openapi::text(node, sources).unwrap_or_default();
    let version: Option<ApiVersion> = text.parse().ok();
    version
        .filter(|version| version.major == MAJOR_VERSION)
        .ok_or_else(|| {
            let message = format!("the version `{text}` of `eab` cannot be read");
            Box::new(
                Diagnostic::error(Code::UnsupportedVersion, node.place, message)
                    .label("expected `1.0`, or another `1.x`")
                    .help(
                        "write `eab: \"1.0\"`, or take a version of toolwright that reads this one",
                    ),
            )
        })
}
