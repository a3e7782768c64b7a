//! One schema in place of several that apply together.

use serde_json::{Map, Value, json};
use toolwright_schema::{Root, reference, walk_mut};

use super::{is_annotation, split_annotations};

/// The most times that the `allOf` of one schema is merged, since a part may have one, too.
const MOST_MERGES: usize = 32;

/// The deepest that two schemas are merged. A deeper pair stays apart.
const DEEPEST: usize = 32;

/// Keywords whose effect depends on their neighbours in a way that a merge does not follow.
const TOGETHER: [&str; 4] = [
    "patternProperties",
    "prefixItems",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Merges each `allOf` into the schema that contains it. One with a part that cannot be merged stays.
pub(in crate::render) fn without_all_of(schema: &mut Value) {
    let whole = schema.clone();
    let root = Root::new(&whole);
    walk_mut(schema, |_, schema| {
        for _ in 0..MOST_MERGES {
            match merged_parts(schema, root) {
                Some(one) => *schema = one,
                None => break,
            }
        }
    });
}

/// Returns a schema without its `allOf`, or `None` if it has none or a part cannot be merged.
fn merged_parts(schema: &Value, root: Root<'_>) -> Option<Value> {
    let mut own = schema.as_object()?.clone();
    let parts = own.shift_remove("allOf")?;
    let mut one = Value::Object(own);
    for part in parts.as_array()? {
        one = merged(&one, &with_target(part, root)?)?;
    }
    Some(one)
}

/// Returns a schema with the target of its reference merged into it.
fn with_target(schema: &Value, root: Root<'_>) -> Option<Value> {
    let Some(reference) = reference(schema) else {
        return Some(schema.clone());
    };
    let mut own = schema.as_object()?.clone();
    own.shift_remove("$ref");
    let target = root.target(reference)?;
    if target.get("$defs").is_some() {
        return None;
    }
    merged(&Value::Object(own), target)
}

/// Returns the schema of the values that both schemas accept, or `None` if it cannot be written without
/// `allOf`. The annotations of the first come first.
pub(in crate::render) fn merged(one: &Value, other: &Value) -> Option<Value> {
    merge(one, other, DEEPEST)
}

fn merge(one: &Value, other: &Value, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    match (one, other) {
        (Value::Bool(true), schema) | (schema, Value::Bool(true)) => Some(schema.clone()),
        (Value::Bool(false), _) | (_, Value::Bool(false)) => Some(Value::Bool(false)),
        (Value::Object(one), Value::Object(other)) => {
            merge_fields(one, other, depth).map(Value::Object)
        }
        _ => None,
    }
}

fn merge_fields(
    one: &Map<String, Value>,
    other: &Map<String, Value>,
    depth: usize,
) -> Option<Map<String, Value>> {
    let constrains = |fields: &Map<String, Value>| fields.keys().any(|key| !is_annotation(key));
    let entangled =
        |fields: &Map<String, Value>| TOGETHER.iter().any(|key| fields.contains_key(*key));
    if (entangled(one) && constrains(other)) || (entangled(other) && constrains(one)) {
        return None;
    }
    let mut all = one.clone();
    for (keyword, value) in other {
        let both = match (keyword.as_str(), one.get(keyword)) {
            ("properties" | "additionalProperties", _) => continue,
            (_, None) => value.clone(),
            (_, Some(own)) if own == value => continue,
            (keyword, Some(own)) => merge_keyword(keyword, own, value, depth)?,
        };
        all.insert(keyword.clone(), both);
    }
    merge_properties(one, other, &mut all, depth)?;
    Some(all)
}

/// Returns the value of a keyword that two schemas have with different values.
fn merge_keyword(keyword: &str, one: &Value, other: &Value, depth: usize) -> Option<Value> {
    let number = |value: &Value| value.as_f64();
    Some(match keyword {
        _ if is_annotation(keyword) => one.clone(),
        "type" => merge_types(one, other)?,
        "enum" => {
            let others = other.as_array()?;
            let common = one
                .as_array()?
                .iter()
                .filter(|value| others.contains(value));
            let common: Vec<_> = common.cloned().collect();
            (!common.is_empty()).then(|| json!(common))?
        }
        "required" => {
            let mut names = one.as_array()?.clone();
            let others = other.as_array()?.iter();
            names.extend(
                others
                    .filter(|name| !one.as_array().is_some_and(|all| all.contains(name)))
                    .cloned(),
            );
            names.into()
        }
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => {
            if number(one)? < number(other)? {
                other
            } else {
                one
            }
            .clone()
        }
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
            if number(one)? > number(other)? {
                other
            } else {
                one
            }
            .clone()
        }
        "uniqueItems" => Value::Bool(true),
        "items" | "propertyNames" => merge(one, other, depth)?,
        _ => return None,
    })
}

/// Returns the types that both schemas admit.
fn merge_types(one: &Value, other: &Value) -> Option<Value> {
    let list = |value: &Value| match value {
        Value::Array(names) => names.clone(),
        name => vec![name.clone()],
    };
    let (one, other) = (list(one), list(other));
    let admits = |types: &[Value], name: &Value| {
        types.contains(name) || (name == "integer" && types.iter().any(|name| name == "number"))
    };
    let mut common: Vec<Value> = Vec::new();
    for name in one.iter().chain(&other) {
        if admits(&one, name) && admits(&other, name) && !common.contains(name) {
            common.push(name.clone());
        }
    }
    match common.len() {
        0 => None,
        1 => common.pop(),
        _ => Some(common.into()),
    }
}

