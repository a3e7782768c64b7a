//! The record of a statement as a tool, from its file alone.

use serde_json::{Map, Value, json};
use toolwright::{Kind, ServiceName, ToolSpec, binding::Governance, config::ConfigProblem};
use toolwright_model::Hints;

use crate::file::{Column, Parameter, Statement, StatementEffect};

/// Returns the record of a statement.
pub(crate) fn record(
    service: &ServiceName,
    statement: &Statement,
) -> Result<ToolSpec, ConfigProblem> {
    let kind = match statement.effect {
        StatementEffect::Read => Kind::Read,
        StatementEffect::Create => Kind::Create,
        StatementEffect::Update => Kind::Overwrite,
        StatementEffect::Delete => Kind::Delete,
    };
    let governance = Governance::from_kind(kind, false);
    let hints = Hints {
        open_world: false,
        ..governance.hints
    };
    let name = statement.name.value.as_str();
    let description = statement.description.as_ref().unwrap_or(&statement.short);
    let place = &statement.sql.place;
    let record = json!({
        "name": name,
        "service": service,
        "title": statement.short.trim_end_matches('.'),
        "short": statement.short,
        "description": description,
        "when_to_use": statement.when_to_use,
        "section": service,
        "category": governance.category(),
        "effect": governance.effect(),
        "approval_required": governance.approval_required,
        "hints": hints,
        "enabled_by_default": governance.enabled_by_default,
        "input_schema": input_schema(&statement.parameters),
        "output_schema": output_schema(&statement.columns),
        "binding": "native",
        "origin": {
            "document": place.file.file_name().map(|name| name.to_string_lossy()),
            "pointer": format!("/statements/{name}"),
        },
        "evidence": [],
    });
    serde_json::from_value(record).map_err(|error| ConfigProblem {
        place: statement.name.place.clone(),
        message: format!("the statement is not a tool: {error}"),
        help: Some("correct its name or its texts".to_owned()),
    })
}

fn input_schema(parameters: &[Parameter]) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for parameter in parameters {
        let mut schema = parameter.column_type.schema();
        if parameter.optional {
            schema = json!({"anyOf": [schema, {"type": "null"}]});
        } else {
            required.push(parameter.name.as_str());
        }
        if let (Some(text), Some(schema)) = (&parameter.description, schema.as_object_mut()) {
            schema.insert("description".to_owned(), text.as_str().into());
        }
        properties.insert(parameter.name.clone(), schema);
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn output_schema(columns: &[Column]) -> Value {
    if columns.is_empty() {
        let changed = json!({"type": "integer", "description": "The number of rows."});
        return json!({
            "type": "object", "properties": {"changed": changed},
            "required": ["changed"], "additionalProperties": false,
        });
    }
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for column in columns {
        // Any column can be null, even if its table forbids it: an outer join adds nulls.
        let schema = json!({"anyOf": [column.column_type.schema(), {"type": "null"}]});
        properties.insert(column.name.clone(), schema);
        required.push(column.name.as_str());
    }
    json!({
        "type": "object",
        "properties": {
            "rows": {"type": "array", "items": {
                "type": "object", "properties": properties,
                "required": required, "additionalProperties": false,
            }},
            "more": {"type": "boolean", "description": "True if there are more rows than these."},
        },
        "required": ["rows", "more"],
        "additionalProperties": false,
    })
}
