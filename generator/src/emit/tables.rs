//! The two tables of a service: the records that are embedded, and what is reviewed.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use toolwright_model::ToolSpec;

use super::source;
use crate::{check::CheckedService, tool_spec};

/// `tools.json`: the records of all tools, by name.
pub(super) fn tools(service: &CheckedService) -> String {
    // A record is made of strings, numbers and maps with text keys: all of it has a JSON form.
    let specs = serde_json::to_value(tool_spec::of_service(service)).unwrap_or_default();
    table(service, specs)
}

/// `manifest.json`: what a person reviews of each tool.
pub(super) fn manifest(service: &CheckedService) -> String {
    let rows = tool_spec::of_service(service);
    table(service, rows.iter().map(row).collect())
}

/// One object; its first line bears the mark, as that of every generated file.
fn table(service: &CheckedService, tools: Value) -> String {
    let content = json!({ "service": service.service().name, "tools": tools });
    let text = format!("{content:#}");
    let rest = text.strip_prefix('{').unwrap_or_default();
    let mark = Value::String(source::mark(service));
    format!("{{ \"//\": {mark},{rest}\n")
}

fn row(spec: &ToolSpec) -> Value {
    let mut row = Map::new();
    row.insert("name".to_owned(), json!(spec.name));
    if let Some(http) = spec.http() {
        row.insert("method".to_owned(), json!(http.method));
        row.insert("path".to_owned(), json!(http.path));
    }
    row.insert("source".to_owned(), json!(spec.origin));
    row.insert("category".to_owned(), json!(spec.category));
    row.insert("effect".to_owned(), json!(spec.effect));
    row.insert(
        "approval_required".to_owned(),
        json!(spec.approval_required),
    );
    row.insert(
        "enabled_by_default".to_owned(),
        json!(spec.enabled_by_default),
    );
    row.insert("hints".to_owned(), json!(spec.hints));
    if let Some(reason) = &spec.reason {
        row.insert("reason".to_owned(), json!(reason));
    }
    row.insert(
        "description_sha256".to_owned(),
        digest(&json!(spec.description)),
    );
    row.insert("input_schema_sha256".to_owned(), digest(&spec.input_schema));
    if let Some(schema) = &spec.output_schema {
        row.insert("output_schema_sha256".to_owned(), digest(schema));
    }
    Value::Object(row)
}

/// The digest of a value's compact JSON.
fn digest(value: &Value) -> Value {
    let hash = Sha256::digest(value.to_string());
    Value::String(hash.iter().map(|byte| format!("{byte:02x}")).collect())
}
