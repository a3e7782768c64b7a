//! Documents as trees: reading, references, and operations.

use std::{fs, path::Path};

use serde_json::Value;

/// The methods of a path item.
const METHODS: &[&str] = &[
    "get", "put", "post", "delete", "patch", "head", "options", "trace",
];

/// One operation of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operation<'d> {
    pub(crate) method: &'static str,
    pub(crate) path: &'d str,
    pub(crate) item: &'d Value,
    pub(crate) node: &'d Value,
}

pub(crate) fn load(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    if path.extension().is_some_and(|ending| ending == "json") {
        return serde_json::from_str(&text).unwrap();
    }
    read(&text)
}

/// Reads YAML.
pub(crate) fn read(text: &str) -> Value {
    // The parser's budget guards against strangers' documents; these are large and known.
    let options = serde_saphyr::options! { budget: None };
    serde_saphyr::from_str_with_options(text, options).unwrap()
}

/// Returns every operation in the document's order.
pub(crate) fn operations(document: &Value) -> Vec<Operation<'_>> {
    let mut found = Vec::new();
    for (path, item) in entries(document, "paths") {
        for method in METHODS {
            if let Some(node) = item.get(method) {
                found.push(Operation {
                    method,
                    path,
                    item,
                    node,
                });
            }
        }
    }
    found
}

/// Follows a chain of references, whose targets must exist.
pub(crate) fn resolve<'d>(document: &'d Value, mut node: &'d Value) -> &'d Value {
    while let Some(reference) = reference(node) {
        node = target(document, reference).unwrap_or_else(|| panic!("no `{reference}`"));
    }
    node
}

/// Returns the unresolved references.
pub(crate) fn dangling(document: &Value) -> Vec<String> {
    let mut dangling = Vec::new();
    walk(document, &mut |node| {
        let reference = reference(node).filter(|reference| target(document, reference).is_none());
        dangling.extend(reference.map(str::to_owned));
    });
    dangling
}

/// Returns the entries of a nested object, if present.
pub(crate) fn entries<'d>(
    node: &'d Value,
    name: &str,
) -> impl Iterator<Item = (&'d String, &'d Value)> {
    let entries = node.get(name).and_then(Value::as_object);
    entries.into_iter().flatten()
}

/// Calls `look` with every node.
pub(crate) fn walk<'d>(node: &'d Value, look: &mut impl FnMut(&'d Value)) {
    look(node);
    match node {
        Value::Array(nodes) => nodes.iter().for_each(|node| walk(node, look)),
        Value::Object(nodes) => nodes.values().for_each(|node| walk(node, look)),
        _ => {}
    }
}

fn reference(node: &Value) -> Option<&str> {
    node.get("$ref").and_then(Value::as_str)
}

fn target<'d>(document: &'d Value, reference: &str) -> Option<&'d Value> {
    document.pointer(reference.strip_prefix('#')?)
}
