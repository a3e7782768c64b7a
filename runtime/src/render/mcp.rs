//! Tools and results as the Model Context Protocol shows them.
//!
//! One rule serves every revision from 2025-06-18 on: `outputSchema` and `structuredContent` are
//! objects. A tool whose results may be anything else has them wrapped as `{"result": …}`, in the
//! schema and in the content alike.

mod result;

pub use result::{MAX_OUTPUT_SCHEMA, OutputSchemas, ResultForm, text};
use serde_json::{Map, Value, json};

use super::schema::without_booleans;
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

/// The description that a model reads: the effect of the tool, when to use it, and its approval.
fn description(spec: &ToolSpec) -> String {
    let body = match spec.description.trim() {
        "" => spec.short.trim(),
        description => description,
    };
    let deprecated = spec
        .deprecated
        .then_some("Deprecated: the service's owner advises against it.");
    let approval = spec
        .approval_required
        .then_some("A person must approve each call.");
    [
        deprecated,
        Some(body),
        spec.when_to_use.as_deref().map(str::trim),
        approval,
    ]
    .into_iter()
    .flatten()
    .filter(|paragraph| !paragraph.is_empty())
    .collect::<Vec<_>>()
    .join("\n\n")
}

fn input_schema(spec: &ToolSpec) -> Value {
    let mut schema = spec.input_schema.to_value();
    without_booleans(&mut schema);
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
    use crate::{
        Kind, ServiceName, ToolName,
        binding::{Binding, Governance, Origin},
    };

    pub(super) fn spec(kind: Kind, output_schema: Option<Value>) -> ToolSpec {
        let governance = Governance::from_kind(kind, false);
        ToolSpec {
            name: ToolName::new("get-depot-item").unwrap(),
            service: ServiceName::new("depot").unwrap(),
            title: "Get an item".to_owned(),
            short: "Get an item.".to_owned(),
            description: "Gives one item.".to_owned(),
            when_to_use: Some("To read one item.".to_owned()),
            section: "Items".to_owned(),
            category: governance.category(),
            effect: governance.effect(),
            approval_required: governance.approval_required,
            hints: governance.hints,
            enabled_by_default: governance.enabled_by_default,
            deprecated: false,
            reason: None,
            input_schema: json!({"type": "object", "properties": {"any": true}}).into(),
            output_schema: output_schema.map(Into::into),
            pagination: None,
            binding: Binding::Native,
            origin: Origin {
                document: "depot".to_owned(),
                pointer: "/paths".to_owned(),
                operation_id: None,
            },
            evidence: Vec::new(),
        }
    }

    #[test]
    fn a_tool_has_every_field_of_mcp() {
        let tool = tool(
            &spec(Kind::Create, Some(json!({"type": "object"}))),
            OutputSchemas::Cut,
        );
        assert_eq!(
            Value::Object(tool),
            json!({
                "name": "get-depot-item",
                "title": "Get an item",
                "description": "Gives one item.\n\nTo read one item.\n\nA person must approve each call.",
                "inputSchema": {"type": "object", "properties": {"any": {}}},
                "outputSchema": {"type": "object"},
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
