//! The schemas that a JSON Schema of the draft 2020-12 holds.

use serde_json::{Map, Value};

/// The keywords whose value is one schema.
const ONE: [&str; 9] = [
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
];

/// The keywords whose value is a list of schemas.
const LIST: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/// The keywords whose value is a table of schemas by name.
const TABLE: [&str; 4] = [
    "$defs",
    "dependentSchemas",
    "patternProperties",
    "properties",
];

/// The keywords whose value is one schema and which clients know as a boolean too.
pub const ONE_OR_BOOLEAN: [&str; 2] = ["additionalProperties", "unevaluatedProperties"];

/// Calls `visit` with every schema directly below this one and the keyword that holds it.
pub fn each<'a>(schema: &'a Map<String, Value>, visit: &mut dyn FnMut(&'a str, &'a Value)) {
    for (keyword, value) in schema {
        let keyword = keyword.as_str();
        match value {
            Value::Object(table) if TABLE.contains(&keyword) => {
                table.values().for_each(|child| visit(keyword, child));
            }
            Value::Array(list) if LIST.contains(&keyword) => {
                list.iter().for_each(|child| visit(keyword, child));
            }
            value if holds_one(keyword) => visit(keyword, value),
            _ => {}
        }
    }
}

/// Calls `visit` with every schema directly below this one and the keyword that holds it.
pub fn each_mut(schema: &mut Map<String, Value>, visit: &mut dyn FnMut(&str, &mut Value)) {
    for (keyword, value) in schema {
        let keyword = keyword.as_str();
        match value {
            Value::Object(table) if TABLE.contains(&keyword) => {
                table.values_mut().for_each(|child| visit(keyword, child));
            }
            Value::Array(list) if LIST.contains(&keyword) => {
                list.iter_mut().for_each(|child| visit(keyword, child));
            }
            value if holds_one(keyword) => visit(keyword, value),
            _ => {}
        }
    }
}

/// Returns the schema and all schemas below it. It does not recurse.
pub fn all(schema: &Value) -> Vec<&Map<String, Value>> {
    let mut found = Vec::new();
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        if let Value::Object(schema) = schema {
            found.push(schema);
            each(schema, &mut |_, child| open.push(child));
        }
    }
    found
}

fn holds_one(keyword: &str) -> bool {
    ONE.contains(&keyword) || ONE_OR_BOOLEAN.contains(&keyword)
}
