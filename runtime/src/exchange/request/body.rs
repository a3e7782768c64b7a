//! The body: from the values of its fields to bytes.

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Map, Value};
use toolwright_model::{
    Body, BodyContent, BodyField, BodyShape, Bound, HttpBinding, JsonPointer, PartEncoding, Style,
};

use super::{PlanError, PlannedFile, Values, encode, multipart, names::Taken, style};
use crate::files::FileHandle;

/// The body of a request.
pub(super) struct PlannedBody {
    pub(super) content_type: String,
    pub(super) bytes: Vec<u8>,
    pub(super) files: Vec<PlannedFile>,
}

/// The content of a file: its bytes, or a file of a store.
pub(super) enum FileContent {
    Bytes(Vec<u8>),
    Stored(FileHandle),
}

impl PlannedBody {
    pub(super) fn new(content_type: String, bytes: Vec<u8>) -> Self {
        Self {
            content_type,
            bytes,
            files: Vec::new(),
        }
    }
}

impl PlannedFile {
    /// Creates the file of a value.
    pub(super) fn new(at: usize, handle: FileHandle, bound: &Bound) -> Self {
        let argument = bound.argument();
        Self {
            at,
            handle,
            argument: argument.map(|name| JsonPointer::from_iter([name]).into()),
            is_base64: false,
        }
    }
}

/// One field that has a value.
#[derive(Clone, Copy)]
pub(super) struct FormField<'a> {
    pub(super) name: &'a str,
    pub(super) bound: &'a Bound,
    pub(super) value: &'a Value,
}

/// Returns the body; none if it has no value and is not required.
pub(super) fn plan_body(
    binding: &HttpBinding,
    body: &Body,
    values: Values<'_>,
) -> Result<Option<PlannedBody>, PlanError> {
    let taken = Taken::for_body(binding, values, body);
    match &body.shape {
        BodyShape::Whole(bound) => match values.get(bound)? {
            Some(value) => {
                taken.check_json(value, bound)?;
                plan_whole(body, bound, value, values).map(Some)
            }
            None if body.required => Err(PlanError::value(
                bound,
                "has no value, but the request requires it as its body",
            )),
            None => Ok(None),
        },
        BodyShape::Fields(fields) => {
            let fields = given_fields(fields, values)?;
            if fields.is_empty() && !body.required {
                return Ok(None);
            }
            if body.content == BodyContent::Form {
                check_form(body, &fields, &taken)?;
            }
            plan_fields(body, &fields, values).map(Some)
        }
    }
}

/// Checks the names that the keys of objects become in a form.
fn check_form(body: &Body, fields: &[FormField<'_>], taken: &Taken<'_>) -> Result<(), PlanError> {
    let none = PartEncoding::default();
    for field in fields.iter().filter(|field| field.value.is_object()) {
        let encoding = body.encoding.get(field.name).unwrap_or(&none);
        if let Some(pairs) = plan_form_field(field, encoding)? {
            taken
                .without(field.name)
                .check_pairs(&pairs, '&', field.name, field.bound)?;
        }
    }
    Ok(())
}

/// The value of a body that is JSON: one value, or an object of fields.
pub(crate) fn plan_params(shape: &BodyShape, values: Values<'_>) -> Result<Value, PlanError> {
    match shape {
        BodyShape::Whole(bound) => Ok(values.get(bound)?.cloned().unwrap_or_default()),
        BodyShape::Fields(fields) => {
            let fields = given_fields(fields, values)?.into_iter();
            let object = fields.map(|field| (field.name.to_owned(), field.value.clone()));
            Ok(Value::Object(object.collect()))
        }
    }
}

/// Returns whether a media type is JSON: `application/json`, or one with the suffix `+json`.
pub(crate) fn is_json(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    let essence = essence.to_ascii_lowercase();
    essence.ends_with("/json") || essence.ends_with("+json")
}

/// Reads the content of a file: base64, or the handle of a file in a store.
pub(super) fn file_content(text: &str) -> Result<FileContent, &'static str> {
    if let Ok(handle) = text.parse() {
        return Ok(FileContent::Stored(handle));
    }
    let bytes = BASE64_STANDARD.decode(text);
    let bytes = bytes.map_err(|_| "is neither base64 nor the handle of a file")?;
    Ok(FileContent::Bytes(bytes))
}

fn given_fields<'a>(
    fields: &'a [BodyField],
    values: Values<'a>,
) -> Result<Vec<FormField<'a>>, PlanError> {
    let mut given = Vec::new();
    for BodyField { name, value: bound } in fields {
        if let Some(value) = values.get(bound)? {
            given.push(FormField { name, bound, value });
        }
    }
    Ok(given)
}

