//! The names by which the operations of a document share schemas.

use toolwright_model::StatusPattern;

use super::collect_properties;
use crate::{
    document::{documents::Documents, tree::Node},
    language::facts::SchemaNames,
    parse::openapi::{BodyKind, MediaType, ParsedOperation},
};

/// The least properties of an anonymous object that tell it apart from others.
const ENOUGH: usize = 3;

/// Returns the names of the schemas of an operation's request and answer.
pub(super) fn names(operation: &ParsedOperation<'_>, documents: &Documents) -> SchemaNames {
    let body = operation.body.as_ref();
    let body = body.and_then(|body| schema_of(&body.content));
    let successes = operation.responses.iter();
    let success = successes
        .filter(|response| response.status.is_success())
        .filter(|response| response.status != StatusPattern::Exact(204))
        .min_by_key(|response| response.status);
    let answer = success.and_then(|success| schema_of(&success.content));
    SchemaNames {
        body: body.and_then(|schema| name(schema, documents)),
        answer: answer.and_then(|schema| name(schema, documents)),
        element: answer
            .and_then(|schema| element(schema, documents))
            .and_then(|schema| name(schema, documents)),
    }
}

/// Returns the schema of the JSON content.
fn schema_of<'a>(content: &'a [MediaType<'_>]) -> Option<&'a Node> {
    let is_json = |media: &&MediaType<'_>| BodyKind::parse(&media.name) == BodyKind::Json;
    let json = content.iter().find(is_json);
    json.and_then(|media| media.schema.as_deref())
}

/// Returns the name of a schema, or the names of an anonymous object's properties.
fn name(schema: &Node, documents: &Documents) -> Option<String> {
    if let Some(reference) = schema.str_at("$ref") {
        let name = reference.rsplit('/').next();
        return name.map(str::to_owned);
    }
    let mut names = Vec::new();
    collect_properties(schema, documents, &mut |name, _| {
        names.push(name.to_owned())
    });
    names.sort_unstable();
    (names.len() >= ENOUGH).then(|| names.join(","))
}

/// Returns the schema of the elements of a list, or of the list that an object holds.
fn element<'a>(schema: &'a Node, documents: &'a Documents) -> Option<&'a Node> {
    let schema = documents.resolve(schema).ok()?;
    if let Some(items) = schema.get("items") {
        return Some(items);
    }
    let mut element = None;
    collect_properties(schema, documents, &mut |_, property| {
        let list = documents.resolve(property).ok();
        let items = list.and_then(|list| list.get("items"));
        let of_objects =
            items.filter(|items| items.get("$ref").is_some() || items.get("properties").is_some());
        element = element.or(of_objects);
    });
    element
}
