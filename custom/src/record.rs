//! The record of a tool, from its descriptions, its class and its arguments.

use std::path::Path;

use serde_json::{Value, json};
use toolwright::ToolName;
use toolwright_model::{Evidence, EvidenceSource, Governance};

use crate::arguments::Arguments;

/// The descriptions that agents read.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    pub(crate) line: String,
    pub(crate) description: Option<String>,
    pub(crate) when_to_use: Option<String>,
}

/// The parts of a record that depend on how the calls are carried out.
pub(crate) struct Carried {
    pub(crate) binding: Value,
    pub(crate) output_schema: Option<Value>,
    /// The place of the description in the file, as a JSON Pointer.
    pub(crate) pointer: &'static str,
}

/// Returns the record of a tool.
pub(crate) fn record(
    name: &ToolName,
    texts: &Texts,
    governance: &Governance,
    arguments: &Arguments,
    carried: Carried,
    path: &Path,
) -> Value {
    let service = service_of(name);
    let kind = governance.kind;
    let evidence = Evidence {
        source: EvidenceSource::Declared,
        found: format!(
            "category = \"{}\", effect = \"{}\"",
            kind.category(),
            kind.effect()
        ),
        suggests: kind,
        weight: 0,
        decided: true,
    };
    let title = name.as_str().replace('-', " ");
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let Texts {
        line,
        description,
        when_to_use,
    } = texts;
    let mut record = json!({
        "name": name, "service": service, "title": title, "short": line,
        "description": description.as_ref().unwrap_or(line), "section": service,
        "category": kind.category(), "effect": kind.effect(),
        "approval_required": governance.approval_required, "hints": governance.hints,
        "enabled_by_default": governance.enabled_by_default,
        "input_schema": {
            "type": "object", "properties": arguments.schemas(), "required": arguments.required(),
            "additionalProperties": false,
        },
        "binding": carried.binding,
        "origin": {"document": file, "pointer": carried.pointer}, "evidence": [evidence],
    });
    if let Some(record) = record.as_object_mut() {
        let more = [
            ("when_to_use", when_to_use.clone().map(Value::from)),
            ("output_schema", carried.output_schema),
        ];
        for (key, value) in more {
            record.extend(value.map(|value| (key.to_owned(), value)));
        }
    }
    record
}

/// Returns the service that a name has: its second word.
pub(crate) fn service_of(name: &ToolName) -> &str {
    name.as_str().split('-').nth(1).unwrap_or_default()
}
