//! Documents of Protocol Buffers: what becomes of them, faults with their places, hostile input, and the
//! public protos of Google.
#![cfg(test)]

mod faults;
mod public;
mod types;

use toolwright_generator::{
    diagnostic::Diagnostic,
    generate::{self, Accept, Input, Options, Outcome, Unnameable},
    load::Memory,
};
use toolwright_model::ToolSpec;

/// The options with which nothing stops a run but an error of the document.
const OPTIONS: Options = Options {
    unnameable: Unnameable::LeaveOut,
    accept: Accept {
        renames: false,
        lowering: false,
    },
};

/// Runs the stages for a document in memory.
fn run(document: &str, files: &[(&str, &str)]) -> Outcome {
    let files = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    generate::run(&[Input::new(document)], OPTIONS, &Memory(files.collect()))
}

/// Returns the tools of a document without faults.
fn tools(outcome: &Outcome) -> Vec<ToolSpec> {
    let faults: Vec<String> = outcome
        .diagnostics
        .iter()
        .map(|fault| shown(outcome, fault))
        .collect();
    let catalog = outcome.catalog.as_ref();
    catalog
        .unwrap_or_else(|| panic!("{faults:#?}"))
        .tool_specs()
}

/// A diagnostic on one line: `shop.proto:3:8: unresolved-reference: …`.
fn shown(outcome: &Outcome, fault: &Diagnostic) -> String {
    let place = fault.primary.place;
    let (path, at) = (
        outcome.sources.path(place.source),
        outcome.sources.line_column(place),
    );
    format!("{path}:{at}: {}: {}", fault.code, fault.message)
}
