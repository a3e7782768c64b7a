//! The JSON Schema of the events, made from their types.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Value, json};

use super::event::{AuditEvent, FORMAT};

/// A line of the audit: an event, and its place in the chain.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Line {
    /// The number of the event, from 1.
    seq: Option<u64>,
    /// The SHA-256 of the line before it.
    prev: Option<String>,
    /// The id of the key and the keyed digest of the line.
    mac: Option<String>,
    #[serde(flatten)]
    event: AuditEvent,
}

/// A scope parameter of an event.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct ScopeSchema {
    /// The place of the rule.
    place: String,
    /// The parameter.
    parameter: String,
    /// The values. Those of pinned arguments are left out.
    values: Vec<String>,
}

/// Returns the JSON Schema of the lines of an audit. Its `$id` contains the version of the format.
#[must_use]
pub fn json_schema() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Line>();
    schema.insert(
        "$id".to_owned(),
        json!(format!("urn:toolwright:audit-event:{FORMAT}")),
    );
    schema.insert("title".to_owned(), json!("toolwright audit event"));
    schema.to_value()
}
