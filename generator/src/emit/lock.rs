//! The lock after a run.

use std::collections::BTreeMap;

use toolwright_model::{Method, ToolName};

use crate::{
    check::CheckedService,
    ir::Operation,
    parse::lock::{Entry, VERSION},
};

/// Returns a service's lock: its previous entries and the current tools, sorted by name. An entry
/// stays if its operation was removed or renamed.
#[must_use]
pub fn render(service: &CheckedService) -> String {
    let held = &service.service().lock.entries;
    let mut entries: BTreeMap<&ToolName, Entry> = held
        .iter()
        .map(|(name, entry)| (name, entry.value.clone()))
        .collect();
    for (name, operation) in service.tools() {
        let known = &operation.held;
        let names = known.current.iter().map(|held| &held.name);
        for other in names.chain(&known.former) {
            if let Some(entry) = entries.get_mut(other) {
                entry.method = operation.method;
                entry.path.clone_from(&operation.path);
                entry.operation_id.clone_from(&operation.operation_id);
                entry.former = true;
            }
        }
        entries.insert(name, entry_of(operation));
    }
    let mut text = format!(
        "# All names that tools of {} have had, and the governance of each tool.\n\
         # `toolwright generate` adds entries and removes none. Review and commit this file.\n\
         version = {VERSION}\n\n[tools]\n",
        service.service().name
    );
    for (name, entry) in entries {
        text.push_str(&line(name, &entry));
    }
    text
}

fn entry_of(operation: &Operation) -> Entry {
    Entry {
        method: operation.method,
        path: operation.path.clone(),
        operation_id: operation.operation_id.clone(),
        category: operation.governance.category(),
        approval_required: operation.governance.approval_required,
        former: false,
    }
}

fn line(name: &ToolName, entry: &Entry) -> String {
    let operation = quoted(&endpoint(entry.method, &entry.path));
    let id = entry.operation_id.as_deref().map(quoted);
    let id = id.map_or_else(String::new, |id| format!(", id = {id}"));
    let Entry {
        category,
        approval_required,
        ..
    } = entry;
    let former = if entry.former { ", former = true" } else { "" };
    format!(
        "{name} = {{ operation = {operation}{id}, category = \"{category}\", approval_required = {approval_required}{former} }}\n"
    )
}

fn endpoint(method: Method, path: &str) -> String {
    format!("{method} {path}")
}

/// Returns a TOML string on one line.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
