//! Names depend on their own operation only: a document that loses operations, or gains those of
//! another, keeps every name.

use std::{
    io,
    path::{Path, PathBuf},
};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::{Map, Value};
use toolwright_generator::{
    internals::Node,
    load::{Disk, FileSystem},
};

use crate::{documents::Document, real};

/// Methods of a path item, as documents write them.
const METHODS: [&str; 9] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace", "query",
];

/// In documents of up to this number of operations, each one is tested alone.
const FEW: usize = 12;

#[test]
fn removing_or_adding_operations_renames_nothing() {
    let mut random = StdRng::seed_from_u64(7);
    let mut compared = 0;
    let mut other = Value::Null;
    for path in real::documents() {
        let Some(document) = Document::open(&Disk, &path) else {
            continue;
        };
        let root = document.documents.root(document.source);
        let value = root.map_or(Value::Null, Node::to_value);
        let service = real::service_of(&path);
        let whole = real::names(&service, &document.facts());
        let mut variants: Vec<Value> = Vec::new();
        let mut half = keep(&value, |_| random.random());
        add(&mut half, &other);
        variants.push(half);
        if whole.len() <= FEW {
            variants.extend((0..whole.len()).map(|only| keep(&value, |at| at == only)));
        }
        for variant in variants {
            let files = Changed::new(&path, &variant);
            let document = Document::open(&files, &path).unwrap();
            for (key, naming) in real::names(&service, &document.facts()) {
                if let Some(before) = whole.get(&key) {
                    assert_eq!(*before, naming, "{key:?} of {}", path.display());
                    compared += 1;
                }
            }
        }
        other = value;
    }
    println!("{compared} names are as they were");
    assert!(compared > 0 || real::documents().is_empty());
}

/// The disk with one file changed.
struct Changed {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Changed {
    fn new(path: &Path, document: &Value) -> Self {
        Self {
            path: path.to_owned(),
            bytes: serde_json::to_vec(document).unwrap(),
        }
    }
}

impl FileSystem for Changed {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        if Path::new(path) == self.path {
            return Ok(self.bytes.clone());
        }
        Disk.read(path)
    }

    fn real_path(&self, path: &str) -> io::Result<PathBuf> {
        Disk.real_path(path)
    }
}

/// Returns the document with some of its operations, selected by their numbers.
fn keep(document: &Value, mut chosen: impl FnMut(usize) -> bool) -> Value {
    let mut document = document.clone();
    let mut number = 0;
    for item in items(&mut document) {
        for method in METHODS {
            if item.contains_key(method) {
                if !chosen(number) {
                    item.remove(method);
                }
                number += 1;
            }
        }
    }
    document
}

/// Adds the paths of another document that are new.
fn add(document: &mut Value, other: &Value) {
    let new = other.get("paths").and_then(Value::as_object);
    if let Some(paths) = document.get_mut("paths").and_then(Value::as_object_mut) {
        for (path, item) in new.into_iter().flatten() {
            paths.entry(path.clone()).or_insert_with(|| item.clone());
        }
    }
}

/// The path items of a document.
fn items(document: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    paths
        .into_iter()
        .flat_map(|paths| paths.values_mut())
        .filter_map(Value::as_object_mut)
}
