//! The properties of a request that hold secrets.

use std::collections::{BTreeSet, VecDeque};

use crate::{
    document::{documents::Documents, tree::Node},
    governance::is_secret_name,
};

/// The most schemas that are looked at. Those near the root come first.
const MOST_SCHEMAS: usize = 2_000;

/// Returns the names of the properties at any depth with the format of a password or the name of a
/// secret.
///
/// A `writeOnly` property is not evidence: in public specifications these are mostly options of the
/// request, such as `duplicate`.
pub(super) fn find(schema: &Node, documents: &Documents) -> Vec<String> {
    let mut names = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open = VecDeque::from([(schema, None)]);
    while let Some((schema, name)) = open.pop_front()
        && seen.len() < MOST_SCHEMAS
    {
        let Ok(target) = documents.resolve(schema) else {
            continue;
        };
        if let Some(name) = name
            && is_secret(name, schema, target)
        {
            names.push(String::from(name));
        }
        if !seen.insert(std::ptr::from_ref(target)) || target.is_true("readOnly") {
            continue;
        }
        for (name, property) in target.get("properties").into_iter().flat_map(Node::fields) {
            open.push_back((property, Some(name)));
        }
        for keyword in ["allOf", "oneOf", "anyOf"] {
            let parts = target.get(keyword).into_iter().flat_map(Node::items);
            open.extend(parts.map(|part| (part, name)));
        }
        open.extend(target.get("items").map(|items| (items, name)));
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// Checks whether a property holds a secret. Numbers, booleans and read-only properties hold none.
fn is_secret(name: &str, schema: &Node, target: &Node) -> bool {
    let declared = |format| {
        [schema, target]
            .iter()
            .any(|node| node.str_at("format") == format)
    };
    let kind = target.str_at("type");
    let is_text = kind.is_none_or(|kind| kind == "string");
    let is_read = schema.is_true("readOnly") || target.is_true("readOnly");
    declared(Some("password")) || is_text && !is_read && is_secret_name(name)
}
