//! Nodes that are not read from a text, but made of what one says.

use serde_json::Value;

use super::{Data, Field, Fields, Node};
use crate::document::source::Place;

/// Creates a string.
#[must_use]
pub fn text(place: Place, text: impl Into<String>) -> Node {
    let data = Data::String(text.into());
    Node { place, data }
}

/// Creates a boolean.
#[must_use]
pub const fn boolean(place: Place, value: bool) -> Node {
    let data = Data::Bool(value);
    Node { place, data }
}

/// Creates an array.
#[must_use]
pub const fn array(place: Place, items: Vec<Node>) -> Node {
    let data = Data::Array(items);
    Node { place, data }
}

/// Creates an object whose keys are at the place, too.
#[must_use]
pub fn object(place: Place, fields: Vec<(&str, Node)>) -> Node {
    let fields = fields.into_iter().map(|(name, node)| {
        let key = place;
        (name.to_owned(), Field { key, node })
    });
    keyed(place, fields.collect())
}

/// Creates an object of fields with their places.
#[must_use]
pub fn keyed(place: Place, fields: Fields) -> Node {
    let data = Data::Object(Box::new(fields));
    Node { place, data }
}

/// Converts a value, with the same place for each part.
#[must_use]
pub fn value(place: Place, json: &Value) -> Node {
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
            Data::Object(Box::new(fields.collect()))
        }
    };
    Node { place, data }
}
