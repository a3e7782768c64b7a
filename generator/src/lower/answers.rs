//! Responses: the table with which the executor reads them, and the result of the tool.

use serde_json::{Value, json};
use toolwright_model::{Answer, AnswerContent, Method, StatusPattern};

use super::{
    schema::{Direction, NameHint, SchemaLowering, download_schema},
    streams::Stream,
};
use crate::{
    document::{documents::Documents, source::Place, tree::Node},
    ir::{
        Failure, Output,
        types::{Shape, TypeId, Union, UnionVariant},
    },
    parse::openapi::{BodyKind, MediaType, ParsedOperation, Protocol, Response},
};

/// Returns the responses, the most specific status first. Responses to HEAD have no body, even if
/// the document declares one: it describes the response to GET.
pub(super) fn table(operation: &ParsedOperation<'_>, documents: &Documents) -> Vec<Answer> {
    let mut answers: Vec<Answer> = operation
        .responses
        .iter()
        .map(|response| {
            let (media_types, content) = match operation.key.method {
                Method::Head => (Vec::new(), AnswerContent::Empty),
                _ => (
                    media_types(&response.content),
                    AnswerBody::from_response(response, documents).content(),
                ),
            };
            Answer {
                status: response.status,
                media_types,
                content,
                description: response.description.trim().to_owned(),
            }
        })
        .collect();
    answers.sort_by_key(|answer| answer.status);
    answers
}

/// Returns the result of a tool: the bodies of its successful responses.
///
/// If they differ, the result is a union; a success without a body makes it nullable. If the
/// document declares no body at all, the result may be anything: many documents omit bodies, and
/// only 204 and 205 exclude one. `responses` are those of the operation, or the parts of them that the
/// tool returns.
pub(super) fn output<'a>(
    operation: &ParsedOperation<'_>,
    responses: &'a [Response<'_>],
    hint: &NameHint,
    documents: &'a Documents,
    schemas: &mut SchemaLowering<'a>,
) -> Output {
    let place = operation.key.place;
    if operation.key.method == Method::Head {
        return Output {
            schema: Some(json!({"type": "null"})),
            ty: schemas.leaf(place, Shape::Null),
        };
    }
    // The response of a domain service contains the result of its method.
    let hint = hint.child(match operation.protocol {
        Protocol::Eab(_) => "outcome",
        _ => "result",
    });
    let mut results: Vec<(StatusPattern, Value, TypeId)> = Vec::new();
    let successes = successes(responses);
    if !successes.iter().any(|response| says_what_it_is(response)) {
        return undescribed_output(place, schemas);
    }
    for response in successes {
        let seen = results.len();
        let hint = if seen == 0 {
            hint.clone()
        } else {
            hint.child(&response.status.to_string())
        };
        let Some((schema, ty)) = result(response, place, &hint, documents, schemas) else {
            return undescribed_output(place, schemas);
        };
        if !results.iter().any(|(_, known, _)| *known == schema) {
            results.push((response.status, schema, ty));
        }
    }
    match results.as_slice() {
        [] => undescribed_output(place, schemas),
        [(_, schema, ty)] => Output {
            schema: Some(schema.clone()),
            ty: *ty,
        },
        several => union(several, place, &hint, schemas),
    }
}

/// Returns the error responses, the most specific status first. A response without a declared body
/// may still have one, so it may be anything.
pub(super) fn failures<'a>(
    operation: &'a ParsedOperation<'_>,
    hint: &NameHint,
    documents: &'a Documents,
    schemas: &mut SchemaLowering<'a>,
) -> Vec<Failure> {
    let place = operation.key.place;
    let responses = operation.responses.iter();
    let mut refused: Vec<_> = responses
        .filter(|response| !response.status.is_success())
        .collect();
    refused.sort_by_key(|response| response.status);
    // `4XX` and `4xx` are one.
    refused.dedup_by_key(|response| response.status);
    refused
        .into_iter()
        .map(|response| {
            let status = response.status;
            let described = operation.key.method != Method::Head && !response.content.is_empty();
            let hint = hint.child(&status.phrase());
            let described = described
                .then(|| AnswerBody::from_response(response, documents).ty(place, &hint, schemas))
                .flatten();
            let ty = described.unwrap_or_else(|| schemas.leaf(place, Shape::Any(None)));
            Failure { status, ty }
        })
        .collect()
}

/// Checks whether the document declares the header `Link` for a success.
pub(super) fn have_link(operation: &ParsedOperation<'_>) -> bool {
    let successes = successes(&operation.responses);
    successes
        .iter()
        .any(|response| response.headers.iter().any(|header| header == "link"))
}

/// Returns the successful responses, or else the `default` response.
fn successes<'a, 'd>(responses: &'a [Response<'d>]) -> Vec<&'a Response<'d>> {
    let mut found: Vec<_> = responses
        .iter()
        .filter(|response| response.status.is_success())
        .collect();
    if found.is_empty() {
        found.extend(
            responses
                .iter()
                .filter(|response| response.status == StatusPattern::Default),
        );
    }
    found.sort_by_key(|response| response.status);
    found
}

