//! Request bodies: which media type is sent, and the arguments that make it up.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolwright_model::{Body, BodyContent, BodyField, BodyShape, Bound, PartEncoding};

use super::{
    arguments::{Arguments, Sent, Slot, SlotDecision},
    parameters::{self, describe},
    schema::{BodyEncoding, Direction, FlatObject, NameHint, SchemaLowering},
    streams::Stream,
};
use crate::{
    document::{documents::Documents, tree::Node},
    ir::types::{Shape, TypeId},
    parse::openapi::{BodyKind, MediaType, Parameter, RequestBody},
};

/// The location of a body's arguments, for their names.
const PLACE: &str = "body";

/// Lowers a request body.
///
/// The properties of a plain object become arguments of their own; anything else is the one
/// argument `body`. When the body may be left out, so may each of its properties.
pub(super) fn lower<'a>(
    body: &'a RequestBody<'_>,
    hint: &NameHint,
    arguments: &mut Arguments<'_>,
    documents: &'a Documents,
    schemas: &mut SchemaLowering<'a>,
) -> Option<Body> {
    let media_type = choose_media_type(&body.content, documents)?;
    let stream = Stream::from_media_type(media_type, documents);
    let kind = match BodyKind::parse(&media_type.name) {
        BodyKind::Lines if stream.is_some() => BodyKind::Lines,
        BodyKind::Lines | BodyKind::Events => BodyKind::Text,
        kind => kind,
    };
    let schema: Option<&'a Node> = media_type.schema.as_deref();
    let flat = schema.and_then(|schema| {
        let encoding = match kind {
            BodyKind::Json | BodyKind::Form => BodyEncoding::Document,
            BodyKind::Multipart => BodyEncoding::Multipart(&media_type.encoding),
            BodyKind::Lines | BodyKind::Events | BodyKind::Text | BodyKind::Binary => return None,
        };
        schemas.properties_of(schema, hint, encoding)
    });
    let mut encoding: BTreeMap<String, PartEncoding> =
        media_type.encoding.iter().cloned().collect();
    let shape = match flat {
        Some(flat) => {
            mark_files(&flat, &mut encoding);
            let headers = part_headers(media_type, kind, &flat, body.required);
            let shape = BodyShape::Fields(fields(flat, body.required, arguments));
            for (field, required, header) in headers {
                let sent = Parameter {
                    required,
                    ..header.clone()
                };
                let hint = hint.child(field);
                let sent =
                    parameters::lower_one(&sent, field, &hint, arguments, documents, schemas);
                let part = encoding.entry(field.clone()).or_default();
                part.headers
                    .extend(sent.map(|sent| toolwright_model::Parameter {
                        required: header.required,
                        ..sent
                    }));
            }
            shape
        }
        None => BodyShape::Whole(lower_whole(body, schema, arguments, || match stream {
            Some(stream) if kind == BodyKind::Lines => {
                let schema = stream.schema(Direction::Request, schemas);
                let ty = stream.ty(body.place, &hint.child(PLACE), Direction::Request, schemas);
                (schema, ty)
            }
            _ => value(body, kind, schema, hint, schemas),
        })?),
    };
    Some(Body {
        media_type: sent_media_type(&media_type.name),
        content: content_of(kind),
        required: body.required,
        shape,
        encoding,
    })
}

/// Returns the media type of the request: JSON, then a form, parts, text, and bytes; but parts
/// first if one of them is a file, which JSON cannot carry. Of several of one kind the plainest:
/// `application/json` before `application/merge-patch+json`.
fn choose_media_type<'a, 'c>(
    content: &'c [MediaType<'a>],
    documents: &Documents,
) -> Option<&'c MediaType<'a>> {
    content.iter().min_by_key(|media_type| {
        let kind = BodyKind::parse(&media_type.name);
        let has_file = kind == BodyKind::Multipart
            && media_type
                .schema
                .as_deref()
                .is_some_and(|schema| has_file(schema, documents));
        (!has_file, kind, media_type.name.contains('+'))
    })
}

/// Checks whether a property of an object is a file, or a list of files.
fn has_file(schema: &Node, documents: &Documents) -> bool {
    let Ok(schema) = documents.resolve(schema) else {
        return false;
    };
    let properties = schema.get("properties").into_iter().flat_map(Node::fields);
    properties.into_iter().any(|(_, property)| {
        let Ok(property) = documents.resolve(property) else {
            return false;
        };
        let items = property.get("items");
        is_file(property) || items.is_some_and(|items| documents.resolve(items).is_ok_and(is_file))
    })
}

