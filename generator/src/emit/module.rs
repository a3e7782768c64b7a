//! The root of a service's module.

use super::{
    docs, failures,
    source::{self, Source},
};
use crate::check::CheckedService;

/// Where the root of a service stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a crate that somebody else wrote.
    Module,
    /// At the root of a crate.
    Crate,
}

/// What a crate says that holds adapters and nothing else. It depends on the part of the runtime that
/// they are made of, and so does not wait for the rest of it.
pub(super) const CRATE: &str = "extern crate toolwright_adapter as toolwright;";

/// The file of the root: documentation, the parts, and the embedded records.
pub(super) fn root(service: &CheckedService, place: Place) -> String {
    let mut source = Source::new(&source::mark(service), &documentation(service));
    let name = service.service().name.as_str();
    if place == Place::Crate {
        source.line(CRATE);
        source.blank();
    }
    source.line("use toolwright::EmbeddedTools;");
    source.blank();
    // A document may have no operation, or none that has a name.
    if service.tools().next().is_some() {
        if failures::has_any(service) {
            source.line("pub mod failures;");
        }
        source.line("mod tools;");
        source.line("pub mod types;");
        source.blank();
        source.line("pub use tools::*;");
    } else {
        source.line("pub mod types;");
    }
    source.blank();
    source.docs("The records of all tools of the service.");
    source.line(format_args!(
        "pub const TOOLS: EmbeddedTools = EmbeddedTools::new({name:?}, include_str!(\"tools.json\"));"
    ));
    source.finish()
}

/// What the module says of itself.
fn documentation(service: &CheckedService) -> String {
    let tools = service.tools().count();
    let checked = service;
    let service = service.service();
    let mut text = docs::text(&format!("Adapters of {}", service.title));
    if !service.version.is_empty() {
        text.push_str(&docs::text(&format!(", version {}", service.version)));
    }
    text.push_str(&format!(
        ": {tools} tools.\n\nCall them through a view of the runtime's registry:\n\n"
    ));
    text.push_str("| tool | arguments | category | approval |\n|---|---|---|---|\n");
    let mut rows: Vec<String> = checked
        .tools()
        .map(|(name, operation)| {
            let row = operation.governance;
            let approval = if row.approval_required { "yes" } else { "no" };
            let item = super::fields::call_name(name);
            format!(
                "| `{name}` | [`{item}`] | {} | {approval} |\n",
                row.category
            )
        })
        .collect();
    rows.sort();
    text.extend(rows);
    text
}
