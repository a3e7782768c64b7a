//! Tools and results as the Model Context Protocol shows them.
//!
//! One rule serves every revision from 2025-06-18 on: `outputSchema` and `structuredContent` are
//! objects. A tool whose results may be anything else has them wrapped as `{"result": …}`, in the
//! schema and in the content alike.

mod result;

pub use result::{MAX_OUTPUT_SCHEMA, OutputSchemas, ResultForm, text};
use serde_json::{Map, Value, json};

use super::{
    description::description,
    schema::{with_single_types, without_booleans, without_repetition},
};
use crate::ToolSpec;

/// The key of `_meta` under which a tool carries its category, its effect and its approval.
pub const GOVERNANCE_KEY: &str = "toolwright/governance";

/// The tool object of `tools/list`.
///
/// It has `name`, `title`, `description`, `inputSchema`, `outputSchema` if the specification
/// describes the result, `annotations` with all four hints, and `_meta` with [`GOVERNANCE_KEY`].
#[must_use]
pub fn tool(spec: &ToolSpec, schemas: OutputSchemas) -> Map<String, Value> {
    let mut tool = Map::new();
    tool.insert("name".to_owned(), spec.name.as_str().into());
    tool.insert("title".to_owned(), spec.title.as_str().into());
    tool.insert("description".to_owned(), description(spec).into());
    tool.insert("inputSchema".to_owned(), input_schema(spec));
    if let Some(schema) = ResultForm::new(spec, schemas).into_output_schema() {
        tool.insert("outputSchema".to_owned(), schema);
    }
    tool.insert("annotations".to_owned(), annotations(spec));
    tool.insert("_meta".to_owned(), meta(spec));
    tool
}

fn input_schema(spec: &ToolSpec) -> Value {
    let mut schema = spec.input_schema.to_value();
    without_booleans(&mut schema);
    without_repetition(&mut schema);
    with_single_types(&mut schema);
    schema
}

fn annotations(spec: &ToolSpec) -> Value {
    json!({
        "title": spec.title,
        "readOnlyHint": spec.hints.read_only,
        "destructiveHint": spec.hints.destructive,
        "idempotentHint": spec.hints.idempotent,
        "openWorldHint": spec.hints.open_world,
    })
}

fn meta(spec: &ToolSpec) -> Value {
    json!({
        GOVERNANCE_KEY: {
            "category": spec.category,
            "effect": spec.effect,
            "approval_required": spec.approval_required,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, render::tests::spec};

    #[test]
    fn a_tool_has_every_field_of_mcp() {
        let tool = tool(
            &spec(
                Kind::Create,
                Some(json!({"type": "object", "required": ["id"]})),
            ),
            OutputSchemas::Cut,
        );
        assert_eq!(
            Value::Object(tool),
            json!({
                "name": "get-depot-item",
                "title": "Get an item",
                "description": "Gives one item.\n\nTo read one item.\n\nA person must approve each call.",
                "inputSchema": {"type": "object", "properties": {"any": {}}},
                "outputSchema": {"type": "object", "required": ["id"]},
                "annotations": {
                    "title": "Get an item",
                    "readOnlyHint": false,
                    "destructiveHint": false,
                    "idempotentHint": false,
                    "openWorldHint": true,
                },
                "_meta": {"toolwright/governance": {
                    "category": "execute", "effect": "create", "approval_required": true,
                }},
            })
        );
    }

    #[test]
    fn every_kind_has_all_four_hints() {
        for &kind in Kind::ALL {
            let tool = tool(&spec(kind, None), OutputSchemas::Cut);
            let hints = tool["annotations"].as_object().unwrap();
            for hint in [
                "readOnlyHint",
                "destructiveHint",
                "idempotentHint",
                "openWorldHint",
            ] {
                assert!(hints[hint].is_boolean(), "{kind} {hint}");
            }
            assert!(!tool.contains_key("outputSchema"));
        }
    }
}
