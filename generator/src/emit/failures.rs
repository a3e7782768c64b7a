//! What services answer where there is no result: an enumeration of each tool.
//!
//! Most tools of a service fail in the same ways. Those with the same answers of the same types share
//! one enumeration: that of the first of them by name is the item, the others are aliases of it.

use std::collections::BTreeMap;

use toolwright_model::{StatusPattern, ToolName};

use super::{
    fields::{call_name, ident},
    rust_type::RustTypes,
    source::{self, Source},
    types::Reached,
};
use crate::{
    check::CheckedService,
    ir::{Failure, Operation},
    rust_names,
};

/// Whether the document describes any.
pub(super) fn has_any(service: &CheckedService) -> bool {
    service
        .tools()
        .any(|(_, operation)| !operation.failures.is_empty())
}

/// The type of a tool's failures, seen from beside the module of all failures.
pub(super) fn path(tool: &ToolName, operation: &Operation) -> String {
    if operation.failures.is_empty() {
        return "toolwright::Undocumented".to_owned();
    }
    format!("super::failures::{}", name(tool))
}

/// `failures.rs`, of a service that has any.
pub(super) fn emit(service: &CheckedService, reached: &Reached) -> String {
    let types = RustTypes {
        types: &service.service().types,
        path: "types::",
    };
    let mut tools: Vec<_> = service.tools().collect();
    tools.retain(|(_, operation)| !operation.failures.is_empty());
    tools.sort_by_key(|(name, _)| *name);

    let mut source = Source::new(
        &source::mark(service),
        "What the service answers where there is no result: `error.documented::<…>()`.",
    );
    let all = tools.iter().flat_map(|(_, operation)| &operation.failures);
    let held: Vec<String> = all
        .map(|failure| types.held(reached.same.item(failure.ty)))
        .collect();
    if held.iter().any(|ty| ty.contains("types::")) {
        source.line("use super::types;");
    }
    source.line(if held.iter().any(|ty| ty.contains("codec::")) {
        "use toolwright::{Failure, Refusal, codec};"
    } else {
        "use toolwright::{Failure, Refusal};"
    });
    let mut known: BTreeMap<Vec<Failure>, String> = BTreeMap::new();
    for (tool, operation) in tools {
        let answers = operation.failures.iter();
        let answers: Vec<Failure> = answers
            .map(|failure| Failure {
                ty: reached.same.item(failure.ty),
                ..*failure
            })
            .collect();
        let name = name(tool);
        source.blank();
        source.docs(&format!(
            "What the service answers where `{tool}` has no result."
        ));
        if let Some(first) = known.get(&answers) {
            source.line(format_args!("pub type {name} = {first};"));
        } else {
            emit_item(&mut source, &types, &name, &answers);
            known.insert(answers, name);
        }
    }
    source.finish()
}

fn emit_item(source: &mut Source, types: &RustTypes<'_>, name: &str, failures: &[Failure]) {
    source.line("#[derive(Clone, Debug)]");
    source.block(
        format_args!("pub enum {name} {{"),
        |source| {
            for Failure { status, ty } in failures {
                source.docs(&format!("`{status}`."));
                source.line(format_args!("{}({}),", variant(*status), types.held(*ty)));
            }
        },
        "}",
    );
    source.blank();
    source.block(
        format_args!("impl Failure for {name} {{"),
        |source| {
            source.block(
                "fn read(answer: Refusal<'_>) -> Option<Self> {",
                |source| emit_match(source, failures),
                "}",
            );
        },
        "}",
    );
}

/// What reads an answer.
fn emit_match(source: &mut Source, failures: &[Failure]) {
    if let [
        Failure {
            status: StatusPattern::Default,
            ..
        },
    ] = failures
    {
        let variant = variant(StatusPattern::Default);
        source.line(format_args!("answer.of(Self::{variant})"));
        return;
    }
    source.block(
        "match answer.status() {",
        |source| emit_arms(source, failures),
        "}",
    );
}

/// The arms, the most specific first.
fn emit_arms(source: &mut Source, failures: &[Failure]) {
    for Failure { status, .. } in failures {
        let variant = variant(*status);
        let pattern = match status {
            StatusPattern::Exact(status) => status.to_string(),
            StatusPattern::Class(class) => format!("_ if answer.class() == {class}"),
            StatusPattern::Default => "_".to_owned(),
        };
        source.line(format_args!("{pattern} => answer.of(Self::{variant}),"));
    }
    if failures.last().map(|failure| failure.status) != Some(StatusPattern::Default) {
        source.line("_ => None,");
    }
}

/// The name of a tool's failures.
fn name(tool: &ToolName) -> String {
    format!("{}Failure", ident(&call_name(tool)))
}

/// `404` → `NotFound`.
fn variant(status: StatusPattern) -> String {
    rust_names::type_name(&status.phrase())
}
