//! Bodies and answers that are a sequence of values: lines of JSON, server-sent events.

use serde_json::{Value, json};
use toolwright_model::AnswerContent;

use super::schema::{Direction, NameHint, SchemaLowering};
use crate::{
    document::{documents::Documents, source::Place, tree::Node},
    ir::types::{Shape, TypeId},
    parse::openapi::{BodyKind, MediaType},
};

/// A sequence of values.
pub(super) struct Stream<'a> {
    /// The conversion of its bytes to values.
    pub(super) content: AnswerContent,
    /// The schema of one value, if the document has one.
    item: Option<&'a Node>,
}

impl<'a> Stream<'a> {
    /// Returns the sequence that a media type represents; `None` if it is not one.
    ///
    /// Before OpenAPI 3.2 the schema of one value could not be declared, so a schema other than an
    /// array is that of one value. A declared string stays a string.
    pub(super) fn from_media_type(
        media_type: &'a MediaType<'_>,
        documents: &'a Documents,
    ) -> Option<Self> {
        let schema = media_type.schema.as_deref();
        let schema = schema.and_then(|schema| documents.resolve(schema).ok());
        let is_text = schema.is_some_and(|schema| schema.str_at("type") == Some("string"));
        let items = schema.and_then(|schema| schema.get("items"));
        let stream = |content, item| Some(Self { content, item });
        match (BodyKind::parse(&media_type.name), media_type.item_schema) {
            (BodyKind::Lines, Some(item)) => stream(AnswerContent::Lines, Some(item)),
            (BodyKind::Lines, None) if is_text => None,
            (BodyKind::Lines, None) => stream(AnswerContent::Lines, items.or(schema)),
            (BodyKind::Events, Some(item)) => stream(AnswerContent::Events, Some(item)),
            (BodyKind::Events, None) if is_text || schema.is_none() => {
                stream(AnswerContent::Events, None)
            }
            (BodyKind::Events, None) => stream(AnswerContent::EventData, items.or(schema)),
            _ => None,
        }
    }

    /// The schema of the whole sequence: an array.
    pub(super) fn schema(&self, direction: Direction, schemas: &mut SchemaLowering<'a>) -> Value {
        let item = match self.item {
            Some(item) => schemas.json_schema(item, direction),
            None if self.content == AnswerContent::Events => event_schema(),
            None => json!({}),
        };
        json!({"type": "array", "items": item})
    }

    /// The type of the whole sequence: a list.
    pub(super) fn ty(
        &self,
        place: Place,
        hint: &NameHint,
        direction: Direction,
        schemas: &mut SchemaLowering<'a>,
    ) -> TypeId {
        let item = match self.item {
            Some(item) => schemas.type_of(item, &hint.child("item"), direction),
            None => schemas.leaf(place, Shape::Any(None)),
        };
        schemas.leaf(place, Shape::List(item))
    }
}

/// Returns the schema of a server-sent event without a declared one.
fn event_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "event": {"type": "string", "description": "The type of the event."},
            "data": {"type": "string", "description": "The data of the event."},
            "id": {"type": "string", "description": "The id of the event."},
            "retry": {"type": "integer", "description": "The time to wait before reconnecting, in milliseconds."},
        },
        "required": ["data"],
    })
}
