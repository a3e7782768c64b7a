//! Paths that lead to an operation that they do not name: `/proxy/{path}`, `/devices/{id}/{command}`.

use toolwright_model::{EvidenceSource, Kind};

use super::call;
use super::signal::{Signal, SignalPlace};
use crate::language::{WordList, facts::OperationFacts, singular, words};

/// Nouns for what a parameter may choose to be done.
static OPERATIONS: WordList =
    WordList::new("action command function method operation procedure rpc verb");

/// Nouns for what passes requests on.
static PROXIES: WordList = WordList::new("forwarder passthrough proxy");

/// Nouns for the rest of a path that is passed on.
static RESTS: WordList = WordList::new("any endpoint path rest suffix target uri url wildcard");

/// Returns the evidence that the caller chooses the operation.
pub(crate) fn forwards(facts: &OperationFacts) -> Option<Signal> {
    let steps: Vec<&str> = call::bare(&facts.path)
        .split('/')
        .filter(|step| !step.is_empty())
        .collect();
    let step = steps.iter().enumerate().find_map(|(at, step)| {
        let before = steps.get(..at).unwrap_or_default();
        let chosen = parameter(step).is_some_and(|name| chooses(name, before));
        let next = steps.get(at + 1).and_then(|next| parameter(next));
        let rest = next.is_some_and(|next| next.ends_with(['+', '*']) || ends_in(next, &RESTS));
        let passes = ends_in(step, &PROXIES) && parameter(step).is_none() && rest;
        (chosen || passes).then_some(step)
    })?;
    let found = format!("`{step}` leads to another operation");
    Some(Signal::new(
        EvidenceSource::Path,
        found,
        Kind::Action,
        SignalPlace::Command,
    ))
}

/// Checks whether a parameter chooses an operation. Below a collection it selects an item:
/// `/operations/{operation}`.
fn chooses(name: &str, before: &[&str]) -> bool {
    let name = words(name);
    let Some(last) = name.last() else {
        return false;
    };
    let is_item = before.iter().any(|step| {
        parameter(step).is_none() && words(step).iter().any(|word| singular(word) == *last)
    });
    (OPERATIONS.has(last) || PROXIES.has(last)) && !is_item
}

fn ends_in(step: &str, list: &WordList) -> bool {
    words(step).last().is_some_and(|last| list.has(last))
}

/// The name of a step that is a parameter.
fn parameter(step: &str) -> Option<&str> {
    step.strip_prefix('{')?.strip_suffix('}')
}
