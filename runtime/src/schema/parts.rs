//! The parts of a schema, as checks of values.

use std::{
    collections::BTreeSet,
    sync::{Arc, OnceLock},
};

use jsonschema::{Draft, Registry, Validator};
use serde_json::{Value, json};
use toolwright_schema::map_references;

use super::{WORK, options, pattern, prepare, work};

/// The URI of the whole schema for the references of its parts.
const ROOT: &str = "toolwright:///schema";

/// A check of values.
pub(crate) type Fits = Arc<dyn Fn(&Value) -> bool + Send + Sync>;

/// The parts of a self-contained schema. What they refer to is prepared once, for the first of them: a schema may have
/// hundreds of parts, and each may refer to most of its definitions.
#[derive(Default)]
pub(crate) struct Parts {
    whole: OnceLock<Option<Whole>>,
}

/// A schema that its parts refer to.
struct Whole {
    /// The prepared schema, by [`ROOT`].
    registry: Registry<'static>,
    /// The patterns that no value is held against.
    advisory: BTreeSet<String>,
    /// The weights of the references, if they are counted.
    weights: Option<work::Weights>,
}

impl Parts {
    /// Returns the check of values against a part of a schema, without its advisory patterns. No value fits a part that
    /// does not compile. Every call must pass the same schema.
    pub(crate) fn fits(&self, part: &Value, schema: &Value) -> Fits {
        let whole = self.whole.get_or_init(|| Whole::new(schema));
        check(whole.as_ref().and_then(|whole| whole.compile(part, schema)))
    }
}

/// Returns the check of strings against a pattern. No string matches an advisory pattern.
pub(crate) fn matches(pattern: &str) -> Fits {
    let schema = json!({ "pattern": pattern });
    let usable = pattern::compiles(pattern);
    check(usable.then(|| options().build(&schema).ok()).flatten())
}

fn check(validator: Option<Validator>) -> Fits {
    match validator {
        Some(validator) => Arc::new(move |value| {
            work::bounded(WORK, || validator.is_valid(value)).unwrap_or(false)
        }),
        None => Arc::new(|_| false),
    }
}

impl Whole {
    fn new(schema: &Value) -> Option<Self> {
        let prepared = prepare(schema).ok()?;
        let registry = Registry::new().draft(Draft::Draft202012);
        let registry = registry.add(ROOT, prepared.schema.into_owned()).ok()?;
        Some(Self {
            registry: registry.prepare().ok()?,
            advisory: prepared.advisory,
            weights: prepared.weights,
        })
    }

    fn compile(&self, part: &Value, schema: &Value) -> Option<Validator> {
        let mut part = part.clone();
        if !self.advisory.is_empty() {
            pattern::within(schema, &self.advisory).take_out(&mut part);
        }
        if let Some(weights) = &self.weights {
            weights.count(&mut part);
        }
        map_references(&mut part, |reference| {
            let is_local = reference.starts_with('#');
            is_local.then(|| format!("{ROOT}{reference}"))
        });
        let options = options().with_registry(&self.registry);
        options.build(&json!({ "allOf": [part] })).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::DEEPEST, *};

    #[test]
    fn a_part_refers_to_the_whole_schema() {
        let schema = json!({
            "properties": {"plain": {"type": "string"}},
            "anyOf": [
                {"$ref": "#/$defs/a%20b"},
                {"items": {"$ref": "#/properties/plain"}, "type": "array", "minItems": 1},
                {"required": ["deep"], "properties": {"deep": {"$ref": "#/anyOf/0"}}, "type": "object"},
                {"$ref": "#/$defs/absent"},
                {"type": "string", "pattern": "(?!x)^a"},
            ],
            "$defs": {"a b": {"enum": [1, 2]}},
        });
        let parts = Parts::default();
        let fitting = |value: Value| -> Vec<usize> {
            let branches = schema["anyOf"].as_array().unwrap().iter().enumerate();
            let branches = branches.filter(|(_, branch)| parts.fits(branch, &schema)(&value));
            branches.map(|(index, _)| index).collect()
        };
        assert_eq!(fitting(json!(2)), [0]);
        assert_eq!(fitting(json!(["x"])), [1]);
        assert_eq!(fitting(json!([3])), [0_usize; 0]);
        assert_eq!(fitting(json!({"deep": 1})), [2]);
        assert_eq!(fitting(json!({"deep": 3})), [0_usize; 0]);
        assert_eq!(fitting(json!("b")), [4]);
    }

    #[test]
    fn no_value_fits_a_part_of_a_schema_that_leads_out_of_itself() {
        for schema in [
            json!({"anyOf": [{"type": "string"}], "$defs": {"a": {"$ref": "http://127.0.0.1:9/b"}}}),
            (0..=DEEPEST).fold(
                json!({"anyOf": [{"type": "string"}]}),
                |schema, _| json!({"not": schema}),
            ),
        ] {
            let branch = json!({"type": "string"});
            assert!(!Parts::default().fits(&branch, &schema)(&json!("x")));
        }
    }

    #[test]
    fn references_without_an_end_are_bounded() {
        let again = json!([{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]);
        let schema = json!({
            "anyOf": [{"$ref": "#/$defs/a"}],
            "$defs": {"a": {"not": {"const": 2}, "properties": {"x": {"anyOf": again}}}},
        });
        let fits = Parts::default().fits(&schema["anyOf"][0], &schema);
        let nested = |last: Value| (0..40).fold(last, |value, _| json!({ "x": value }));
        assert!(fits(&nested(json!(1))));
        // Without a bound, each level would double the work.
        assert!(!fits(&nested(json!(2))));
    }
}
