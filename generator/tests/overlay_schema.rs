//! Checks that the JSON Schema of overlays agrees with their reader.

#![cfg(test)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use expect_test::expect_file;
use jsonschema::Validator;
use serde_json::{Value, json};
use toolwright_generator::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    internals,
    source::Sources,
};
use toolwright_model::TOOL_VERBS;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn validator() -> Validator {
    jsonschema::draft202012::new(&internals::overlay_schema()).unwrap()
}

/// Returns the reader's diagnostics for an overlay, and the overlay as JSON; `None` if it is not
/// TOML.
fn read(text: &str) -> (Vec<Diagnostic>, Option<Value>) {
    let source = Sources::new().add("overlay.toml", text);
    let mut diagnostics = Diagnostics::default();
    internals::check_overlay(source, text, &mut diagnostics);
    let tree = internals::read_toml(source, text, &mut Diagnostics::default());
    (diagnostics.sorted(), tree.map(|tree| tree.to_value()))
}

/// Checks whether an entry has an unknown verb, which is reported when the tool is named, not by
/// the reader.
fn has_unknown_verb(overlay: &Value) -> bool {
    let entries = overlay["operations"].as_object().into_iter().flatten();
    let mut verbs = entries.filter_map(|(_, entry)| entry["verb"].as_str());
    verbs.any(|verb| !TOOL_VERBS.contains(&verb))
}

#[test]
fn the_published_schema_is_the_readers_schema() {
    let path = root().join("specs/overlay.schema.json");
    let schema = format!("{:#}\n", internals::overlay_schema());
    expect_file![path].assert_eq(&schema);
    assert!(jsonschema::draft202012::meta::is_valid(
        &internals::overlay_schema()
    ));
}

#[test]
fn schema_and_reader_accept_the_same_overlays() {
    let validator = validator();
    let (mut accepted, mut refused) = (0, 0);
    for path in overlays(&root()) {
        let text = fs::read_to_string(&path).unwrap();
        let (said, Some(value)) = read(&text) else {
            continue;
        };
        let valid = validator.is_valid(&value);
        // Only the reader checks selectors.
        let knows = |diagnostic: &Diagnostic| diagnostic.code != Code::UnknownValue;
        if said.is_empty() && !has_unknown_verb(&value) {
            accepted += 1;
            assert!(
                valid,
                "{}: {:?}",
                path.display(),
                validator.validate(&value)
            );
        } else if has_unknown_verb(&value) || said.iter().any(knows) {
            refused += 1;
            assert!(!valid, "{}: {said:#?}", path.display());
        }
    }
    assert!(accepted >= 20 && refused >= 5, "{accepted} and {refused}");
}

/// Every overlay of the repository.
fn overlays(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = ["specs", "generator/tests/cases", "tests", "examples"]
        .map(|folder| root.join(folder))
        .to_vec();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with("overlay.toml") {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn every_value_of_every_key_is_accepted_by_both_or_by_neither() {
    let validator = validator();
    let mut tried = 0;
    for path in paths(&internals::overlay_schema()) {
        for sample in samples() {
            let value = path
                .iter()
                .rev()
                .fold(sample, |inner, key| json!({ key.as_str(): inner }));
            let text = toml::to_string(&value).unwrap();
            let (said, _) = read(&text);
            let valid = validator.is_valid(&value);
            let accepted = said.is_empty() && !has_unknown_verb(&value);
            assert_eq!(accepted, valid, "{text}{said:#?}");
            tried += 1;
        }
    }
    assert!(tried > 500, "{tried}");
}

#[test]
fn every_key_is_documented() {
    let page = fs::read_to_string(root().join("docs/overlay.md")).unwrap();
    for path in paths(&internals::overlay_schema()) {
        let key = path.last().unwrap();
        let is_named = ["x", "no_such_key"].contains(&key.as_str());
        assert!(is_named || page.contains(key.as_str()), "{key}");
    }
}

/// The way to every key that the schema knows, and to one that it does not.
fn paths(schema: &Value) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    let mut open = vec![(Vec::new(), schema)];
    while let Some((path, node)) = open.pop() {
        let node = node["$ref"].as_str().map_or(node, |reference| {
            schema.pointer(reference.trim_start_matches('#')).unwrap()
        });
        let mut go = |key: &str, inner| {
            let path: Vec<String> = path.iter().cloned().chain([key.to_owned()]).collect();
            paths.push(path.clone());
            open.push((path, inner));
        };
        for (key, inner) in node["properties"].as_object().into_iter().flatten() {
            go(key, inner);
        }
        if node["additionalProperties"].is_object() {
            go("x", &node["additionalProperties"]);
        } else if node["additionalProperties"] == false {
            go("no_such_key", &Value::Null);
        }
    }
    paths
}

fn samples() -> Vec<Value> {
    vec![
        json!("word"),
        json!(""),
        json!(" "),
        json!(" read "),
        json!("read"),
        json!("report"),
        json!("get-shop-item"),
        json!("x".repeat(49)),
        json!("https://shop.example"),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!([]),
        json!(["a"]),
        json!(["a", 1]),
        json!({}),
        json!({"x": {}}),
        json!({"x": "y"}),
        json!({"x": 1}),
        json!({"x": {"value": 1}}),
        json!({"x": {"value": 1, "constant": "y"}}),
        json!({"index": 0, "url": "https://shop.example"}),
        json!({"name": "get-shop-item", "noun": "item"}),
        json!({"x": {"name": "get-shop-item", "noun": "item"}}),
    ]
}

#[test]
fn keys_that_contradict_each_other_are_refused_by_both() {
    let validator = validator();
    for text in [
        "base_url = \"https://a.example\"\n[server]\nindex = 0\n",
        "[server]\nindex = 0\ndescription = \"a\"\n",
        "[operations.a]\nname = \"get-shop-a\"\nverb = \"get\"\n",
        "[operations.a]\nname = \"get-shop-a\"\nnoun = \"a\"\n",
        "[pin]\na = { value = 1, constant = \"a\" }\n",
        "[pin]\na = {}\n",
    ] {
        let (said, value) = read(text);
        assert!(!said.is_empty(), "{text}");
        assert!(!validator.is_valid(&value.unwrap()), "{text}");
    }
}
