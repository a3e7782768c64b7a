//! The tree of a document: JSON's data model with a place for each node.
//!
//! JSON and YAML produce the same tree, so later stages do not depend on the syntax.

mod builder;
mod edit;
pub(crate) mod json;
pub(crate) mod nodes;
pub(crate) mod toml;
pub(crate) mod yaml;

use std::borrow::Cow;

use foldhash::fast::RandomState;
use indexmap::IndexMap;
use serde_json::{Map, Number, Value};
use toolwright_model::JsonPointer;

use crate::document::{
    GRAPHQL_TEXT,
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::{Place, SourceId},
};

pub(crate) use builder::DEEPEST;

/// Parses JSON or YAML.
///
/// A path with the extension `json` selects JSON. Any other input that begins with a brace is tried
/// as JSON first, because that is much faster.
///
/// # Errors
/// Fails at the first syntax error.
pub fn read(
    source: SourceId,
    path: &str,
    text: &str,
    diagnostics: &mut Diagnostics,
) -> Result<Node, Box<Diagnostic>> {
    if is_graphql(path) {
        return Ok(graphql(source, text));
    }
    if is_json(path) {
        return json::read(source, text, diagnostics);
    }
    if text.trim_start().starts_with('{') {
        let mut said = Diagnostics::default();
        match json::read(source, text, &mut said) {
            Err(error) if error.code == Code::Syntax => {}
            result => {
                diagnostics.append(said);
                return result;
            }
        }
    }
    yaml::read(source, text, diagnostics)
}

/// A value with its place.
#[derive(Clone, Debug)]
pub struct Node {
    /// The place in the source.
    pub place: Place,
    /// The value.
    pub data: Data,
}

/// The value of a node.
#[derive(Clone, Debug)]
pub enum Data {
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Node>),
    /// An object, in document order.
    Object(Box<Fields>),
}

/// The fields of an object, in document order.
///
/// A fast hash: a document has some hundred thousand keys, most of them a few bytes long.
pub type Fields = IndexMap<String, Field, RandomState>;

/// The value of a key in an object.
#[derive(Clone, Debug)]
pub struct Field {
    /// The place of the key.
    pub key: Place,
    /// The value.
    pub node: Node,
}

impl Node {
    /// Returns the value of a key if the node is an object that contains it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_object()?.get(key).map(|field| &field.node)
    }

    /// Returns the field of a key if the node is an object that contains it.
    #[must_use]
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.as_object()?.get(key)
    }

    /// Returns the object if the node is one.
    #[must_use]
    pub fn as_object(&self) -> Option<&Fields> {
        match &self.data {
            Data::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Returns the number of nodes, including this one.
    #[must_use]
    pub fn count(&self) -> usize {
        let mut count = 0;
        let mut open = vec![self];
        while let Some(node) = open.pop() {
            count += 1;
            open.extend(node.items());
            open.extend(node.fields().map(|(_, node)| node));
        }
        count
    }

    /// Returns the elements if the node is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Self]> {
        match &self.data {
            Data::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the string if the node is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the boolean if the node is one.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        match &self.data {
            Data::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the string at a key.
    #[must_use]
    pub(crate) fn str_at(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    /// Checks whether the boolean at a key is true.
    #[must_use]
    pub fn is_true(&self, key: &str) -> bool {
        self.get(key).and_then(Self::as_bool) == Some(true)
    }

    /// Returns the keys and values of an object; empty for any other node.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &Self)> {
        self.as_object()
            .into_iter()
            .flatten()
            .map(|(key, field)| (key.as_str(), &field.node))
    }

    /// Returns the elements of an array; empty for any other node.
    pub fn items(&self) -> impl Iterator<Item = &Self> {
        self.as_array().into_iter().flatten()
    }

    /// Returns the kind of value for messages: `an object`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match &self.data {
            Data::Null => "null",
            Data::Bool(_) => "a boolean",
            Data::Number(_) => "a number",
            Data::String(_) => "a string",
            Data::Array(_) => "an array",
            Data::Object(_) => "an object",
        }
    }

    /// Returns the value without places.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match &self.data {
            Data::Null => Value::Null,
            Data::Bool(value) => Value::Bool(*value),
            Data::Number(number) => Value::Number(number.clone()),
            Data::String(text) => Value::String(text.clone()),
            Data::Array(items) => items.iter().map(Self::to_value).collect(),
            Data::Object(object) => Value::Object(
                object
                    .iter()
                    .map(|(key, field)| (key.clone(), field.node.to_value()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }

    /// Returns the node at a JSON Pointer that starts at this node.
    #[must_use]
    pub(crate) fn at_pointer(&self, pointer: &str) -> Option<&Self> {
        JsonPointer::steps_of(pointer)?.try_fold(self, |node, step| match &node.data {
            Data::Object(object) => object.get(step.as_ref()).map(|field| &field.node),
            Data::Array(items) => items.get(step.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// Returns the JSON pointer of the innermost node below this one that covers a place.
    #[must_use]
    pub(crate) fn pointer_to(&self, place: Place) -> JsonPointer {
        let mut pointer = JsonPointer::root();
        let mut node = self;
        while let Some((step, next)) = node.child_at(place) {
            pointer.push(&step);
            node = next;
        }
        pointer
    }

    /// Returns the child that covers a place, with its key or index.
    ///
    /// Children are in file order unless YAML aliases or merge keys reorder them. A binary search
    /// is therefore tried first.
    fn child_at(&self, place: Place) -> Option<(Cow<'_, str>, &Self)> {
        match &self.data {
            Data::Object(object) => {
                let covers =
                    |field: &Field| field.key.covers(place) || field.node.place.covers(place);
                let behind = object
                    .as_slice()
                    .partition_point(|_, field| field.key.start <= place.start);
                let near = object.get_index(behind.saturating_sub(1));
                near.filter(|(_, field)| covers(field))
                    .or_else(|| object.iter().find(|(_, field)| covers(field)))
                    .map(|(key, field)| (key.into(), &field.node))
            }
            Data::Array(items) => {
                let behind = items.partition_point(|item| item.place.start <= place.start);
                let near = behind.saturating_sub(1);
                let index = items
                    .get(near)
                    .filter(|item| item.place.covers(place))
                    .map(|_| near)
                    .or_else(|| items.iter().position(|item| item.place.covers(place)))?;
                Some((index.to_string().into(), items.get(index)?))
            }
            _ => None,
        }
    }
}

/// Returns a tree with the text of a GraphQL document. The text has the place of the whole tree, which no
/// string of JSON or YAML has.
fn graphql(source: SourceId, text: &str) -> Node {
    let place = Place::new(source, 0, text.len());
    if text.trim().is_empty() {
        let data = Data::Null;
        return Node { place, data };
    }
    nodes::object(place, vec![(GRAPHQL_TEXT, nodes::text(place, text))])
}

/// Checks whether a file is one of GraphQL, by its extension.
pub(crate) fn is_graphql(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| {
        ["graphql", "graphqls", "gql"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    })
}

fn is_json(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("json"))
}
