//! A small value that a schema accepts.

use serde_json::Value;
use toolwright_schema::{Example, Extent};

/// Returns a value that the schema accepts: its own example, or else a small one that is made from its
/// types and bounds. Returns `None` if no such value can be made.
#[must_use]
pub fn example(schema: &Value) -> Option<Value> {
    let validator = jsonschema::draft202012::new(schema).ok()?;
    let mut attempts = Example::new(schema, Extent::Least).attempts();
    attempts.find(|value| validator.is_valid(value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn small_values_fit_their_schemas() {
        for (schema, expected) in [
            (json!({"type": "integer", "minimum": 3}), json!(3)),
            (json!({"type": "string", "maxLength": 2}), json!("so")),
            (json!({"type": "string", "examples": ["x"]}), json!("x")),
            (json!({"enum": ["x", "y"]}), json!("x")),
            (json!({"anyOf": [{"type": "boolean"}]}), json!(true)),
            (
                json!({"type": "object", "required": ["a"], "properties": {
                    "a": {"$ref": "#/$defs/A"}, "b": {}},
                    "$defs": {"A": {"type": "array", "minItems": 1, "items": {"type": "number"}}}}),
                json!({"a": [1.5]}),
            ),
            (
                json!({"type": "object", "properties": {"a": {"const": 1}}, "minProperties": 1}),
                json!({"a": 1}),
            ),
        ] {
            assert_eq!(example(&schema), Some(expected), "{schema}");
        }
    }

    #[test]
    fn a_schema_without_a_small_value_has_no_example() {
        for schema in [
            json!({"type": "string", "pattern": "^[0-9]{4}$"}),
            json!({"$ref": "#/$defs/A", "$defs": {"A": {
                "type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/$defs/A"}}}}}),
            json!(false),
        ] {
            assert_eq!(example(&schema), None, "{schema}");
        }
    }
}
