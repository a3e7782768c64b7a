//! Paths that differ in the names of their parameters alone.
//!
//! OpenAPI forbids them, since nobody can tell which one a request is for, and the judge judges by
//! any of them. So each begins with a word of its own, and so do the requests that are for it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// How such a path begins, by the path as it stands in the document.
pub(crate) type Beginnings = BTreeMap<String, String>;

/// Lets each begin differently.
pub(super) fn set_apart(half: &mut Value) -> Beginnings {
    let Some(Value::Object(paths)) = half.get_mut("paths") else {
        return Beginnings::new();
    };
    let mut alike: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in paths.keys() {
        alike.entry(shape(path)).or_default().push(path.clone());
    }
    let mut beginnings = Beginnings::new();
    for paths in alike.into_values().filter(|paths| paths.len() > 1) {
        for (number, path) in paths.into_iter().enumerate() {
            beginnings.insert(path, format!("/path-{number}"));
        }
    }
    let named = std::mem::take(paths).into_iter().map(|(path, item)| {
        let beginning = beginnings.get(&path).map_or("", String::as_str);
        (format!("{beginning}{path}"), item)
    });
    *paths = named.collect::<Map<_, _>>();
    beginnings
}

/// A path without the names of its parameters.
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
