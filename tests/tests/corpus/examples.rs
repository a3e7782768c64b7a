//! What a document gives as an example of a value goes through the generated type and comes out
//! equal.
//!
//! An example counts where it is valid by the schema that it is an example of. The types are
//! compiled, all documents' in one program, which the values are given to.

mod found;
mod program;
mod valid;

use std::{collections::BTreeMap, path::PathBuf, sync::Mutex};

use serde_json::Value;

use crate::{
    crates,
    documents::{self, Subject},
    findings::Findings,
};
use program::Trial;
use valid::Validity;

/// The trials of each document, by its name.
static TRIALS: Mutex<BTreeMap<String, Vec<Trial>>> = Mutex::new(BTreeMap::new());

/// Writes the crate of a document, and keeps those of its examples that are valid.
pub(crate) fn collect(subject: &Subject) -> Findings {
    let mut findings = Findings::default();
    let (Some(service), Some(value), Some(version)) =
        (subject.service(), &subject.value, subject.declares())
    else {
        return findings;
    };
    let Some(tree) = subject.outcome.documents.root(service.service().source) else {
        return findings;
    };
    let mut validity = Validity::of(value, version);
    let mut trials = Vec::new();
    for found in found::all(service, &subject.tools, tree, value) {
        let what = || format!("{}: {}", subject.name, found.at);
        match (validity.of_example(&found), found.value) {
            (Ok(false), _) => {}
            (Err(why), _) => findings.exempt(what(), why),
            (_, Err(why)) => findings.exempt(what(), why),
            (Ok(true), Ok(value)) => trials.push(Trial {
                at: found.at,
                rust: found.rust,
                value,
            }),
        }
    }
    if !trials.is_empty() {
        crates::write(subject);
        TRIALS.lock().unwrap().insert(subject.name.clone(), trials);
    }
    findings
}

/// Compiles the crates and tries their types with the examples.
pub(crate) fn judge(paths: &[PathBuf]) -> Findings {
    let trials = std::mem::take(&mut *TRIALS.lock().unwrap());
    let names: Vec<String> = paths.iter().map(|path| documents::name(path)).collect();
    let mut findings = Findings::default();
    match program::run(&names, &trials) {
        Err(why) => findings.fail("the program with the types of all documents", why),
        Ok(answers) => {
            let trials = trials
                .iter()
                .flat_map(|(document, trials)| trials.iter().map(move |trial| (document, trial)));
            for ((document, trial), answer) in trials.zip(answers) {
                let what = format!("{document}: {} as {}", trial.at, trial.rust);
                findings.check(what, fault(&trial.value, answer));
            }
        }
    }
    findings
}

/// Why what came out is not what went in.
fn fault(value: &Value, answer: Result<Value, String>) -> Option<String> {
    match answer {
        Err(why) => Some(why),
        Ok(encoded) => difference(value, &encoded, ""),
    }
}

/// Where two values differ. Numbers are equal when they mean the same.
fn difference(one: &Value, other: &Value, at: &str) -> Option<String> {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let lost = one.keys().find(|key| !other.contains_key(*key));
            let made = other.keys().find(|key| !one.contains_key(*key));
            if let Some(key) = lost.or(made) {
                return Some(format!("`{key}` at `{at}` is there but once"));
            }
            one.iter()
                .find_map(|(key, one)| difference(one, &other[key], &format!("{at}/{key}")))
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => one
            .iter()
            .zip(other)
            .enumerate()
            .find_map(|(index, (one, other))| difference(one, other, &format!("{at}/{index}"))),
        (Value::Number(one), Value::Number(other)) if one.as_f64() == other.as_f64() => None,
        _ if one == other => None,
        _ => Some(format!("`{one}` at `{at}` becomes `{other}`")),
    }
}
