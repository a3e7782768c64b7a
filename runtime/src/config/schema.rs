//! The JSON Schema of `toolwright.toml`, for editors.

use serde_json::{Map, Value, json};
use toolwright_model::TransportKind;

use super::{
    approvals::APPROVALS_KEYS,
    limits::POLICY_KEYS,
    service::SERVICE_KEYS,
    state::{LONGEST_GRACE, STATE_KEYS},
};
use crate::audit::AuditSync;

/// Returns the JSON Schema of the file.
#[must_use]
pub fn json_schema() -> Value {
    let mut properties = toolwright_policy::schema_of_tables();
    let tables = [
        ("workspace", table(&["specs", "generated"], &|_| string())),
        ("services", services()),
        (
            "repository",
            table(&["path", "clone_url", "ref"], &|_| string()),
        ),
        ("audit", table(&["file", "sync"], &audit)),
        ("state", table(&STATE_KEYS, &state)),
        ("approvals", table(&APPROVALS_KEYS, &approvals)),
        ("policy", table(&POLICY_KEYS, &policy)),
    ];
    let tables = tables.into_iter();
    properties.extend(tables.map(|(name, table)| (name.to_owned(), table)));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "toolwright.toml",
        "description": "The configuration of a workspace. See docs/configuration.md and docs/boundary.md.",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

/// Returns the schemas of services: a table of tables, or an array of tables with their names.
fn services() -> Value {
    let named = [SERVICE_KEYS.as_slice(), &["name"]].concat();
    let mut entry = table(&named, &service);
    if let Some(entry) = entry.as_object_mut() {
        entry.insert("required".to_owned(), json!(["name"]));
    }
    json!({"oneOf": [
        {"type": "object", "additionalProperties": table(&SERVICE_KEYS, &service)},
        {"type": "array", "items": entry},
    ]})
}

fn service(key: &str) -> Value {
    match key {
        "transport" => json!({"enum": TransportKind::ALL}),
        "timeout_seconds" => number(1, 60 * 60),
        "handshake_seconds" => number(1, 24 * 60 * 60),
        "max_response_bytes" => number(1, 1 << 30),
        "origins" | "allow" => strings(),
        _ => string(),
    }
}

fn audit(key: &str) -> Value {
    match key {
        "sync" => {
            let words = AuditSync::ALL.iter().map(ToString::to_string);
            json!({"enum": words.collect::<Vec<_>>()})
        }
        _ => string(),
    }
}

fn state(key: &str) -> Value {
    match key {
        "grace_seconds" => number(1, LONGEST_GRACE),
        _ => string(),
    }
}

fn approvals(key: &str) -> Value {
    match key {
        "four_eyes" => json!({"type": "boolean"}),
        "approvers" => {
            let mut entry = table(&["key", "approve"], &|key| match key {
                "approve" => strings(),
                _ => string(),
            });
            if let Some(entry) = entry.as_object_mut() {
                entry.insert("required".to_owned(), json!(["key", "approve"]));
            }
            json!({"type": "object", "additionalProperties": entry})
        }
        "expire_minutes" => number(1, 60 * 24 * 7),
        "most_waiting" => number(1, 1_000),
        "keys" | "mask" => strings(),
        _ => string(),
    }
}

fn policy(key: &str) -> Value {
    match key {
        "alert_after" => number(1, 1_000_000),
        _ => json!({"type": "boolean"}),
    }
}

fn table(keys: &[&str], schema: &dyn Fn(&str) -> Value) -> Value {
    let properties = keys.iter();
    let properties: Map<_, _> = properties
        .map(|key| ((*key).to_owned(), schema(key)))
        .collect();
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

fn string() -> Value {
    json!({"type": "string"})
}

fn strings() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}

fn number(first: u64, last: u64) -> Value {
    json!({"type": "integer", "minimum": first, "maximum": last})
}
