//! The JSON Schema of overlays, for editors: made of the reader's own table of keys.

use serde_json::{Map, Value, json};

use super::keys::{HINTS, OPERATION, PIN, ROOT, Rule, SERVER, Shape, Table};

/// The JSON Schema (2020-12) of overlays. It refuses what the reader refuses for its form; what
/// needs the document, such as a selector that matches nothing, is not its business.
#[must_use]
pub fn schema() -> Value {
    let tables = [&OPERATION, &SERVER, &PIN, &HINTS];
    let definitions: Map<String, Value> = tables
        .into_iter()
        .map(|inner| (inner.name.to_owned(), table(inner)))
        .collect();
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Toolwright overlay",
        "description": "Curation beside the specification of a service.",
    });
    if let (Some(fields), Value::Object(root)) = (schema.as_object_mut(), table(&ROOT)) {
        fields.extend(root);
        fields.insert("$defs".to_owned(), definitions.into());
    }
    schema
}

fn table(table: &Table) -> Value {
    let properties: Map<String, Value> = table
        .keys
        .iter()
        .map(|key| {
            let mut schema = shape(&key.shape);
            if let Some(fields) = schema.as_object_mut() {
                fields.insert("description".to_owned(), key.about.into());
            }
            (key.name.to_owned(), schema)
        })
        .collect();
    let mut schema = json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    let rules: Vec<Value> = table.rules.iter().flat_map(rule).collect();
    if let (Some(fields), false) = (schema.as_object_mut(), rules.is_empty()) {
        fields.insert("allOf".to_owned(), rules.into());
    }
    schema
}

fn shape(shape: &Shape) -> Value {
    match shape {
        Shape::Text => json!({"type": "string", "pattern": "\\S"}),
        Shape::Pattern(pattern, None) => json!({"type": "string", "pattern": pattern}),
        Shape::Pattern(pattern, Some(longest)) => {
            json!({"type": "string", "pattern": pattern, "maxLength": longest})
        }
        Shape::Words(words) => json!({"enum": words()}),
        Shape::Boolean => json!({"type": "boolean"}),
        Shape::Index => json!({"type": "integer", "minimum": 0}),
        Shape::Texts => json!({"type": "array", "items": {"type": "string"}}),
        Shape::TextsByName => {
            json!({"type": "object", "additionalProperties": {"type": "string"}})
        }
        Shape::ReasonsByName => json!({
            "type": "object",
            "additionalProperties": {"type": "string", "pattern": "\\S"},
        }),
        Shape::Table(table) => reference(table),
        Shape::TablesByName(table) => {
            json!({"type": "object", "additionalProperties": reference(table)})
        }
        Shape::Any => json!({}),
    }
}

fn reference(table: &Table) -> Value {
    json!({"$ref": format!("#/$defs/{}", table.name)})
}

fn rule(rule: &Rule) -> Vec<Value> {
    let required = |name: &&str| json!({"required": [name]});
    match rule {
        Rule::ExactlyOne(names) => {
            let each: Vec<Value> = names.iter().map(required).collect();
            vec![json!({"oneOf": each})]
        }
        Rule::Needs(key, names) => {
            let mut any = vec![json!({"not": {"required": [key]}})];
            any.extend(names.iter().map(required));
            vec![json!({"anyOf": any})]
        }
        Rule::AtMostOne(names) => {
            let pairs = names.iter().enumerate().flat_map(|(index, one)| {
                let others = names.iter().skip(index + 1);
                others.map(move |other| json!({"not": {"required": [one, other]}}))
            });
            pairs.collect()
        }
    }
}
