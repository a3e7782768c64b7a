//! The program that decodes values with the types of all documents.

use std::{
    collections::BTreeMap,
    fmt::Write,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::crates::{self, PROGRAM};

/// A value to decode with a type.
pub(super) struct Trial {
    pub(super) at: String,
    pub(super) rust: String,
    pub(super) value: Value,
}

/// The part of the source that all types share.
const HEAD: &str = "//! Decodes values with generated types and encodes them again.
#![allow(unused_imports, clippy::all, clippy::unwrap_used)]

use toolwright_adapter::codec::{Codec, Value};

type Attempt = fn(Value) -> Value;

fn attempt<T: Codec>(value: Value) -> Value {
    match T::decode(value) {
        Ok(value) => toolwright_adapter::codec::json!({ \"encoded\": value.encode() }),
        Err(error) => toolwright_adapter::codec::json!({ \"error\": error.to_string() }),
    }
}

fn main() {
    for line in std::io::stdin().lines() {
        let mut trial: Value = line.unwrap().parse().unwrap();
        let place = |key: &str| usize::try_from(trial[key].as_u64().unwrap()).unwrap();
        let attempt = DOCUMENTS[place(\"document\")][place(\"type\")];
        println!(\"{}\", attempt(trial[\"value\"].take()));
    }
}
";

/// Returns the encoded result of each trial, in order.
///
/// # Errors
/// If the program cannot be compiled or exits early.
pub(super) fn run(
    names: &[String],
    trials: &BTreeMap<String, Vec<Trial>>,
) -> Result<Vec<Result<Value, String>>, String> {
    let members: Vec<String> = trials.keys().map(|name| crates::member(name)).collect();
    let (source, lines) = program(&members, trials);
    crates::write_program(&members, &source);
    let mut all: Vec<String> = names.iter().map(|name| crates::member(name)).collect();
    all.retain(|member| crates::is_there(member));
    crates::write_workspace(&all);

    let values = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(values.path(), lines).unwrap();
    // All crates together, with the features of all of them: otherwise cargo would compile them again for this program.
    let built = crates::cargo("build")
        .args(["--quiet", "--workspace"])
        .output()
        .unwrap();
    if !built.status.success() {
        return Err(String::from_utf8_lossy(&built.stderr).into_owned());
    }
    let ran = Command::new(toolwright_test_cargo::program(PROGRAM).unwrap())
        .stdin(Stdio::from(values.reopen().unwrap()))
        .output()
        .unwrap();
    if !ran.status.success() {
        return Err(String::from_utf8_lossy(&ran.stderr).into_owned());
    }
    let answers = String::from_utf8(ran.stdout).unwrap();
    let answers = answers.lines().map(|line| {
        let mut answer: Value = serde_json::from_str(line).unwrap();
        match answer["error"].as_str() {
            Some(error) => Err(error.to_owned()),
            None => Ok(answer["encoded"].take()),
        }
    });
    Ok(answers.collect())
}

/// Returns the program's source and its input lines.
fn program(members: &[String], trials: &BTreeMap<String, Vec<Trial>>) -> (String, String) {
    let (mut source, mut lines) = (HEAD.to_owned(), String::new());
    let mut tables = String::new();
    for (document, (member, trials)) in members.iter().zip(trials.values()).enumerate() {
        let module = member.replace('-', "_");
        let mut types: BTreeMap<&str, usize> = BTreeMap::new();
        let mut attempts = String::new();
        for trial in trials {
            let next = types.len();
            let index = *types.entry(&trial.rust).or_insert_with(|| {
                let _ = writeln!(attempts, "        super::attempt::<{}>,", trial.rust);
                next
            });
            let line = json!({"document": document, "type": index, "value": trial.value});
            let _ = writeln!(lines, "{line}");
        }
        let _ = write!(
            source,
            "\nmod {module} {{\n    use ::{module}::*;\n    use toolwright_adapter::codec;\n\n    \
             pub(super) const TYPES: &[super::Attempt] = &[\n{attempts}    ];\n}}\n"
        );
        let _ = writeln!(tables, "    {module}::TYPES,");
    }
    let _ = write!(
        source,
        "\nconst DOCUMENTS: &[&[Attempt]] = &[\n{tables}];\n"
    );
    (source, lines)
}
