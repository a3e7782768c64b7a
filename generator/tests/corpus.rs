//! Real documents: all of them are understood, and every operation becomes a tool or is accounted
//! for.

#![expect(
    clippy::unwrap_used,
    reason = "the helpers of a test fail as the test does"
)]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use toolwright_generator::{
    diagnostic::Diagnostics,
    generate::{self, Input, Options, Outcome, Unnameable},
    inspect,
    ir::LeftOut,
    load::Disk,
    source::Sources,
    tree,
};

#[test]
fn every_operation_of_real_documents_is_accounted_for() {
    let Some(documents) = documents() else { return };
    let mut operations = 0;
    for path in &documents {
        let expected = count(&value(path));
        let outcome = run(path);
        let overview = &outcome.overviews[0];
        assert!(
            outcome.catalog.is_some(),
            "{}: {:?}",
            path.display(),
            outcome.diagnostics
        );
        assert_eq!(overview.operations, expected, "{}", path.display());
        let service = &outcome.catalog.as_ref().unwrap().services()[0];
        let left_out = &service.service().left_out;
        let names: BTreeSet<_> = service.tools().map(|(name, _)| name).collect();
        assert_eq!(names.len() + left_out.len(), expected, "{}", path.display());
        for operation in left_out {
            assert!(
                is_diagnosed(operation, &outcome),
                "{}: {operation:?}",
                path.display()
            );
        }
        operations += expected;
    }
    println!("{} documents, {operations} operations", documents.len());
}

#[test]
fn a_second_run_says_the_same() {
    let Some(documents) = documents() else { return };
    for path in documents.iter().filter(|path| size(path) < 60_000) {
        let [first, second] = [run(path), run(path)].map(|outcome| {
            let text = format!("{:?}", outcome.diagnostics);
            (text, inspect::document(&outcome, 0).to_string())
        });
        assert_eq!(first, second, "{}", path.display());
    }
}

/// An operation that is left out is spoken of: a diagnostic has its place as one of its own.
fn is_diagnosed(operation: &LeftOut, outcome: &Outcome) -> bool {
    outcome.diagnostics.iter().any(|said| {
        let also = said.secondary.iter();
        let mut places = also.chain([&said.primary]).map(|label| label.place);
        places.any(|place| place == operation.place)
    })
}

fn run(path: &Path) -> Outcome {
    let options = Options {
        unnameable: Unnameable::LeaveOut,
    };
    generate::run(&[Input::new(path.to_str().unwrap())], options, &Disk)
}

/// The operations of a document, counted without the reader of documents.
fn count(document: &Value) -> usize {
    let paths = document["paths"].as_object().into_iter().flatten();
    let items = paths.filter(|(path, _)| !path.starts_with("x-"));
    items
        .map(|(_, item)| {
            let own = keys(item);
            let target = item["$ref"]
                .as_str()
                .and_then(|text| text.strip_prefix('#'));
            let more = target
                .and_then(|pointer| document.pointer(pointer))
                .map(keys);
            let mut all: Vec<&str> = own.into_iter().chain(more.into_iter().flatten()).collect();
            all.sort_unstable();
            all.dedup();
            all.len()
        })
        .sum()
}

fn keys(item: &Value) -> Vec<&str> {
    let keys = item
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, _)| key.as_str());
    let methods = [
        "get", "put", "post", "delete", "options", "head", "patch", "trace", "query",
    ];
    keys.filter(|key| methods.contains(key)).collect()
}

fn value(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap();
    let mut sources = Sources::new();
    let source = sources.add(path.to_str().unwrap(), text);
    let file = sources.file(source).unwrap();
    let mut diagnostics = Diagnostics::default();
    tree::read(source, &file.path, &file.text, &mut diagnostics)
        .unwrap()
        .to_value()
}

/// The documents of the shared folder; none, and a word about it, where it is absent.
fn documents() -> Option<Vec<PathBuf>> {
    let shared = std::env::var_os("TOOLWRIGHT_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"),
        PathBuf::from,
    );
    if !shared.join("corpus").is_dir() {
        println!("skipped: {} has no documents", shared.display());
        return None;
    }
    let mut documents = Vec::new();
    let mut folders = vec![shared.join("corpus"), shared.join("services")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if is_document(&path) {
                documents.push(path);
            }
        }
    }
    documents.sort();
    Some(documents)
}

fn is_document(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    ["json", "yaml", "yml"]
        .iter()
        .any(|known| extension == *known)
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}
