//! Schemas: from the nodes of a document to Rust types and to JSON Schema for agents.
//!
//! Both are made from the same node, one for each direction in which it travels: what is
//! `readOnly` is not in a request, what is `writeOnly` is not in an answer.

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

use crate::{
    diagnostic::Diagnostics,
    documents::Documents,
    ir::types::{Shape, TypeId, Types},
    rust_names,
    source::{Place, SourceId},
    tree::Node,
};
use graph::{Graph, Key, Parts};
use json::Definitions;
use table::Table;
use work::Owner;

pub use crate::ir::types::Direction;

/// The most bytes of a hint before words are added. A name has far fewer characters.
const LONGEST_HINT: usize = 1024;

/// The dialect of a document's schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Swagger 2.0. A parameter that is no body is a schema itself and may be given as one.
    Swagger2,
    /// OpenAPI 3.0.
    OpenApi30,
    /// JSON Schema 2020-12: OpenAPI 3.1 and 3.2, EAB.
    JsonSchema,
}

/// How the object of a request body travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyEncoding {
    /// As one document: bytes in it are base64 text.
    Document,
    /// As parts: bytes in it are files.
    Multipart,
}

/// The words from which the type of a schema that has no name of its own is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameHint(String);

/// What lowers schemas. It keeps the types and definitions that were asked for.
#[derive(Debug)]
pub struct SchemaLowering<'a> {
    graph: Graph<'a>,
    table: Table<'a>,
    definitions: IndexMap<String, Value>,
    defining: Definitions<'a>,
}

/// What a [`SchemaLowering`] made.
#[derive(Debug, Default)]
pub struct LoweredSchemas {
    /// The types.
    pub types: Types,
    /// The schemas that others refer to, by their name under `$defs`.
    pub definitions: IndexMap<String, Value>,
    /// The regular expressions in them, with their places in the document.
    pub patterns: BTreeSet<(String, Place)>,
    /// What was broken or has no faithful type.
    pub diagnostics: Diagnostics,
}

/// An object whose properties can stand for themselves.
#[derive(Clone, Debug)]
pub struct FlatObject {
    /// The properties, in the document's order.
    pub properties: Vec<FlatProperty>,
}

/// A property of a [`FlatObject`].
#[derive(Clone, Debug)]
pub struct FlatProperty {
    /// The name on the wire.
    pub name: String,
    /// Where it is declared.
    pub place: Place,
    /// Whether the object is impossible without it.
    pub required: bool,
    /// Its JSON Schema, description included; references are `#/$defs/…`.
    pub schema: Value,
    /// Its Rust type, without the `Option` of a property that is not required.
    pub ty: TypeId,
    /// Whether it is a file, or a list of files, to be sent as parts of their own.
    pub file: bool,
}

impl NameHint {
    /// The words of an operation or a tool, in any case: `list-plane-tasks`.
    #[must_use]
    pub fn new(words: &str) -> Self {
        Self(words.to_owned())
    }

