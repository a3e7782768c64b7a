//! The schema of a tool's arguments, compiled when it is first needed.

use std::sync::OnceLock;

use jsonschema::{Validator, draft202012};
use serde_json::Value;

use crate::error::Violation;

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

    /// Everything in which the arguments do not fit the schema. No message repeats a value.
    pub(crate) fn violations(
        &self,
        schema: &Value,
        arguments: &Value,
    ) -> Result<Vec<Violation>, &str> {
        let validator = self.compiled(schema)?;
        let violations = validator.iter_errors(arguments).map(|error| Violation {
            pointer: error.instance_path().to_string(),
            message: error.masked_with("the value").to_string(),
        });
        Ok(violations.collect())
    }
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
