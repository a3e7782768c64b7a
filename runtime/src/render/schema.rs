//! JSON Schemas as the outside wants them. All functions are pure and expect the schemas of a
//! [`ToolSpec`](crate::ToolSpec): self-contained, draft 2020-12.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use toolwright_model::ToolSchema;
use toolwright_schema::{
    Root, SharedDefinitions, definition_name, map_references, reference, walk_mut,
};

/// The depth to which `$ref`s and combinations are followed before a schema counts as unknown.
const MAX_DEPTH: usize = 32;

/// The keywords whose schema every client knows as a boolean, too.
const BOOLEANS: [&str; 2] = ["additionalProperties", "unevaluatedProperties"];

/// Writes the schemas `true` and `false` as objects.
///
/// Several clients expect every schema to be an object. `additionalProperties` and
/// `unevaluatedProperties` stay unchanged.
pub(super) fn without_booleans(schema: &mut Value) {
    walk_mut(schema, |keyword, schema| match schema {
        _ if keyword.is_some_and(|keyword| BOOLEANS.contains(&keyword)) => {}
        Value::Bool(true) => *schema = json!({}),
        Value::Bool(false) => *schema = json!({"not": {}}),
        _ => {}
    });
}

/// Writes each list of types as alternatives of one type, which admit the same values.
///
/// Several clients expect `type` to be a string. The other keywords stay in their place, so every
/// `$ref` keeps its target. The root stays unchanged.
pub(super) fn with_single_types(schema: &mut Value) {
    walk_mut(schema, |keyword, schema| {
        if keyword.is_none() {
            return;
        }
        let Some(fields) = schema.as_object_mut() else {
            return;
        };
        let alternatives: Value = match fields.get("type").and_then(Value::as_array) {
            None => return,
            Some(types) => match types.as_slice() {
                [] => return,
                [only] => {
                    let only = only.clone();
                    fields.insert("type".to_owned(), only);
                    return;
                }
                types => types.iter().map(|one| json!({"type": one})).collect(),
            },
        };
        fields.shift_remove("type");
        add_alternatives(fields, alternatives);
    });
}

/// Adds alternatives to a schema: as its `anyOf`, or as a part of its `allOf` if it has one already.
pub(super) fn add_alternatives(fields: &mut Map<String, Value>, alternatives: Value) {
    if !fields.contains_key("anyOf") {
        fields.insert("anyOf".to_owned(), alternatives);
        return;
    }
    let own = json!({"anyOf": alternatives});
    match fields.get_mut("allOf").and_then(Value::as_array_mut) {
        Some(all) => all.push(own),
        None => drop(fields.insert("allOf".to_owned(), json!([own]))),
    }
}

/// Removes `items` that admit any element: an array without `items` admits the same.
pub(super) fn without_open_items(schema: &mut Value) {
    walk_mut(schema, |_, schema| {
        if let Some(fields) = schema.as_object_mut()
            && fields.get("items").is_some_and(|items| *items == json!({}))
        {
            fields.shift_remove("items");
        }
    });
}

/// Removes a description that another class of objects has already. Document generators often copy the description of a
/// base class to every class that has none.
pub(super) fn without_repetition(schema: &mut Value) {
    let mut known = BTreeSet::new();
    walk_mut(schema, |_, schema| {
        let Some(fields) = schema.as_object_mut() else {
            return;
        };
        if fields.contains_key("properties")
            && let Some(Value::String(text)) = fields.get("description")
            && !known.insert(text.clone())
        {
            fields.shift_remove("description");
        }
    });
}

/// Returns whether every instance of the schema is an object, as far as the schema shows it.
pub(super) fn admits_objects_only(schema: &ToolSchema) -> bool {
    let mut search = Search {
        root: Root::new(schema.root()),
        shared: schema.shared(),
        known: BTreeMap::new(),
    };
    search.objects_only(schema.root(), MAX_DEPTH)
}

/// A search through schemas that may refer to one another many times.
struct Search<'a> {
    root: Root<'a>,
    shared: &'a SharedDefinitions,
    /// The results for targets of references, including those in progress.
    known: BTreeMap<&'a str, bool>,
}

