//! An OpenAPI or Swagger document, read independently of the generator.

use std::{fs, path::Path};

use serde_json::{Map, Value};

use crate::swagger::modern;

/// The methods of a path item.
pub(crate) const METHODS: &[&str] = &[
    "get", "put", "post", "delete", "patch", "head", "options", "trace",
];

/// A document in the layout of OpenAPI 3.
#[derive(Debug)]
pub(crate) struct Document(Value);

/// One operation.
#[derive(Debug)]
pub(crate) struct Operation<'d> {
    pub(crate) method: &'static str,
    pub(crate) path: &'d str,
    pub(crate) node: &'d Map<String, Value>,
    /// Its parameters, then its path's.
    pub(crate) parameters: Vec<&'d Value>,
}

impl Document {
    pub(crate) fn load(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            return Self::new(serde_json::from_str(&text).unwrap());
        }
        Self::read(&text)
    }

    /// Reads YAML.
    pub(crate) fn read(text: &str) -> Self {
        // The parser's budget guards against strangers' documents; these are large and known.
        let options = serde_saphyr::options! { budget: None };
        Self::new(serde_saphyr::from_str_with_options(text, options).unwrap())
    }

    pub(crate) fn new(tree: Value) -> Self {
        Self(modern(tree))
    }

    pub(crate) const fn root(&self) -> &Value {
        &self.0
    }

    /// Follows a chain of references and returns the node and its name.
    pub(crate) fn resolve<'d>(&'d self, node: &'d Value) -> (&'d Value, Option<&'d str>) {
        let (mut node, mut name) = (node, None);
        while let Some(reference) = reference(node) {
            name = reference.rsplit('/').next();
            let target = self.target(reference);
            node = target.unwrap_or_else(|| panic!("cannot resolve `{reference}`"));
        }
        (node, name)
    }

    /// Returns the named type of a schema, if it is a reference or combines one reference with
    /// null.
    pub(crate) fn named<'d>(&'d self, schema: &'d Value) -> Option<(&'d Value, &'d str)> {
        let parts = ["allOf", "oneOf", "anyOf"]
            .into_iter()
            .filter_map(|key| schema.get(key));
        let parts = parts.filter_map(Value::as_array).flatten();
        let mut parts = parts.filter(|part| part.get("type").is_none_or(|kind| kind != "null"));
        let schema = match (parts.next(), parts.next()) {
            (Some(only), None) if schema.get("properties").is_none() => only,
            _ => schema,
        };
        let (target, name) = self.resolve(schema);
        name.map(|name| (target, name))
    }

    /// Returns every operation in the document's order.
    pub(crate) fn operations(&self) -> Vec<Operation<'_>> {
        let mut found = Vec::new();
        for (path, item) in entries(&self.0, "paths") {
            for method in METHODS {
                let Some(node) = item.get(*method).and_then(Value::as_object) else {
                    continue;
                };
                let lists = [node.get("parameters"), item.get("parameters")];
                let nodes = lists
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_array)
                    .flatten();
                found.push(Operation {
                    method,
                    path,
                    node,
                    parameters: nodes.map(|node| self.resolve(node).0).collect(),
                });
            }
        }
        found
    }

    /// Returns the unresolved references.
    pub(crate) fn dangling(&self) -> Vec<String> {
        let mut dangling = Vec::new();
        walk(&self.0, &mut |node| {
            let reference = reference(node).filter(|reference| self.target(reference).is_none());
            dangling.extend(reference.map(str::to_owned));
        });
        dangling
    }

    fn target(&self, reference: &str) -> Option<&Value> {
        self.0.pointer(reference.strip_prefix('#')?)
    }
}

impl Operation<'_> {
    /// Returns the method and the path without the names of parameters, which are not sent.
    pub(crate) fn key(&self) -> (&'static str, String) {
        let mut bare = String::new();
        let mut within = false;
        for c in self.path.chars() {
            within = (within || c == '{') && c != '}';
            if !within {
                bare.push(c);
            }
        }
        (self.method, bare)
    }

    /// Returns the names of the path parameters in order.
    pub(crate) fn path_parameters(&self) -> Vec<&str> {
        let pieces = self.path.split('{').skip(1);
        pieces
            .filter_map(|piece| piece.split_once('}'))
            .map(|(name, _)| name)
            .collect()
    }
}

/// Returns the entries of a nested object, if present.
pub(crate) fn entries<'d>(
    node: &'d Value,
    name: &str,
) -> impl Iterator<Item = (&'d String, &'d Value)> {
    node.get(name)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
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
