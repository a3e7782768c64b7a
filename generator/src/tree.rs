//! The value tree of a document: JSON's data model, each node with its place.
//!
//! JSON and YAML are read into the same tree, so nothing after it knows which it was.

mod builder;
pub mod json;
pub mod toml;
pub mod yaml;

use indexmap::IndexMap;
use serde_json::{Map, Number, Value};

use crate::{
    diagnostic::{Code, Diagnostic, Diagnostics},
    source::{Place, SourceId},
};

pub use builder::DEEPEST;

/// Reads a text that is JSON or YAML.
///
/// It is JSON when the path says so. Otherwise a text that begins with a brace is tried as JSON
/// first, which is much faster.
///
/// # Errors
/// The first breach of the grammar.
pub fn read(
    source: SourceId,
    path: &str,
    text: &str,
    diagnostics: &mut Diagnostics,
) -> Result<Node, Box<Diagnostic>> {
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

/// A value and its place.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it stands.
    pub place: Place,
    /// What it is.
    pub data: Data,
}

/// What a node is.
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
    /// An object, in the document's order.
    Object(IndexMap<String, Field>),
}

/// The value of a key in an object.
#[derive(Clone, Debug)]
pub struct Field {
    /// Where the key stands.
    pub key: Place,
    /// The value.
    pub node: Node,
}

impl Node {
    /// The value of a key, when this is an object that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_object()?.get(key).map(|field| &field.node)
    }

    /// The place of a key and its value, when this is an object that has it.
    #[must_use]
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.as_object()?.get(key)
    }

    /// The object, if it is one.
    #[must_use]
    pub const fn as_object(&self) -> Option<&IndexMap<String, Field>> {
        match &self.data {
            Data::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The number of nodes, this one included.
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

    /// The elements, if it is an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Self]> {
        match &self.data {
            Data::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The text, if it is a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::String(text) => Some(text),
            _ => None,
        }
    }

    /// The boolean, if it is one.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        match &self.data {
            Data::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The string at a key.
    #[must_use]
    pub fn str_at(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    /// Whether the boolean at a key is true.
    #[must_use]
    pub fn is_true(&self, key: &str) -> bool {
        self.get(key).and_then(Self::as_bool) == Some(true)
    }

    /// The keys and values of an object; nothing for any other node.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &Self)> {
        self.as_object()
            .into_iter()
            .flatten()
            .map(|(key, field)| (key.as_str(), &field.node))
    }

    /// The elements of an array; nothing for any other node.
    pub fn items(&self) -> impl Iterator<Item = &Self> {
        self.as_array().into_iter().flatten()
    }

    /// What kind of value it is, for messages: `an object`.
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

    /// The value without places.
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

    /// The node at a JSON pointer, seen from this one.
    #[must_use]
    pub fn at_pointer(&self, pointer: &str) -> Option<&Self> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer
            .strip_prefix('/')?
            .split('/')
            .try_fold(self, |node, step| {
                let step = unescape_step(step);
                match &node.data {
                    Data::Object(object) => object.get(&step).map(|field| &field.node),
                    Data::Array(items) => items.get(step.parse::<usize>().ok()?),
                    _ => None,
                }
            })
    }

    /// The JSON pointer of the innermost node below this one that covers a place.
    #[must_use]
    pub fn pointer_to(&self, place: Place) -> String {
        let mut pointer = String::new();
        let mut node = self;
        while let Some((step, next)) = node.child_at(place) {
            pointer.push('/');
            pointer.push_str(&escape_step(&step));
            node = next;
        }
        pointer
    }

    /// The key or index and the node of the child that covers a place.
    ///
    /// Children stand in the order of the file, unless YAML aliases or merge keys put them
    /// together; so a search by halves is tried first.
    fn child_at(&self, place: Place) -> Option<(String, &Self)> {
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
                    .map(|(key, field)| (key.clone(), &field.node))
            }
            Data::Array(items) => {
                let behind = items.partition_point(|item| item.place.start <= place.start);
                let near = behind.saturating_sub(1);
                let index = items
                    .get(near)
                    .filter(|item| item.place.covers(place))
                    .map(|_| near)
                    .or_else(|| items.iter().position(|item| item.place.covers(place)))?;
                Some((index.to_string(), items.get(index)?))
            }
            _ => None,
        }
    }
}

/// A step of a JSON pointer, escaped.
#[must_use]
pub fn escape_step(step: &str) -> String {
    step.replace('~', "~0").replace('/', "~1")
}

/// A step of a JSON pointer, as it was before it was escaped.
#[must_use]
pub fn unescape_step(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

fn is_json(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("json"))
}
