//! Nodes of the tree that a schema is arranged as.

pub(super) use crate::document::tree::nodes::{array, boolean, keyed, object, text, value};
use crate::document::{
    source::Place,
    tree::{Data, Field, Fields, Node},
};

/// Creates a schema of one type.
pub(super) fn typed(place: Place, word: &str) -> Node {
    object(place, vec![("type", text(place, word))])
}

/// Creates a reference to a definition.
pub(super) fn reference(place: Place, name: &str) -> Node {
    object(
        place,
        vec![("$ref", text(place, format!("#/$defs/{name}")))],
    )
}

/// Adds a field to an object.
pub(super) fn add(node: &mut Node, name: &str, value: Node) {
    if let Data::Object(fields) = &mut node.data {
        let key = value.place;
        fields.insert(name.to_owned(), Field { key, node: value });
    }
}

/// Adds a description to a schema. One of a reference is next to it.
pub(super) fn describe(node: &mut Node, description: Option<&String>) {
    if let Some(description) = description {
        let place = node.place;
        add(node, "description", text(place, description.trim()));
    }
}

/// Creates the schema of an object: its properties, each with its place and whether it is always there.
pub(super) fn record(
    place: Place,
    properties: impl IntoIterator<Item = (String, Place, Node, bool)>,
) -> Node {
    let mut fields = Fields::default();
    let mut required = Vec::new();
    for (name, key, node, always) in properties {
        if always {
            required.push(text(key, name.clone()));
        }
        fields.insert(name, Field { key, node });
    }
    object(
        place,
        vec![
            ("type", text(place, "object")),
            ("properties", keyed(place, fields)),
            ("required", array(place, required)),
        ],
    )
}

/// Allows null in addition to the values of a schema.
pub(super) fn nullable(mut node: Node) -> Node {
    let place = node.place;
    let null = text(place, "null");
    if let Data::Object(fields) = &mut node.data {
        let listed = fields.contains_key("enum") || fields.contains_key("const");
        if let Some(ty) = fields.get_mut("type").filter(|_| !listed)
            && let Data::String(word) = &ty.node.data
        {
            ty.node = array(place, vec![text(place, word.clone()), null]);
            return node;
        }
        if fields.is_empty() {
            return node;
        }
    }
    let variants = vec![node, object(place, vec![("type", null)])];
    object(place, vec![("anyOf", array(place, variants))])
}