impl<'a> Search<'a> {
    fn objects_only(&mut self, schema: &'a Value, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let list = |keyword| schema.get(keyword).and_then(Value::as_array);
        let named = |key: &str, is: fn(&Value) -> bool| schema.get(key).is_some_and(is);
        if named("type", |name| name == "object") || named("const", Value::is_object) {
            return true;
        }
        for keyword in ["anyOf", "oneOf"] {
            let variants = list(keyword).filter(|variants| !variants.is_empty());
            if variants.is_some_and(|all| all.iter().all(|one| self.objects_only(one, depth))) {
                return true;
            }
        }
        if list("allOf").is_some_and(|all| all.iter().any(|one| self.objects_only(one, depth))) {
            return true;
        }
        self.target_is(schema, depth)
    }

    /// Returns whether the schema's reference admits objects only. Each target is checked once.
    fn target_is(&mut self, schema: &'a Value, depth: usize) -> bool {
        let Some(reference) = reference(schema) else {
            return false;
        };
        if let Some(known) = self.known.get(reference) {
            return *known;
        }
        self.known.insert(reference, false);
        let shared = definition_name(schema).and_then(|name| self.shared.get(name));
        let target = shared.or_else(|| self.root.target(reference));
        let found = target.is_some_and(|target| self.objects_only(target, depth));
        self.known.insert(reference, found);
        found
    }
}

/// The schema of an object whose one property `name` is an instance of `schema`.
///
/// The definitions move to the new root, and every `$ref` still has the same target.
pub(super) fn wrapped(mut schema: Value, name: &str) -> Value {
    let place = format!("#/properties/{name}");
    map_references(&mut schema, |reference| {
        let pointer = reference.strip_prefix('#')?;
        let moves = !pointer.starts_with("/$defs/");
        moves.then(|| format!("{place}{pointer}"))
    });
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
            assert!(admits_objects_only(&schema.clone().into()), "{schema}");
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
            assert!(!admits_objects_only(&schema.clone().into()), "{schema}");
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
    fn items_that_admit_anything_are_removed() {
        let mut schema = json!({"items": {"type": "array", "items": {}}, "const": {"items": {}}});
        without_open_items(&mut schema);
        let expected = json!({"items": {"type": "array"}, "const": {"items": {}}});
        assert_eq!(schema, expected);
    }

    #[test]
    fn the_description_of_a_base_class_is_shown_once() {
        let class = |name: &str| json!({"type": "object", "description": "Base.", "properties": {name: {"description": "Base."}}});
        let mut schema =
            json!({"properties": {"a": class("x"), "b": class("y")}, "$defs": {"c": class("z")}});
        without_repetition(&mut schema);
        let mut expected =
            json!({"properties": {"a": class("x"), "b": class("y")}, "$defs": {"c": class("z")}});
        for pointer in ["/properties/b", "/$defs/c"] {
            let class = expected.pointer_mut(pointer).unwrap();
            class.as_object_mut().unwrap().remove("description");
        }
        assert_eq!(schema, expected);
    }

    #[test]
    fn lists_of_types_become_alternatives() {
        let mut schema = json!({
            "type": ["object", "null"],
            "properties": {
                "name": {"type": ["string", "null"], "maxLength": 9, "description": "A name."},
                "one": {"type": ["string"]},
                "none": {"type": []},
                "both": {"type": ["string", "integer"], "anyOf": [{"const": 1}, {"const": "1"}]},
                "all": {"type": ["string", "null"], "anyOf": [{}], "allOf": [{"minLength": 1}]},
                "type": {"items": {"type": ["array", "null"], "items": {"type": ["number", "null"]}}},
            },
            "default": {"type": ["a", "b"]},
        });
        with_single_types(&mut schema);
        let nullable = |name: &str| json!([{"type": name}, {"type": "null"}]);
        assert_eq!(
            schema,
            json!({
                "type": ["object", "null"],
                "properties": {
                    "name": {"maxLength": 9, "description": "A name.", "anyOf": nullable("string")},
                    "one": {"type": "string"},
                    "none": {"type": []},
                    "both": {
                        "anyOf": [{"const": 1}, {"const": "1"}],
                        "allOf": [{"anyOf": [{"type": "string"}, {"type": "integer"}]}],
                    },
                    "all": {
                        "anyOf": [{}],
                        "allOf": [{"minLength": 1}, {"anyOf": nullable("string")}],
                    },
                    "type": {"items": {
                        "items": {"anyOf": nullable("number")},
                        "anyOf": nullable("array"),
                    }},
                },
                "default": {"type": ["a", "b"]},
            })
        );
    }

    #[test]
    fn booleans_become_objects_only_if_they_are_schemas() {
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
