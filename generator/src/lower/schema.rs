//! Schemas: from the nodes of a document to Rust types and to JSON Schema for agents.
//!
//! Both are made from the same node, one for each direction: a `readOnly` property is not part of a
//! request, and a `writeOnly` property is not part of a response.

mod directions;
mod docs;
mod flat;
mod graph;
mod json;
mod keywords;
mod kinds;
mod knots;
mod scalars;
mod shapes;
mod table;
mod tags;
#[cfg(test)]
mod tests;
mod unions;
mod view;
mod work;

use std::collections::BTreeSet;

use indexmap::IndexMap;
use serde_json::Value;
use toolwright_model::{JsonPointer, PartEncoding};

use crate::{
    document::{
        diagnostic::Diagnostics,
        documents::Documents,
        source::{Place, SourceId},
        tree::Node,
    },
    ir::{
        rust_names,
        types::{Shape, TypeId, Types},
    },
    parse::{dialect::Dialect, format::Format},
};
use graph::{Graph, Key, Parts};
use json::Definitions;
use table::Table;
use work::Owner;

pub(crate) use crate::ir::types::Direction;

/// The most bytes of a hint before words are added. A name has far fewer characters.
const LONGEST_HINT: usize = 1024;

/// The form of a request body's object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum BodyEncoding<'e> {
    /// One document: bytes in it are base64.
    Document,
    /// As parts, with the encodings of some of them: bytes in it are files.
    Multipart(&'e [(String, PartEncoding)]),
}

/// The words that name the type of a schema without a name of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameHint(String);

/// Lowers schemas. It keeps the requested types and definitions.
#[derive(Debug)]
pub(crate) struct SchemaLowering<'a> {
    graph: Graph<'a>,
    table: Table<'a>,
    definitions: IndexMap<String, Value>,
    defining: Definitions<'a>,
}

/// The result of a [`SchemaLowering`].
#[derive(Debug, Default)]
pub(crate) struct LoweredSchemas {
    /// The types.
    pub types: Types,
    /// The schemas that others refer to, by their name under `$defs`.
    pub definitions: IndexMap<String, Value>,
    /// The regular expressions in them, with their places in the document.
    pub patterns: BTreeSet<(String, Place)>,
    /// The reports of broken schemas, and of those without a faithful type.
    pub diagnostics: Diagnostics,
}

/// An object whose properties can stand for themselves.
#[derive(Clone, Debug)]
pub(crate) struct FlatObject {
    /// The properties, in the document's order.
    pub properties: Vec<FlatProperty>,
}

/// A property of a [`FlatObject`].
#[derive(Clone, Debug)]
pub(crate) struct FlatProperty {
    /// The name on the wire.
    pub name: String,
    /// The place of its declaration.
    pub place: Place,
    /// True if the object needs it.
    pub required: bool,
    /// Its JSON Schema, description included; references are `#/$defs/…`.
    pub schema: Value,
    /// Its Rust type, without the `Option` of a property that is not required.
    pub ty: TypeId,
    /// True for a file, or a list of files, that are sent as separate parts.
    pub file: bool,
}

impl NameHint {
    /// The words of an operation or a tool, in any case: `list-plane-tasks`.
    #[must_use]
    pub(crate) fn new(words: &str) -> Self {
        Self(words.to_owned())
    }

    /// The words of something inside: `result`, the name of an argument.
    #[must_use]
    pub(crate) fn child(&self, words: &str) -> Self {
        if self.0.len() > LONGEST_HINT {
            return self.clone();
        }
        Self(format!("{} {words}", self.0))
    }
}

impl<'a> SchemaLowering<'a> {
    /// Lowers schemas of one document, the `source`, and of those that it refers to. Other
    /// documents of the run do not matter.
    #[must_use]
    pub(crate) fn new(documents: &'a Documents, source: SourceId, dialect: Dialect) -> Self {
        let graph = Graph::new(documents, source, dialect);
        Self {
            table: Table::new(&graph),
            graph,
            definitions: IndexMap::new(),
            defining: Definitions::default(),
        }
    }

    /// Gives the values of these formats types of their own.
    #[must_use]
    pub(crate) fn with_typed_formats(mut self, formats: &[Format]) -> Self {
        self.graph.typed_formats = formats.iter().copied().collect();
        self
    }

    /// The Rust type of a schema.
    pub(crate) fn type_of(
        &mut self,
        schema: &'a Node,
        hint: &NameHint,
        direction: Direction,
    ) -> TypeId {
        let hint = self.stable_hint(schema, hint);
        self.graph.work.enter(None);
        let id = self.enqueue_type(Parts::one(schema), &hint, direction);
        self.drain();
        id
    }

