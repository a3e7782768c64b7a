//! Checks that the same specifications produce the same bytes, in any order and any number of runs.
#![cfg(test)]

use std::{collections::BTreeMap, path::Path};

use toolwright_generator::{
    emit,
    generate::{self, Input, Options},
    load::{Disk, Memory},
};
use toolwright_tests::{document, services};

fn inputs() -> Vec<Input> {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../specs");
    let path = |name: &str, file: &str| specs.join(name).join(file).display().to_string();
    let input = |name: &String| {
        Input::new(path(name, document(name)))
            .overlay(path(name, "overlay.toml"))
            .service(name)
    };
    services().iter().map(input).collect()
}

/// The generated files by service and path.
type Files = BTreeMap<(String, String), String>;

/// Generates every file of every service.
fn files(inputs: &[Input]) -> Files {
    let outcome = generate::run(inputs, Options::default(), &Disk);
    let catalog = outcome.catalog.expect("our specifications have no error");
    let mut files = BTreeMap::new();
    for service in catalog.services() {
        let name = service.service().name.to_string();
        for (path, content) in emit::service(service).iter() {
            files.insert((name.clone(), path.to_owned()), content.to_owned());
        }
    }
    files
}

/// Compares line by line to keep the failure message short.
#[track_caller]
fn assert_same(these: &Files, those: &Files, what: &str) {
    assert!(
        these.keys().eq(those.keys()),
        "{what}: the sets of files differ"
    );
    for (path, this) in these {
        for (line, (a, b)) in this.lines().zip(those[path].lines()).enumerate() {
            assert_eq!(a, b, "{what}: {path:?}, line {}", line + 1);
        }
        assert_eq!(
            this.len(),
            those[path].len(),
            "{what}: {path:?} differs in length"
        );
    }
}

#[test]
fn the_order_of_the_inputs_does_not_matter() {
    let mut inputs = inputs();
    let forwards = files(&inputs);
    assert_same(&files(&inputs), &forwards, "a second run");
    inputs.reverse();
    assert_same(&files(&inputs), &forwards, "reversed inputs");
    inputs.rotate_left(1);
    assert_same(&files(&inputs), &forwards, "turned");
    assert!(forwards.len() >= services().len() * 3);
}

#[test]
fn other_services_do_not_change_a_service() {
    let together = files(&inputs());
    let mut alone = BTreeMap::new();
    for input in inputs() {
        alone.extend(files(&[input]));
    }
    assert_same(&alone, &together, "alone");
}

#[test]
fn new_operations_do_not_change_existing_ones() {
    let path = |segment: &str| {
        let parameter = if segment.contains("{id}") {
            "    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]\n"
        } else {
            ""
        };
        let get = "    get: { responses: { '200': { description: ok } } }\n";
        let put = "    put: { responses: { '200': { description: ok } } }\n";
        format!("  /{segment}:\n{parameter}{get}{put}")
    };
    let head = "openapi: 3.1.0\ninfo: { title: T, version: '1' }\npaths:\n";
    let specs = |segments: &[&str]| {
        let paths: String = segments.iter().map(|segment| path(segment)).collect();
        let document = format!("{head}{paths}").into_bytes();
        let files = Memory([("t.yaml".to_owned(), document)].into());
        let inputs = [Input::new("t.yaml").service("t")];
        let outcome = generate::run(&inputs, Options::default(), &files);
        outcome.catalog.expect("no error").tool_specs()
    };
    let few = specs(&["books", "books/{id}"]);
    let many = specs(&[
        "authors",
        "books",
        "books/{id}",
        "books/{id}/pages",
        "book-lists",
    ]);
    for spec in &few {
        assert!(many.contains(spec), "{} has changed", spec.name);
    }
    assert_eq!(few.len(), 4);
}
