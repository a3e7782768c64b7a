//! Which files a document refers to.

use std::collections::BTreeSet;

use crate::tree::{Data, Node};

/// Under these keys stand data, in which `$ref` has no meaning.
const DATA: &[&str] = &["example", "examples", "default", "enum", "const"];

/// Under these keys stand definitions by name, so that a name is no keyword.
const NAMED: &[&str] = &[
    "properties",
    "patternProperties",
    "dependentSchemas",
    "$defs",
    "definitions",
    "schemas",
];

/// The files in the `$ref`s of a tree, as they are written, without those to the document itself.
pub(super) fn files_of(root: &Node) -> BTreeSet<String> {
    let mut files = BTreeSet::new();
    let mut unseen = vec![(root, false)];
    while let Some((node, names)) = unseen.pop() {
        match &node.data {
            Data::Array(items) => unseen.extend(items.iter().map(|item| (item, false))),
            Data::Object(fields) => {
                for (key, field) in fields {
                    match &field.node.data {
                        Data::String(text) if key == "$ref" && !names => {
                            files.extend(file_of(text))
                        }
                        _ if !names && DATA.contains(&key.as_str()) => {}
                        _ => {
                            let names = !names && NAMED.contains(&key.as_str());
                            unseen.push((&field.node, names));
                        }
                    }
                }
            }
            _ => {}
        }
    }
    files
}

/// Whether a reference names a scheme, such as `https:`.
pub(super) fn is_url(file: &str) -> bool {
    file.starts_with("//")
        || file.split_once(':').is_some_and(|(scheme, _)| {
            scheme.len() > 1
                && scheme
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        })
}

/// Whether the name of a file is one that a JSON or YAML document has. What stands in other files,
/// such as descriptions in Markdown, is no fault.
pub(super) fn may_be_document(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or_default();
    match file.rsplit_once('.') {
        Some((_, extension)) => ["json", "yaml", "yml"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known)),
        None => true,
    }
}

fn file_of(reference: &str) -> Option<String> {
    let file = reference
        .split_once('#')
        .map_or(reference, |(file, _)| file);
    (!file.is_empty()).then(|| file.to_owned())
}