fn is_file(schema: &Node) -> bool {
    let media_type = schema.str_at("contentMediaType");
    schema.str_at("format") == Some("binary")
        || (schema.get("contentEncoding").is_none()
            && media_type.is_some_and(|name| BodyKind::parse(name) == BodyKind::Binary))
}

/// Returns JSON for `*/*`, which declares no media type.
fn sent_media_type(name: &str) -> String {
    if name.contains('*') {
        return "application/json".to_owned();
    }
    name.to_owned()
}

const fn content_of(kind: BodyKind) -> BodyContent {
    match kind {
        BodyKind::Json => BodyContent::Json,
        BodyKind::Form => BodyContent::Form,
        BodyKind::Multipart => BodyContent::Multipart,
        BodyKind::Lines => BodyContent::Lines,
        BodyKind::Events | BodyKind::Text => BodyContent::Text,
        BodyKind::Binary => BodyContent::Binary,
    }
}

/// The headers of the parts that there are, each with its field and whether no call is possible
/// without it: it is when its part is.
fn part_headers<'c, 'a>(
    media_type: &'c MediaType<'a>,
    kind: BodyKind,
    flat: &FlatObject,
    required: bool,
) -> Vec<(&'c String, bool, &'c Parameter<'a>)> {
    let headers = media_type.part_headers.iter();
    headers
        .filter(|_| kind == BodyKind::Multipart)
        .filter_map(|(field, header)| {
            let mut properties = flat.properties.iter();
            let property = properties.find(|property| property.name == *field)?;
            let needed = required && property.required && header.required;
            Some((field, needed, header))
        })
        .collect()
}

fn mark_files(flat: &FlatObject, encoding: &mut BTreeMap<String, PartEncoding>) {
    for property in flat.properties.iter().filter(|property| property.file) {
        encoding.entry(property.name.clone()).or_default().file = true;
    }
}

fn fields(flat: FlatObject, required: bool, arguments: &mut Arguments<'_>) -> Vec<BodyField> {
    flat.properties
        .into_iter()
        .filter_map(|property| {
            let slot = Slot {
                place: property.place,
                wire: &property.name,
                location: PLACE,
                required: required && property.required,
            };
            let value = match arguments.decide(&slot, || property.schema.get("default").cloned()) {
                SlotDecision::Pinned(value) => value,
                SlotDecision::Hidden => return None,
                SlotDecision::Argument => {
                    let sent = Sent {
                        place: property.place,
                        wire: property.name.clone(),
                        required: required && property.required,
                        schema: property.schema,
                        ty: property.ty,
                    };
                    arguments.add(sent, PLACE)
                }
            };
            Some(BodyField {
                name: property.name,
                value,
            })
        })
        .collect()
}

/// The whole body as one argument; its schema and type are made when it is one.
fn lower_whole(
    body: &RequestBody<'_>,
    schema: Option<&Node>,
    arguments: &mut Arguments<'_>,
    lower: impl FnOnce() -> (Value, TypeId),
) -> Option<Bound> {
    let slot = Slot {
        place: body.place,
        wire: PLACE,
        location: PLACE,
        required: body.required,
    };
    let default = || schema?.get("default").map(Node::to_value);
    match arguments.decide(&slot, default) {
        SlotDecision::Argument => {}
        SlotDecision::Pinned(value) => return Some(value),
        SlotDecision::Hidden => return None,
    }
    let (mut schema, ty) = lower();
    describe(&mut schema, body.description.as_deref());
    let sent = Sent {
        place: body.place,
        wire: PLACE.to_owned(),
        required: body.required,
        schema,
        ty,
    };
    Some(arguments.add(sent, PLACE))
}

fn value<'a>(
    body: &RequestBody<'_>,
    kind: BodyKind,
    schema: Option<&'a Node>,
    hint: &NameHint,
    schemas: &mut SchemaLowering<'a>,
) -> (Value, TypeId) {
    match (kind, schema) {
        (BodyKind::Text | BodyKind::Events, _) => (
            json!({"type": "string"}),
            schemas.leaf(body.place, Shape::String),
        ),
        (BodyKind::Binary, _) => (
            json!({"type": "string", "contentEncoding": "base64"}),
            schemas.leaf(body.place, Shape::Bytes),
        ),
        (_, Some(schema)) => (
            schemas.json_schema(schema, Direction::Request),
            schemas.type_of(schema, &hint.child(PLACE), Direction::Request),
        ),
        (_, None) => (json!({}), schemas.leaf(body.place, Shape::Any(None))),
    }
}
