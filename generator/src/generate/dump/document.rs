//! Prints operations as the documents declare them.

use serde_json::{Value, json};

use crate::{
    document::{source::Sources, tree::Node},
    parse::openapi::{MediaType, Parameter, ParsedOperation},
};

/// Returns one operation as JSON, each part with its place.
pub(super) fn operation(operation: &ParsedOperation<'_>, sources: &Sources) -> Value {
    let key = &operation.key;
    let parameters = operation.parameters.iter();
    let responses = operation.responses.iter().map(|response| {
        json!({
            "status": response.status,
            "description": response.description,
            "content": content(&response.content),
        })
    });
    json!({
        "at": super::operation::location(key.place, sources),
        "method": key.method,
        "path": key.path,
        "operation_id": key.operation_id,
        "summary": operation.summary,
        "description": operation.description,
        "tags": key.tags,
        "deprecated": operation.deprecated,
        "servers": operation.servers.iter().map(|server| &server.url).collect::<Vec<_>>(),
        "security": operation.security,
        "parameters": parameters
            .map(|parameter| self::parameter(parameter, sources))
            .collect::<Vec<_>>(),
        "body": operation.body.as_ref().map(|body| {
            json!({
                "at": super::operation::location(body.place, sources),
                "required": body.required,
                "description": body.description,
                "content": content(&body.content),
            })
        }),
        "responses": responses.collect::<Vec<_>>(),
        "extensions": operation
            .extensions
            .iter()
            .map(|(name, node)| ((*name).to_owned(), node.to_value()))
            .collect::<serde_json::Map<_, _>>(),
    })
}

fn parameter(parameter: &Parameter<'_>, sources: &Sources) -> Value {
    json!({
        "at": super::operation::location(parameter.place, sources),
        "name": parameter.name,
        "in": parameter.location,
        "required": parameter.required,
        "description": parameter.description,
        "serialization": parameter.serialization,
        "schema": parameter.schema.map(Node::to_value),
    })
}

fn content(content: &[MediaType<'_>]) -> Value {
    let entries = content.iter().map(|media_type| {
        json!({
            "media_type": media_type.name,
            "schema": media_type.schema.as_deref().map(Node::to_value),
            "encoding": media_type.encoding,
        })
    });
    entries.collect()
}
