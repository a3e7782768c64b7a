//! The schema of a tool's arguments, compiled when it is first needed.
//!
//! Schemas come from documents of others. Whatever they contain, compiling one costs bounded time
//! and memory, and so does holding a value against it. A schema that cannot be compiled costs its
//! own tool only.

mod parts;
mod pattern;
mod work;

use std::{borrow::Cow, collections::BTreeSet, sync::OnceLock};

use jsonschema::{ValidationError, ValidationOptions, Validator, draft202012};
pub(crate) use parts::{Fits, Parts, matches};
use serde_json::Value;

/// The number of values from which on only the first violation is reported.
const MANY_VALUES: usize = 10_000;

/// The deepest that a schema is nested.
const DEEPEST: usize = 256;

/// The most work to validate a value, in visited schemas. [`WORK_OF_VALUE`] is added for each
/// value. Real documents take less than a hundredth of it.
const WORK: u64 = 1_000_000;

/// The work for each value within a value.
const WORK_OF_VALUE: u64 = 1_000;

/// The most work of finding everything that is wrong.
const WORK_OF_VIOLATIONS: u64 = 100_000;

/// The longest reported reason why a schema does not compile, in characters.
const LONGEST_FAULT: usize = 300;

/// A JSON Schema 2020-12. Nothing is fetched for it: it must be self-contained.
#[derive(Debug, Default)]
pub(crate) struct ArgumentSchema {
    compiled: OnceLock<Result<CompiledSchema, String>>,
}

/// One violation of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The place in the arguments, as a JSON pointer; empty for the whole.
    pub pointer: String,
    /// The message. It never repeats the value.
    pub message: String,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { pointer, message } = self;
        if pointer.is_empty() {
            f.write_str(message)
        } else {
            write!(f, "at `{pointer}`: {message}")
        }
    }
}

/// A compiled schema.
#[derive(Debug)]
struct CompiledSchema {
    validator: Validator,
    /// The patterns that no value is held against.
    advisory: BTreeSet<String>,
}

/// A schema that can be compiled.
struct Prepared<'a> {
    schema: Cow<'a, Value>,
    /// The patterns that no value is held against.
    advisory: BTreeSet<String>,
    /// The weights of the references, if they are counted.
    weights: Option<work::Weights>,
}

impl ArgumentSchema {
    /// Compiles the schema on the first use. Every call must pass the same schema.
    ///
    /// # Errors
    /// Returns the reason why it does not compile. No value can be checked against it.
    pub(crate) fn check_compiles(&self, schema: &Value) -> Result<(), &str> {
        self.compile(schema).map(|_| ())
    }

    /// Returns the patterns of the schema that the engine cannot compile, which are advice to the
    /// reader only.
    pub(crate) fn advisory(&self, schema: &Value) -> impl Iterator<Item = &str> {
        let compiled = self.compile(schema).ok();
        let patterns = compiled.into_iter().flat_map(|compiled| &compiled.advisory);
        patterns.map(String::as_str)
    }

    /// Returns all violations of the schema. The list has one entry if there are so many values
    /// that it could take much more room than they do, or if it takes too much work. No message
    /// repeats a value.
    pub(crate) fn violations(
        &self,
        schema: &Value,
        arguments: &Value,
    ) -> Result<Vec<Violation>, &str> {
        let validator = &self.compile(schema)?.validator;
        let values = u64::try_from(count(arguments, usize::MAX)).unwrap_or(u64::MAX);
        let most = values.saturating_mul(WORK_OF_VALUE).saturating_add(WORK);
        Ok(
            match work::bounded(most, || validator.is_valid(arguments)) {
                Some(true) => Vec::new(),
                Some(false) => details(validator, arguments),
                None => vec![schema_violation(
                    "checking the arguments takes too much work",
                )],
            },
        )
    }

    fn compile(&self, schema: &Value) -> Result<&CompiledSchema, &str> {
        let compiled = self.compiled.get_or_init(|| compile(schema));
        compiled.as_ref().map_err(String::as_str)
    }
}

/// Takes the patterns out of a self-contained schema that no value is held against.
pub(crate) fn without_advisory_patterns(schema: &mut Value) {
    let advisory = pattern::unusable(schema);
    if !advisory.is_empty() {
        let advisory = pattern::within(schema, &advisory);
        advisory.take_out(schema);
    }
}

/// Everything that is wrong with arguments that do not fit.
fn details(validator: &Validator, arguments: &Value) -> Vec<Violation> {
    let violations = || -> Vec<Violation> {
        if count(arguments, MANY_VALUES) < MANY_VALUES {
            return validator.iter_errors(arguments).map(violation).collect();
        }
        let first = validator.validate(arguments).err();
        first.map(violation).into_iter().collect()
    };
    let found = work::bounded(WORK_OF_VIOLATIONS, violations);
    found
        .filter(|violations| !violations.is_empty())
        .unwrap_or_else(|| vec![schema_violation("the arguments do not match the schema")])
}

/// A violation of the arguments as a whole.
fn schema_violation(message: &str) -> Violation {
    Violation {
        pointer: String::new(),
        message: message.to_owned(),
    }
}

