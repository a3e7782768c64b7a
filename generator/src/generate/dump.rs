//! Prints the result of a front-end stage, for debugging a tool.

mod document;
mod operation;

use serde_json::Value;
use toolwright_model::{ServiceName, ToolName};

use operation::OperationView;

use crate::{
    check::{CheckedCatalog, check, tool_spec},
    document::{diagnostic::Diagnostics, documents::Documents, load::FileSystem, source::Sources},
    generate::{Front, Input, Options, Outcome, lower_inputs},
    ir::{Catalog, CuratedOperation, LoweredOperation, Service},
    parse, passes,
};

/// A stage whose result can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The operations as the documents declare them, with references resolved.
    Parse,
    /// The operations as arguments, binding and result.
    Lower,
    /// The same with names, texts and governance.
    Passes,
    /// The tool specifications after the check.
    Check,
}

/// Returns the operations after a stage as JSON objects, optionally only that of one tool.
///
/// Runs all stages, so the outcome equals that of [`run`](crate::generate::run).
#[must_use]
pub fn stage(
    inputs: &[Input],
    options: Options,
    files: &dyn FileSystem,
    stage: Stage,
    tool: Option<&str>,
) -> (String, Outcome) {
    let mut diagnostics = Diagnostics::default();
    let Front {
        catalog,
        overviews,
        sources,
        documents,
    } = lower_inputs(inputs, files, &[], &mut diagnostics);
    let mut entries = Vec::new();
    match stage {
        Stage::Parse => entries = parsed_operations(&catalog, &sources, &documents),
        Stage::Lower => entries = operations(&catalog, &sources, operation::view_lowered),
        Stage::Passes | Stage::Check => {}
    }
    let catalog = passes::run(catalog, &mut diagnostics);
    let names = names(&catalog);
    if stage == Stage::Passes {
        entries = operations(&catalog, &sources, operation::view_curated);
    }
    let catalog = check(catalog, options, &mut diagnostics);
    if let (Stage::Check, Some(catalog)) = (stage, &catalog) {
        entries = records(catalog);
    }
    let outcome = Outcome {
        catalog,
        diagnostics: diagnostics.sorted(),
        overviews,
        sources,
        documents,
    };
    (text(&entries, &names, tool), outcome)
}

/// The identity of an operation in a run: its service and JSON pointer.
type ToolKey = (ServiceName, String);

fn parsed_operations(
    catalog: &Catalog<LoweredOperation>,
    sources: &Sources,
    documents: &Documents,
) -> Vec<(ToolKey, Value)> {
    // The first read reported all faults.
    let mut reported = Diagnostics::default();
    let mut entries = Vec::new();
    for service in &catalog.services {
        let document = parse::parse(documents, sources, service.source, &mut reported);
        for operation in document.iter().flat_map(|document| &document.operations) {
            let key = (service.name.clone(), operation.key.pointer.clone());
            entries.push((key, document::operation(operation, sources)));
        }
    }
    entries
}

/// Prints the operations of a stage.
fn operations<O>(
    catalog: &Catalog<O>,
    sources: &Sources,
    view: impl Fn(&O) -> OperationView<'_>,
) -> Vec<(ToolKey, Value)> {
    let mut entries = Vec::new();
    for service in &catalog.services {
        let untyped = operation::view_untyped(&service.types);
        entries.extend(service.operations.iter().map(|operation| {
            let view = view(operation);
            let value = operation::value(&view, &service.types, &untyped, sources);
            (key(service, view.pointer), value)
        }));
    }
    entries
}

fn records(catalog: &CheckedCatalog) -> Vec<(ToolKey, Value)> {
    let mut entries = Vec::new();
    for service in catalog.services() {
        for (name, operation) in service.tools() {
            let record = tool_spec::of_tool(service, name, operation);
            let value = serde_json::to_value(record).unwrap_or_default();
            entries.push((key(service.service(), &operation.pointer), value));
        }
    }
    entries
}

fn names(catalog: &Catalog<CuratedOperation>) -> Vec<(ToolKey, ToolName)> {
    let mut names = Vec::new();
    for service in &catalog.services {
        for curated in &service.operations {
            if let Ok(name) = &curated.name {
                names.push((key(service, &curated.operation.pointer), name.clone()));
            }
        }
    }
    names
}

fn key<O>(service: &Service<O>, pointer: &str) -> ToolKey {
    (service.name.clone(), pointer.to_owned())
}

/// Joins the entries, or only those of one tool.
fn text(entries: &[(ToolKey, Value)], names: &[(ToolKey, ToolName)], tool: Option<&str>) -> String {
    let wanted: Option<Vec<&ToolKey>> = tool.map(|tool| {
        let named = names.iter().filter(|(_, name)| name.as_str() == tool);
        named.map(|(key, _)| key).collect()
    });
    let is_wanted = |key: &ToolKey| wanted.as_ref().is_none_or(|wanted| wanted.contains(&key));
    entries
        .iter()
        .filter(|(key, _)| is_wanted(key))
        .map(|(_, value)| format!("{value:#}\n"))
        .collect()
}

#[cfg(test)]
mod tests;
