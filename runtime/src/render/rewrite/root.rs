//! The root of the arguments: an object with properties, in every dialect.

use serde_json::{Map, Value, json};

use crate::{
    ToolSpec,
    render::schema::{without_booleans, wrapped},
};

use super::is_annotation;

/// The property that arguments of another form are in.
const ARGUMENTS: &str = "arguments";

/// The schema of a tool's arguments, with a root that every dialect can express.
pub(in crate::render) struct Arguments {
    /// The schema: an object with `type`, `properties` and `required`, perhaps `additionalProperties`
    /// as a boolean, `$defs` and annotations.
    pub(in crate::render) schema: Value,
}

impl Arguments {
    /// Reads the arguments of a tool. A root with other keywords, such as `anyOf`, becomes the schema
    /// of the one property `arguments`.
    pub(in crate::render) fn new(spec: &ToolSpec) -> Self {
        let mut schema = spec.input_schema.to_value();
        without_booleans(&mut schema);
        if is_wrapped(spec) {
            schema = wrapped(schema, ARGUMENTS);
        }
        if let Some(fields) = schema.as_object_mut() {
            fields.entry("properties").or_insert_with(|| json!({}));
            fields.entry("required").or_insert_with(|| json!([]));
        }
        Self { schema }
    }
}

/// Returns the arguments of the tool from those of the schema in [`Arguments`].
pub(in crate::render) fn unwrapped(spec: &ToolSpec, arguments: Value) -> Value {
    if !is_wrapped(spec) {
        return arguments;
    }
    match arguments {
        Value::Object(mut fields) if fields.len() == 1 && fields.contains_key(ARGUMENTS) => {
            fields.shift_remove(ARGUMENTS).unwrap_or_default()
        }
        other => other,
    }
}

fn is_wrapped(spec: &ToolSpec) -> bool {
    let root = spec.input_schema.root().as_object();
    !root.is_some_and(has_plain_root)
}

/// Checks whether a root says no more than which properties there are.
fn has_plain_root(root: &Map<String, Value>) -> bool {
    root.get("type").is_some_and(|name| name == "object")
        && root.iter().all(|(keyword, value)| match keyword.as_str() {
            "type" | "properties" | "required" | "$defs" | "$schema" => true,
            "additionalProperties" => value.is_boolean(),
            keyword => is_annotation(keyword),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::tests::spec_with;

    #[test]
    fn other_roots_become_a_property() {
        let union = json!({
            "type": "object",
            "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
            "properties": {"a": true, "b": {"$ref": "#/$defs/B"}},
            "$defs": {"B": {"type": "null"}},
        });
        let spec = spec_with(union);
        let schema = Arguments::new(&spec).schema;
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {"arguments": {
                    "type": "object",
                    "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
                    "properties": {"a": {}, "b": {"$ref": "#/$defs/B"}},
                }},
                "required": ["arguments"],
                "additionalProperties": false,
                "$defs": {"B": {"type": "null"}},
            })
        );
        let given = json!({"arguments": {"a": 1}});
        assert_eq!(unwrapped(&spec, given), json!({"a": 1}));
    }

    #[test]
    fn plain_roots_stay() {
        let spec = spec_with(json!({"type": "object", "additionalProperties": false}));
        assert_eq!(
            Arguments::new(&spec).schema,
            json!({"type": "object", "additionalProperties": false, "properties": {}, "required": []})
        );
        let given = json!({"arguments": 1});
        assert_eq!(unwrapped(&spec, given.clone()), given);
    }
}