fn plan_whole(
    body: &Body,
    bound: &Bound,
    value: &Value,
    values: Values<'_>,
) -> Result<PlannedBody, PlanError> {
    let bytes = match body.content {
        BodyContent::Json => value.to_string().into_bytes(),
        BodyContent::Lines => lines(&body.media_type, value).ok_or_else(|| {
            PlanError::value(bound, "is not an array with an element for each line")
        })?,
        BodyContent::Text => style::plain(value).into_bytes(),
        BodyContent::Binary => {
            let text = value.as_str().ok_or("is not a base64 string");
            let content = text.and_then(file_content);
            match content.map_err(|problem| PlanError::value(bound, problem))? {
                FileContent::Bytes(bytes) => bytes,
                FileContent::Stored(handle) => {
                    return Ok(PlannedBody {
                        files: vec![PlannedFile::new(0, handle, bound)],
                        ..PlannedBody::new(sendable(&body.media_type), Vec::new())
                    });
                }
            }
        }
        BodyContent::Multipart if value.is_string() => {
            return multipart::plan_file(&body.media_type, bound, value);
        }
        BodyContent::Form | BodyContent::Multipart => {
            let Value::Object(fields) = value else {
                return Err(PlanError::value(bound, "is not an object of fields"));
            };
            let fields: Vec<_> = fields
                .iter()
                .map(|(name, value)| FormField { name, bound, value })
                .collect();
            return plan_fields(body, &fields, values);
        }
    };
    Ok(PlannedBody::new(sendable(&body.media_type), bytes))
}

fn plan_fields(
    body: &Body,
    fields: &[FormField<'_>],
    values: Values<'_>,
) -> Result<PlannedBody, PlanError> {
    let none = PartEncoding::default();
    let encoding = |field: &FormField<'_>| body.encoding.get(field.name).unwrap_or(&none);
    match body.content {
        BodyContent::Json => {
            let object: Map<_, _> = fields
                .iter()
                .map(|field| (field.name.to_owned(), field.value.clone()))
                .collect();
            let bytes = Value::Object(object).to_string().into_bytes();
            Ok(PlannedBody::new(body.media_type.clone(), bytes))
        }
        BodyContent::Form => {
            let pairs = fields
                .iter()
                .filter_map(|field| plan_form_field(field, encoding(field)).transpose())
                .collect::<Result<Vec<_>, _>>()?;
            let bytes = pairs.join("&").into_bytes();
            Ok(PlannedBody::new(body.media_type.clone(), bytes))
        }
        BodyContent::Multipart => {
            let mut parts = Vec::new();
            for field in fields {
                parts.extend(multipart::plan_parts(field, encoding(field), values)?);
            }
            Ok(multipart::join(&body.media_type, &parts))
        }
        BodyContent::Lines | BodyContent::Text | BodyContent::Binary => {
            let problem = format!("its body of the type `{}` has fields", body.media_type);
            Err(PlanError::Binding(problem))
        }
    }
}

/// Returns the elements of an array, a line each; none if the value is not an array. In a JSON text
/// sequence each begins with a separator.
fn lines(media_type: &str, value: &Value) -> Option<Vec<u8>> {
    let start = if media_type.contains("json-seq") {
        "\u{1e}"
    } else {
        ""
    };
    let lines = value.as_array()?.iter();
    let text: String = lines.map(|item| format!("{start}{item}\n")).collect();
    Some(text.into_bytes())
}

/// Encodes a field of a form according to `encoding`: by its style, else by its media type. Without
/// either an array is repeated and an object is JSON.
fn plan_form_field(
    field: &FormField<'_>,
    encoding: &PartEncoding,
) -> Result<Option<String>, PlanError> {
    let FormField { name, value, bound } = *field;
    let styled = encoding.style.is_some() || encoding.explode.is_some() || encoding.allow_reserved;
    let as_json = encoding.content_type.as_deref().is_some_and(is_json);
    if (value.is_object() || (as_json && !value.is_null())) && !styled {
        return Ok(Some(format!(
            "{}={}",
            encode::value(name),
            encode::value(&value.to_string())
        )));
    }
    let style = encoding.style.unwrap_or(Style::Form);
    let explode = encoding.explode.unwrap_or(style == Style::Form);
    let allow_reserved = encoding.allow_reserved;
    if let Some(problem) = style::ambiguity(value, style, explode, allow_reserved) {
        return Err(PlanError::value(bound, problem));
    }
    let encode = encode::of_query(allow_reserved);
    Ok(style::expand(name, value, style, explode, encode))
}

/// The type that bytes are sent as: a range of types names none.
fn sendable(media_type: &str) -> String {
    if media_type.contains('*') {
        "application/octet-stream".to_owned()
    } else {
        media_type.to_owned()
    }
}
