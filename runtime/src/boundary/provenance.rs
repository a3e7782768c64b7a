//! Where the values of arguments come from: the results of earlier calls of the same run.
//!
//! The results themselves are not recorded. What is remembered of them is in memory and bounded.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

use serde_json::Value;
use toolwright_schema::JsonPointer;
use uuid::Uuid;

use super::view::Scope;
use crate::audit::ValueSource;

/// The greatest number of runs that are remembered at once.
const MOST_RUNS: usize = 64;

/// The greatest number of values of a run that are remembered.
const MOST_VALUES: usize = 20_000;

/// The greatest number of sources that are recorded for a value.
const MOST_SOURCES: usize = 4;

/// The greatest number of values of a call whose sources are recorded.
const MOST_RECORDED: usize = 64;

/// The longest string that is remembered, in bytes.
const LONGEST: usize = 256;

/// The values of the results of runs, the run that was used last at the end.
#[derive(Default)]
pub(crate) struct Provenance(Mutex<VecDeque<(String, Values)>>);

/// The places of values, in the order of the calls.
type Values = HashMap<String, Vec<ValueSource>>;

impl Provenance {
    /// Remembers the values of a result.
    pub(crate) fn remember(&self, scope: &Scope, call: Uuid, result: &Value) {
        let mut runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = run_of(scope);
        let known = runs.iter().position(|(run, _)| *run == key);
        let known = known.and_then(|at| runs.remove(at));
        let (key, mut values) = known.unwrap_or_else(|| (key, Values::new()));
        scalars(result, &mut |at, value| {
            if values.len() < MOST_VALUES || values.contains_key(&value) {
                let sources = values.entry(value).or_default();
                let at = at.as_str().to_owned();
                // The first sources, and the latest.
                sources.truncate(MOST_SOURCES - 1);
                sources.push(ValueSource { call, at });
            }
        });
        runs.push_back((key, values));
        while runs.len() > MOST_RUNS {
            runs.pop_front();
        }
    }

    /// Returns the sources of the values of arguments, by their JSON Pointers.
    pub(crate) fn sources(
        &self,
        scope: &Scope,
        arguments: &Value,
    ) -> BTreeMap<String, Vec<ValueSource>> {
        let runs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = run_of(scope);
        let mut found = BTreeMap::new();
        let Some((_, values)) = runs.iter().find(|(run, _)| *run == key) else {
            return found;
        };
        scalars(arguments, &mut |at, value| {
            if found.len() < MOST_RECORDED
                && let Some(sources) = values.get(&value)
            {
                found.insert(at.as_str().to_owned(), sources.clone());
            }
        });
        found
    }
}

/// Returns the key of a run: its id, or else the session or the view.
fn run_of(scope: &Scope) -> String {
    let role = &scope.role;
    let (run, session) = (&scope.run.run, &scope.client.session);
    match (run, session) {
        (Some(run), _) => format!("run {role} {run}"),
        (None, Some(session)) => format!("session {role} {session}"),
        (None, None) => format!("view {}", scope.number),
    }
}

/// Passes each string and number of a value to `each`, with its place. Booleans and null say nothing
/// about where they come from.
fn scalars(value: &Value, each: &mut dyn FnMut(&JsonPointer, String)) {
    walk(value, &JsonPointer::root(), each);
}

fn walk(value: &Value, at: &JsonPointer, each: &mut dyn FnMut(&JsonPointer, String)) {
    match value {
        Value::String(text) if !text.is_empty() && text.len() <= LONGEST => {
            each(at, value.to_string());
        }
        Value::Number(_) => each(at, value.to_string()),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                walk(item, &at.join(&index.to_string()), each);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                walk(field, &at.join(name), each);
            }
        }
        _ => {}
    }
}
