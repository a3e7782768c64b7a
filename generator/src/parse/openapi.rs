//! OpenAPI documents, parsed node by node.
//!
//! A faulty node excludes only its own operation; a document without any readable part is an error.
//! Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2 are parsed into the same record, so the lowering stage
//! handles all of them alike.

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
    document::{
        diagnostic::Diagnostics,
        documents::Documents,
        source::{Place, SourceId, Sources},
        tree::Node,
    },
    parse::{dialect::Dialect, eab, graphql, grpc, mcp},
};

pub(crate) use media_range::BodyKind;
pub(crate) use paths::bare_name;
pub(crate) use reader::{Schemes, text};
pub(crate) use server::{Server, Variable};

/// A parsed OpenAPI document.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    /// The source file.
    pub(crate) source: SourceId,
    /// The name of the file, without its folder.
    pub(crate) file_name: String,
    /// The format and its version: `openapi 3.0.3`.
    pub(crate) format: String,
    /// The dialect of its schemas.
    pub(crate) dialect: Dialect,
    /// The title of the API.
    pub(crate) title: String,
    /// The version of the API.
    pub(crate) version: String,
    /// The service, if the document names it.
    pub(crate) service: Option<ServiceName>,
    /// The default servers for operations without their own.
    pub(crate) servers: Arc<[Server]>,
    /// The security schemes by name; a scheme with errors is `None`.
    pub(crate) schemes: Schemes,
    /// The operations, in the document's order.
    pub(crate) operations: Vec<ParsedOperation<'a>>,
    /// The operations with errors. Each error was reported.
    pub(crate) broken: Vec<OperationKey>,
}

/// The properties that identify an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OperationKey {
    /// The HTTP method.
    pub(crate) method: Method,
    /// The path template as the document writes it.
    pub(crate) path: String,
    /// The operation id.
    pub(crate) operation_id: Option<String>,
    /// The span of its method key.
    pub(crate) place: Place,
    /// The JSON pointer to it: `/paths/~1items/get`.
    pub(crate) pointer: String,
    /// The tags, in document order.
    pub(crate) tags: Vec<String>,
}

/// One operation, including all inherited parts.
#[derive(Debug)]
pub(crate) struct ParsedOperation<'a> {
    /// The identity of the operation.
    pub(crate) key: OperationKey,
    /// The summary.
    pub(crate) summary: Option<String>,
    /// The description.
    pub(crate) description: Option<String>,
    /// True if the operation is deprecated.
    pub(crate) deprecated: bool,
    /// The parameters: its own, plus those of its path that it does not redeclare.
    pub(crate) parameters: Vec<Parameter<'a>>,
    /// The request body.
    pub(crate) body: Option<RequestBody<'a>>,
    /// The responses, in document order.
    pub(crate) responses: Vec<Response<'a>>,
    /// The possible servers: its own, its path's, or the document's.
    pub(crate) servers: Arc<[Server]>,
    /// The alternatives of authentication.
    pub(crate) security: Vec<Vec<SecurityRequirement>>,
    /// True if the operation declares its own security, false if it inherits the document's.
    pub(crate) has_own_security: bool,
    /// The `x-` extensions, keyed by the full name.
    pub(crate) extensions: Vec<(&'a str, &'a Node)>,
    /// The protocol, with what only its documents say.
    pub(crate) protocol: Protocol,
}

/// The protocol of an operation, with what only its documents say.
#[derive(Clone, Debug)]
pub(crate) enum Protocol {
    /// HTTP: an operation of an OpenAPI document.
    Http,
    /// The Extension API Bridge: a method of a domain service.
    Eab(eab::EabCall),
    /// MCP: a tool of a mounted server.
    Mcp(mcp::McpTool),
    /// gRPC: a method of a service.
    Grpc(grpc::GrpcMethod),
    /// GraphQL: a field of a schema, or a written operation.
    Graphql(graphql::GraphqlOperation),
}

/// A parameter.
#[derive(Clone, Debug)]
pub(crate) struct Parameter<'a> {
    /// The span of the declaration.
    pub(crate) place: Place,
    /// The name on the wire.
    pub(crate) name: String,
    /// The location: path, query, header or cookie.
    pub(crate) location: Location,
    /// The description.
    pub(crate) description: Option<String>,
    /// True if the parameter is required.
    pub(crate) required: bool,
    /// The serialization of its value.
    pub(crate) serialization: Serialization,
    /// Its schema.
    pub(crate) schema: Option<&'a Node>,
}

/// The body of a request.
#[derive(Debug)]
pub(crate) struct RequestBody<'a> {
    /// The span of the declaration.
    pub(crate) place: Place,
    /// The description.
    pub(crate) description: Option<String>,
    /// True if the body is required.
    pub(crate) required: bool,
    /// The possible media types, in document order.
    pub(crate) content: Vec<MediaType<'a>>,
}

/// One media type of a body, with its schema.
#[derive(Clone, Debug)]
pub(crate) struct MediaType<'a> {
    /// The media type, in lower case and without parameters: `application/json`.
    pub(crate) name: String,
    /// The schema. It is owned if the document has no such node, as for a Swagger 2.0 form.
    pub(crate) schema: Option<Cow<'a, Node>>,
    /// The schema of each element, if the content is a sequence (OpenAPI 3.2).
    pub(crate) item_schema: Option<&'a Node>,
    /// The encoding of form fields, by name.
    pub(crate) encoding: Vec<(String, PartEncoding)>,
    /// The headers of form parts, each with the name of its field.
    pub(crate) part_headers: Vec<(String, Parameter<'a>)>,
}

/// A response.
#[derive(Clone, Debug)]
pub(crate) struct Response<'a> {
    /// The matching statuses.
    pub(crate) status: StatusPattern,
    /// The description.
    pub(crate) description: String,
    /// The possible media types; empty if the response has no body.
    pub(crate) content: Vec<MediaType<'a>>,
    /// The header names, in lower case.
    pub(crate) headers: Vec<String>,
}

impl Document<'_> {
    /// Returns the number of operations, including those with errors.
    #[must_use]
    pub(crate) const fn operation_count(&self) -> usize {
        self.operations.len() + self.broken.len()
    }

    /// Returns the keys of all operations, including those with errors.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &OperationKey> {
        self.operations
            .iter()
            .map(|operation| &operation.key)
            .chain(&self.broken)
    }
}

/// Parses an OpenAPI document.
///
/// Reports an error and returns `None` if the document is not OpenAPI or its version is not
/// supported.
pub(crate) fn parse<'a>(
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
    let mut reader = reader::OpenApiReader::new(documents, sources, diagnostics);
    let inherited = version.read_inherited(&mut reader, root);
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
        schemes: inherited.schemes,
        operations,
        broken,
    })
}
