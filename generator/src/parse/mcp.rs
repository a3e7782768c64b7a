//! The tools of a mounted MCP server, as a person accepted them.
//!
//! A tool is an operation `POST /<name>` whose body is its arguments, so the document is parsed into the
//! same record as an OpenAPI document. `toolwright mount accept` writes these documents: a fault in one is
//! an error.

use std::borrow::Cow;

use toolwright_model::{JsonPointer, Method, ServiceName, StatusPattern, settings::Reader as _};

use super::{
    dialect::Dialect,
    openapi::{
        Document, MediaType, OperationKey, ParsedOperation, Protocol, RequestBody, Response,
        Schemes,
    },
    strict::StrictReader,
};
use crate::document::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    documents::Documents,
    source::{SourceId, Sources},
    tree::{Field, Node},
};

/// The key that holds the version of the format.
pub(crate) const MARK: &str = "mcp";

/// The version of the format.
const VERSION: &str = "1";

/// The longest name of a tool that MCP allows.
const LONGEST_NAME: usize = 128;

const ROOT: &[&str] = &[MARK, "service", "server", "tools"];
const SERVER: &[&str] = &["name", "version"];
const TOOL: &[&str] = &[
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
];

/// The hints of a server about one of its tools that make it more dangerous. A hint never makes a tool
/// less dangerous, since the server itself writes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct McpTool {
    /// True if the server declares that a call changes something.
    pub(crate) changes: bool,
    /// True if the server declares that a call may destroy something.
    pub(crate) destroys: bool,
}

/// Parses the accepted tools of a server.
///
/// Reports an error and returns `None` if the version is not supported or the service is not named.
pub(crate) fn parse<'a>(
    documents: &'a Documents,
    sources: &'a Sources,
    source: SourceId,
    diagnostics: &mut Diagnostics,
) -> Option<Document<'a>> {
    let root = documents.root(source)?;
    let mut reader = StrictReader::new(diagnostics);
    let version = reader.placed_text(root, MARK)?;
    if version.value != VERSION {
        let message = format!("unsupported version `{}` of `{MARK}`", version.value);
        let fault = Diagnostic::error(Code::UnsupportedVersion, version.place, message);
        reader.report(fault.help("run `toolwright mount accept` again"));
        return None;
    }
    reader.check_keys(root, ROOT);
    let service = reader.placed_text(root, "service");
    let service = service.and_then(|name| reader.parsed::<ServiceName>(&name.value, name.place));
    let mut texts = (String::new(), String::new());
    if let Some(server) = root.get("server") {
        reader.check_keys(server, SERVER);
        texts.0 = reader.text(server, "name").unwrap_or_default();
        texts.1 = reader.text(server, "version").unwrap_or_default();
    }
    let mut operations = Vec::new();
    let mut broken = Vec::new();
    let tools = root.get("tools").and_then(Node::as_object);
    for (name, field) in tools.into_iter().flatten() {
        let key = key(name, field);
        match tool(&mut reader, name, &key, &field.node) {
            Some(operation) => operations.push(operation),
            None => broken.push(key),
        }
    }
    let path = sources.path(source);
    Some(Document {
        source,
        file_name: path.rsplit('/').next().unwrap_or_default().to_owned(),
        format: format!("{MARK} {VERSION}"),
        dialect: Dialect::JsonSchema,
        title: texts.0,
        version: texts.1,
        service: Some(service?.value),
        servers: Vec::new().into(),
        schemes: Schemes::new(),
        operations,
        broken,
    })
}

fn tool<'a>(
    reader: &mut StrictReader<'_>,
    name: &str,
    key: &OperationKey,
    node: &'a Node,
) -> Option<ParsedOperation<'a>> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
    if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(is_plain) {
        let message = "this is not a name that MCP allows for a tool";
        let fault = Diagnostic::error(Code::UnknownValue, key.place, message);
        reader.report(fault.help("remove the tool: `toolwright mount accept` leaves it out"));
        return None;
    }
    if node.as_object().is_none() {
        reader.wrong_type(node, "a tool", "an object");
        return None;
    }
    reader.check_keys(node, TOOL);
    let input = schema(reader, node, "inputSchema")?;
    let output = schema(reader, node, "outputSchema")?;
    let hint = |name| node.get("annotations")?.get(name)?.as_bool();
    Some(ParsedOperation {
        key: key.clone(),
        summary: None,
        description: reader.text(node, "description"),
        deprecated: false,
        parameters: Vec::new(),
        body: input.map(body),
        responses: vec![answer(output)],
        servers: Vec::new().into(),
        security: Vec::new(),
        has_own_security: false,
        extensions: Vec::new(),
        protocol: Protocol::Mcp(McpTool {
            changes: hint("readOnlyHint") == Some(false),
            destroys: hint("destructiveHint") == Some(true) && hint("readOnlyHint") != Some(true),
        }),
    })
}

/// Returns the schema at a key, if there is one; `None` if it is no schema.
#[expect(clippy::option_option, reason = "a schema that is absent is no fault")]
fn schema<'a>(
    reader: &mut StrictReader<'_>,
    node: &'a Node,
    key: &str,
) -> Option<Option<&'a Node>> {
    let Some(schema) = node.get(key) else {
        return Some(None);
    };
    if schema.as_object().is_none() {
        reader.wrong_type(schema, &format!("`{key}`"), "a schema");
        return None;
    }
    Some(Some(schema))
}

fn key(name: &str, field: &Field) -> OperationKey {
    OperationKey {
        method: Method::Post,
        path: format!("/{name}"),
        operation_id: Some(name.to_owned()),
        place: field.key,
        pointer: JsonPointer::from_iter(["tools", name]).into(),
        tags: Vec::new(),
    }
}

fn body(schema: &Node) -> RequestBody<'_> {
    RequestBody {
        place: schema.place,
        description: None,
        required: true,
        content: vec![media_type(schema)],
    }
}

fn answer(schema: Option<&Node>) -> Response<'_> {
    Response {
        status: StatusPattern::Exact(200),
        description: "The result of the tool.".to_owned(),
        content: schema.map(media_type).into_iter().collect(),
        headers: Vec::new(),
    }
}

fn media_type(schema: &Node) -> MediaType<'_> {
    MediaType {
        name: "application/json".to_owned(),
        schema: Some(Cow::Borrowed(schema)),
        item_schema: None,
        encoding: Vec::new(),
        part_headers: Vec::new(),
    }
}
