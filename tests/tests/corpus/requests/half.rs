//! Reduces a document to the part that describes requests.
//!
//! The validator follows and copies every reference. Irrelevant parts would cost most of its time
//! and memory, and an error in a response would prevent the validation of any request. Constructs
//! that it is known to misread are rewritten to equivalent ones. All rewriting follows the
//! specifications and shares no code with the generator.

mod answers_only;
mod circles;
mod forms;
mod look_alikes;
mod parameters;
mod variants;

use std::{
    borrow::Cow,
    collections::{BTreeSet, VecDeque},
    path::Path,
};

pub(super) use look_alikes::Prefixes;
use serde_json::{Map, Value, json};
use toolwright_model::JsonPointer;

/// Keywords that map names to objects.
const NAMES: [&str; 13] = [
    "$defs",
    "content",
    "definitions",
    "dependentSchemas",
    "encoding",
    "parameters",
    "pathItems",
    "paths",
    "patternProperties",
    "properties",
    "requestBodies",
    "schemas",
    "securitySchemes",
];

/// Keywords without effect on requests.
const MUTE: [&str; 11] = [
    "callbacks",
    "description",
    "example",
    "examples",
    "externalDocs",
    "headers",
    "links",
    "summary",
    "tags",
    "title",
    "webhooks",
];

/// Keywords with values that are not traversed.
const VALUES: [&str; 5] = ["const", "default", "enum", "required", "security"];

/// The media types of a Swagger 2.0 document that declares none.
const CONSUMED: [&str; 3] = [
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
];

/// The limit on merged schemas, which ends cycles.
const MOST_PARTS: usize = 64;

/// Returns the request part of a document, and the path prefixes of ambiguous paths.
pub(super) fn reduce(document: &Value, folder: &Path) -> (Value, Prefixes) {
    let mut half = Half { folder }.reduce(document);
    let kept = reachable(&half);
    for (group, members) in groups(&mut half) {
        members.retain(|name, _| {
            group == "securitySchemes" || kept.contains(&(group.clone(), name.clone()))
        });
    }
    let prefixes = look_alikes::add_prefixes(&mut half);
    half["info"] = json!({"title": "", "version": ""});
    if half.get("openapi").is_some() {
        let whole = half.clone();
        parameters::plain_templates(&mut half);
        each_object(&mut half, &mut |fields| {
            parameters::write_out(&whole, fields);
            variants::add_discriminator_values(&whole, fields);
            forms::write_out(&whole, fields);
        });
    } else if half.get("consumes").is_none() {
        half["consumes"] = json!(CONSUMED);
    }
    answers_only::make_optional(&mut half);
    circles::break_all(&mut half);
    (half, prefixes)
}

struct Half<'a> {
    folder: &'a Path,
}

impl Half<'_> {
    fn reduce(&self, value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let heard = fields.iter().filter(|(key, value)| {
                    let mute = MUTE.contains(&key.as_str()) || key.starts_with("x-");
                    let unsaid = *key == "consumes" && value.as_array().is_some_and(Vec::is_empty);
                    !mute && !unsaid
                });
                let fields = heard.map(|(key, value)| (key.clone(), self.field(key, value)));
                Value::Object(fields.collect())
            }
            Value::Array(items) => items.iter().map(|item| self.reduce(item)).collect(),
            other => other.clone(),
        }
    }

    fn field(&self, key: &str, value: &Value) -> Value {
        match (key, value) {
            ("$ref", Value::String(target)) => self.reference(target).into(),
            ("responses", _) => json!({}),
            (_, Value::Object(named)) if NAMES.contains(&key) => {
                let named = named.iter();
                let named = named.map(|(name, value)| (name.clone(), self.reduce(value)));
                Value::Object(named.collect())
            }
            _ if VALUES.contains(&key) => value.clone(),
            _ => self.reduce(value),
        }
    }

    /// Converts a relative reference to another file to an absolute one.
    fn reference(&self, target: &str) -> String {
        if target.starts_with('#') || target.contains("://") {
            target.to_owned()
        } else {
            self.folder.join(target).display().to_string()
        }
    }
}

