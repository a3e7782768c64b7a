//! The documents on which the generator is judged, and what an eye that is not the generator's
//! sees in them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use toolwright_generator::{
    diagnostic::Diagnostics,
    generate::{self, Input, Options, Outcome, Unnameable},
    load::Disk,
    source::Sources,
    tree,
};

/// What the generator makes of a document; operations without a name of their own are left out.
pub(crate) fn run(path: &Path) -> Outcome {
    let options = Options {
        unnameable: Unnameable::LeaveOut,
        ..Options::default()
    };
    generate::run(&[Input::new(path.to_str().unwrap())], options, &Disk)
}

/// How many operations a document has, counted without the reader of documents.
pub(crate) fn count(document: &Value) -> usize {
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

/// A document as a value.
pub(crate) fn value(path: &Path) -> Value {
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
pub(crate) fn all() -> Option<Vec<PathBuf>> {
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

/// The size of a document in bytes.
pub(crate) fn size(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}
