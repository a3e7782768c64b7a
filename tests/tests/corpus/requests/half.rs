//! The half of a document that speaks of requests, as the judge is given it.
//!
//! The judge follows every reference and copies what it leads to, so what is of no use to it costs
//! it most of its time and memory, and a fault in an answer would keep it from judging any
//! request. And what it is known to misread is written so that it reads what the document says.
//! All of this is by the specifications, and knows nothing of the generator.

mod answers_only;
mod circles;
mod forms;
mod look_alikes;
mod parameters;
mod variants;

use std::{
    collections::{BTreeSet, VecDeque},
    path::Path,
};

pub(super) use look_alikes::Beginnings;
use serde_json::{Map, Value, json};

/// Keywords that hold names, each with something of its own.
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

/// Keywords that say nothing of a request.
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

/// Keywords whose values are not looked into.
const VALUES: [&str; 5] = ["const", "default", "enum", "required", "security"];

/// What is sent where a document of Swagger 2.0 does not say it.
const CONSUMED: [&str; 3] = [
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
];

/// How many parts of a schema are looked at, so that a circle ends.
const MOST_PARTS: usize = 64;

/// What a document says of requests, and how paths begin that could not be told apart.
pub(super) fn of(document: &Value, folder: &Path) -> (Value, Beginnings) {
    let mut half = Half { folder }.of(document);
    let kept = reached(&half);
    for (group, members) in groups(&mut half) {
        members.retain(|name, _| {
            group == "securitySchemes" || kept.contains(&(group.clone(), name.clone()))
        });
    }
    let beginnings = look_alikes::set_apart(&mut half);
    half["info"] = json!({"title": "", "version": ""});
    if half.get("openapi").is_some() {
        let whole = half.clone();
        parameters::plain_templates(&mut half);
        each_object(&mut half, &mut |fields| {
            parameters::write_out(&whole, fields);
            variants::tell_apart(&whole, fields);
            forms::write_out(&whole, fields);
        });
    } else if half.get("consumes").is_none() {
        half["consumes"] = json!(CONSUMED);
    }
    answers_only::release(&mut half);
    circles::open(&mut half);
    (half, beginnings)
}

struct Half<'a> {
    folder: &'a Path,
}

impl Half<'_> {
    fn of(&self, value: &Value) -> Value {
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
            Value::Array(items) => items.iter().map(|item| self.of(item)).collect(),
            other => other.clone(),
        }
    }

    fn field(&self, key: &str, value: &Value) -> Value {
        match (key, value) {
            ("$ref", Value::String(target)) => self.reference(target).into(),
            ("responses", _) => json!({}),
            (_, Value::Object(named)) if NAMES.contains(&key) => {
                let named = named.iter();
                let named = named.map(|(name, value)| (name.clone(), self.of(value)));
                Value::Object(named.collect())
            }
            _ if VALUES.contains(&key) => value.clone(),
            _ => self.of(value),
        }
    }

    /// A reference into another file, from wherever the half stands.
    fn reference(&self, target: &str) -> String {
        if target.starts_with('#') || target.contains("://") {
            target.to_owned()
        } else {
            self.folder.join(target).display().to_string()
        }
    }
}

/// What is defined to be referred to, by the word for its kind.
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

/// The kinds and names of all that is referred to, beginning with the paths.
fn reached(half: &Value) -> BTreeSet<(String, String)> {
    let mut reached = BTreeSet::new();
    let mut open = VecDeque::from([&half["paths"]]);
    while let Some(value) = open.pop_front() {
        match value {
            Value::Object(fields) => {
                let target = fields.get("$ref").and_then(Value::as_str);
                if let Some((group, name)) = target.and_then(defined)
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

/// The kind and the name of what a reference leads to or into.
fn defined(target: &str) -> Option<(String, String)> {
    let pointer = target.strip_prefix("#/")?;
    let pointer = pointer.strip_prefix("components/").unwrap_or(pointer);
    let mut steps = pointer.split('/').map(|step| {
        let decoded = percent_encoding::percent_decode_str(step).decode_utf8_lossy();
        decoded.replace("~1", "/").replace("~0", "~")
    });
    Some((steps.next()?, steps.next()?))
}

/// No text is null. The judge takes an array apart only where it is nothing else.
fn cannot_be_null(keywords: &mut Map<String, Value>) -> bool {
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

/// Changes each object, the outer before the inner.
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

/// What a reference of the document itself leads to, or the value where it is none.
fn resolved<'a>(half: &'a Value, mut value: &'a Value) -> &'a Value {
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

/// A schema and the parts that hold with it, without references.
fn all_of<'a>(half: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let mut all = vec![resolved(half, schema)];
    let mut next = 0;
    while let Some(schema) = all.get(next).filter(|_| next < MOST_PARTS) {
        let parts = schema["allOf"].as_array().into_iter().flatten();
        let parts: Vec<&Value> = parts.map(|part| resolved(half, part)).collect();
        all.extend(parts);
        next += 1;
    }
    all
}
