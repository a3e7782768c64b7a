//! Deterministic values that a schema likely accepts.
//!
//! A schema may have constraints that are hard to satisfy directly, such as exactly one of two
//! properties. There are several attempts: each takes other branches of a choice, and the first
//! also uses the examples in the schema.

mod flat;
mod number;
mod text;

use std::{cell::Cell, collections::BTreeSet, ops::RangeInclusive};

use flat::Flat;
use serde_json::{Map, Value, json};

/// The depth limit of optional parts, for schemas that contain themselves.
const DEEPEST: usize = 4;
/// The depth limit of required parts.
const BOTTOM: usize = 16;
/// The number of attempts.
const ATTEMPTS: usize = 6;
/// The most steps of one attempt: visited schemas, keywords and properties, and elements.
const MOST_STEPS: usize = 100_000;

/// The extent of an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Only the required parts.
    Least,
    /// Every property, and one element in every array.
    Most,
}

/// A function that returns a string that matches a pattern and has one of these lengths in characters,
/// or `None` if it cannot make one.
pub type PatternSampler<'a> = dyn Fn(&str, RangeInclusive<usize>) -> Option<String> + 'a;

/// A maker of values that a self-contained schema likely accepts.
///
/// It honours types, `const` and `enum`, examples, formats, bounds and choices. It knows no `not`, `if`
/// or pattern, but a [`PatternSampler`] may make strings for patterns. A caller that needs a valid
/// value checks the attempts with a validator.
///
/// An attempt is nested at most 16 levels deep, and takes at most 100,000 steps: visited schemas,
/// keywords and properties, and elements. Beyond a bound, a value is null.
///
/// ```
/// use serde_json::json;
/// use toolwright_schema::{Example, Extent};
///
/// let schema = json!({
///     "type": "object", "required": ["id"],
///     "properties": {"id": {"type": "integer", "minimum": 3}, "kind": {"enum": ["a", "b"]}},
/// });
/// let least = Example::new(&schema, Extent::Least).attempts().next();
/// assert_eq!(least, Some(json!({"id": 3})));
/// let most = Example::new(&schema, Extent::Most).attempts().next();
/// assert_eq!(most, Some(json!({"id": 3, "kind": "a"})));
/// ```
#[derive(Clone, Copy)]
pub struct Example<'a> {
    schema: &'a Value,
    extent: Extent,
    sampler: Option<&'a PatternSampler<'a>>,
}

impl<'a> Example<'a> {
    /// Creates a maker of values of a schema, whose `$ref`s lead into the schema itself.
    #[must_use]
    pub const fn new(schema: &'a Value, extent: Extent) -> Self {
        Self {
            schema,
            extent,
            sampler: None,
        }
    }

    /// Makes strings for patterns with this function.
    #[must_use]
    pub const fn with_patterns(mut self, sampler: &'a PatternSampler<'a>) -> Self {
        self.sampler = Some(sampler);
        self
    }

    /// Returns a few attempts, the likeliest first. There is at least one.
    pub fn attempts(self) -> impl Iterator<Item = Value> + 'a {
        (0..ATTEMPTS).map(move |turn| {
            let steps = Cell::new(MOST_STEPS);
            let attempt = Attempt {
                example: self,
                turn,
                steps: &steps,
            };
            attempt.build(&[self.schema], 0)
        })
    }
}

impl std::fmt::Debug for Example<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Example");
        shown.field("schema", self.schema);
        shown.field("extent", &self.extent).finish_non_exhaustive()
    }
}

/// One attempt.
#[derive(Clone, Copy)]
struct Attempt<'a, 's> {
    example: Example<'a>,
    /// The number of the attempt, which selects the branches.
    turn: usize,
    /// The remaining steps.
    steps: &'s Cell<usize>,
}

