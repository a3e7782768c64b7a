//! The files that a document references.

use std::collections::BTreeSet;

use crate::document::{
    documents::identities::{DATA, NAMED, names},
    tree::{Data, Node},
};

/// The references and names in a document.
#[derive(Debug, Default)]
pub(super) struct References {
    /// The files in its `$ref`s, as written, without references to the document itself.
    pub(super) files: BTreeSet<String>,
    /// True if the document declares names for itself or its parts.
    pub(super) names: bool,
}

/// Collects the references of a tree.
pub(super) fn collect(root: &Node) -> References {
    let mut references = References::default();
    let mut unseen = vec![(root, false)];
    while let Some((node, named)) = unseen.pop() {
        match &node.data {
            Data::Array(items) => unseen.extend(items.iter().map(|item| (item, false))),
            Data::Object(fields) => {
                for (key, field) in fields.iter() {
                    match &field.node.data {
                        Data::String(text) if key == "$ref" && !named => {
                            references.files.extend(file_of(text));
                        }
                        Data::String(_) => references.names |= !named && names(key),
                        _ if !named && DATA.contains(&key.as_str()) => {}
                        _ => {
                            let named = !named && NAMED.contains(&key.as_str());
                            unseen.push((&field.node, named));
                        }
                    }
                }
            }
            _ => {}
        }
    }
    references
}

/// Checks whether a reference has a scheme such as `https:`.
pub(super) fn is_url(file: &str) -> bool {
    file.starts_with("//")
        || file.split_once(':').is_some_and(|(scheme, _)| {
            scheme.len() > 1
                && scheme
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        })
}

/// Checks whether a file name fits a JSON or YAML document. Other files, such as Markdown
/// descriptions, are not parsed as documents.
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
