//! The schema of a tool's arguments, compiled when it is first needed.

use std::sync::OnceLock;

use jsonschema::{ValidationError, Validator, draft202012};
use serde_json::Value;

use crate::error::Violation;

/// From how many values on only the first violation is told.
const MANY_VALUES: usize = 10_000;

/// A JSON Schema 2020-12. Nothing is fetched for it: it has to be self-contained.
#[derive(Debug, Default)]
pub(crate) struct ArgumentSchema {
    compiled: OnceLock<Result<Validator, String>>,
}

impl ArgumentSchema {
    /// Compiles the schema if that was not done yet. The same schema has to be given each time.
    pub(crate) fn compiled(&self, schema: &Value) -> Result<&Validator, &str> {
        let compiled = self.compiled.get_or_init(|| compile(schema));
        compiled.as_ref().map_err(String::as_str)
    }

    /// Everything in which the arguments do not fit the schema; the first thing alone where they are
    /// so many values that a list of all could take much more room than they do. No message repeats
    /// a value.
    pub(crate) fn violations(
        &self,
        schema: &Value,
        arguments: &Value,
    ) -> Result<Vec<Violation>, &str> {
        let validator = self.compiled(schema)?;
        if validator.is_valid(arguments) {
            return Ok(Vec::new());
        }
        if count(arguments, MANY_VALUES) < MANY_VALUES {
            return Ok(validator.iter_errors(arguments).map(violation).collect());
        }
        let first = validator.validate(arguments).err();
        Ok(first.map(violation).into_iter().collect())
    }
}

fn violation(error: ValidationError<'_>) -> Violation {
    Violation {
        pointer: error.instance_path().to_string(),
        message: error.masked_with("the value").to_string(),
    }
}

/// How many values there are in a value, itself included; no more than the bound are counted.
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
fn compile(schema: &Value) -> Result<Validator, String> {
    draft202012::options()
        .offline()
        .build(schema)
        .map_err(|error| {
            let place = error.instance_path();
            format!("at `{place}`: {error}")
        })
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
    fn every_violation_is_told_with_its_place_and_without_the_value() {
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
    fn of_very_many_values_the_first_violation_is_told() {
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
    fn a_schema_that_refers_to_the_network_or_to_nothing_does_not_compile() {
        for reference in [
            "http://127.0.0.1:1/x.json",
            "file:///etc/passwd",
            "#/$defs/none",
        ] {
            let schema = json!({"type": "object", "properties": {"a": {"$ref": reference}}});
            assert!(
                ArgumentSchema::default().compiled(&schema).is_err(),
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
