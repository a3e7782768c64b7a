//! Deterministic examples of JSON Schemas.
//!
//! A schema may have constraints that are hard to satisfy directly, such as exactly one of two
//! properties. There are several attempts: each takes other branches of a choice, and the first
//! also uses the examples in the schema. A caller that needs a valid value checks the attempts with
//! a validator.

mod flat;
mod number;
mod text;

use flat::Flat;
use serde_json::{Map, Value, json};

/// The depth limit of optional parts, for schemas that contain themselves.
const DEEPEST: usize = 4;
/// The depth limit of required parts.
const BOTTOM: usize = 16;
/// The number of attempts.
const ATTEMPTS: usize = 6;

/// The extent of an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Only the required parts.
    Least,
    /// Every property, and one element in every array.
    Most,
}

/// Returns the first attempt at a value of the schema, whose `$ref`s point into its own `$defs`.
#[must_use]
pub fn example(schema: &Value, extent: Extent) -> Value {
    attempt(schema, extent, 0)
}

/// Returns attempts at a value of the schema, the likeliest first.
pub fn examples(schema: &Value, extent: Extent) -> impl Iterator<Item = Value> {
    (0..ATTEMPTS).map(move |turn| attempt(schema, extent, turn))
}

fn attempt(schema: &Value, extent: Extent, turn: usize) -> Value {
    let example = Example {
        root: schema,
        extent,
        turn,
    };
    example.build(&[schema], 0)
}

struct Example<'a> {
    root: &'a Value,
    extent: Extent,
    /// The number of the attempt, which selects the branches.
    turn: usize,
}

impl<'a> Example<'a> {
    fn build(&self, schemas: &[&'a Value], depth: usize) -> Value {
        if depth > BOTTOM {
            return Value::Null;
        }
        let flat = Flat::new(self.root, schemas, self.turn);
        if let Some(value) = flat.fixed_value(self.turn == 0) {
            return value;
        }
        match flat.kind() {
            Some("string") => text::example(&flat).into(),
            Some("integer") => number::example(&flat, true),
            Some("number") => number::example(&flat, false),
            Some("boolean") => true.into(),
            Some("array") => self.array(&flat, depth),
            Some("object") => self.object(&flat, depth),
            Some("null") => Value::Null,
            _ => json!("anything"),
        }
    }

    fn array(&self, flat: &Flat<'a>, depth: usize) -> Value {
        let first: Vec<_> = match flat.get("prefixItems") {
            Some(Value::Array(schemas)) => schemas.iter().collect(),
            _ => Vec::new(),
        };
        // An empty array or object may have no representation in a request.
        let all = self.extent == Extent::Most || self.turn > 0;
        let wanted = usize::from(all && depth < DEEPEST);
        let most = flat.count("maxItems").unwrap_or(usize::MAX);
        let length = flat.count("minItems").unwrap_or(0).max(wanted).min(most);
        let items = flat.get("items");
        let element = |index: usize| {
            let schema = first.get(index).copied().or(items);
            let turn = self.turn
                + if flat.is_true("uniqueItems") {
                    index
                } else {
                    0
                };
            let example = Self { turn, ..*self };
            schema.map_or_else(
                || json!("anything"),
                |schema| example.build(&[schema], depth + 1),
            )
        };
        (0..length).map(element).collect()
    }

    fn object(&self, flat: &Flat<'a>, depth: usize) -> Value {
        let last = self.turn + 1 == ATTEMPTS;
        let all = (self.extent == Extent::Most || last) && depth < DEEPEST;
        let wanted = |name: &str| flat.requires(name) || (all && !flat.is_refused(name));
        let mut object: Map<String, Value> = flat
            .properties()
            .filter(|(name, _)| wanted(name))
            .map(|(name, schemas)| (name.to_owned(), self.build(&schemas, depth + 1)))
            .collect();
        let more = flat.get("additionalProperties");
        for name in flat.required() {
            let other = || more.map_or(json!("anything"), |more| self.build(&[more], depth + 1));
            if !object.contains_key(name) {
                object.insert(name.to_owned(), other());
            }
        }
        let least = flat.count("minProperties").unwrap_or(0);
        if let Some(schema @ Value::Object(_)) = more {
            let wanted = least.max(usize::from(all));
            for index in 0..wanted.saturating_sub(object.len()) {
                object.insert(format!("key{index}"), self.build(&[schema], depth + 1));
            }
        }
        let optional = flat.properties().filter(|(name, _)| !flat.is_refused(name));
        for (name, schemas) in optional {
            if object.len() >= least {
                break;
            }
            if !object.contains_key(name) {
                object.insert(name.to_owned(), self.build(&schemas, depth + 1));
            }
        }
        let open = more.is_none_or(|more| *more != Value::Bool(false));
        if object.is_empty() && last && open {
            object.insert("key".to_owned(), json!("anything"));
        }
        let most = flat.count("maxProperties").unwrap_or(usize::MAX);
        let spare = object.len().saturating_sub(most);
        let optional = object.keys().filter(|name| !flat.requires(name));
        for name in optional.take(spare).cloned().collect::<Vec<_>>() {
            object.remove(&name);
        }
        object.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_have_the_requested_extent() {
        let schema = json!({
            "type": "object", "required": ["a"],
            "properties": {
                "a": {"type": "string", "maxLength": 4},
                "b": {"type": "array", "items": {"$ref": "#/$defs/B"}},
                "c": {"anyOf": [{"type": "null"}, {"enum": ["x", "y"]}]},
            },
            "$defs": {"B": {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}}}},
        });
        assert_eq!(example(&schema, Extent::Least), json!({"a": "some"}));
        let most = example(&schema, Extent::Most);
        assert_eq!(most["c"], "x");
        assert_eq!(most["b"], json!([{"b": {"b": {}}}]));
    }

    #[test]
    fn another_attempt_takes_another_branch() {
        let schema = json!({
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
        });
        let attempts: Vec<_> = examples(&schema, Extent::Most).take(2).collect();
        assert_eq!(attempts, [json!({"a": 1}), json!({"b": 1})]);
    }

    #[test]
    fn properties_merge_the_schemas_of_all_parts() {
        let schema = json!({
            "type": "object", "required": ["kind"],
            "properties": {"kind": {"enum": ["a", "b"]}},
            "anyOf": [{"properties": {"kind": {"enum": ["b", "c"]}}}],
        });
        assert_eq!(example(&schema, Extent::Least), json!({"kind": "b"}));
    }

    #[test]
    fn strings_and_numbers_stay_within_their_bounds() {
        let schema = json!({
            "type": "object", "required": ["code", "share", "even", "many"],
            "properties": {
                "code": {"type": "string", "pattern": "^[A-Z]{3}-\\d{2}$"},
                "share": {"type": "number", "exclusiveMinimum": 0, "maximum": 0.5},
                "even": {"type": "integer", "minimum": 3, "multipleOf": 2},
                "many": {"type": "array", "minItems": 2, "items": {"const": 7}},
            },
        });
        let value = example(&schema, Extent::Least);
        let code = value["code"].as_str().unwrap_or_default();
        assert_eq!(code.len(), 6);
        assert_eq!(code.chars().nth(3), Some('-'));
        let share = value["share"].as_f64().unwrap_or_default();
        assert!(share > 0.0 && share <= 0.5);
        assert_eq!(value["even"], 4);
        assert_eq!(value["many"], json!([7, 7]));
    }
}
