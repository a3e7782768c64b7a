//! Describes a document as one JSON object, for measurements, reviews and tests.

use std::{borrow::Cow, collections::BTreeMap};

use serde_json::{Value, json};
use toolwright_model::{ServiceCredentials, ToolName, ToolSchema, ToolSpec};

use crate::{
    check::{CheckedService, tool_spec},
    document::{render, source::Sources},
    generate::{Outcome, Overview},
    ir::{LeftOut, Operation, types::Types},
};

/// Returns the description of one input: its tools, the left-out operations with reasons, and all
/// diagnostics of the run.
///
/// The schemas of the tools refer to the `$defs` of the description.
///
/// A document that cannot be read has no tools, an empty `format` and no `service`.
#[must_use]
pub fn document(outcome: &Outcome, input: usize) -> Value {
    let unread = Overview::default();
    let overview = outcome.overviews.get(input).unwrap_or(&unread);
    let service = service_of(outcome, overview);
    let specs = service.map(tool_spec::of_service).unwrap_or_default();
    let operations = operations(service);
    let definitions = json!(definitions(&specs));
    let credentials = json!(ServiceCredentials::of(&specs));
    // Each record is dropped once it is described: a document can have tens of thousands.
    let tools = specs
        .into_iter()
        .map(|spec| tool(&spec, operations.get(&spec.name).copied()));
    let tools: Vec<Value> = tools.collect();
    let left_out = service.map(|service| service.service().left_out.as_slice());
    let sources = &outcome.sources;
    json!({
        "file": overview.document,
        "service": overview.service,
        "format": overview.format,
        "operations": overview.operations,
        "tools": Value::Array(tools),
        "$defs": definitions,
        "credentials": credentials,
        "left_out": left_out
            .unwrap_or_default()
            .iter()
            .map(|operation| self::left_out(operation, sources))
            .collect::<Vec<_>>(),
        "diagnostics": outcome
            .diagnostics
            .iter()
            .map(|diagnostic| render::json(diagnostic, sources, &outcome.documents))
            .collect::<Vec<_>>(),
        "types": service.map_or_else(|| counts(&Types::default()), |service| {
            counts(&service.service().types)
        }),
    })
}

/// Returns the definitions that the tools refer to, each once.
fn definitions(specs: &[ToolSpec]) -> BTreeMap<&str, &Value> {
    let mut all = BTreeMap::new();
    for schema in specs.iter().flat_map(ToolSpec::schemas) {
        schema.shared().reach(schema.root(), &mut all);
    }
    all
}

fn service_of<'o>(outcome: &'o Outcome, overview: &Overview) -> Option<&'o CheckedService> {
    let name = overview.service.as_ref()?;
    let services = outcome.catalog.as_ref()?.services();
    services
        .iter()
        .find(|service| service.service().name == *name)
}

/// Returns the operations by tool name.
fn operations(service: Option<&CheckedService>) -> BTreeMap<&ToolName, &Operation> {
    let tools = service.into_iter().flat_map(CheckedService::tools);
    tools.collect()
}

fn tool(spec: &ToolSpec, operation: Option<&Operation>) -> Value {
    // The path includes parts that are not sent, such as a fragment.
    let path = operation.map(|operation| operation.path.as_str());
    json!({
        "name": spec.name,
        "named_by": operation.map(|operation| operation.name_source.word()),
        "pinned": operation.is_some_and(|operation| operation.is_pinned(&spec.name)),
        "method": spec.endpoint().map(|(method, _)| method),
        "path": match spec.http() {
            Some(_) => path.map(Cow::Borrowed),
            None => spec.endpoint().map(|(_, path)| path),
        },
        "operation_id": spec.origin.operation_id,
        "pointer": spec.origin.pointer,
        "title": spec.title,
        "effect": spec.effect,
        "category": spec.category,
        "approval_required": spec.approval_required,
        "annotations": spec.hints,
        "evidence": spec.evidence,
        "reason": spec.reason,
        "input_schema": spec.input_schema.root(),
        "output_schema": spec.output_schema.as_ref().map(ToolSchema::root),
        "pagination": spec.pagination,
        "enabled_by_default": spec.enabled_by_default,
        "deprecated": spec.deprecated,
    })
}

fn left_out(operation: &LeftOut, sources: &Sources) -> Value {
    let at = sources.line_column(operation.place);
    json!({
        "method": operation.method,
        "path": operation.path,
        "operation_id": operation.operation_id,
        "line": at.line,
        "column": at.column,
        "why": operation.why.word(),
    })
}

/// Counts the types and the untyped types.
fn counts(types: &Types) -> Value {
    json!({"nodes": types.nodes(), "untyped": types.untyped()})
}
