//! Regular expressions that the runtime cannot check.
//!
//! The runtime matches in bounded time, so it supports no look-around, no back references and no
//! huge patterns. Such a pattern stays in the schema, where it advises the agent. A pattern that is
//! not valid ECMAScript moves to the description, since clients would reject the whole schema.

use std::collections::BTreeSet;

use jsonschema_regex::{analyze_pattern, to_rust_regex};
use regex::RegexBuilder;
use serde_json::Value;
use toolwright_schema::patterns::{LARGEST_PATTERN, SMALL_PATTERN, Unusable, patterns};

use crate::{
    document::{
        diagnostic::{Code, Diagnostic, Diagnostics},
        source::Place,
    },
    ir::{LoweredOperation, Service},
};

/// The longest part of a pattern that a diagnostic quotes, in characters.
const QUOTED: usize = 80;

/// The longest unchecked pattern that stays in a schema, in bytes: parsing it takes stack for each
/// of its groups.
const LONGEST_VALID: usize = 512;

/// The number of large patterns of a service that are tried. Each may take some milliseconds.
const MOST_LARGE: usize = 250;

pub(super) fn run(service: &mut Service<LoweredOperation>, diagnostics: &mut Diagnostics) {
    let advisory = advisory(service);
    if !advisory.is_empty() {
        let invalid = advisory.iter().filter(|pattern| !is_valid(pattern));
        let invalid = invalid.cloned().collect();
        report(service, &advisory, &invalid, diagnostics);
        take_out(service, &invalid);
    }
}

/// Returns the patterns of a service that the runtime cannot hold values against.
fn advisory(service: &Service<LoweredOperation>) -> BTreeSet<String> {
    let found: BTreeSet<&str> = schemas(service).flat_map(patterns).collect();
    let mut large = 0;
    let advisory = found.into_iter().filter(|pattern| {
        let is_small = compiles(pattern, SMALL_PATTERN);
        large += usize::from(!is_small);
        !is_small && (large > MOST_LARGE || !compiles(pattern, LARGEST_PATTERN))
    });
    advisory.map(ToOwned::to_owned).collect()
}

/// Checks whether the runtime's engine compiles a pattern to at most `largest` bytes.
///
/// The runtime's engine is `jsonschema`. It compares literals itself, and translates and compiles
/// all other patterns with the same two crates.
fn compiles(pattern: &str, largest: usize) -> bool {
    let is_literal = analyze_pattern(pattern).is_some();
    is_literal
        || to_rust_regex(pattern).is_ok_and(|translated| {
            let mut builder = RegexBuilder::new(&translated);
            builder.size_limit(largest).dfa_size_limit(SMALL_PATTERN);
            builder.build().is_ok()
        })
}

/// Checks whether a pattern is an ECMAScript regular expression, as clients compile it.
fn is_valid(pattern: &str) -> bool {
    pattern.len() <= LONGEST_VALID && regress::Regex::with_flags(pattern, "u").is_ok()
}

fn schemas(service: &Service<LoweredOperation>) -> impl Iterator<Item = &Value> {
    let operations = service.operations.iter();
    let operations = operations.flat_map(|operation| {
        let arguments = operation.arguments.iter().map(|argument| &argument.schema);
        arguments.chain(&operation.output.schema)
    });
    operations.chain(service.definitions.values())
}

fn take_out(service: &mut Service<LoweredOperation>, unusable: &BTreeSet<String>) {
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
    service: &Service<LoweredOperation>,
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
        .note("it becomes part of the description, and values are not checked against it")
        .note("patterns are ECMAScript regular expressions with the flag `u`")
        .help("fix the pattern, for example with `-` at the end of a character class")
}

fn is_not_checked(pattern: &str, place: Place) -> Diagnostic {
    let message = format!("the pattern `{}` is not checked", quoted(pattern));
    Diagnostic::warning(Code::UnusablePattern, place, message)
        .note("it contains look-around or backreferences, or is very large, so matching may take too long")
        .note("agents see it, but values are not checked against it")
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

#[cfg(test)]
mod tests {
    use jsonschema::{PatternOptions, draft202012};
    use serde_json::json;

    use super::*;

    fn engine_compiles(pattern: &str, largest: usize) -> bool {
        let options = PatternOptions::regex()
            .size_limit(largest)
            .dfa_size_limit(SMALL_PATTERN);
        draft202012::options()
            .with_pattern_options(options)
            .build(&json!({ "pattern": pattern }))
            .is_ok()
    }

    #[test]
    fn patterns_compile_exactly_if_the_engine_compiles_them() {
        let alternatives: Vec<String> = (0..5_000).map(|n| format!("alternative-{n}")).collect();
        let alternatives = format!("^({})$", alternatives.join("|"));
        let cases = [
            ("^[a-z]+$", true),
            ("^prefix", true),
            (r"^\S*$", true),
            (r"\cA\d+", true),
            ("^.{1,255}$", true),
            ("^(?!a)b", false),
            (r"(a)\1", false),
            ("[^/]{1,100000}", false),
            ("[z-a]", false),
            (&alternatives, true),
        ];
        for (pattern, expected) in cases {
            assert_eq!(
                compiles(pattern, LARGEST_PATTERN),
                expected,
                "{pattern:.80}"
            );
            for largest in [SMALL_PATTERN, LARGEST_PATTERN] {
                let engine = engine_compiles(pattern, largest);
                assert_eq!(compiles(pattern, largest), engine, "{pattern:.80}");
            }
        }
    }
}
