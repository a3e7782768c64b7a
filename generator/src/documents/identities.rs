//! The names that documents give to themselves and to parts of them: `$self`, `$id`, `$anchor`.

use std::collections::BTreeMap;

use super::join;
use crate::{
    source::{Place, SourceId},
    tree::{Data, Node, escape_step},
};

/// Under these keys stand data, in which no keyword has a meaning.
pub(crate) const DATA: &[&str] = &["example", "examples", "default", "enum", "const"];

/// Under these keys stand definitions by name, so that a name is no keyword.
pub(crate) const NAMED: &[&str] = &[
    "properties",
    "patternProperties",
    "dependentSchemas",
    "$defs",
    "definitions",
    "schemas",
];

/// The keys that give a name.
const KEYS: &[&str] = &["$self", "$id", "$anchor", "$dynamicAnchor"];

/// Everything in the documents of a run that has a name of its own.
#[derive(Debug, Default)]
pub(super) struct Identities {
    /// What has a URI, the outer before the inner.
    resources: Vec<Resource>,
}

/// A document or a schema with a URI, as far as it has one.
#[derive(Debug)]
pub(super) struct Resource {
    source: SourceId,
    place: Place,
    /// Without a fragment; empty for a document that does not say its own.
    uri: String,
    /// Where it stands in its document.
    pub(super) pointer: String,
    /// The pointers, in the document, of what has an anchor.
    anchors: BTreeMap<String, String>,
}

/// Whether a key may give a name; if none of a document does, there is nothing to collect.
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
            pointer: String::new(),
            anchors: BTreeMap::new(),
        });
        // Each node with its pointer, the resource that it is in, and whether its keys are names.
        let mut unseen = vec![(root, String::new(), own, false)];
        while let Some((node, pointer, outer, named)) = unseen.pop() {
            let resource = if named {
                outer
            } else {
                self.named(source, node, &pointer, outer)
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
                        (escape_step(key), &field.node, names)
                    });
                    steps.collect()
                }
                _ => Vec::new(),
            };
            for (step, node, named) in steps.into_iter().rev() {
                unseen.push((node, format!("{pointer}/{step}"), resource, named));
            }
        }
    }

    /// Notes the names of a schema, and says which resource it is in.
    fn named(&mut self, source: SourceId, node: &Node, pointer: &str, outer: usize) -> usize {
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
                pointer: pointer.to_owned(),
                anchors: BTreeMap::new(),
            });
        }
        for key in ["$anchor", "$dynamicAnchor"] {
            let named = node.str_at(key).zip(self.resources.get_mut(resource));
            if let Some((anchor, resource)) = named {
                resource
                    .anchors
                    .insert(anchor.to_owned(), pointer.to_owned());
            }
        }
        resource
    }

    /// Takes over the names of other documents.
    pub(super) fn extend(&mut self, other: Self) {
        self.resources.extend(other.resources);
    }

    /// The innermost resource around a place.
    pub(super) fn around(&self, place: Place) -> Option<&Resource> {
        let around = self
            .resources
            .iter()
            .filter(|resource| resource.source == place.source && resource.place.covers(place));
        around.max_by_key(|resource| resource.place.start)
    }

    /// The resource that a reference without its fragment names, seen from a place.
    pub(super) fn find(&self, place: Place, reference: &str) -> Option<&Resource> {
        let base = self.around(place).map_or("", |around| &around.uri);
        let uri = resolve_uri(base, reference);
        let named = |resource: &&Resource| !resource.uri.is_empty() && resource.uri == uri;
        self.resources.iter().find(named)
    }

    /// The document itself, if something in it has a name.
    pub(super) fn document(&self, source: SourceId) -> Option<&Resource> {
        let mut resources = self.resources.iter();
        resources.find(|own| own.source == source && own.pointer.is_empty())
    }

    /// A reference as it is seen from the document's own folder: what is below the folder of its
    /// `$self` is below that.
    pub(super) fn local<'r>(&self, source: SourceId, reference: &'r str) -> &'r str {
        let own = self.document(source);
        let folder = own.and_then(|own| own.uri.rsplit_once('/'));
        let below = folder.filter(|(folder, _)| folder.contains("://"));
        below
            .and_then(|(folder, _)| reference.strip_prefix(folder)?.strip_prefix('/'))
            .unwrap_or(reference)
    }
}

impl Resource {
    /// The document.
    pub(super) const fn source(&self) -> SourceId {
        self.source
    }

    /// The pointer, in the document, of what has this anchor.
    pub(super) fn anchor(&self, name: &str) -> Option<&str> {
        self.anchors.get(name).map(String::as_str)
    }
}

fn without_fragment(uri: &str) -> &str {
    uri.split('#').next().unwrap_or_default()
}

/// A reference seen from a URI (RFC 3986), as far as references in documents go.
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
