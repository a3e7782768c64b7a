//! Conversion of Swagger 2.0 documents to the layout of OpenAPI 3.0.

use serde_json::{Map, Value, json};

use crate::document::METHODS;

/// The keywords of a parameter itself. The others describe its schema.
const OF_THE_PARAMETER: &[&str] = &["name", "in", "required", "description", "collectionFormat"];

/// The sections of reusable components in 2.0 and 3.0.
const MOVED: &[(&str, &str)] = &[
    ("definitions", "schemas"),
    ("parameters", "parameters"),
    ("responses", "responses"),
    ("securityDefinitions", "securitySchemes"),
];

/// Converts a document to the layout of 3.0. Documents of 3.x are returned unchanged.
pub(crate) fn modern(mut document: Value) -> Value {
    if document.get("swagger").is_none() {
        return document;
    }
    refer_anew(&mut document);
    let types = |node: &Value, key: &str| node.get(key).filter(|types| !types.is_null()).cloned();
    let json = json!(["application/json"]);
    let consumes = types(&document, "consumes").unwrap_or_else(|| json.clone());
    let produces = types(&document, "produces").unwrap_or(json);

    for item in objects(&mut document, "paths") {
        arrange_parameters(item, &consumes);
        for method in METHODS {
            let Some(operation) = item.get_mut(*method) else {
                continue;
            };
            let consumes = types(operation, "consumes").unwrap_or_else(|| consumes.clone());
            let produces = types(operation, "produces").unwrap_or_else(|| produces.clone());
            arrange_parameters(operation, &consumes);
            for response in objects(operation, "responses") {
                arrange_response(response, &produces);
            }
        }
    }
    for parameter in objects(&mut document, "parameters") {
        *parameter = described(parameter.take());
    }
    for response in objects(&mut document, "responses") {
        arrange_response(response, &produces);
    }
    for scheme in objects(&mut document, "securityDefinitions") {
        if scheme["type"] == "basic" {
            *scheme = json!({"type": "http", "scheme": "basic"});
        }
    }
    let mut components = Map::new();
    for (old, new) in MOVED {
        components.insert((*new).to_owned(), document[*old].take());
    }
    let (host, base) = (document["host"].as_str(), document["basePath"].as_str());
    let url = format!("{}{}", host.unwrap_or_default(), base.unwrap_or_default());
    document["servers"] = json!([{"url": url}]);
    document["components"] = Value::Object(components);
    if let Some(entries) = document.as_object_mut() {
        entries.remove("swagger");
    }
    document
}

/// Rewrites references to the sections of 3.0, and `x-nullable` to `nullable`.
fn refer_anew(node: &mut Value) {
    if let Some(reference) = node.get("$ref").and_then(Value::as_str) {
        for (old, new) in MOVED {
            if let Some(name) = reference.strip_prefix(&format!("#/{old}/")) {
                let reference = format!("#/components/{new}/{name}");
                node["$ref"] = Value::String(reference);
                break;
            }
        }
    }
    match node {
        Value::Object(entries) => {
            if let Some(nullable) = entries.remove("x-nullable") {
                entries.insert("nullable".to_owned(), nullable);
            }
            entries.values_mut().for_each(refer_anew);
        }
        Value::Array(nodes) => nodes.iter_mut().for_each(refer_anew),
        _ => {}
    }
}

/// Adds schemas to parameters and converts body parameters to a request body.
fn arrange_parameters(node: &mut Value, consumes: &Value) {
    let Some(Value::Array(parameters)) = node.get_mut("parameters").map(Value::take) else {
        return;
    };
    let place = |parameter: &Value, place: &str| parameter["in"] == *place;
    let (bodies, parameters): (Vec<_>, Vec<_>) = parameters
        .into_iter()
        .partition(|parameter| place(parameter, "body") || place(parameter, "formData"));
    node["parameters"] = parameters.into_iter().map(described).collect();
    let (whole, fields): (Vec<_>, Vec<_>) =
        bodies.into_iter().partition(|body| place(body, "body"));
    if let Some(body) = whole.into_iter().next() {
        let required = body["required"].clone();
        let content = content(&body["schema"], consumes);
        node["requestBody"] = json!({"required": required, "content": content});
    } else if !fields.is_empty() {
        let content = content(&form(fields), consumes);
        node["requestBody"] = json!({"content": content});
    }
}

/// Converts a parameter to one with a schema.
fn described(parameter: Value) -> Value {
    let Value::Object(entries) = parameter else {
        return parameter;
    };
    if entries.contains_key("$ref") || entries.contains_key("schema") {
        return Value::Object(entries);
    }
    let (mut parameter, schema): (Map<_, _>, Map<_, _>) = entries
        .into_iter()
        .partition(|(key, _)| OF_THE_PARAMETER.contains(&key.as_str()));
    if schema.get("type").is_some_and(|kind| kind == "array") {
        let format = parameter.remove("collectionFormat").unwrap_or_default();
        parameter.insert("explode".to_owned(), json!(format == "multi"));
        match format.as_str() {
            Some("ssv") => parameter.insert("style".to_owned(), json!("spaceDelimited")),
            Some("pipes") => parameter.insert("style".to_owned(), json!("pipeDelimited")),
            _ => None,
        };
    }
    parameter.insert("schema".to_owned(), Value::Object(schema));
    Value::Object(parameter)
}

/// Combines the fields of a form in one object.
fn form(fields: Vec<Value>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields {
        let name = field["name"].as_str().unwrap_or_default().to_owned();
        if field["required"] == true {
            required.push(name.clone());
        }
        let mut schema = described(field)["schema"].take();
        if schema["type"] == "file" {
            schema = json!({"type": "string", "format": "binary"});
        }
        properties.insert(name, schema);
    }
    json!({"type": "object", "required": required, "properties": properties})
}

fn arrange_response(response: &mut Value, produces: &Value) {
    for header in objects(response, "headers") {
        *header = described(header.take());
    }
    if let Some(schema) = response.get("schema") {
        response["content"] = content(schema, produces);
    }
}

/// Repeats a schema for each media type.
fn content(schema: &Value, types: &Value) -> Value {
    let types = types.as_array().into_iter().flatten();
    let entry = |name: &Value| Some((name.as_str()?.to_owned(), json!({"schema": schema})));
    Value::Object(types.filter_map(entry).collect())
}

/// Returns the entries of a nested object.
fn objects<'v>(node: &'v mut Value, name: &str) -> impl Iterator<Item = &'v mut Value> {
    let entries = node.get_mut(name).and_then(Value::as_object_mut);
    entries.into_iter().flat_map(Map::values_mut)
}
