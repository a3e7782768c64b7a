//! Regular expressions that the runtime cannot hold values against.
//!
//! The runtime matches in bounded time, so it knows no look-around, no back references and no huge
//! patterns. Such a pattern stays in the schema, where it advises the agent. One that is not ECMAScript
//! at all would make clients refuse the whole schema, so it moves to the description.

use std::collections::BTreeSet;

use jsonschema::{PatternOptions, draft202012};
use serde_json::{Value, json};
use toolwright_model::patterns::{LARGEST_PATTERN, SMALL_PATTERN, Unusable, patterns};

use crate::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    ir::{Catalog, Service},
    source::Place,
};

/// The longest part of a pattern that a diagnostic quotes, in characters.
const QUOTED: usize = 80;

/// The longest pattern that no value is held against and that is kept, in bytes: reading it takes stack
/// for each of its groups.
const LONGEST_VALID: usize = 512;

/// How many patterns of a service are tried that are not small. Each may take some milliseconds.
const MOST_LARGE: usize = 250;

pub(super) fn run(catalog: &mut Catalog, diagnostics: &mut Diagnostics) {
    for service in &mut catalog.services {
        let advisory = advisory(service);
        if !advisory.is_empty() {
            let invalid = advisory.iter().filter(|pattern| !is_valid(pattern));
            let invalid = invalid.cloned().collect();
            report(service, &advisory, &invalid, diagnostics);
            take_out(service, &invalid);
        }
    }
}

/// Returns the patterns of a service that the runtime cannot hold values against.
fn advisory(service: &Service) -> BTreeSet<String> {
    let found: BTreeSet<&str> = schemas(service).flat_map(patterns).collect();
    let mut large = 0;
    let advisory = found.into_iter().filter(|pattern| {
        let is_small = compiles(pattern, SMALL_PATTERN);
        large += usize::from(!is_small);
        !is_small && (large > MOST_LARGE || !compiles(pattern, LARGEST_PATTERN))
    });
    advisory.map(ToOwned::to_owned).collect()
}

/// Checks whether the engine of the runtime compiles a pattern to no more than this size.
fn compiles(pattern: &str, largest: usize) -> bool {
    let options = PatternOptions::regex()
        .size_limit(largest)
        .dfa_size_limit(SMALL_PATTERN);
    draft202012::options()
        .with_pattern_options(options)
        .build(&json!({"pattern": pattern}))
        .is_ok()
}

/// Checks whether a pattern is an ECMAScript regular expression, as clients compile it.
fn is_valid(pattern: &str) -> bool {
    pattern.len() <= LONGEST_VALID && regress::Regex::with_flags(pattern, "u").is_ok()
}

fn schemas(service: &Service) -> impl Iterator<Item = &Value> {
    let operations = service.operations.iter();
    let operations = operations.flat_map(|operation| {
        let arguments = operation.arguments.iter().map(|argument| &argument.schema);
        arguments.chain(&operation.output.schema)
    });
    operations.chain(service.definitions.values())
}

fn take_out(service: &mut Service, unusable: &BTreeSet<String>) {
    let definitions = service.definitions.iter();
    let definitions = definitions.map(|(name, schema)| (name.as_str(), schema));
    let unusable = Unusable::new(unusable, definitions).describing();
    for operation in &mut service.operations {
        for argument in &mut operation.arguments {
            unusable.take_out(&mut argument.schema);
        }
        if let Some(schema) = &mut operation.output.schema {
            unusable.take_out(schema);
        }
    }
    for schema in service.definitions.values_mut() {
        unusable.take_out(schema);
    }
}

fn report(
    service: &Service,
    advisory: &BTreeSet<String>,
    invalid: &BTreeSet<String>,
    diagnostics: &mut Diagnostics,
) {
    for (pattern, place) in &service.patterns {
        if advisory.contains(pattern) {
            let report = if invalid.contains(pattern) {
                cannot_compile
            } else {
                is_not_checked
            };
            diagnostics.report(report(pattern, *place));
        }
    }
}

fn cannot_compile(pattern: &str, place: Place) -> Diagnostic {
    let message = format!("cannot compile the pattern `{}`", quoted(pattern));
    Diagnostic::warning(Code::UnusablePattern, place, message)
        .note("it moves to the description, and no value is refused by it")
        .note("patterns are ECMAScript regular expressions with the flag `u`")
        .help("fix the pattern, for example with `-` at the end of a character class")
}

fn is_not_checked(pattern: &str, place: Place) -> Diagnostic {
    let message = format!("the pattern `{}` is not checked", quoted(pattern));
    Diagnostic::warning(Code::UnusablePattern, place, message)
        .note("it has look-around or back references, or is very large: matching it may take too long")
        .note("agents are shown it, and no value is refused by it")
        .help("simplify the pattern if calls must be checked before they are sent")
}

/// Returns the beginning of a pattern, with an ellipsis if it is cut.
fn quoted(pattern: &str) -> String {
    let shown: String = pattern.chars().take(QUOTED).collect();
    let cut = if shown.len() < pattern.len() {
        "…"
    } else {
        ""
    };
    shown + cut
}
