//! The places of a document that the comparison looks at, as JSON pointers.

use serde_json::Value;

use crate::document::{Document, METHODS, entries};

/// The kind of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Site {
    /// The whole document.
    Document,
    /// All paths.
    Paths,
    /// One path.
    Path,
    /// A security scheme.
    Scheme,
    /// A parameter, with its schema.
    Parameter,
    /// A request body.
    Body,
    /// The answers of an operation.
    Answers,
    /// A map of media types.
    Content,
    /// A schema of a property.
    Property,
    /// Any schema.
    Schema,
}

/// Returns all places of a kind in the document's order, without following references.
pub(crate) fn sites(document: &Document, kind: Site) -> Vec<String> {
    let mut found = Vec::new();
    let mut look = |site: Site, place: &str| {
        if site == kind {
            found.push(place.to_owned());
        }
    };
    let root = document.root();
    look(Site::Document, "");
    look(Site::Paths, "/paths");
    for (path, item) in entries(root, "paths") {
        let place = below("/paths", path);
        look(Site::Path, &place);
        parameters(item, &place, &mut look);
        for method in METHODS {
            if let Some(operation) = item.get(*method) {
                self::operation(operation, &below(&place, method), &mut look);
            }
        }
    }
    components(&root["components"], &mut look);
    found
}

type Look<'l> = dyn FnMut(Site, &str) + 'l;

fn operation(node: &Value, place: &str, look: &mut Look<'_>) {
    parameters(node, place, look);
    if let Some(body) = node.get("requestBody") {
        self::body(body, &below(place, "requestBody"), look);
    }
    let answers = below(place, "responses");
    look(Site::Answers, &answers);
    for (status, answer) in entries(node, "responses") {
        content(answer, &below(&answers, status), look);
    }
}

fn components(node: &Value, look: &mut Look<'_>) {
    let each = |section: &str| {
        let place = below("/components", section);
        let named = entries(node, section);
        let places = named.map(move |(name, node)| (below(&place, name), node));
        places.collect::<Vec<_>>()
    };
    for (place, _) in each("securitySchemes") {
        look(Site::Scheme, &place);
    }
    for (place, node) in each("parameters") {
        parameter(node, &place, look);
    }
    for (place, node) in each("requestBodies") {
        body(node, &place, look);
    }
    for (place, node) in each("responses") {
        content(node, &place, look);
    }
    for (place, node) in each("schemas") {
        schema(node, &place, look);
    }
}

fn parameters(node: &Value, place: &str, look: &mut Look<'_>) {
    let nodes = node.get("parameters").and_then(Value::as_array);
    for (number, node) in nodes.into_iter().flatten().enumerate() {
        let place = format!("{place}/parameters/{number}");
        if node.get("$ref").is_none() {
            parameter(node, &place, look);
        }
    }
}

fn parameter(node: &Value, place: &str, look: &mut Look<'_>) {
    look(Site::Parameter, place);
    schema(&node["schema"], &below(place, "schema"), look);
}

fn body(node: &Value, place: &str, look: &mut Look<'_>) {
    if node.get("$ref").is_none() {
        look(Site::Body, place);
        content(node, place, look);
    }
}

fn content(node: &Value, place: &str, look: &mut Look<'_>) {
    let place = below(place, "content");
    if node.get("content").is_some() {
        look(Site::Content, &place);
    }
    for (media_type, node) in entries(node, "content") {
        if let Some(node) = node.get("schema") {
            schema(node, &below(&below(&place, media_type), "schema"), look);
        }
    }
}

fn schema(node: &Value, place: &str, look: &mut Look<'_>) {
    look(Site::Schema, place);
    for (name, node) in entries(node, "properties") {
        let place = below(&below(place, "properties"), name);
        look(Site::Property, &place);
        schema(node, &place, look);
    }
    for part in ["items", "additionalProperties"] {
        if let Some(node) = node.get(part).filter(|node| node.is_object()) {
            schema(node, &below(place, part), look);
        }
    }
    for part in ["allOf", "oneOf", "anyOf"] {
        let nodes = node.get(part).and_then(Value::as_array);
        for (number, node) in nodes.into_iter().flatten().enumerate() {
            schema(node, &format!("{place}/{part}/{number}"), look);
        }
    }
}

fn below(place: &str, key: &str) -> String {
    format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"))
}
