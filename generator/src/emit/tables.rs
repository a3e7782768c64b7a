//! The two tables of a service: the records that are embedded, and what is reviewed.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use toolwright_model::{Definitions, ServiceName, ToolSpec};

use super::source;
use crate::{check::CheckedService, output::OutputTree, tool_spec};

/// A table as a file has it.
#[derive(Serialize)]
struct Table<'a, T> {
    service: &'a ServiceName,
    #[serde(rename = "$defs", skip_serializing_if = "BTreeMap::is_empty")]
    definitions: BTreeMap<&'a str, &'a Value>,
    tools: &'a [T],
}

/// Adds `tools.json`, the records of all tools, and `manifest.json`, what a person reviews of each.
pub(super) fn add(tree: &mut OutputTree, folder: &str, service: &CheckedService) {
    let definitions = tool_spec::definitions(service);
    let records = tool_spec::all_unbundled(service);
    let mut digests = Digests::new(&definitions);
    let rows: Vec<Value> = records
        .iter()
        .map(|record| row(record, &mut digests))
        .collect();
    let records = Table {
        service: &service.service().name,
        definitions: digests.reached,
        tools: &records,
    };
    let rows = Table {
        service: &service.service().name,
        definitions: BTreeMap::new(),
        tools: &rows,
    };
    let mark = source::mark(service);
    tree.add(format!("{folder}tools.json"), text(&mark, &records));
    tree.add(format!("{folder}manifest.json"), text(&mark, &rows));
}

/// One object; its first line bears the mark, as that of every generated file.
fn text<T: Serialize>(mark: &str, table: &Table<'_, T>) -> String {
    // A table is made of strings, numbers and maps with text keys: all of it has a JSON form.
    let text = serde_json::to_string_pretty(table).unwrap_or_default();
    let rest = text.strip_prefix('{').unwrap_or_default();
    let mark = Value::String(mark.to_owned());
    format!("{{ \"//\": {mark},{rest}\n")
}

fn row(spec: &ToolSpec, digests: &mut Digests<'_, '_>) -> Value {
    let mut row = Map::new();
    row.insert("name".to_owned(), json!(spec.name));
    if let Some((method, path)) = spec.endpoint() {
        row.insert("method".to_owned(), json!(method));
        row.insert("path".to_owned(), json!(path));
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
        hexadecimal(Sha256::digest(json!(spec.description).to_string())),
    );
    row.insert(
        "input_schema_sha256".to_owned(),
        digests.of_schema(&spec.input_schema),
    );
    if let Some(schema) = &spec.output_schema {
        row.insert("output_schema_sha256".to_owned(), digests.of_schema(schema));
    }
    Value::Object(row)
}

/// The digests of schemas, each definition digested once however many schemas reach it.
struct Digests<'d, 'a> {
    definitions: &'d Definitions<'a>,
    /// The definitions that any schema reached so far.
    reached: BTreeMap<&'a str, &'a Value>,
    known: BTreeMap<&'a str, [u8; 32]>,
}

impl<'d, 'a> Digests<'d, 'a> {
    const fn new(definitions: &'d Definitions<'a>) -> Self {
        Self {
            definitions,
            reached: BTreeMap::new(),
            known: BTreeMap::new(),
        }
    }

    /// The digest of a schema's compact JSON and, where it reaches definitions, of the name and
    /// the digest of each, by name.
    fn of_schema(&mut self, schema: &Value) -> Value {
        let mut hash = Sha256::new_with_prefix(schema.to_string());
        for (name, definition) in self.definitions.reached(schema) {
            self.reached.insert(name, definition);
            let digest = self
                .known
                .entry(name)
                .or_insert_with(|| Sha256::digest(definition.to_string()).into());
            hash.update(name);
            hash.update(digest);
        }
        hexadecimal(hash.finalize())
    }
}

fn hexadecimal(digest: impl AsRef<[u8]>) -> Value {
    let bytes = digest.as_ref().iter();
    Value::String(bytes.map(|byte| format!("{byte:02x}")).collect())
}
