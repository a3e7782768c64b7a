//! Tools and results as the Model Context Protocol shows them.
//!
//! One rule serves every revision from 2025-06-18 on: `outputSchema` and `structuredContent` are
//! objects. A tool whose results may be anything else has them wrapped as `{"result": …}`, in the
//! schema and in the content alike.

use serde_json::{Map, Value, json};

use super::schema::{admits_objects_only, without_booleans, wrapped};
use crate::ToolSpec;

/// The key of `_meta` under which a tool carries its category, its effect and its approval.
pub const GOVERNANCE_KEY: &str = "toolwright/governance";

/// The property that a wrapped result is in.
const RESULT: &str = "result";

/// The tool object of `tools/list`.
///
/// It has `name`, `title`, `description`, `inputSchema`, `outputSchema` where the specification
/// describes the result, `annotations` with all four hints, and `_meta` with
/// [`GOVERNANCE_KEY`].
#[must_use]
pub fn tool(spec: &ToolSpec) -> Map<String, Value> {
    let mut tool = Map::new();
    tool.insert("name".to_owned(), spec.name.as_str().into());
    tool.insert("title".to_owned(), spec.title.as_str().into());
    tool.insert("description".to_owned(), description(spec).into());
    tool.insert("inputSchema".to_owned(), input_schema(spec));
    if let Some(schema) = output_schema(spec) {
        tool.insert("outputSchema".to_owned(), schema);
    }
    tool.insert("annotations".to_owned(), annotations(spec));
    tool.insert("_meta".to_owned(), meta(spec));
    tool
}

/// The schema that `structuredContent` keeps to when the tool succeeds; none where the
/// specification does not describe the result.
#[must_use]
pub fn output_schema(spec: &ToolSpec) -> Option<Value> {
    let mut schema = spec.output_schema.clone()?;
    without_booleans(&mut schema);
    if !admits_objects_only(&schema) {
        return Some(wrapped(schema, RESULT));
    }
    if let Some(schema) = schema.as_object_mut() {
        schema.entry("type").or_insert_with(|| "object".into());
    }
    Some(schema)
}

/// The `structuredContent` of a result.
///
/// Where the specification does not describe the result, an object stays as it is and anything
/// else is wrapped.
#[must_use]
pub fn structured_content(spec: &ToolSpec, result: &Value) -> Value {
    let as_it_is = match &spec.output_schema {
        Some(schema) => admits_objects_only(schema),
        None => result.is_object(),
    };
    if as_it_is {
        result.clone()
    } else {
        json!({ RESULT: result })
    }
}

/// The text of a result: a string as it is, anything else as JSON.
#[must_use]
pub fn text(result: &Value) -> String {
    result
        .as_str()
        .map_or_else(|| result.to_string(), str::to_owned)
}

/// The description that a model reads: what the tool does, when to take it, and what to expect.
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
        .then_some("A person has to approve each call.");
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
    let mut schema = spec.input_schema.clone();
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
    use crate::{Binding, Governance, Kind, Origin, ServiceName, ToolName};

    fn spec(kind: Kind, output_schema: Option<Value>) -> ToolSpec {
        let Governance {
            category,
            effect,
            approval_required,
            hints,
            enabled_by_default,
        } = Governance::of(kind, false);
        ToolSpec {
            name: ToolName::new("get-depot-item").unwrap(),
            service: ServiceName::new("depot").unwrap(),
            title: "Get an item".to_owned(),
            short: "Get an item.".to_owned(),
            description: "Gives one item.".to_owned(),
            when_to_use: Some("To read one item.".to_owned()),
            section: "Items".to_owned(),
            category,
            effect,
            approval_required,
            hints,
            enabled_by_default,
            deprecated: false,
            reason: None,
            input_schema: json!({"type": "object", "properties": {"any": true}}),
            output_schema,
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
    fn a_tool_has_everything_that_a_client_asks_for() {
        let tool = tool(&spec(Kind::Create, Some(json!({"type": "object"}))));
        assert_eq!(
            Value::Object(tool),
            json!({
                "name": "get-depot-item",
                "title": "Get an item",
                "description": "Gives one item.\n\nTo read one item.\n\nA person has to approve each call.",
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
            let tool = tool(&spec(kind, None));
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

    #[test]
    fn schema_and_content_are_wrapped_alike() {
        let item = json!({"id": 1});
        let list = json!([item]);
        let defs = json!({"item": {"type": "object"}});
        for (schema, result, shown) in [
            (json!({"type": "object"}), item.clone(), item.clone()),
            (
                json!({"$ref": "#/$defs/item", "$defs": defs}),
                item.clone(),
                item.clone(),
            ),
            (
                json!({"type": "array"}),
                list.clone(),
                json!({"result": list}),
            ),
            (
                json!({"type": ["object", "null"]}),
                item.clone(),
                json!({"result": item}),
            ),
            (
                json!({"type": ["object", "null"]}),
                Value::Null,
                json!({"result": null}),
            ),
            (json!(true), item.clone(), json!({"result": item})),
        ] {
            let spec = spec(Kind::Read, Some(schema.clone()));
            let output = output_schema(&spec).unwrap();
            assert_eq!(output["type"], "object", "{schema}");
            assert_eq!(structured_content(&spec, &result), shown, "{schema}");
            let wrapped = output["properties"].get("result").is_some();
            assert_eq!(wrapped, shown.get("result").is_some(), "{schema}");
        }
    }

    #[test]
    fn a_result_that_nothing_describes_is_wrapped_unless_it_is_an_object() {
        let spec = spec(Kind::Delete, None);
        assert_eq!(structured_content(&spec, &json!({})), json!({}));
        assert_eq!(
            structured_content(&spec, &Value::Null),
            json!({"result": null})
        );
    }

    #[test]
    fn text_is_not_quoted() {
        assert_eq!(text(&json!("a\nb")), "a\nb");
        assert_eq!(text(&json!({"a": 1})), r#"{"a":1}"#);
    }
}
