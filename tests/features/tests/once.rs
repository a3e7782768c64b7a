//! Each library is compiled once in a build of the whole workspace.
#![cfg(test)]

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde_json::Value;

/// The libraries of a build: by package, the features of each time that it is compiled.
type Libraries = BTreeMap<String, Vec<BTreeSet<String>>>;

#[test]
fn each_library_is_compiled_once() {
    let mut twice = String::new();
    for (package, compiled) in libraries(&units()) {
        let [first, others @ ..] = &compiled[..] else {
            continue;
        };
        for other in others {
            let differ: Vec<_> = first.symmetric_difference(other).collect();
            twice += &format!("\n{package}: {differ:?}");
        }
    }
    assert!(
        twice.is_empty(),
        "these packages are compiled once more with other features, or with dependencies that have other \
         features; add the features to tests/features/Cargo.toml:{twice}"
    );
}

/// Returns the libraries that are compiled with the same optimisation, but for those that are compiled for tests.
fn libraries(units: &Value) -> Libraries {
    let mut libraries = Libraries::new();
    for unit in units["units"].as_array().unwrap() {
        let is_library = unit["target"]["kind"] == serde_json::json!(["lib"]);
        if unit["mode"] != "build" || !is_library {
            continue;
        }
        let [package, level] =
            [&unit["pkg_id"], &unit["profile"]["opt_level"]].map(|value| value.as_str().unwrap());
        let features = unit["features"].as_array().unwrap();
        let features = features
            .iter()
            .map(|name| name.as_str().unwrap().to_owned());
        let package = package.rsplit('/').next().unwrap();
        libraries
            .entry(format!("{package} at level {level}"))
            .or_default()
            .push(features.collect());
    }
    assert!(libraries.len() > 300, "{libraries:?}");
    libraries
}

/// Returns what cargo would compile for all tests.
fn units() -> Value {
    let run = toolwright_test_cargo::command("test")
        .unwrap()
        .args([
            "--workspace",
            "--no-run",
            "--unit-graph",
            "-Zunstable-options",
        ])
        // The list is unstable, and nothing is compiled.
        .env("RUSTC_BOOTSTRAP", "1")
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{said}");
    serde_json::from_slice(&run.stdout).unwrap()
}