/// Merges the properties. One that a single schema declares also obeys the `additionalProperties` of
/// the other.
fn merge_properties(
    one: &Map<String, Value>,
    other: &Map<String, Value>,
    all: &mut Map<String, Value>,
    depth: usize,
) -> Option<()> {
    let empty = Map::new();
    let declared = |fields: &'_ Map<String, Value>| fields.get("properties").cloned();
    let (first, second) = (declared(one), declared(other));
    let first = first.as_ref().and_then(Value::as_object).unwrap_or(&empty);
    let second = second.as_ref().and_then(Value::as_object).unwrap_or(&empty);
    let open = Value::Bool(true);
    let rest =
        |fields: &Map<String, Value>| fields.get("additionalProperties").unwrap_or(&open).clone();
    let (rest_of_one, rest_of_other) = (rest(one), rest(other));
    let mut properties = Map::new();
    for (name, schema) in first {
        let there = second.get(name).unwrap_or(&rest_of_other);
        properties.insert(name.clone(), merge(schema, there, depth)?);
    }
    for (name, schema) in second.iter().filter(|(name, _)| !first.contains_key(*name)) {
        properties.insert(name.clone(), merge(schema, &rest_of_one, depth)?);
    }
    // A property that no value can have is one that is not declared, if there are no others.
    let others = merge(&rest_of_one, &rest_of_other, depth)?;
    if others == Value::Bool(false) {
        let required = all.get("required").and_then(Value::as_array);
        let required =
            |name: &str| required.is_some_and(|names| names.iter().any(|own| own == name));
        if properties
            .iter()
            .any(|(name, schema)| schema == false && required(name))
        {
            return None;
        }
        properties.retain(|_, schema| schema != false);
    }
    if !properties.is_empty() || !first.is_empty() || !second.is_empty() {
        all.insert("properties".to_owned(), properties.into());
    }
    if others != Value::Bool(true) {
        all.insert("additionalProperties".to_owned(), others);
    }
    Some(())
}

/// Returns each alternative of `anyOf` together with the rest of the schema, and the annotations of
/// the schema. Returns `None` if it has no alternatives, or they cannot be merged with the rest.
pub(in crate::render) fn distributed(
    fields: &Map<String, Value>,
) -> Option<(Map<String, Value>, Vec<Value>)> {
    let mut own = fields.clone();
    let variants = own.shift_remove("anyOf")?;
    let (annotations, rest) = split_annotations(own);
    let rest = Value::Object(rest);
    let variants = variants.as_array()?.iter();
    let variants: Option<Vec<Value>> = variants.map(|variant| merged(variant, &rest)).collect();
    Some((annotations, variants?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_that_apply_together_become_one() {
        let mut schema = json!({
            "description": "own",
            "allOf": [
                {"$ref": "#/$defs/Base"},
                {"properties": {"b": {"maximum": 5}, "c": {"type": "string"}}, "required": ["c"]},
            ],
            "$defs": {"Base": {
                "type": "object", "description": "base", "required": ["a"],
                "allOf": [{"properties": {"a": {"type": ["integer", "null"]}}}],
                "properties": {"a": {"type": "number"}, "b": {"type": "integer", "maximum": 9}},
            }},
        });
        without_all_of(&mut schema);
        schema.as_object_mut().unwrap().remove("$defs");
        assert_eq!(
            schema,
            json!({
                "description": "own",
                "type": "object",
                "required": ["a", "c"],
                "properties": {
                    "a": {"type": "integer"},
                    "b": {"type": "integer", "maximum": 5},
                    "c": {"type": "string"},
                },
            })
        );
    }

    #[test]
    fn a_closed_part_closes_the_others() {
        let closed = json!({"properties": {"a": {}}, "additionalProperties": false});
        let open = json!({"properties": {"a": {"type": "string"}, "b": {}}});
        assert_eq!(
            merged(&closed, &open),
            Some(json!({"properties": {"a": {"type": "string"}}, "additionalProperties": false}))
        );
        let required = json!({"properties": {"b": {}}, "required": ["b"]});
        assert_eq!(merged(&closed, &required), None);
    }

    #[test]
    fn what_cannot_be_merged_stays() {
        let circle = json!({"allOf": [{"$ref": "#"}]});
        for schema in [
            json!({"pattern": "a", "allOf": [{"pattern": "b"}]}),
            json!({"allOf": [{"patternProperties": {"^x": {}}}, {"properties": {"x": {"type": "null"}}}]}),
            json!({"anyOf": [{"type": "null"}], "allOf": [{"anyOf": [{"type": "string"}]}]}),
            json!({"type": "string", "allOf": [{"type": "object"}]}),
            json!({"allOf": [{"$ref": "#/$defs/none"}]}),
        ] {
            let mut merged = schema.clone();
            without_all_of(&mut merged);
            assert_eq!(merged, schema);
        }
        let mut merged = circle;
        without_all_of(&mut merged);
        assert!(merged.get("allOf").is_some());
    }
}