    /// The schema as JSON Schema 2020-12, for agents. It refers to `#/$defs/…`, which is kept for
    /// [`LoweredSchemas::definitions`]; [`Definitions`](toolwright_schema::Definitions) make it
    /// self-contained.
    pub(crate) fn json_schema(&mut self, schema: &'a Node, direction: Direction) -> Value {
        self.graph.work.restart(Owner::Json(Key::from_node(schema)));
        let schema = self.json(Parts::one(schema), direction);
        self.drain_definitions();
        schema
    }

    /// The properties of a request body, when it is a plain object: after `$ref` and `allOf`
    /// nothing but properties.
    pub(crate) fn properties_of(
        &mut self,
        schema: &'a Node,
        hint: &NameHint,
        encoding: BodyEncoding<'_>,
    ) -> Option<FlatObject> {
        self.graph.work.restart(Owner::Json(Key::from_node(schema)));
        let object = self.flat_object(schema, hint, encoding);
        self.drain();
        self.drain_definitions();
        object
    }

    /// Adds a type that needs no schema: `Shape::Null` for a response without a body,
    /// `Shape::String` for text, `Shape::Bytes`, `Shape::File`.
    pub(crate) fn leaf(&mut self, place: Place, shape: Shape) -> TypeId {
        self.table.leaf(place, shape)
    }

    /// A type that is an item of its own, with a name from the hint.
    pub(crate) fn named(&mut self, place: Place, hint: &NameHint, shape: Shape) -> TypeId {
        let id = self.table.add(place, shape);
        self.table.name_later(id, &hint.0);
        id
    }

    /// Returns the types, the definitions and the diagnostics.
    #[must_use]
    pub(crate) fn finish(self) -> LoweredSchemas {
        self.finish_types()
    }

    /// Names a schema that several operations share by its place, not by the first operation that
    /// uses it.
    fn stable_hint(&self, schema: &Node, hint: &NameHint) -> NameHint {
        let pointer = self
            .graph
            .documents
            .pointer(schema.place)
            .unwrap_or_default();
        let mut steps = JsonPointer::steps_of(pointer.as_str())
            .into_iter()
            .flatten();
        match (steps.next().as_deref(), steps.next().as_deref()) {
            (Some("components"), Some(section)) if section != "schemas" => {
                NameHint::new(&self.pointer_words(schema))
            }
            (Some("parameters" | "responses"), Some(_)) => {
                NameHint::new(&self.pointer_words(schema))
            }
            _ => hint.clone(),
        }
    }

    /// Returns words from the pointer of a schema: its last specific steps.
    fn pointer_words(&self, schema: &Node) -> String {
        let pointer = self
            .graph
            .documents
            .pointer(schema.place)
            .unwrap_or_default();
        let steps = JsonPointer::steps_of(pointer.as_str())
            .into_iter()
            .flatten();
        let steps = steps.filter(|step| {
            !matches!(
                step.as_ref(),
                "" | "components"
                    | "schemas"
                    | "definitions"
                    | "$defs"
                    | "parameters"
                    | "responses"
                    | "requestBodies"
                    | "headers"
                    | "content"
                    | "schema"
                    | "properties"
                    | "allOf"
                    | "oneOf"
                    | "anyOf"
                    | "paths"
            ) && !step.contains('/')
                || step.starts_with('/')
        });
        let words: Vec<_> = steps.collect();
        let last = words.len().saturating_sub(3);
        let words = words.get(last..).unwrap_or_default().join(" ");
        rust_names::type_name(&words.replace('/', " "))
    }
}

/// The JSON Schema of a file that is uploaded: an object with `content` (base64), `filename` and
/// `media_type`.
#[must_use]
pub(crate) fn upload_schema() -> Value {
    serde_json::json!({
        "type": "object",
        "properties": {
            "content": {"type": "string", "contentEncoding": "base64", "description": "The bytes of the file as base64, or the handle of a stored file, such as `file-…`."},
            "filename": {"type": "string", "description": "The name of the file."},
            "media_type": {"type": "string", "description": "The media type of the file, such as `image/png`."},
        },
        "required": ["content"],
        "additionalProperties": false,
    })
}

/// The JSON Schema of a file that is downloaded: an object with `size` and `media_type`, and with
/// either `content` (base64), or `file` (the handle of a stored file), `sha256` and `name`.
#[must_use]
pub(crate) fn download_schema() -> Value {
    serde_json::json!({
        "type": "object",
        "properties": {
            "content": {"type": "string", "contentEncoding": "base64", "description": "The bytes of the file as base64, unless the file is stored."},
            "file": {"type": "string", "description": "The handle of the stored file. Other tools take it in place of base64."},
            "media_type": {"type": "string", "description": "The media type of the file."},
            "name": {"type": "string", "description": "The name that the service suggests for the stored file."},
            "sha256": {"type": "string", "description": "The SHA-256 of the stored file."},
            "size": {"type": "integer", "minimum": 0, "description": "The number of bytes."},
        },
        "required": ["media_type", "size"],
    })
}