/// Checks whether a response has a declared body, or none by its status.
fn says_what_it_is(response: &Response<'_>) -> bool {
    let without_body = matches!(response.status, StatusPattern::Exact(204 | 205));
    without_body || !response.content.is_empty()
}

/// Returns the result of one response; `None` if the document does not describe it.
fn result<'a>(
    response: &'a Response<'_>,
    place: Place,
    hint: &NameHint,
    documents: &'a Documents,
    schemas: &mut SchemaLowering<'a>,
) -> Option<(Value, TypeId)> {
    let body = AnswerBody::from_response(response, documents);
    let schema = body.schema(schemas)?;
    let ty = body.ty(place, hint, schemas)?;
    Some((schema, ty))
}

/// The body of an answer, by the media type that is asked for.
enum AnswerBody<'a> {
    Empty,
    Text,
    Binary,
    /// JSON, with its schema if the document has one.
    Json(Option<&'a Node>),
    Stream(Stream<'a>),
}

impl<'a> AnswerBody<'a> {
    fn from_response(response: &'a Response<'_>, documents: &'a Documents) -> Self {
        let Some(media_type) = preferred_media_type(&response.content) else {
            return Self::Empty;
        };
        let schema = media_type.schema.as_deref();
        if schema.is_some_and(|schema| is_binary(schema, documents)) {
            return Self::Binary;
        }
        match BodyKind::parse(&media_type.name) {
            BodyKind::Json => Self::Json(schema),
            BodyKind::Lines | BodyKind::Events => {
                Stream::from_media_type(media_type, documents).map_or(Self::Text, Self::Stream)
            }
            BodyKind::Text | BodyKind::Form => Self::Text,
            BodyKind::Multipart | BodyKind::Binary => Self::Binary,
        }
    }

    /// Returns the conversion of its bytes to the result.
    const fn content(&self) -> AnswerContent {
        match self {
            Self::Empty => AnswerContent::Empty,
            Self::Text => AnswerContent::Text,
            Self::Binary => AnswerContent::Binary,
            Self::Json(_) => AnswerContent::Json,
            Self::Stream(stream) => stream.content,
        }
    }

    fn schema(&self, schemas: &mut SchemaLowering<'a>) -> Option<Value> {
        Some(match self {
            Self::Empty => json!({"type": "null"}),
            Self::Text => json!({"type": "string"}),
            Self::Binary => download_schema(),
            Self::Json(schema) => schemas.json_schema((*schema)?, Direction::Response),
            Self::Stream(stream) => stream.schema(Direction::Response, schemas),
        })
    }

    fn ty(
        &self,
        place: Place,
        hint: &NameHint,
        schemas: &mut SchemaLowering<'a>,
    ) -> Option<TypeId> {
        Some(match self {
            Self::Empty => schemas.leaf(place, Shape::Null),
            Self::Text => schemas.leaf(place, Shape::String),
            Self::Binary => schemas.leaf(place, Shape::Download),
            Self::Json(schema) => schemas.type_of((*schema)?, hint, Direction::Response),
            Self::Stream(stream) => stream.ty(place, hint, Direction::Response, schemas),
        })
    }
}

fn undescribed_output(place: Place, schemas: &mut SchemaLowering<'_>) -> Output {
    Output {
        schema: None,
        ty: schemas.leaf(place, Shape::Any(None)),
    }
}

fn union(
    results: &[(StatusPattern, Value, TypeId)],
    place: Place,
    hint: &NameHint,
    schemas: &mut SchemaLowering<'_>,
) -> Output {
    let null = json!({"type": "null"});
    let valued: Vec<_> = results
        .iter()
        .filter(|(_, schema, _)| *schema != null)
        .collect();
    let mut ty = match valued.as_slice() {
        [(_, _, ty)] => *ty,
        several => {
            let variants = several.iter().map(|(status, _, ty)| UnionVariant {
                name: format!("Status{status}"),
                tags: Vec::new(),
                ty: *ty,
            });
            let union = Union {
                variants: variants.collect(),
                discriminator: None,
            };
            schemas.named(place, hint, Shape::Union(union))
        }
    };
    if valued.len() < results.len() {
        ty = schemas.leaf(place, Shape::Nullable(ty));
    }
    let any_of: Vec<&Value> = results.iter().map(|(_, schema, _)| schema).collect();
    Output {
        schema: Some(json!({"anyOf": any_of})),
        ty,
    }
}

fn is_binary(schema: &Node, documents: &Documents) -> bool {
    documents.resolve(schema).is_ok_and(|schema| {
        schema.str_at("type") == Some("string") && schema.str_at("format") == Some("binary")
    })
}

/// Returns the preferred media type of several: JSON before text before bytes.
fn preferred_media_type<'c, 'a>(content: &'c [MediaType<'a>]) -> Option<&'c MediaType<'a>> {
    content
        .iter()
        .min_by_key(|media_type| rank(&media_type.name))
}

/// The media types, the preferred one first.
fn media_types(content: &[MediaType<'_>]) -> Vec<String> {
    let mut names: Vec<String> = content
        .iter()
        .map(|media_type| media_type.name.clone())
        .collect();
    names.sort_by_key(|name| rank(name));
    names
}

fn rank(media_type: &str) -> (BodyKind, bool) {
    (BodyKind::parse(media_type), media_type.contains('+'))
}
