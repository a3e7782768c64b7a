//! Answers: the table by which the executor reads them, and the result of the tool.

use serde_json::{Value, json};
use toolwright_model::{Answer, AnswerContent, Method, StatusPattern};

use super::{
    schema::{Direction, NameHint, SchemaLowering, download_schema},
    streams::Stream,
};
use crate::{
    documents::Documents,
    ir::{
        Failure, Output,
        types::{Shape, TypeId, Union, UnionVariant},
    },
    source::Place,
    spec::openapi::{BodyKind, MediaType, Operation, Response},
    tree::Node,
};

/// The answers, the most specific status first. Those to HEAD have no body, whatever the document
/// says: it describes what GET would answer.
pub(super) fn table(operation: &Operation<'_>, documents: &Documents) -> Vec<Answer> {
    let mut answers: Vec<Answer> = operation
        .responses
        .iter()
        .map(|response| {
            let (media_types, content) = match operation.key.method {
                Method::Head => (Vec::new(), AnswerContent::Empty),
                _ => (
                    media_types(&response.content),
                    Body::of(response, documents).content(),
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

/// The result of a tool: what its successes answer.
///
/// Where they differ, the result is one of several; a success without a body makes it null. Where
/// the document describes no body at all, the result may be anything: many documents just do not
/// say what is answered, and only 204 and 205 rule a body out.
pub(super) fn output<'a>(
    operation: &'a Operation<'_>,
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
    // What a domain service answers has the result of its method in it.
    let hint = hint.child(match operation.eab {
        Some(_) => "outcome",
        None => "result",
    });
    let mut results: Vec<(StatusPattern, Value, TypeId)> = Vec::new();
    let successes = successes(&operation.responses);
    if !successes.iter().any(|response| says_what_it_is(response)) {
        return undescribed(place, schemas);
    }
    for response in successes {
        let seen = results.len();
        let hint = if seen == 0 {
            hint.clone()
        } else {
            hint.child(&response.status.to_string())
        };
        let Some((schema, ty)) = result(response, place, &hint, documents, schemas) else {
            return undescribed(place, schemas);
        };
        if !results.iter().any(|(_, known, _)| *known == schema) {
            results.push((response.status, schema, ty));
        }
    }
    match results.as_slice() {
        [] => undescribed(place, schemas),
        [(_, schema, ty)] => Output {
            schema: Some(schema.clone()),
            ty: *ty,
        },
        several => union(several, place, &hint, schemas),
    }
}

/// What the service answers where there is no result, the most specific status first. What is said
/// of an answer without a body is seldom that it has none, so it may be anything.
pub(super) fn failures<'a>(
    operation: &'a Operation<'_>,
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
                .then(|| Body::of(response, documents).ty(place, &hint, schemas))
                .flatten();
            let ty = described.unwrap_or_else(|| schemas.leaf(place, Shape::Any(None)));
            Failure { status, ty }
        })
        .collect()
}

/// Whether the document says that a success has the header `Link`.
pub(super) fn have_link(operation: &Operation<'_>) -> bool {
    let successes = successes(&operation.responses);
    successes
        .iter()
        .any(|response| response.headers.iter().any(|header| header == "link"))
}

/// The answers to a success; where there is none the `default` one, which then stands for it.
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

/// Whether an answer has a described body, or none by its status.
fn says_what_it_is(response: &Response<'_>) -> bool {
    let without_body = matches!(response.status, StatusPattern::Exact(204 | 205));
    without_body || !response.content.is_empty()
}

/// What one answer is; `None` when the document does not describe it.
fn result<'a>(
    response: &'a Response<'_>,
    place: Place,
    hint: &NameHint,
    documents: &'a Documents,
    schemas: &mut SchemaLowering<'a>,
) -> Option<(Value, TypeId)> {
    let body = Body::of(response, documents);
    let schema = body.schema(schemas)?;
    let ty = body.ty(place, hint, schemas)?;
    Some((schema, ty))
}

/// The body of an answer, by the media type that is asked for.
enum Body<'a> {
    Empty,
    Text,
    Binary,
    /// With its schema, where the document has one.
    Json(Option<&'a Node>),
    Stream(Stream<'a>),
}

impl<'a> Body<'a> {
    fn of(response: &'a Response<'_>, documents: &'a Documents) -> Self {
        let Some(media_type) = preferred(&response.content) else {
            return Self::Empty;
        };
        let schema = media_type.schema.as_deref();
        if schema.is_some_and(|schema| is_binary(schema, documents)) {
            return Self::Binary;
        }
        match BodyKind::of(&media_type.name) {
            BodyKind::Json => Self::Json(schema),
            BodyKind::Lines | BodyKind::Events => {
                Stream::of(media_type, documents).map_or(Self::Text, Self::Stream)
            }
            BodyKind::Text | BodyKind::Form => Self::Text,
            BodyKind::Multipart | BodyKind::Binary => Self::Binary,
        }
    }

    /// How its bytes become the result.
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

fn undescribed(place: Place, schemas: &mut SchemaLowering<'_>) -> Output {
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

/// The media type that is asked for, of several: JSON before text before bytes.
fn preferred<'c, 'a>(content: &'c [MediaType<'a>]) -> Option<&'c MediaType<'a>> {
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
    (BodyKind::of(media_type), media_type.contains('+'))
}