impl<'a> Attempt<'a, '_> {
    /// Makes a value that all of these schemas accept.
    fn build(self, schemas: &[&'a Value], depth: usize) -> Value {
        if depth > BOTTOM || self.steps.get() == 0 {
            return Value::Null;
        }
        let flat = Flat::new(self.example.schema, schemas, self.turn);
        self.spend(flat.steps());
        if let Some(value) = flat.fixed_value(self.turn == 0) {
            return value;
        }
        match flat.kind() {
            Some("string") => text::example(&flat, self.example.sampler).into(),
            Some("integer") => number::example(&flat, true),
            Some("number") => number::example(&flat, false),
            Some("boolean") => true.into(),
            Some("array") => self.array(&flat, depth),
            Some("object") => self.object(&flat, depth),
            Some("null") => Value::Null,
            _ => json!("anything"),
        }
    }

    fn spend(self, steps: usize) {
        self.steps.set(self.steps.get().saturating_sub(steps));
    }

    fn array(self, flat: &Flat<'a>, depth: usize) -> Value {
        let first: Vec<_> = match flat.get("prefixItems") {
            Some(Value::Array(schemas)) => schemas.iter().collect(),
            _ => Vec::new(),
        };
        // An empty array or object may have no representation in a request.
        let all = self.example.extent == Extent::Most || self.turn > 0;
        let wanted = usize::from(all && depth < DEEPEST);
        let most = flat.count("maxItems").unwrap_or(usize::MAX);
        let length = flat.count("minItems").unwrap_or(0).max(wanted).min(most);
        let items = flat.get("items");
        let element = |index: usize| {
            self.spend(1);
            let schema = first.get(index).copied().or(items);
            let skipped = if flat.is_true("uniqueItems") {
                index
            } else {
                0
            };
            let turn = self.turn.saturating_add(skipped);
            let attempt = Self { turn, ..self };
            schema.map_or_else(
                || json!("anything"),
                |schema| attempt.build(&[schema], depth + 1),
            )
        };
        let affordable = |_: &usize| self.steps.get() > 0;
        (0..length).take_while(affordable).map(element).collect()
    }

    fn object(self, flat: &Flat<'a>, depth: usize) -> Value {
        let last = self.turn + 1 == ATTEMPTS;
        let all = (self.example.extent == Extent::Most || last) && depth < DEEPEST;
        let required: BTreeSet<&str> = flat.required().collect();
        let properties = flat.properties();
        self.spend(properties.len());
        let optional = |name: &str| !flat.is_refused(name);
        let wanted = |name: &str| required.contains(name) || (all && optional(name));
        let mut object: Map<String, Value> = properties
            .iter()
            .filter(|(name, _)| wanted(name))
            .map(|(name, schemas)| ((*name).to_owned(), self.build(schemas, depth + 1)))
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
                if self.steps.get() == 0 {
                    break;
                }
                object.insert(format!("key{index}"), self.build(&[schema], depth + 1));
            }
        }
        for (name, schemas) in properties.iter().filter(|(name, _)| optional(name)) {
            if object.len() >= least {
                break;
            }
            if !object.contains_key(*name) {
                object.insert((*name).to_owned(), self.build(schemas, depth + 1));
            }
        }
        let open = more.is_none_or(|more| *more != Value::Bool(false));
        if object.is_empty() && last && open {
            object.insert("key".to_owned(), json!("anything"));
        }
        let most = flat.count("maxProperties").unwrap_or(usize::MAX);
        let mut spare = object.len().saturating_sub(most);
        object.retain(|name, _| {
            let is_spare = spare > 0 && !required.contains(name.as_str());
            spare -= usize::from(is_spare);
            !is_spare
        });
        object.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(schema: &Value, extent: Extent) -> Value {
        let mut attempts = Example::new(schema, extent).attempts();
        attempts.next().unwrap()
    }

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
        assert_eq!(first(&schema, Extent::Least), json!({"a": "some"}));
        let most = first(&schema, Extent::Most);
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
        let attempts = Example::new(&schema, Extent::Most).attempts();
        let attempts: Vec<_> = attempts.take(2).collect();
        assert_eq!(attempts, [json!({"a": 1}), json!({"b": 1})]);
    }

    #[test]
    fn properties_merge_the_schemas_of_all_parts() {
        let schema = json!({
            "type": "object", "required": ["kind"],
            "properties": {"kind": {"enum": ["a", "b"]}},
            "anyOf": [{"properties": {"kind": {"enum": ["b", "c"]}}}],
        });
        assert_eq!(first(&schema, Extent::Least), json!({"kind": "b"}));
    }

    #[test]
    fn strings_and_numbers_stay_within_their_bounds() {
        let schema = json!({
            "type": "object", "required": ["code", "share", "even", "many"],
            "properties": {
                "code": {"type": "string", "pattern": "^[A-Z]+$", "minLength": 2, "maxLength": 3},
                "share": {"type": "number", "exclusiveMinimum": 0, "maximum": 0.5},
                "even": {"type": "integer", "minimum": 3, "multipleOf": 2},
                "many": {"type": "array", "minItems": 2, "items": {"const": 7}},
            },
        });
        let sampler = |pattern: &str, lengths: RangeInclusive<usize>| {
            assert_eq!((pattern, lengths), ("^[A-Z]+$", 2..=3));
            Some("ABC".to_owned())
        };
        let example = Example::new(&schema, Extent::Least).with_patterns(&sampler);
        let value = example.attempts().next().unwrap();
        assert_eq!(value["code"], "ABC");
        let share = value["share"].as_f64().unwrap_or_default();
        assert!(share > 0.0 && share <= 0.5);
        assert_eq!(value["even"], 4);
        assert_eq!(value["many"], json!([7, 7]));
    }

    #[test]
    fn every_attempt_at_a_hostile_schema_ends() {
        let wide: Map<String, Value> = (0..9)
            .map(|index| (format!("p{index}"), json!({"$ref": "#"})))
            .collect();
        let names: Vec<&String> = wide.keys().collect();
        let diamond: Map<String, Value> = (0..60)
            .map(|index| {
                let next = json!({"$ref": format!("#/$defs/d{}", index + 1)});
                (
                    format!("d{index}"),
                    json!({"allOf": [next, next], "oneOf": [next, next]}),
                )
            })
            .collect();
        for schema in [
            json!({"$ref": "#"}),
            json!({"type": "object", "required": names, "properties": wide}),
            json!({"$ref": "#/$defs/d0", "$defs": diamond}),
            json!({"type": "array", "minItems": u64::MAX, "items": {"$ref": "#"}}),
            json!({"type": "array", "minItems": 9_000_000_000_u64, "uniqueItems": true}),
            json!({"type": "string", "minLength": u64::MAX}),
            json!({"minProperties": u64::MAX, "additionalProperties": {}}),
            json!({"type": "object", "minProperties": u64::MAX, "additionalProperties": {}}),
            json!({"allOf": vec![json!({"$ref": "#"}); 5_000]}),
        ] {
            let attempts = Example::new(&schema, Extent::Most).attempts();
            assert_eq!(attempts.count(), ATTEMPTS);
        }
    }
}