    /// The words of something inside: `result`, the name of an argument.
    #[must_use]
    pub fn child(&self, words: &str) -> Self {
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
    pub fn new(documents: &'a Documents, source: SourceId, dialect: Dialect) -> Self {
        let graph = Graph::new(documents, source, dialect);
        Self {
            table: Table::new(&graph),
            graph,
            definitions: IndexMap::new(),
            defining: Definitions::default(),
        }
    }

    /// The Rust type of a schema.
    pub fn type_of(&mut self, schema: &'a Node, hint: &NameHint, direction: Direction) -> TypeId {
        let hint = self.stable_hint(schema, hint);
        self.graph.work.enter(None);
        let id = self.enqueue_type(Parts::one(schema), &hint, direction);
        self.drain();
        id
    }

    /// The schema as JSON Schema 2020-12, for agents. It refers to `#/$defs/…`, which is kept for
    /// [`LoweredSchemas::definitions`]; [`Definitions`](toolwright_model::Definitions) make it self-contained.
    pub fn json_schema(&mut self, schema: &'a Node, direction: Direction) -> Value {
        self.graph.work.restart(Owner::Json(Key::of(schema)));
        let schema = self.json(Parts::one(schema), direction);
        self.drain_definitions();
        schema
    }

    /// The properties of a request body, when it is a plain object: after `$ref` and `allOf`
    /// nothing but properties.
    pub fn properties_of(
        &mut self,
        schema: &'a Node,
        hint: &NameHint,
        encoding: BodyEncoding,
    ) -> Option<FlatObject> {
        self.graph.work.restart(Owner::Json(Key::of(schema)));
        let object = self.flat_object(schema, hint, encoding);
        self.drain();
        self.drain_definitions();
        object
    }

    /// A type that needs no schema: `Shape::Null` for an answer without a body, `Shape::String`
    /// for text, `Shape::Bytes`, `Shape::File`.
    pub fn leaf(&mut self, place: Place, shape: Shape) -> TypeId {
        self.table.leaf(place, shape)
    }

    /// A type that is an item of its own, with a name from the hint.
    pub fn named(&mut self, place: Place, hint: &NameHint, shape: Shape) -> TypeId {
        let id = self.table.add(place, shape);
        let name = self.table.name(&hint.0);
        if let Some(ty) = self.table.types.get_mut(id) {
            ty.name = Some(name);
        }
        id
    }

    /// What was made.
    #[must_use]
    pub fn finish(self) -> LoweredSchemas {
        self.finish_types()
    }

    /// What several operations share is named from where it stands, not from the operation that
    /// happens to come first.
    fn stable_hint(&self, schema: &Node, hint: &NameHint) -> NameHint {
        let pointer = self
            .graph
            .documents
            .pointer(schema.place)
            .unwrap_or_default();
        let mut steps = pointer.split('/').skip(1);
        match (steps.next(), steps.next()) {
            (Some("components"), Some(section)) if section != "schemas" => {
                NameHint::new(&self.pointer_words(schema))
            }
            (Some("parameters" | "responses"), Some(_)) => {
                NameHint::new(&self.pointer_words(schema))
            }
            _ => hint.clone(),
        }
    }

    /// A name from where a schema stands: the last steps that say something.
    fn pointer_words(&self, schema: &Node) -> String {
        let pointer = self
            .graph
            .documents
            .pointer(schema.place)
            .unwrap_or_default();
        let steps = pointer.split('/').filter(|step| {
            !matches!(
                *step,
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
            ) && !step.contains("~1")
                || step.starts_with("~1")
        });
        let words: Vec<&str> = steps.collect();
        let last = words.len().saturating_sub(3);
        let words = words.get(last..).unwrap_or_default().join(" ");
        rust_names::type_name(&words.replace("~1", " "))
    }
}

/// The JSON Schema of a file that is uploaded: an object with `content` (base64), `filename` and
/// `media_type`.
#[must_use]
pub fn upload_schema() -> Value {
    serde_json::json!({
        "type": "object",
        "properties": {
            "content": {"type": "string", "contentEncoding": "base64", "description": "The bytes of the file, as base64."},
            "filename": {"type": "string", "description": "The name of the file."},
            "media_type": {"type": "string", "description": "The media type of the file, such as `image/png`."},
        },
        "required": ["content"],
        "additionalProperties": false,
    })
}

/// The JSON Schema of a file that is downloaded: an object with `content` (base64), `size` and
/// `media_type`.
#[must_use]
pub fn download_schema() -> Value {
    serde_json::json!({
        "type": "object",
        "properties": {
            "content": {"type": "string", "contentEncoding": "base64", "description": "The bytes of the file, as base64."},
            "media_type": {"type": "string", "description": "The media type of the file."},
            "size": {"type": "integer", "minimum": 0, "description": "The number of bytes."},
        },
        "required": ["content", "media_type", "size"],
    })
}
