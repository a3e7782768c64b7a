//! Validates examples against their own schemas.
//!
//! A schema with properties and no `type` is treated as an object schema. By the specification it
//! accepts any other value: `{properties: {id: …}, default: "off"}` would be valid.

use std::collections::BTreeMap;

use jsonschema::{Draft, Registry, Validator};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use super::found::Found;

/// The URI of the document in the registry.
const DOCUMENT: &str = "urn:document";

/// Encodes everything in a URI fragment except the characters of JSON pointers.
const FRAGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'~')
    .remove(b'-')
    .remove(b'_');

/// The validators of a document's schemas.
pub(super) struct Validity {
    /// The document with its schemas converted to 2020-12.
    registry: Result<Registry<'static>, String>,
    known: BTreeMap<String, Result<Validator, String>>,
}

impl Validity {
    pub(super) fn new(document: &Value, version: &str) -> Self {
        let mut document = document.clone();
        let is_old = !version.starts_with("3.1") && !version.starts_with("3.2");
        let spell = if is_old { modernise } else { add_object_type };
        each_schema(&mut document, false, &spell);
        let resource = Draft::Draft202012.create_resource(document);
        let registry = Registry::new().add(DOCUMENT, resource);
        Self {
            registry: registry
                .and_then(|registry| registry.prepare())
                .map_err(|error| error.to_string()),
            known: BTreeMap::new(),
        }
    }

    /// Returns true if an example is valid.
    ///
    /// # Errors
    /// If the schema cannot be compiled.
    pub(super) fn is_valid(&mut self, found: &Found<'_>) -> Result<bool, String> {
        if !self.known.contains_key(&found.schema) {
            let validator = match &self.registry {
                Err(why) => Err(why.clone()),
                Ok(registry) => validator(registry, &found.schema),
            };
            self.known.insert(found.schema.clone(), validator);
        }
        match &self.known[&found.schema] {
            Err(why) => Err(why.clone()),
            Ok(validator) => Ok(validator.is_valid(found.example)),
        }
    }
}

fn validator(registry: &Registry<'static>, pointer: &str) -> Result<Validator, String> {
    let fragment = utf8_percent_encode(pointer, FRAGMENT);
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .with_registry(registry)
        .build(&json!({"$ref": format!("{DOCUMENT}#{fragment}")}))
        .map_err(|error| error.to_string())
}

/// Applies `act` to every node that may be a schema.
fn each_schema(node: &mut Value, is_named: bool, act: &impl Fn(&mut Map<String, Value>)) {
    match node {
        Value::Array(items) => {
            for item in items {
                each_schema(item, false, act);
            }
        }
        Value::Object(fields) => {
            if !is_named {
                act(fields);
            }
            for (key, field) in fields {
                let is_data = ["example", "examples", "default", "enum"].contains(&key.as_str());
                if is_named || !is_data {
                    each_schema(field, key == "properties" && !is_named, act);
                }
            }
        }
        _ => {}
    }
}

/// Adds the implied `type: object`.
fn add_object_type(schema: &mut Map<String, Value>) {
    if schema.get("properties").is_some_and(Value::is_object) && !schema.contains_key("type") {
        schema.insert("type".to_owned(), "object".into());
    }
}

/// Converts a schema of OpenAPI 3.0 or Swagger 2.0 to 2020-12.
fn modernise(schema: &mut Map<String, Value>) {
    if let Some(reference @ Value::String(_)) = schema.get("$ref").cloned() {
        // Keywords next to a reference have no effect.
        schema.clear();
        schema.insert("$ref".to_owned(), reference);
        return;
    }
    for (flag, bound) in [
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ] {
        match schema.get(flag) {
            Some(Value::Bool(true)) => {
                schema.remove(flag);
                if let Some(limit) = schema.remove(bound) {
                    schema.insert(flag.to_owned(), limit);
                }
            }
            Some(Value::Bool(false)) => {
                schema.remove(flag);
            }
            _ => {}
        }
    }
    // The `required` of a Swagger 2.0 parameter lists no properties.
    if schema.get("required").is_some_and(Value::is_boolean) {
        schema.remove("required");
    }
    if schema.get("type") == Some(&"file".into()) {
        schema.remove("type");
    }
    add_object_type(schema);
    let is_nullable = ["nullable", "x-nullable"]
        .iter()
        .any(|key| schema.get(*key) == Some(&true.into()));
    if let (true, Some(Value::String(word))) = (is_nullable, schema.get("type")) {
        let words = json!([word, "null"]);
        schema.insert("type".to_owned(), words);
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.push(Value::Null);
        }
    }
}
