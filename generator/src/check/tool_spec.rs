//! Creates tool specifications from operations. The loaded back end serves them, and the emitted
//! back end contains them in its files.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolwright_model::{Origin, ToolName, ToolSchema, ToolSpec};

use crate::{
    check::{CheckedCatalog, CheckedService},
    ir::{Argument, Operation},
};

/// Returns the specifications of all tools of a catalogue, by name.
#[must_use]
pub(crate) fn all(catalog: &CheckedCatalog) -> Vec<ToolSpec> {
    let mut specs: Vec<ToolSpec> = catalog.services().iter().flat_map(of_service).collect();
    specs.sort_by(|a, b| a.name.cmp(&b.name));
    specs
}

/// Returns the specifications of a service's tools, by name. They share the definitions of the service.
#[must_use]
pub(crate) fn of_service(service: &CheckedService) -> Vec<ToolSpec> {
    let tools = service.tools();
    let mut specs: Vec<ToolSpec> = tools
        .map(|(name, operation)| of_tool(service, name, operation))
        .collect();
    specs.sort_by(|a, b| a.name.cmp(&b.name));
    specs
}

/// Returns the specification of one tool.
pub(crate) fn of_tool(
    service: &CheckedService,
    name: &ToolName,
    operation: &Operation,
) -> ToolSpec {
    let schema = |root| ToolSchema::new(root, Arc::clone(service.definitions()));
    let service = service.service();
    let texts = operation.texts.clone();
    let governance = operation.governance;
    ToolSpec {
        name: name.clone(),
        service: service.name.clone(),
        title: texts.title,
        short: texts.short,
        description: texts.description,
        when_to_use: texts.when_to_use,
        section: texts.section,
        category: governance.category(),
        effect: governance.effect(),
        approval_required: governance.approval_required,
        hints: governance.hints,
        enabled_by_default: governance.enabled_by_default,
        deprecated: operation.deprecated,
        reason: operation.reason.clone(),
        input_schema: schema(input_schema(&operation.arguments)),
        output_schema: operation.output.schema.clone().map(schema),
        pagination: operation.pagination.clone(),
        projection: operation.projection.clone(),
        binding: operation.binding.clone(),
        origin: Origin {
            document: service.document.clone(),
            pointer: operation.pointer.clone(),
            operation_id: operation.operation_id.clone(),
        },
        evidence: operation.evidence.clone(),
    }
}

/// Returns the schema of the arguments as a closed object.
fn input_schema(arguments: &[Argument]) -> Value {
    let properties: Map<String, Value> = arguments
        .iter()
        .map(|argument| (argument.name.clone(), argument.schema.clone()))
        .collect();
    let required: Vec<&str> = arguments
        .iter()
        .filter(|argument| argument.required)
        .map(|argument| argument.name.as_str())
        .collect();
    let mut schema = json!({"type": "object", "properties": properties});
    if let Some(fields) = schema.as_object_mut() {
        if !required.is_empty() {
            fields.insert("required".to_owned(), json!(required));
        }
        fields.insert("additionalProperties".to_owned(), json!(false));
    }
    schema
}
