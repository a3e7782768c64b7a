//! Paths that differ only in the names of their parameters.
//!
//! OpenAPI forbids them because they are ambiguous, and the validator picks any of them. A unique
//! prefix for each path, and for its requests, removes the ambiguity.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The prefix of each ambiguous path in the document.
pub(crate) type Prefixes = BTreeMap<String, String>;

/// Adds a unique prefix to each ambiguous path.
pub(super) fn add_prefixes(half: &mut Value) -> Prefixes {
    let Some(Value::Object(paths)) = half.get_mut("paths") else {
        return Prefixes::new();
    };
    let mut alike: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in paths.keys() {
        alike.entry(shape(path)).or_default().push(path.clone());
    }
    let mut prefixes = Prefixes::new();
    for paths in alike.into_values().filter(|paths| paths.len() > 1) {
        for (number, path) in paths.into_iter().enumerate() {
            prefixes.insert(path, format!("/path-{number}"));
        }
    }
    let named = std::mem::take(paths).into_iter().map(|(path, item)| {
        let prefix = prefixes.get(&path).map_or("", String::as_str);
        (format!("{prefix}{path}"), item)
    });
    *paths = named.collect::<Map<_, _>>();
    prefixes
}

/// Returns a path without the names of its parameters.
fn shape(path: &str) -> String {
    let mut parts = path.split('{');
    let mut shape = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, rest) = part.split_once('}').unwrap_or(("", part));
        shape.push_str("{}");
        shape.push_str(rest);
    }
    shape
}
