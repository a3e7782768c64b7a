//! Any stage of the front end as text: the first thing to look at when a tool is not as expected.

mod document;
mod operation;

use serde_json::Value;
use toolwright_model::{ServiceName, ToolName};

use crate::{
    check::{CheckedCatalog, check},
    diagnostic::Diagnostics,
    documents::Documents,
    generate::{Front, Input, Options, Outcome, lowered},
    ir::{Catalog, Operation, Service},
    load::FileSystem,
    passes,
    source::Sources,
    spec, tool_spec,
};

/// A stage whose result can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The operations as the documents write them, references followed.
    Parse,
    /// The operations as arguments, binding and result.
    Lower,
    /// The same with names, texts and governance.
    Passes,
    /// The records of the tools, as they leave the check.
    Check,
}

/// The operations as a stage leaves them: one JSON object each, or only that of one tool.
///
/// All stages are run, so that the outcome is that of [`run`](crate::generate::run).
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
        mut catalog,
        overviews,
        sources,
        documents,
    } = lowered(inputs, files, &mut diagnostics);
    let mut entries = Vec::new();
    match stage {
        Stage::Parse => entries = parsed(&catalog, &sources, &documents),
        Stage::Lower => entries = operations(&catalog, &sources),
        Stage::Passes | Stage::Check => {}
    }
    passes::run(&mut catalog, &mut diagnostics);
    let names = names(&catalog);
    if stage == Stage::Passes {
        entries = operations(&catalog, &sources);
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

/// What tells an operation apart in a run: its service and its JSON pointer.
type Key = (ServiceName, String);

fn parsed(catalog: &Catalog, sources: &Sources, documents: &Documents) -> Vec<(Key, Value)> {
    // What is wrong with the documents was reported when they were read first.
    let mut reported = Diagnostics::default();
    let mut entries = Vec::new();
    for service in &catalog.services {
        let document = spec::parse(documents, sources, service.source, &mut reported);
        for operation in document.iter().flat_map(|document| &document.operations) {
            let key = (service.name.clone(), operation.key.pointer.clone());
            entries.push((key, document::operation(operation, sources)));
        }
    }
    entries
}

fn operations(catalog: &Catalog, sources: &Sources) -> Vec<(Key, Value)> {
    let mut entries = Vec::new();
    for service in &catalog.services {
        let untyped = operation::untyped(&service.types);
        entries.extend(service.operations.iter().map(|operation| {
            let value = operation::lowered(operation, &service.types, &untyped, sources);
            (key(service, operation), value)
        }));
    }
    entries
}

fn records(catalog: &CheckedCatalog) -> Vec<(Key, Value)> {
    let mut entries = Vec::new();
    for service in catalog.services() {
        let definitions = tool_spec::definitions(service);
        for (name, operation) in service.tools() {
            let mut record = tool_spec::unbundled(service, name, operation);
            record.bundle(&definitions);
            let value = serde_json::to_value(record).unwrap_or_default();
            entries.push((key(service.service(), operation), value));
        }
    }
    entries
}

fn names(catalog: &Catalog) -> Vec<(Key, ToolName)> {
    each(catalog)
        .filter_map(|(service, operation)| {
            Some((key(service, operation), operation.name.clone().ok()?))
        })
        .collect()
}

fn each(catalog: &Catalog) -> impl Iterator<Item = (&Service, &Operation)> {
    let services = catalog.services.iter();
    services.flat_map(|service| service.operations.iter().map(move |found| (service, found)))
}

fn key(service: &Service, operation: &Operation) -> Key {
    (service.name.clone(), operation.pointer.clone())
}

/// The entries, one behind another; with a tool's name only those of its operation.
fn text(entries: &[(Key, Value)], names: &[(Key, ToolName)], tool: Option<&str>) -> String {
    let wanted: Option<Vec<&Key>> = tool.map(|tool| {
        let named = names.iter().filter(|(_, name)| name.as_str() == tool);
        named.map(|(key, _)| key).collect()
    });
    let is_wanted = |key: &Key| wanted.as_ref().is_none_or(|wanted| wanted.contains(&key));
    entries
        .iter()
        .filter(|(key, _)| is_wanted(key))
        .map(|(_, value)| format!("{value:#}\n"))
        .collect()
}

#[cfg(test)]
mod tests;
