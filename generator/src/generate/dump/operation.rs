//! Operations of the catalogue.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use toolwright_model::{Binding, Evidence, Kind, Method, ToolName};

use crate::{
    document::source::{Place, Sources},
    ir::{
        Argument, CuratedOperation, Failure, LoweredOperation, Operation, Output,
        types::{TypeId, Types},
    },
    naming::NamingError,
};

/// The untyped types, each with the schemas that could not be represented and the reasons.
pub(super) type Untyped<'t> = BTreeMap<TypeId, Vec<(Place, &'t str)>>;

/// Returns the untyped nodes of a service.
pub(super) fn view_untyped(types: &Types) -> Untyped<'_> {
    let mut untyped = Untyped::new();
    for (place, ty, why) in types.untyped_nodes() {
        untyped.entry(ty).or_default().push((place, why));
    }
    untyped
}

/// The parts of an operation that are printed at every stage after the lowering.
pub(super) struct OperationView<'o> {
    pub(super) pointer: &'o str,
    place: Place,
    method: Method,
    path: &'o str,
    operation_id: Option<&'o str>,
    name: &'o Result<ToolName, NamingError>,
    name_derivation: &'o [String],
    kind: Kind,
    evidence: &'o [Evidence],
    arguments: &'o [Argument],
    output: &'o Output,
    failures: &'o [Failure],
    binding: &'o Binding,
    /// The operation after the passes.
    curated: Option<&'o Operation>,
}

pub(super) fn view_lowered(operation: &LoweredOperation) -> OperationView<'_> {
    OperationView {
        pointer: &operation.pointer,
        place: operation.place,
        method: operation.method,
        path: &operation.path,
        operation_id: operation.operation_id.as_deref(),
        name: &operation.name,
        name_derivation: &operation.name_derivation,
        kind: operation.kind,
        evidence: &operation.evidence,
        arguments: &operation.arguments,
        output: &operation.output,
        failures: &operation.failures,
        binding: &operation.binding,
        curated: None,
    }
}

pub(super) fn view_curated(curated: &CuratedOperation) -> OperationView<'_> {
    let CuratedOperation {
        name, operation, ..
    } = curated;
    OperationView {
        pointer: &operation.pointer,
        place: operation.place,
        method: operation.method,
        path: &operation.path,
        operation_id: operation.operation_id.as_deref(),
        name,
        name_derivation: &operation.name_derivation,
        kind: operation.governance.kind,
        evidence: &operation.evidence,
        arguments: &operation.arguments,
        output: &operation.output,
        failures: &operation.failures,
        binding: &operation.binding,
        curated: Some(operation),
    }
}

/// Returns an operation as JSON, with the types that it reaches.
pub(super) fn value(
    view: &OperationView<'_>,
    types: &Types,
    untyped: &Untyped<'_>,
    sources: &Sources,
) -> Value {
    let arguments = view.arguments.iter().map(|argument| {
        json!({
            "at": location(argument.place, sources),
            "name": argument.name,
            "required": argument.required,
            "schema": argument.schema,
            "type": ty(argument.ty, types),
        })
    });
    let failed = view.failures.iter().map(|failure| failure.ty);
    let roots = view.arguments.iter().map(|argument| argument.ty);
    let reached = types.reachable_from(roots.chain([view.output.ty]).chain(failed));
    let nodes = reached.iter().filter_map(|ty| untyped.get(ty)).flatten();
    let untyped = nodes.map(|(place, why)| json!({"at": location(*place, sources), "why": why}));
    let failures = view.failures.iter();
    let failures =
        failures.map(|failure| json!({"status": failure.status, "type": ty(failure.ty, types)}));
    let mut value = json!({
        "at": location(view.place, sources),
        "pointer": view.pointer,
        "method": view.method,
        "path": view.path,
        "operation_id": view.operation_id,
        "name": view.name.as_ref().ok(),
        "name_error": view.name.as_ref().err().map(ToString::to_string),
        "name_derivation": view.name_derivation,
        "kind": view.kind,
        "evidence": view.evidence,
        "arguments": arguments.collect::<Vec<_>>(),
        "output": {
            "schema": view.output.schema,
            "type": ty(view.output.ty, types),
        },
        "failures": failures.collect::<Vec<_>>(),
        "untyped": untyped.collect::<Vec<_>>(),
        "binding": view.binding,
    });
    if let (Some(operation), Some(fields)) = (view.curated, value.as_object_mut()) {
        fields.extend(added_by_passes(operation));
    }
    value
}

fn added_by_passes(operation: &Operation) -> Map<String, Value> {
    let texts = &operation.texts;
    let governance = operation.governance;
    let texts = json!({
        "title": texts.title,
        "short": texts.short,
        "description": texts.description,
        "when_to_use": texts.when_to_use,
        "section": texts.section,
    });
    let governance = json!({
        "category": governance.category(),
        "effect": governance.effect(),
        "approval_required": governance.approval_required,
        "hints": governance.hints,
        "enabled_by_default": governance.enabled_by_default,
        "reason": operation.reason,
    });
    let fields = [
        ("texts", texts),
        ("governance", governance),
        ("pagination", json!(operation.pagination)),
    ];
    let fields = fields.into_iter();
    fields
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Returns a place as `specs/plane/openapi.json:12:5`.
pub(super) fn location(place: Place, sources: &Sources) -> String {
    format!(
        "{}:{}",
        sources.path(place.source),
        sources.line_column(place)
    )
}

/// Returns the name of a type, or its shape if it has no name.
fn ty(id: TypeId, types: &Types) -> Option<String> {
    let ty = types.get(id)?;
    Some(match &ty.name {
        Some(name) => name.clone(),
        None => format!("{:?}", ty.shape),
    })
}
