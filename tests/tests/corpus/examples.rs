//! Checks that generated types decode and encode the documents' examples without loss.
//!
//! Only examples that are valid by their own schema count. The types of all documents are compiled
//! into one program, which reads the values.

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

/// The trials by document name.
static TRIALS: Mutex<BTreeMap<String, Vec<Trial>>> = Mutex::new(BTreeMap::new());

/// Records the valid examples of a document and writes its crate.
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
    let mut validity = Validity::new(value, version);
    let mut trials = Vec::new();
    for found in found::all(service, &subject.tools, tree, value) {
        let what = || format!("{}: {}", subject.name, found.at);
        match (validity.is_valid(&found), found.value) {
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

/// Compiles the crates and decodes the examples with their types.
pub(crate) fn check(paths: &[PathBuf]) -> Findings {
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

/// Returns the difference between input and output.
fn fault(value: &Value, answer: Result<Value, String>) -> Option<String> {
    match answer {
        Err(why) => Some(why),
        Ok(encoded) => difference(value, &encoded, ""),
    }
}

/// Returns the first difference between two values. Numbers are compared by value.
fn difference(one: &Value, other: &Value, at: &str) -> Option<String> {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let lost = one.keys().find(|key| !other.contains_key(*key));
            let made = other.keys().find(|key| !one.contains_key(*key));
            if let Some(key) = lost.or(made) {
                return Some(format!("only one value has `{key}` at `{at}`"));
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
