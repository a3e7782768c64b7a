//! JSON Schemas as the outside wants them. All functions are pure and expect the schemas of a
//! [`ToolSpec`](crate::ToolSpec): self-contained, draft 2020-12.

use serde_json::{Map, Value, json};

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
const ONE_OR_BOOLEAN: [&str; 2] = ["additionalProperties", "unevaluatedProperties"];

/// How far `$ref`s and combinations are followed before a schema counts as unknown.
const MAX_DEPTH: usize = 32;

/// Calls `visit` with every schema directly below this one.
fn each_child(schema: &mut Map<String, Value>, visit: &mut dyn FnMut(&str, &mut Value)) {
    for (keyword, value) in schema {
        let keyword = keyword.as_str();
        match value {
            Value::Object(table) if TABLE.contains(&keyword) => {
                table.values_mut().for_each(|child| visit(keyword, child));
            }
            Value::Array(list) if LIST.contains(&keyword) => {
                list.iter_mut().for_each(|child| visit(keyword, child));
            }
            value if ONE.contains(&keyword) || ONE_OR_BOOLEAN.contains(&keyword) => {
                visit(keyword, value);
            }
            _ => {}
        }
    }
}

/// Writes the schemas `true` and `false` as objects.
///
/// Several clients take a schema to be an object. `additionalProperties` and
/// `unevaluatedProperties` stay as they are: as booleans every client knows them.
pub(super) fn without_booleans(schema: &mut Value) {
    match schema {
        Value::Bool(true) => *schema = json!({}),
        Value::Bool(false) => *schema = json!({"not": {}}),
        Value::Object(object) => each_child(object, &mut |keyword, child| {
            if !(child.is_boolean() && ONE_OR_BOOLEAN.contains(&keyword)) {
                without_booleans(child);
            }
        }),
        _ => {}
    }
}

/// Whether every instance of the schema is an object, as far as the schema shows it.
pub(super) fn admits_objects_only(schema: &Value) -> bool {
    objects_only(schema, schema, MAX_DEPTH)
}

fn objects_only(schema: &Value, root: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    let all = |list: &Value| {
        let list = list.as_array().filter(|list| !list.is_empty());
        list.is_some_and(|list| list.iter().all(|one| objects_only(one, root, depth)))
    };
    let any = |list: &Value| {
        let list = list.as_array();
        list.is_some_and(|list| list.iter().any(|one| objects_only(one, root, depth)))
    };
    schema.get("type").is_some_and(|name| name == "object")
        || schema.get("const").is_some_and(Value::is_object)
        || schema.get("anyOf").is_some_and(all)
        || schema.get("oneOf").is_some_and(all)
        || schema.get("allOf").is_some_and(any)
        || referent(schema, root).is_some_and(|target| objects_only(target, root, depth))
}

/// What the `$ref` of the schema points at.
fn referent<'a>(schema: &Value, root: &'a Value) -> Option<&'a Value> {
    let pointer = schema.get("$ref")?.as_str()?.strip_prefix('#')?;
    root.pointer(pointer)
}

/// The schema of an object whose one property `name` is an instance of `schema`.
///
/// The definitions move to the new root, and every `$ref` still points at what it pointed at.
pub(super) fn wrapped(mut schema: Value, name: &str) -> Value {
    let place = format!("#/properties/{name}");
    move_references(&mut schema, &place);
    let definitions = schema
        .as_object_mut()
        .and_then(|schema| schema.shift_remove("$defs"));
    let mut outer = json!({
        "type": "object",
        "properties": {name: schema},
        "required": [name],
        "additionalProperties": false,
    });
    if let (Some(outer), Some(definitions)) = (outer.as_object_mut(), definitions) {
        outer.insert("$defs".to_owned(), definitions);
    }
    outer
}

/// Points the `$ref`s of a schema that moves to `place` there, except those into `$defs`.
fn move_references(schema: &mut Value, place: &str) {
    let Some(object) = schema.as_object_mut() else {
        return;
    };
    if let Some(Value::String(reference)) = object.get_mut("$ref")
        && let Some(pointer) = reference.strip_prefix('#')
        && !pointer.starts_with("/$defs/")
    {
        *reference = format!("{place}{pointer}");
    }
    each_child(object, &mut |_, child| move_references(child, place));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_seen_through_references_and_combinations() {
        let object = json!({"type": "object"});
        for schema in [
            object.clone(),
            json!({"$ref": "#/$defs/a", "$defs": {"a": object}}),
            json!({"anyOf": [object, {"$ref": "#/$defs/a"}], "$defs": {"a": object}}),
            json!({"allOf": [{"description": "any"}, object]}),
        ] {
            assert!(admits_objects_only(&schema), "{schema}");
        }
        for schema in [
            json!(true),
            json!({}),
            json!({"type": ["object", "null"]}),
            json!({"anyOf": [object, {"type": "null"}]}),
            json!({"anyOf": []}),
            json!({"$ref": "#"}),
            json!({"$ref": "#/$defs/absent"}),
        ] {
            assert!(!admits_objects_only(&schema), "{schema}");
        }
    }

    #[test]
    fn a_wrapped_schema_keeps_its_references() {
        let tree = json!({
            "type": "array",
            "items": {"anyOf": [{"$ref": "#"}, {"$ref": "#/$defs/leaf"}, {"$ref": "#/items"}]},
            "$defs": {"leaf": {"type": "string"}},
        });
        let outer = wrapped(tree, "result");
        assert_eq!(
            outer,
            json!({
                "type": "object",
                "properties": {"result": {
                    "type": "array",
                    "items": {"anyOf": [
                        {"$ref": "#/properties/result"},
                        {"$ref": "#/$defs/leaf"},
                        {"$ref": "#/properties/result/items"},
                    ]},
                }},
                "required": ["result"],
                "additionalProperties": false,
                "$defs": {"leaf": {"type": "string"}},
            })
        );
    }

    #[test]
    fn booleans_become_objects_only_where_they_are_schemas() {
        let mut schema = json!({
            "properties": {"any": true, "none": false, "flag": {"default": true, "const": true}},
            "items": true,
            "additionalProperties": false,
            "uniqueItems": true,
            "$defs": {"any": true},
        });
        without_booleans(&mut schema);
        assert_eq!(
            schema,
            json!({
                "properties": {
                    "any": {}, "none": {"not": {}}, "flag": {"default": true, "const": true},
                },
                "items": {},
                "additionalProperties": false,
                "uniqueItems": true,
                "$defs": {"any": {}},
            })
        );
    }
}
