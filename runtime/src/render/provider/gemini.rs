//! Schemas for Gemini, which reads a part of JSON Schema and ignores the rest.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use toolwright_schema::{Definitions, definition_name, reference, required, type_of, walk_mut};

use super::super::rewrite::{Arguments, inlined, is_annotation, prune, restrict, without_all_of};
use crate::ToolSpec;

/// The keywords that Gemini reads.
const KEPT: [&str; 20] = [
    "$anchor",
    "$defs",
    "$id",
    "$ref",
    "additionalProperties",
    "anyOf",
    "description",
    "enum",
    "format",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "oneOf",
    "prefixItems",
    "properties",
    "required",
    "title",
    "type",
];

/// The keywords that it does not, or not with every value.
pub(super) const DROPPED: [&str; 26] = [
    "allOf",
    "const",
    "contains",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "if",
    "maxContains",
    "maxLength",
    "maxProperties",
    "minContains",
    "minLength",
    "minProperties",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
];

/// Returns the `parametersJsonSchema`.
pub(super) fn schema(spec: &ToolSpec) -> Value {
    let mut schema = Arguments::new(spec).schema;
    without_all_of(&mut schema);
    if has_required_circle(&schema) {
        schema = inlined(&schema);
        without_all_of(&mut schema);
    }
    walk_mut(&mut schema, |_, schema| {
        if let Some(fields) = schema.as_object_mut() {
            rewrite(fields);
        }
    });
    restrict(&mut schema, is_kept);
    prune(&mut schema);
    schema
}

/// Writes a schema with the keywords that Gemini knows, as far as they can express it.
fn rewrite(fields: &mut Map<String, Value>) {
    if let Some(value) = fields.get("const").filter(|value| is_listed(value)) {
        let value = value.clone();
        fields.shift_remove("const");
        let name = type_of(&value);
        fields.entry("type").or_insert_with(|| name.into());
        fields.entry("enum").or_insert_with(|| json!([value]));
    }
    let is_integer = fields.get("type").is_some_and(|name| name == "integer");
    for (exclusive, inclusive, step) in [
        ("exclusiveMinimum", "minimum", 1),
        ("exclusiveMaximum", "maximum", -1),
    ] {
        let bound = fields.get(exclusive).and_then(Value::as_i64);
        if let (true, Some(bound), false) = (is_integer, bound, fields.contains_key(inclusive)) {
            fields.shift_remove(exclusive);
            fields.insert(inclusive.to_owned(), bound.saturating_add(step).into());
        }
    }
    split_null(fields);
    // A `$ref` has no neighbours, except for those that begin with `$`.
    if fields.keys().any(|keyword| !keyword.starts_with('$'))
        && !fields.contains_key("anyOf")
        && let Some(reference) = fields.shift_remove("$ref")
    {
        fields.insert("anyOf".to_owned(), json!([{"$ref": reference}]));
    }
}

/// Writes an `enum` with null as two alternatives, since an `enum` lists strings and numbers.
fn split_null(fields: &mut Map<String, Value>) {
    let Some(values) = fields.get("enum").and_then(Value::as_array) else {
        return;
    };
    let (listed, others): (Vec<&Value>, Vec<&Value>) =
        values.iter().partition(|value| is_listed(value));
    let listed: Vec<&Value> = listed
        .into_iter()
        .filter(|value| admits(fields, value))
        .collect();
    let is_nullable = others.iter().all(|value| value.is_null()) && !others.is_empty();
    if !is_nullable || listed.is_empty() || fields.contains_key("anyOf") {
        return;
    }
    let admits_null = admits(fields, &Value::Null);
    let mut names: Vec<&str> = listed.iter().map(|value| type_of(value)).collect();
    names.dedup();
    let mut valued = json!({"enum": listed});
    if let ([name], Some(valued)) = (names.as_slice(), valued.as_object_mut()) {
        valued.insert("type".to_owned(), json!(name));
    }
    let mut variants = vec![valued];
    if admits_null {
        variants.push(json!({"type": "null"}));
    }
    fields.shift_remove("enum");
    fields.shift_remove("type");
    fields.insert("anyOf".to_owned(), variants.into());
}

/// Checks whether the type of a schema, if it declares one, is that of a value.
fn admits(fields: &Map<String, Value>, value: &Value) -> bool {
    let own = type_of(value);
    let is_own = |name: &Value| name == own || (name == "number" && own == "integer");
    match fields.get("type") {
        None => true,
        Some(Value::Array(names)) => names.iter().any(is_own),
        Some(name) => is_own(name),
    }
}

fn is_listed(value: &Value) -> bool {
    value.is_string() || value.is_number()
}

fn is_kept(keyword: &str, value: &Value, fields: &Map<String, Value>) -> bool {
    match keyword {
        "enum" => value
            .as_array()
            .is_some_and(|all| all.iter().all(is_listed)),
        keyword if keyword.starts_with('$') => KEPT.contains(&keyword),
        _ if fields.contains_key("$ref") => false,
        "anyOf" => true,
        keyword => {
            KEPT.contains(&keyword)
                && (keyword == "description" || keyword == "title" || !is_annotation(keyword))
        }
    }
}

/// Checks whether a definition contains itself without an optional property between. Gemini follows
/// such a circle only through optional properties.
fn has_required_circle(schema: &Value) -> bool {
    let Some(table) = schema.get("$defs").and_then(Value::as_object) else {
        return false;
    };
    let definitions = Definitions::new(table);
    table.keys().any(|name| {
        let mut seen = BTreeSet::new();
        let mut open = vec![name.as_str()];
        while let Some(next) = open.pop() {
            let Some(definition) = definitions.get(next) else {
                continue;
            };
            for name_below in needed(definition) {
                if name_below == name {
                    return true;
                }
                if seen.insert(name_below) {
                    open.push(name_below);
                }
            }
        }
        false
    })
}

/// Returns the definitions that a schema refers to other than through an optional property.
fn needed(schema: &Value) -> Vec<&str> {
    let mut names = Vec::new();
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        names.extend(definition_name(schema).filter(|_| reference(schema).is_some()));
        let needs: BTreeSet<&str> = required(schema).collect();
        for (keyword, value) in schema.as_object().into_iter().flatten() {
            match (keyword.as_str(), value) {
                ("properties", Value::Object(table)) => {
                    let table = table
                        .iter()
                        .filter(|(name, _)| needs.contains(name.as_str()));
                    open.extend(table.map(|(_, schema)| schema));
                }
                ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(all)) => {
                    open.extend(all)
                }
                ("items" | "additionalProperties", schema) => open.push(schema),
                _ => {}
            }
        }
    }
    names
}
