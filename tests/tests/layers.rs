//! Which crate may know which: the first invariant of the architecture.
#![cfg(test)]

use std::{fs, path::Path};

/// The crates of the workspace that each crate may depend on, and no others.
const MAY_KNOW: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("macros", &["toolwright-model"]),
    ("adapter", &["toolwright-model"]),
    (
        "runtime",
        &[
            "toolwright-adapter",
            "toolwright-macros",
            "toolwright-model",
        ],
    ),
    ("generator", &["toolwright-model"]),
    ("generated", &["toolwright-adapter"]),
    ("depot", &[]),
    ("eab", &["toolwright", "toolwright-model"]),
];

/// The workspace's crates that a manifest names under `[dependencies]`.
fn known_crates(manifest: &str) -> Vec<String> {
    let mut in_dependencies = false;
    let mut known = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            in_dependencies = line == "[dependencies]";
        }
        let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
        if in_dependencies && name.starts_with("toolwright") {
            known.push(name.to_owned());
        }
    }
    known
}

#[test]
fn each_crate_knows_only_those_below_it() {
    for (folder, allowed) in MAY_KNOW {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(folder)
            .join("Cargo.toml");
        for known in known_crates(&fs::read_to_string(path).unwrap()) {
            assert!(
                allowed.contains(&known.as_str()),
                "`{folder}` must not depend on `{known}`"
            );
        }
    }
}

#[test]
fn the_vocabulary_does_no_io() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../model/src");
    for entry in fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        for io in [
            "std::fs",
            "std::net",
            "std::env",
            "std::time",
            "std::process",
        ] {
            assert!(!text.contains(io), "{} uses `{io}`", path.display());
        }
    }
}
