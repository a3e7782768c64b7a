//! The names that documents declare for themselves and their parts: `$self`, `$id`, `$anchor`.

use std::collections::BTreeMap;

use toolwright_model::JsonPointer;

use super::join;
use crate::document::{
    source::{Place, SourceId},
    tree::{Data, Node},
};

/// Keys with data values. Keywords have no meaning inside them.
pub(crate) const DATA: &[&str] = &["example", "examples", "default", "enum", "const"];

/// Keys with definitions by name. The names are not keywords.
pub(crate) const NAMED: &[&str] = &[
    "properties",
    "patternProperties",
    "dependentSchemas",
    "$defs",
    "definitions",
    "schemas",
];

/// The keys that declare a name.
const KEYS: &[&str] = &["$self", "$id", "$anchor", "$dynamicAnchor"];

/// The named resources in the documents of a run.
#[derive(Debug, Default)]
pub(super) struct Identities {
    /// The resources with a URI, each after the resource that contains it.
    resources: Vec<Resource>,
}

/// A document, or a schema with a URI.
#[derive(Debug)]
pub(super) struct Resource {
    source: SourceId,
    place: Place,
    /// The URI without its fragment; empty for a document without `$self`.
    uri: String,
    /// The JSON pointer in its document.
    pub(super) pointer: JsonPointer,
    /// The anchors with their pointers in the document.
    anchors: BTreeMap<String, JsonPointer>,
}

/// Checks whether a key can declare a name. A document without such keys needs no collection.
pub(crate) fn names(key: &str) -> bool {
    KEYS.contains(&key)
}

impl Identities {
    /// Collects the names in a document.
    pub(super) fn collect(&mut self, source: SourceId, root: &Node) {
        let own = self.resources.len();
        let uri = root.str_at("$self").map(without_fragment);
        self.resources.push(Resource {
            source,
            place: root.place,
            uri: uri.unwrap_or_default().to_owned(),
            pointer: JsonPointer::root(),
            anchors: BTreeMap::new(),
        });
        // Each node with its pointer, its resource, and whether its keys are names.
        let mut unseen = vec![(root, JsonPointer::root(), own, false)];
        while let Some((node, pointer, outer, named)) = unseen.pop() {
            let resource = if named {
                outer
            } else {
                self.record_names(source, node, &pointer, outer)
            };
            let steps: Vec<(String, &Node, bool)> = match &node.data {
                Data::Array(items) => {
                    let steps = items.iter().enumerate();
                    let steps = steps.map(|(index, item)| (index.to_string(), item, false));
                    steps.collect()
                }
                Data::Object(fields) => {
                    let meant = fields
                        .iter()
                        .filter(|(key, _)| named || !DATA.contains(&key.as_str()));
                    let steps = meant.map(|(key, field)| {
                        let names = !named && NAMED.contains(&key.as_str());
                        (key.clone(), &field.node, names)
                    });
                    steps.collect()
                }
                _ => Vec::new(),
            };
            for (step, node, named) in steps.into_iter().rev() {
                unseen.push((node, pointer.join(&step), resource, named));
            }
        }
    }

    /// Records the names of a schema and returns its resource.
    fn record_names(
        &mut self,
        source: SourceId,
        node: &Node,
        pointer: &JsonPointer,
        outer: usize,
    ) -> usize {
        let mut resource = outer;
        let id = node.str_at("$id").filter(|id| !id.starts_with('#'));
        if let Some(id) = id {
            let base = self.resources.get(outer).map_or("", |outer| &outer.uri);
            let uri = resolve_uri(base, without_fragment(id));
            resource = self.resources.len();
            self.resources.push(Resource {
                source,
                place: node.place,
                uri,
                pointer: pointer.clone(),
                anchors: BTreeMap::new(),
            });
        }
        for key in ["$anchor", "$dynamicAnchor"] {
            let named = node.str_at(key).zip(self.resources.get_mut(resource));
            if let Some((anchor, resource)) = named {
                resource.anchors.insert(anchor.to_owned(), pointer.clone());
            }
        }
        resource
    }

    /// Adds the names of other documents.
    pub(super) fn extend(&mut self, other: Self) {
        self.resources.extend(other.resources);
    }

    /// Returns the innermost resource that contains a place.
    pub(super) fn around(&self, place: Place) -> Option<&Resource> {
        let around = self
            .resources
            .iter()
            .filter(|resource| resource.source == place.source && resource.place.covers(place));
        around.max_by_key(|resource| resource.place.start)
    }

    /// Finds the resource for a reference without its fragment, relative to a place.
    pub(super) fn find(&self, place: Place, reference: &str) -> Option<&Resource> {
        let base = self.around(place).map_or("", |around| &around.uri);
        let uri = resolve_uri(base, reference);
        let named = |resource: &&Resource| !resource.uri.is_empty() && resource.uri == uri;
        self.resources.iter().find(named)
    }

    /// Returns the resource of the document itself, if the document declares names.
    pub(super) fn document(&self, source: SourceId) -> Option<&Resource> {
        let mut resources = self.resources.iter();
        resources.find(|own| own.source == source && own.pointer == JsonPointer::root())
    }

    /// Returns a reference relative to the document's folder. A URL below the folder of its `$self`
    /// becomes a path.
    pub(super) fn local_reference<'r>(&self, source: SourceId, reference: &'r str) -> &'r str {
        let own = self.document(source);
        let folder = own.and_then(|own| own.uri.rsplit_once('/'));
        let below = folder.filter(|(folder, _)| folder.contains("://"));
        below
            .and_then(|(folder, _)| reference.strip_prefix(folder)?.strip_prefix('/'))
            .unwrap_or(reference)
    }
}

impl Resource {
    /// Returns the document of the resource.
    pub(super) const fn source(&self) -> SourceId {
        self.source
    }

    /// Returns the pointer, in the document, of an anchor.
    pub(super) fn anchor(&self, name: &str) -> Option<&JsonPointer> {
        self.anchors.get(name)
    }
}

fn without_fragment(uri: &str) -> &str {
    uri.split('#').next().unwrap_or_default()
}

/// Resolves a reference against a URI (RFC 3986). Covers only the forms found in documents.
fn resolve_uri(base: &str, reference: &str) -> String {
    if base.is_empty() || reference.contains(':') {
        return reference.to_owned();
    }
    match base.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
            let path = join(&format!("/{path}"), reference);
            format!("{scheme}://{host}/{}", path.trim_start_matches('/'))
        }
        None => join(base, reference),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_against_a_uri() {
        for (base, reference, uri) in [
            (
                "https://x.example/a/b.json",
                "c.json",
                "https://x.example/a/c.json",
            ),
            ("https://x.example/a/b.json", "../c", "https://x.example/c"),
            ("https://x.example/a/b.json", "/c", "https://x.example/c"),
            ("https://x.example", "c", "https://x.example/c"),
            ("https://x.example/a", "urn:b", "urn:b"),
            ("", "b", "b"),
            ("a/b", "c", "a/c"),
        ] {
            assert_eq!(resolve_uri(base, reference), uri, "{base} {reference}");
        }
    }
}
