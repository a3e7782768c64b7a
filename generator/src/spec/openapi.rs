//! OpenAPI documents, read node by node.
//!
//! A node that is broken costs its operation and nothing else; a document of which nothing can be
//! read is an error. Swagger 2.0, OpenAPI 3.0, 3.1 and 3.2 are read into the same record, so that
//! the lowering stage need not tell them apart.

mod body;
mod media_range;
mod operation;
mod parameter;
mod paths;
mod reader;
mod response;
mod security;
mod server;
mod style;
mod swagger;
mod version;

use std::{borrow::Cow, sync::Arc};

use toolwright_model::{
    Location, Method, PartEncoding, SecurityRequirement, Serialization, ServiceName, StatusPattern,
};

use crate::{
    diagnostic::Diagnostics,
    documents::Documents,
    lower::schema::Dialect,
    source::{Place, SourceId, Sources},
    spec::eab,
    tree::Node,
};

pub use media_range::BodyKind;
pub(crate) use paths::bare_name;
pub(crate) use reader::text;
pub use server::{Server, Variable};

/// What an OpenAPI document says.
#[derive(Debug)]
pub struct Document<'a> {
    /// The file.
    pub source: SourceId,
    /// The name of the file, without its folder.
    pub file_name: String,
    /// What was read: `openapi 3.0.3`.
    pub format: String,
    /// The dialect of its schemas.
    pub dialect: Dialect,
    /// The title of the API.
    pub title: String,
    /// The version of the API.
    pub version: String,
    /// The service, where the document names it itself.
    pub service: Option<ServiceName>,
    /// The servers that hold for every operation without its own.
    pub servers: Arc<[Server]>,
    /// The operations, in the document's order.
    pub operations: Vec<Operation<'a>>,
    /// The operations that are broken, each of which was reported.
    pub broken: Vec<OperationKey>,
}

/// What tells an operation apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationKey {
    /// The HTTP method.
    pub method: Method,
    /// The path template as the document writes it.
    pub path: String,
    /// The operation id.
    pub operation_id: Option<String>,
    /// Where it stands: its method key.
    pub place: Place,
    /// The JSON pointer of it: `/paths/~1items/get`.
    pub pointer: String,
    /// The tags, in their order.
    pub tags: Vec<String>,
}

/// One operation, with everything that it inherits.
#[derive(Debug)]
pub struct Operation<'a> {
    /// What tells it apart.
    pub key: OperationKey,
    /// The summary.
    pub summary: Option<String>,
    /// The description.
    pub description: Option<String>,
    /// Whether the owner advises against it.
    pub deprecated: bool,
    /// The parameters: its own and, where it does not redeclare them, those of its path.
    pub parameters: Vec<Parameter<'a>>,
    /// The request body.
    pub body: Option<RequestBody<'a>>,
    /// The answers, in the document's order.
    pub responses: Vec<Response<'a>>,
    /// The servers that its requests may go to: its own, those of its path, or the document's.
    pub servers: Arc<[Server]>,
    /// The alternatives of authentication.
    pub security: Vec<Vec<SecurityRequirement>>,
    /// Whether the operation itself says so, and not the document of all its operations.
    pub has_own_security: bool,
    /// The `x-` extensions, by name with the `x-`.
    pub extensions: Vec<(&'a str, &'a Node)>,
    /// What is said of it beyond that, where it is a method of an EAB document.
    pub eab: Option<eab::Call>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter<'a> {
    /// Where it is declared.
    pub place: Place,
    /// The name on the wire.
    pub name: String,
    /// Where it goes.
    pub location: Location,
    /// What it is for.
    pub description: Option<String>,
    /// Whether the request is impossible without it.
    pub required: bool,
    /// How its value becomes text.
    pub serialization: Serialization,
    /// Its schema.
    pub schema: Option<&'a Node>,
}

/// The body of a request.
#[derive(Debug)]
pub struct RequestBody<'a> {
    /// Where it is declared.
    pub place: Place,
    /// What it is for.
    pub description: Option<String>,
    /// Whether the request is impossible without it.
    pub required: bool,
    /// The media types that it may have, in the document's order.
    pub content: Vec<MediaType<'a>>,
}

/// A media type of a body, and what the body is then.
#[derive(Clone, Debug)]
pub struct MediaType<'a> {
    /// The media type, in lower case and without parameters: `application/json`.
    pub name: String,
    /// The schema. It is not borrowed where the document has none that could be, as for the form
    /// of a Swagger 2.0 operation.
    pub schema: Option<Cow<'a, Node>>,
    /// The schema of each element, where the content is a sequence (OpenAPI 3.2).
    pub item_schema: Option<&'a Node>,
    /// What is said of single fields of a form, by their names.
    pub encoding: Vec<(String, PartEncoding)>,
    /// The headers of single parts, each with the name of its field.
    pub part_headers: Vec<(String, Parameter<'a>)>,
}

/// An answer.
#[derive(Debug)]
pub struct Response<'a> {
    /// The statuses that it stands for.
    pub status: StatusPattern,
    /// What it means.
    pub description: String,
    /// The media types that it may have; none when it has no body.
    pub content: Vec<MediaType<'a>>,
    /// The names of its headers, in lower case.
    pub headers: Vec<String>,
}

impl Document<'_> {
    /// How many operations the document has, the broken ones included.
    #[must_use]
    pub const fn operation_count(&self) -> usize {
        self.operations.len() + self.broken.len()
    }

    /// What tells the operations apart, the broken ones included.
    pub fn keys(&self) -> impl Iterator<Item = &OperationKey> {
        self.operations
            .iter()
            .map(|operation| &operation.key)
            .chain(&self.broken)
    }
}

/// Reads an OpenAPI document.
///
/// `None` when it is none, or of a version that cannot be read, which is then reported.
pub fn parse<'a>(
    documents: &'a Documents,
    sources: &'a Sources,
    source: SourceId,
    diagnostics: &mut Diagnostics,
) -> Option<Document<'a>> {
    let root = documents.root(source)?;
    let version = match version::detect(root, sources) {
        Ok(version) => version,
        Err(diagnostic) => {
            diagnostics.report(diagnostic);
            return None;
        }
    };
    let mut reader = reader::Reader::new(documents, sources, diagnostics);
    let inherited = version.inherited(&mut reader, root);
    let (operations, broken) = reader.paths(root, &inherited);
    let path = sources.path(source);
    let file_name = path.rsplit('/').next().unwrap_or_default();
    let info = root.get("info");
    let text = |key| {
        info.and_then(|info| reader.text_at(info, key))
            .unwrap_or_default()
    };
    Some(Document {
        source,
        file_name: file_name.to_owned(),
        format: version.format.clone(),
        dialect: version.dialect,
        title: text("title"),
        version: text("version"),
        service: None,
        servers: inherited.servers,
        operations,
        broken,
    })
}