/// Returns the reusable definitions by kind.
fn groups(half: &mut Value) -> Vec<(String, &mut Map<String, Value>)> {
    let Value::Object(root) = half else {
        return Vec::new();
    };
    let mut groups = Vec::new();
    for (key, value) in root {
        match (key.as_str(), value) {
            ("components", Value::Object(components)) => {
                let members = components.iter_mut().filter_map(|(group, members)| {
                    let members = members.as_object_mut()?;
                    Some((group.clone(), members))
                });
                groups.extend(members);
            }
            ("definitions" | "parameters", Value::Object(members)) => {
                groups.push((key.clone(), members));
            }
            _ => {}
        }
    }
    groups
}

/// Returns the kinds and names of all definitions that the paths reach.
fn reachable(half: &Value) -> BTreeSet<(String, String)> {
    let mut reached = BTreeSet::new();
    let mut open = VecDeque::from([&half["paths"]]);
    while let Some(value) = open.pop_front() {
        match value {
            Value::Object(fields) => {
                let target = fields.get("$ref").and_then(Value::as_str);
                if let Some((group, name)) = target.and_then(definition_of)
                    && reached.insert((group.clone(), name.clone()))
                {
                    open.push_back(&half["components"][&group][&name]);
                    open.push_back(&half[&group][&name]);
                }
                open.extend(fields.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    reached
}

/// Returns the kind and name of the definition that a reference points to or into.
fn definition_of(target: &str) -> Option<(String, String)> {
    let pointer = target.strip_prefix('#')?;
    let pointer = percent_encoding::percent_decode_str(pointer).decode_utf8_lossy();
    let steps = JsonPointer::steps_of(&pointer)?.map(Cow::into_owned);
    let mut steps = steps.skip_while(|step| step == "components");
    Some((steps.next()?, steps.next()?))
}

/// Removes null, which a string in a form or query cannot represent. The validator splits an array
/// only if it has no other type.
fn remove_null(keywords: &mut Map<String, Value>) -> bool {
    let nullable = keywords.remove("nullable").is_some();
    let several = match keywords.get_mut("type") {
        Some(Value::Array(types)) => {
            types.retain(|word| word != "null");
            types.first().cloned().filter(|_| types.len() == 1)
        }
        _ => None,
    };
    let changed = nullable || several.is_some();
    keywords.extend(several.map(|only| ("type".to_owned(), only)));
    changed
}

/// Applies `change` to each object, outer objects first.
fn each_object(value: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(fields) => {
            change(fields);
            for value in fields.values_mut() {
                each_object(value, change);
            }
        }
        Value::Array(items) => {
            for item in items {
                each_object(item, change);
            }
        }
        _ => {}
    }
}

/// Follows the references of a value inside the document.
fn resolve<'a>(half: &'a Value, mut value: &'a Value) -> &'a Value {
    for _ in 0..16 {
        let target = value["$ref"]
            .as_str()
            .and_then(|target| target.strip_prefix('#'));
        let Some(pointer) = target else { break };
        let pointer = percent_encoding::percent_decode_str(pointer).decode_utf8_lossy();
        match half.pointer(&pointer) {
            Some(target) => value = target,
            None => break,
        }
    }
    value
}

/// Returns a schema with its `allOf` parts, references resolved.
fn all_of<'a>(half: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let mut all = vec![resolve(half, schema)];
    let mut next = 0;
    while let Some(schema) = all.get(next).filter(|_| next < MOST_PARTS) {
        let parts = schema["allOf"].as_array().into_iter().flatten();
        let parts: Vec<&Value> = parts.map(|part| resolve(half, part)).collect();
        all.extend(parts);
        next += 1;
    }
    all
}
