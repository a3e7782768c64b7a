//! Files of the store in a JSON body, in place of base64.
//!
//! The schema tells which strings are base64. A string that only looks like a handle is no file.

use std::borrow::Cow;

use serde_json::{Map, Value};
use toolwright_model::{BodyContent, HttpBinding, JsonPointer};
use toolwright_schema::Root;
use uuid::Uuid;

use crate::{
    exchange::request::{PlanError, PlannedFile, PlannedRequest},
    files::FileHandle,
    schema::Violation,
};

/// The deepest place that is looked at.
const DEEPEST: usize = 32;

/// The arguments of a call, with a mark in place of each handle that stands for base64.
pub(super) struct Marked<'a> {
    pub(super) arguments: Cow<'a, Map<String, Value>>,
    found: Vec<Found>,
}

/// A handle in place of base64.
struct Found {
    handle: FileHandle,
    /// The place in the arguments.
    pointer: String,
    /// A random string, which the body contains once.
    mark: String,
}

impl<'a> Marked<'a> {
    /// Marks the handles of a call with a JSON body. Other bodies are planned with their handles.
    pub(super) fn new(
        binding: &HttpBinding,
        arguments: &'a Map<String, Value>,
        schema: &Value,
    ) -> Self {
        let mut marked = Self {
            arguments: Cow::Borrowed(arguments),
            found: Vec::new(),
        };
        if !arguments.values().any(|value| has_handle(value, DEEPEST)) {
            return marked;
        }
        let body = binding.body.as_ref().map(|body| body.content);
        if matches!(body, Some(BodyContent::Binary | BodyContent::Multipart)) {
            return marked;
        }
        let root = Root::new(schema);
        for (name, value) in marked.arguments.to_mut() {
            let schemas = properties(root, schema, name);
            let mut path = vec![name.clone()];
            mark(value, schemas, &mut path, root, &mut marked.found);
        }
        marked
    }

    /// Replaces the marks of a planned request with files.
    pub(super) fn insert_files(self, request: &mut PlannedRequest) -> Result<(), PlanError> {
        for found in self.found {
            let at = request.body.as_mut();
            let at = at.and_then(|bytes| cut_out(bytes, &found.mark));
            let Some(at) = at else {
                return Err(PlanError::Argument(Violation {
                    pointer: found.pointer,
                    message: "cannot be the handle of a file here: give base64".to_owned(),
                }));
            };
            let length = found.mark.len();
            for later in request.files.iter_mut().filter(|file| file.at > at) {
                later.at -= length;
            }
            request.files.push(PlannedFile {
                at,
                handle: found.handle,
                argument: Some(found.pointer),
                is_base64: true,
            });
            request.files.sort_by_key(|file| file.at);
        }
        Ok(())
    }
}

/// Removes a mark that is a JSON string, and returns its place.
fn cut_out(bytes: &mut Vec<u8>, mark: &str) -> Option<usize> {
    let quoted = format!("\"{mark}\"");
    let mut places = bytes.windows(quoted.len());
    let at = places.position(|window| window == quoted.as_bytes())? + 1;
    bytes.drain(at..at + mark.len());
    Some(at)
}

/// Checks whether a value contains a string that looks like a handle.
fn has_handle(value: &Value, depth: usize) -> bool {
    let below = |value: &Value| depth > 0 && has_handle(value, depth - 1);
    match value {
        Value::String(text) => text.parse::<FileHandle>().is_ok(),
        Value::Array(items) => items.iter().any(below),
        Value::Object(fields) => fields.values().any(below),
        _ => false,
    }
}

/// Marks the handles in the places of base64.
fn mark<'a>(
    value: &mut Value,
    schemas: Vec<&'a Value>,
    path: &mut Vec<String>,
    root: Root<'a>,
    found: &mut Vec<Found>,
) {
    if path.len() > DEEPEST || schemas.is_empty() {
        return;
    }
    let mut parts = schemas.iter().flat_map(|schema| root.parts(schema));
    match value {
        Value::String(text) => {
            if let Ok(handle) = text.parse()
                && parts.any(is_base64)
            {
                let pointer = JsonPointer::from_iter(path.iter().map(String::as_str)).into();
                let mark = Uuid::new_v4().to_string();
                text.clone_from(&mark);
                found.push(Found {
                    handle,
                    pointer,
                    mark,
                });
            }
        }
        Value::Array(items) => {
            let below: Vec<&Value> = parts.filter_map(|part| part.get("items")).collect();
            for (index, item) in items.iter_mut().enumerate() {
                path.push(index.to_string());
                mark(item, below.clone(), path, root, found);
                path.pop();
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                let below = schemas
                    .iter()
                    .flat_map(|schema| properties(root, schema, name));
                path.push(name.clone());
                mark(field, below.collect(), path, root, found);
                path.pop();
            }
        }
        _ => {}
    }
}

fn properties<'a>(root: Root<'a>, schema: &'a Value, name: &str) -> Vec<&'a Value> {
    let parts = root.parts(schema).into_iter();
    let properties = parts.filter_map(|part| {
        let property = part.get("properties").and_then(|all| all.get(name));
        property.or_else(|| part.get("additionalProperties"))
    });
    properties.collect()
}

fn is_base64(schema: &Value) -> bool {
    schema.get("contentEncoding").and_then(Value::as_str) == Some("base64")
}
