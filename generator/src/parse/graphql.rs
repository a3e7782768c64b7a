//! GraphQL: a schema, in the definition language or as the result of an introspection.
//!
//! A field of the types of queries and mutations is an operation `POST /query/<field>` whose body is its
//! arguments, so the schema is parsed into the same record as an OpenAPI document. The text of the request
//! is fixed when the schema is read: it passes every argument as a variable, and asks for a derived
//! selection of the result. Subscriptions are reported as not offered.
//!
//! The loading stage gives the text of a schema as one node. [`arrange`] turns it into a tree with an entry
//! for each operation and a definition for each type, all with their places in the schema, and [`parse`]
//! reads this tree.

mod arrange;
mod check;
mod collect;
mod effects;
mod inputs;
mod introspection;
mod model;
mod nodes;
mod operations;
mod sdl;
mod select;
mod settings;
mod syntax;

use std::borrow::Cow;

use toolwright_model::{JsonPointer, Method, StatusPattern};

use super::{
    dialect::Dialect,
    openapi::{
        Document, MediaType, OperationKey, ParsedOperation, Protocol, RequestBody, Response,
        Schemes,
    },
};
use crate::document::{
    documents::Documents,
    source::{SourceId, Sources},
    tree::{Field, Node},
};

pub(crate) use crate::document::GRAPHQL_TEXT as SDL;
pub(crate) use arrange::{OperationFile, arrange};
pub use effects::OperationEffects;
pub(crate) use settings::{DEEPEST, GraphqlSettings, ScalarType};

/// The key of an arranged schema.
pub(crate) const MARK: &str = "graphql";

/// The version of the arrangement.
const VERSION: &str = "1";

/// The media types of a response, the one that is asked for first.
const RESPONSES: &[&str] = &["application/graphql-response+json", "application/json"];

/// The type of operations that a tool belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperationType {
    /// A query, which reads.
    Query,
    /// A mutation, which changes something.
    Mutation,
}

/// The properties of an operation of GraphQL that others do not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GraphqlOperation {
    /// The type of the operation.
    pub(crate) ty: OperationType,
    /// The name of the field, or of the operation.
    pub(crate) name: String,
    /// The text of the request.
    pub(crate) text: String,
    /// The name of the type of the result; none for a written operation.
    pub(crate) result: Option<String>,
    /// True if the result is a list, or a page of one.
    pub(crate) is_list: bool,
}

/// Checks whether a tree is that of a schema after [`arrange`]. Its mark has the place of the whole tree,
/// which no part of another document has.
pub(crate) fn is_arranged(root: &Node) -> bool {
    root.get(MARK).is_some_and(|mark| mark.place == root.place)
}

/// Parses an arranged schema. Returns `None` for one with faults, which were reported.
pub(crate) fn parse<'a>(
    documents: &'a Documents,
    sources: &'a Sources,
    source: SourceId,
) -> Option<Document<'a>> {
    let root = documents.root(source)?;
    root.str_at(MARK)?;
    let sections = [
        ("query", OperationType::Query),
        ("mutation", OperationType::Mutation),
    ];
    let mut operations = Vec::new();
    for (section, ty) in sections {
        let entries = root.get(section).and_then(Node::as_object);
        for (name, field) in entries.into_iter().flatten() {
            operations.extend(operation(section, ty, name, field));
        }
    }
    let path = sources.path(source);
    Some(Document {
        source,
        file_name: path.rsplit('/').next().unwrap_or_default().to_owned(),
        format: MARK.to_owned(),
        dialect: Dialect::JsonSchema,
        title: String::new(),
        version: String::new(),
        service: None,
        servers: Vec::new().into(),
        schemes: Schemes::new(),
        operations,
        broken: Vec::new(),
    })
}

fn operation<'a>(
    section: &str,
    ty: OperationType,
    name: &str,
    field: &'a Field,
) -> Option<ParsedOperation<'a>> {
    let node = &field.node;
    let arguments = node.get("arguments")?;
    let has_arguments = arguments.get("properties")?.fields().next().is_some();
    Some(ParsedOperation {
        key: OperationKey {
            method: Method::Post,
            path: format!("/{section}/{name}"),
            operation_id: Some(name.to_owned()),
            place: field.key,
            pointer: JsonPointer::from_iter([section, name]).into(),
            tags: Vec::new(),
        },
        summary: None,
        description: node.str_at("description").map(str::to_owned),
        deprecated: node.is_true("deprecated"),
        parameters: Vec::new(),
        body: has_arguments.then(|| body(arguments)),
        responses: vec![answer(node.get("result")?)],
        servers: Vec::new().into(),
        security: Vec::new(),
        has_own_security: false,
        extensions: Vec::new(),
        protocol: Protocol::Graphql(GraphqlOperation {
            ty,
            name: name.to_owned(),
            text: node.str_at("text")?.to_owned(),
            result: node.str_at("type").map(str::to_owned),
            is_list: node.is_true("list"),
        }),
    })
}

fn body(schema: &Node) -> RequestBody<'_> {
    RequestBody {
        place: schema.place,
        description: None,
        required: true,
        content: vec![media_type("application/json", schema)],
    }
}

fn answer(schema: &Node) -> Response<'_> {
    let content = RESPONSES.iter().map(|name| media_type(name, schema));
    Response {
        status: StatusPattern::Exact(200),
        description: "The result of the operation.".to_owned(),
        content: content.collect(),
        headers: Vec::new(),
    }
}

fn media_type<'a>(name: &str, schema: &'a Node) -> MediaType<'a> {
    MediaType {
        name: name.to_owned(),
        schema: Some(Cow::Borrowed(schema)),
        item_schema: None,
        encoding: Vec::new(),
        part_headers: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
