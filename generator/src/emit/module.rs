//! The root of a service's module.

use proc_macro2::TokenStream;
use quote::quote;

use super::{
    docs, failures,
    fields::{call_name, ident},
    output::MARK,
    source, tokens,
};
use crate::check::CheckedService;

/// The location of the root of a service.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RootKind {
    /// In a crate with other code.
    Module,
    /// At the root of a crate.
    Crate,
}

/// Returns the item that names the parts of adapters in a crate that contains nothing else. Such a
/// crate does not depend on the rest of the runtime.
pub(super) fn adapter_crate() -> TokenStream {
    quote!(
        extern crate toolwright_adapter as toolwright;
    )
}

/// Returns the file of the root: documentation, the parts, and the embedded records.
pub(super) fn root(service: &CheckedService, place: RootKind) -> String {
    let docs = tokens::marked_docs(&source::mark(service), &documentation(service));
    let adapter_crate = (place == RootKind::Crate).then(adapter_crate);
    let failures = failures::has_any(service).then(|| {
        quote!(
            pub mod failures;
        )
    });
    // A document may have no operation, or none that has a name.
    let has_tools = service.tools().next().is_some();
    let tools = has_tools.then(|| {
        quote!(
            mod tools;
        )
    });
    let exported = has_tools.then(|| {
        quote!(
            pub use tools::*;
        )
    });
    let name = service.service().name.as_str();
    tokens::file(&quote! {
        #docs
        #adapter_crate
        use toolwright::EmbeddedTools;
        #failures
        #tools
        pub mod types;
        #exported
        /// The records of all tools of the service.
        pub const TOOLS: EmbeddedTools = EmbeddedTools::new(#name, include_str!("tools.json"));
    })
}

/// Returns the file that a crate includes after its build script wrote the module. An included file
/// cannot have inner documentation.
pub(crate) fn entry(service: &CheckedService) -> String {
    let name = service.service().name.as_str();
    let path = format!("{name}/mod.rs");
    let name = tokens::code(&ident(name));
    let module = tokens::file(&quote! {
        #[path = #path]
        pub mod #name;
    });
    // Documentation here would make rustdoc resolve the links of the module in its parent.
    format!("// {MARK}; the build script refreshes it\n{module}")
}

/// Returns the documentation of the module.
fn documentation(service: &CheckedService) -> String {
    let tools = service.tools().count();
    let checked = service;
    let service = service.service();
    let mut text = docs::text(&format!("Adapters of {}", service.title));
    if !service.version.is_empty() {
        text.push_str(&docs::text(&format!(", version {}", service.version)));
    }
    let noun = if tools == 1 { "tool" } else { "tools" };
    text.push_str(&format!(
        ": {tools} {noun}.\n\nCall them through a view of the runtime's registry:\n\n"
    ));
    text.push_str("| tool | arguments | category | approval |\n|---|---|---|---|\n");
    let mut rows: Vec<String> = checked
        .tools()
        .map(|(name, operation)| {
            let row = operation.governance;
            let approval = if row.approval_required { "yes" } else { "no" };
            let item = call_name(name);
            format!(
                "| `{name}` | [`{item}`] | {} | {approval} |\n",
                row.category()
            )
        })
        .collect();
    rows.sort();
    text.extend(rows);
    text
}
