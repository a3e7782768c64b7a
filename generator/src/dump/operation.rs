//! Operations of the catalogue.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{
    ir::{
        Operation,
        types::{TypeId, Types},
    },
    source::{Place, Sources},
};

/// The types that are any value although their schemas say more, each with those schemas and why.
pub(super) type Untyped<'t> = BTreeMap<TypeId, Vec<(Place, &'t str)>>;

/// The untyped nodes of a service.
pub(super) fn untyped(types: &Types) -> Untyped<'_> {
    let mut untyped = Untyped::new();
    for (place, ty, why) in types.untyped_nodes() {
        untyped.entry(ty).or_default().push((place, why));
    }
    untyped
}

/// One operation with everything that is known of it so far.
pub(super) fn lowered(
    operation: &Operation,
    types: &Types,
    untyped: &Untyped<'_>,
    sources: &Sources,
) -> Value {
    let arguments = operation.arguments.iter().map(|argument| {
        json!({
            "at": at(argument.place, sources),
            "name": argument.name,
            "required": argument.required,
            "schema": argument.schema,
            "type": ty(argument.ty, types),
        })
    });
    let failed = operation.failures.iter().map(|failure| failure.ty);
    let roots = operation.arguments.iter().map(|argument| argument.ty);
    let reached = types.reached(roots.chain([operation.output.ty]).chain(failed));
    let nodes = reached.iter().filter_map(|ty| untyped.get(ty)).flatten();
    let untyped = nodes.map(|(place, why)| json!({"at": at(*place, sources), "why": why}));
    let failures = operation.failures.iter();
    let failures =
        failures.map(|failure| json!({"status": failure.status, "type": ty(failure.ty, types)}));
    let texts = &operation.texts;
    let governance = operation.governance;
    json!({
        "at": at(operation.place, sources),
        "pointer": operation.pointer,
        "method": operation.method,
        "path": operation.path,
        "operation_id": operation.operation_id,
        "name": operation.name.as_ref().ok(),
        "name_error": operation.name.as_ref().err().map(ToString::to_string),
        "name_derivation": operation.name_derivation,
        "texts": {
            "title": texts.title,
            "short": texts.short,
            "description": texts.description,
            "when_to_use": texts.when_to_use,
            "section": texts.section,
        },
        "kind": operation.kind,
        "evidence": operation.evidence,
        "governance": {
            "category": governance.category,
            "effect": governance.effect,
            "approval_required": governance.approval_required,
            "hints": governance.hints,
            "enabled_by_default": governance.enabled_by_default,
            "reason": operation.reason,
        },
        "arguments": arguments.collect::<Vec<_>>(),
        "output": {
            "schema": operation.output.schema,
            "type": ty(operation.output.ty, types),
        },
        "failures": failures.collect::<Vec<_>>(),
        "untyped": untyped.collect::<Vec<_>>(),
        "binding": operation.binding,
    })
}

/// `specs/plane/openapi.json:12:5`.
pub(super) fn at(place: Place, sources: &Sources) -> String {
    format!(
        "{}:{}",
        sources.path(place.source),
        sources.line_column(place)
    )
}

/// The name of a type that has one, or else its shape.
fn ty(id: TypeId, types: &Types) -> Option<String> {
    let ty = types.get(id)?;
    Some(match &ty.name {
        Some(name) => name.clone(),
        None => format!("{:?}", ty.shape),
    })
}