fn violation(error: ValidationError<'_>) -> Violation {
    Violation {
        pointer: error.instance_path().to_string(),
        message: error.masked_with("the value").to_string(),
    }
}

/// Counts the values in a value, itself included, up to the bound.
fn count(value: &Value, bound: usize) -> usize {
    let mut unseen = vec![value];
    let mut seen = 0;
    while seen < bound
        && let Some(value) = unseen.pop()
    {
        seen += 1;
        let room = bound - seen;
        match value {
            Value::Array(items) => unseen.extend(items.iter().take(room)),
            Value::Object(fields) => unseen.extend(fields.values().take(room)),
            _ => {}
        }
    }
    seen
}

/// Formats are not checked: in this version of JSON Schema they are annotations, and what
/// services take for a date often is not one.
fn options<'r>() -> ValidationOptions<'r> {
    draft202012::options()
        .offline()
        .with_pattern_options(pattern::options())
        .with_keyword(work::KEYWORD, |_, value, _| Ok(work::keyword(value)))
}

/// Takes the advisory patterns out of a schema, and makes its references count if following them may take much work.
fn prepare(schema: &Value) -> Result<Prepared<'_>, String> {
    if is_deeper(schema, DEEPEST) {
        return Err(format!("it is nested more than {DEEPEST} levels deep"));
    }
    let advisory = pattern::unusable(schema);
    let mut prepared = Cow::Borrowed(schema);
    if !advisory.is_empty() {
        pattern::within(schema, &advisory).take_out(prepared.to_mut());
    }
    let weights = work::weights(&prepared);
    if let Some(weights) = &weights {
        weights.count(prepared.to_mut());
    }
    Ok(Prepared {
        schema: prepared,
        advisory,
        weights,
    })
}

fn compile(schema: &Value) -> Result<CompiledSchema, String> {
    let prepared = prepare(schema)?;
    let validator = options().build(&prepared.schema).map_err(|error| {
        let place = error.instance_path();
        let fault = format!("at `{place}`: {error}");
        fault.chars().take(LONGEST_FAULT).collect::<String>()
    })?;
    Ok(CompiledSchema {
        validator,
        advisory: prepared.advisory,
    })
}

/// Returns whether a value is nested deeper than the bound. It does not recurse.
fn is_deeper(value: &Value, bound: usize) -> bool {
    let mut unseen = vec![(value, 1)];
    while let Some((value, depth)) = unseen.pop() {
        if depth > bound {
            return true;
        }
        match value {
            Value::Array(items) => unseen.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => unseen.extend(fields.values().map(|field| (field, depth + 1))),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn messages(schema: &Value, arguments: &Value) -> Vec<String> {
        let violations = ArgumentSchema::default();
        let violations = violations.violations(schema, arguments).unwrap();
        violations
            .into_iter()
            .map(|v| format!("{} {}", v.pointer, v.message))
            .collect()
    }

    #[test]
    fn every_violation_is_reported_with_its_place_and_without_the_value() {
        let schema = json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 3},
                "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
                "count": {"type": "integer", "minimum": 1},
                "pick": {"oneOf": [{"type": "string"}, {"const": 7}]},
            },
            "required": ["name", "id"],
            "additionalProperties": false,
        });
        let arguments =
            json!({"name": "!!", "tags": ["a", "hunter2"], "count": -77, "pick": [4711], "x": 1});
        let messages = messages(&schema, &arguments).join("\n");
        for place in ["/name ", "/tags/1 ", "/count ", "/pick "] {
            assert!(messages.contains(place), "{place} in\n{messages}");
        }
        assert!(
            messages.contains("\"id\" is a required property"),
            "{messages}"
        );
        assert!(messages.contains("'x' was unexpected"), "{messages}");
        for value in ["!!", "hunter2", "-77", "4711"] {
            assert!(!messages.contains(value), "{value} in\n{messages}");
        }
    }

    #[test]
    fn only_the_first_of_very_many_violations_is_reported() {
        let schema =
            json!({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}});
        for (count, told) in [(9_998, 9_998), (9_999, 1), (100_000, 1)] {
            let messages = messages(&schema, &json!(vec![7; count]));
            assert_eq!(messages.len(), told, "{count}");
            assert!(messages[0].starts_with("/0 "), "{}", messages[0]);
        }
        let right = json!(vec!["x"; 100_000]);
        assert_eq!(messages(&schema, &right), Vec::<String>::new());
    }

    #[test]
    fn a_schema_with_a_remote_or_unresolved_reference_does_not_compile() {
        for reference in [
            "http://127.0.0.1:1/x.json",
            "file:///etc/passwd",
            "#/$defs/none",
        ] {
            let schema = json!({"type": "object", "properties": {"a": {"$ref": reference}}});
            assert!(
                ArgumentSchema::default().check_compiles(&schema).is_err(),
                "{reference}"
            );
        }
    }

    #[test]
    fn a_recursive_schema_compiles() {
        let schema = json!({"$ref": "#/$defs/node", "$defs": {"node": {
            "type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "required": ["id"]}}});
        assert_eq!(
            messages(&schema, &json!({"id": 1, "next": {"id": 2, "next": {}}})),
            ["/next/next \"id\" is a required property"]
        );
    }
}
