//! The root of a service's module.

use proc_macro2::TokenStream;
use quote::quote;

use super::{docs, source};
use crate::check::CheckedService;

/// `mod.rs`: documentation, the parts, and the embedded records.
pub(super) fn root(service: &CheckedService) -> String {
    source::file(
        &source::mark(service),
        &documentation(service),
        items(service),
    )
}

/// What the module says of itself.
pub(super) fn documentation(service: &CheckedService) -> String {
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

/// The items of the root.
pub(super) fn items(service: &CheckedService) -> TokenStream {
    let name = service.service().name.as_str();
    // A document may have no operation, or none that has a name.
    let tools = service.tools().next().map(|_| {
        quote! {
            mod tools;
            pub use tools::*;
        }
    });
    quote! {
        pub mod types;

        use toolwright::EmbeddedTools;

        #tools

        #[doc = " The records of all tools of the service."]
        pub const TOOLS: EmbeddedTools = EmbeddedTools::new(#name, include_str!("tools.json"));
    }
}
