//! Nodes of the tree that a schema is arranged as.

use crate::document::{
    source::Place,
    tree::{Data, Field, Fields, Node},
};

/// Creates a string.
pub(super) fn text(place: Place, text: impl Into<String>) -> Node {
    let data = Data::String(text.into());
    Node { place, data }
}

/// Creates a boolean.
pub(super) const fn boolean(place: Place, value: bool) -> Node {
    let data = Data::Bool(value);
    Node { place, data }
}

/// Creates an array.
pub(super) const fn array(place: Place, items: Vec<Node>) -> Node {
    let data = Data::Array(items);
    Node { place, data }
}

/// Creates an object whose keys are at the place, too.
pub(super) fn object(place: Place, fields: Vec<(&str, Node)>) -> Node {
    let fields = fields.into_iter().map(|(name, node)| {
        let key = place;
        (name.to_owned(), Field { key, node })
    });
    keyed(place, fields.collect())
}

/// Creates an object of fields with their places.
pub(super) const fn keyed(place: Place, fields: Fields) -> Node {
    let data = Data::Object(fields);
    Node { place, data }
}

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

/// Converts a value, with the same place for each part.
pub(super) fn value(place: Place, json: &serde_json::Value) -> Node {
    use serde_json::Value;
    let data = match json {
        Value::Null => Data::Null,
        Value::Bool(boolean) => Data::Bool(*boolean),
        Value::Number(number) => Data::Number(number.clone()),
        Value::String(text) => Data::String(text.clone()),
        Value::Array(items) => Data::Array(items.iter().map(|item| value(place, item)).collect()),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, one)| {
                let node = value(place, one);
                (name.clone(), Field { key: place, node })
            });
            Data::Object(fields.collect())
        }
    };
    Node { place, data }
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
