//! The two tables of a service: the embedded records, and the manifest for review.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use toolwright_model::{Descriptors, ServiceName, ToolSpec};

use super::source;
use crate::{
    check::{CheckedService, tool_spec},
    emit::{
        manifest::{Digests, Row},
        output::OutputTree,
    },
};

/// The content of a table.
#[derive(Serialize)]
struct RecordTable<'a, T> {
    service: &'a ServiceName,
    #[serde(rename = "$defs", skip_serializing_if = "BTreeMap::is_empty")]
    definitions: BTreeMap<&'a str, &'a Value>,
    /// The descriptors that the tools of a gRPC service share.
    #[serde(skip_serializing_if = "Descriptors::is_empty")]
    descriptors: Descriptors,
    tools: &'a [T],
}

/// Adds `tools.json`, the records of all tools, and `manifest.json`, the rows that a person
/// reviews.
pub(super) fn add(tree: &mut OutputTree, folder: &str, service: &CheckedService) {
    let records = tool_spec::of_service(service);
    let mut digests = Digests::new(service.definitions());
    let rows: Vec<Row> = records
        .iter()
        .map(|record| Row::new(record, &mut digests))
        .collect();
    let shared = records.iter().find_map(ToolSpec::grpc);
    let descriptors = shared.map(|call| call.descriptors.clone());
    let records: Vec<ToolSpec> = records.into_iter().map(ToolSpec::into_table_row).collect();
    let records = RecordTable {
        service: &service.service().name,
        definitions: digests.reached,
        descriptors: descriptors.unwrap_or_default(),
        tools: &records,
    };
    let rows = RecordTable {
        service: &service.service().name,
        definitions: BTreeMap::new(),
        descriptors: Descriptors::default(),
        tools: &rows,
    };
    let mark = source::mark(service);
    tree.add(format!("{folder}tools.json"), text(&mark, &records));
    tree.add(format!("{folder}manifest.json"), text(&mark, &rows));
}

/// Returns one object, with the mark of a generated file in its first line.
fn text<T: Serialize>(mark: &str, table: &RecordTable<'_, T>) -> String {
    // A table consists of strings, numbers and maps with string keys: it always has a JSON form.
    let mut text = serde_json::to_string_pretty(table).unwrap_or_default();
    let mark = Value::String(mark.to_owned());
    let brace = text.len().min(1);
    text.replace_range(..brace, &format!("{{ \"//\": {mark},"));
    text.push('\n');
    text
}
