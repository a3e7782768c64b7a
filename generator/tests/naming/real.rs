//! The real documents, and the names of their operations.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

use toolwright_generator::internals::{NameHints, Naming, OperationFacts, name_of, names_of};
use toolwright_model::{Method, ServiceName};

use crate::documents;

/// Which operation of a document.
pub(crate) type Key = (String, Method);

/// The variable that names another document, or a folder of documents.
pub(crate) const DOCUMENTS: &str = "TOOLWRIGHT_NAMES_DOCUMENTS";

/// Returns the real documents, in the order of their paths; none if they do not exist.
pub(crate) fn documents() -> Vec<PathBuf> {
    if let Some(folder) = env::var_os(DOCUMENTS) {
        let folder = PathBuf::from(folder);
        return if folder.is_dir() {
            files(&folder)
        } else {
            vec![folder]
        };
    }
    let folders = ["corpus", "services"].map(documents::shared);
    folders
        .into_iter()
        .flatten()
        .flat_map(|folder| files(&folder))
        .collect()
}

/// The names of operations in their document.
pub(crate) fn document_names(
    service: &ServiceName,
    facts: &[OperationFacts],
) -> BTreeMap<Key, Naming> {
    let operations: Vec<_> = facts.iter().map(|facts| (facts.clone(), None)).collect();
    let named = facts.iter().zip(names_of(service, &operations));
    named
        .map(|(facts, naming)| ((facts.path.clone(), facts.method), naming))
        .collect()
}

/// The names of operations, each from its own facts.
pub(crate) fn names(service: &ServiceName, facts: &[OperationFacts]) -> BTreeMap<Key, Naming> {
    let named = facts.iter().map(|facts| {
        let naming = name_of(service, facts, NameHints::default());
        ((facts.path.clone(), facts.method), naming)
    });
    named.collect()
}

/// The service of a document: its folder's name, or else the first word of its own.
pub(crate) fn service_of(document: &Path) -> ServiceName {
    let folder = document.parent().unwrap().file_name().unwrap();
    let file = document.file_name().unwrap();
    let text = if folder == "corpus" || env::var_os(DOCUMENTS).is_some() {
        file.to_str().unwrap().split(['-', '.']).next().unwrap()
    } else {
        folder.to_str().unwrap()
    };
    let text: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    let text = text.trim_start_matches(|c: char| c.is_ascii_digit());
    ServiceName::new(text.to_ascii_lowercase()).unwrap_or(ServiceName::new("svc").unwrap())
}

/// The vendor of a document: the first word of its folder's name or of its own.
pub(crate) fn vendor_of(document: &Path) -> String {
    let folder = document.parent().unwrap().file_name().unwrap();
    let name = if folder == "corpus" || env::var_os(DOCUMENTS).is_some() {
        document.file_name().unwrap()
    } else {
        folder
    };
    let name = name.to_str().unwrap();
    name.split(['-', '.']).next().unwrap_or(name).to_owned()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path
            .extension()
            .is_some_and(|extension| extension != "tsv" && extension != "js")
        {
            found.push(path);
        }
    }
    found.sort();
    found
}
