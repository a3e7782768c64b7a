//! Whether an example is valid by its own schema.

use std::collections::BTreeMap;

use jsonschema::{Draft, Registry, Validator};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use super::found::Found;

/// What the document is called among resources.
const DOCUMENT: &str = "urn:document";

/// What a JSON pointer may have in a URI's fragment as it is.
const FRAGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'~').remove(b'-').remove(b'_');

/// The validators of a document's schemas.
pub(super) struct Validity {
    /// The document, its schemas in the words of 2020-12.
    registry: Result<Registry<'static>, String>,
    known: BTreeMap<String, Result<Validator, String>>,
}

impl Validity {
    pub(super) fn of(document: &Value, version: &str) -> Self {
        let mut document = document.clone();
        if !version.starts_with("3.1") && !version.starts_with("3.2") {
            modernise(&mut document, false);
        }
        let resource = Draft::Draft202012.create_resource(document);
        let registry = Registry::new().add(DOCUMENT, resource);
        Self {
            registry: registry
                .and_then(|registry| registry.prepare())
                .map_err(|error| error.to_string()),
            known: BTreeMap::new(),
        }
    }

    /// Whether an example is valid.
    ///
    /// # Errors
    /// When the schema cannot be judged by, and why.
    pub(super) fn of_example(&mut self, found: &Found<'_>) -> Result<bool, String> {
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

/// Turns the schemas of OpenAPI 3.0 and Swagger 2.0 into those of 2020-12.
fn modernise(node: &mut Value, is_named: bool) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(|item| modernise(item, false)),
        Value::Object(fields) => {
            if !is_named {
                keywords(fields);
            }
            for (key, field) in fields {
                let is_data = ["example", "examples", "default", "enum"].contains(&key.as_str());
                if is_named || !is_data {
                    modernise(field, key == "properties" && !is_named);
                }
            }
        }
        _ => {}
    }
}

fn keywords(schema: &mut Map<String, Value>) {
    if let Some(reference @ Value::String(_)) = schema.get("$ref").cloned() {
        // What stands beside a reference says nothing.
        schema.clear();
        schema.insert("$ref".to_owned(), reference);
        return;
    }
    for (flag, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
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
    // Of a parameter that is its own schema it says something else.
    if schema.get("required").is_some_and(Value::is_boolean) {
        schema.remove("required");
    }
    if schema.get("type") == Some(&"file".into()) {
        schema.remove("type");
    }
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
