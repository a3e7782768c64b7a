//! The documented error responses: one enumeration for each tool.
//!
//! Most tools of a service fail in the same ways. Tools with equal responses share one enumeration:
//! the first tool by name has the item, the others have aliases.

use std::collections::BTreeMap;

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use toolwright_model::{StatusPattern, ToolName};

use super::{
    fields::{call_name, ident},
    rust_type::RustTypes,
    source, tokens,
    types::Reached,
};
use crate::{
    check::CheckedService,
    ir::{Failure, Operation, rust_names},
};

/// Checks whether the document describes any error response.
pub(super) fn has_any(service: &CheckedService) -> bool {
    service
        .tools()
        .any(|(_, operation)| !operation.failures.is_empty())
}

/// Returns the type of a tool's failures, seen from a sibling of the module of all failures.
pub(super) fn path(tool: &ToolName, operation: &Operation) -> String {
    if operation.failures.is_empty() {
        return "toolwright::Undocumented".to_owned();
    }
    format!("super::failures::{}", name(tool))
}

/// Returns `failures.rs` of a service that has failures.
pub(super) fn emit(service: &CheckedService, reached: &Reached) -> String {
    let types = RustTypes {
        types: &service.service().types,
        path: "types::",
    };
    let mut tools: Vec<_> = service.tools().collect();
    tools.retain(|(_, operation)| !operation.failures.is_empty());
    tools.sort_by_key(|(name, _)| *name);

    let mut items = TokenStream::new();
    let mut known: BTreeMap<Vec<Failure>, TokenStream> = BTreeMap::new();
    for (tool, operation) in &tools {
        let answers = operation.failures.iter();
        let answers: Vec<Failure> = answers
            .map(|failure| Failure {
                ty: reached.same.item(failure.ty),
                ..*failure
            })
            .collect();
        let docs = tokens::docs(&format!("The documented error responses of `{tool}`."));
        let name = tokens::code(&name(tool));
        if let Some(first) = known.get(&answers) {
            items.extend(quote!(#docs pub type #name = #first;));
        } else {
            let item = item(&types, &name, &answers);
            items.extend(quote!(#docs #item));
            known.insert(answers, name);
        }
    }
    let held = || {
        let answers = known.keys().flatten();
        answers.map(|failure| types.variant_type(failure.ty))
    };
    let types = held().any(|ty| ty.contains("types::")).then(|| {
        quote!(
            use super::types;
        )
    });
    let codec = held()
        .any(|ty| ty.contains("codec::"))
        .then(|| quote!(, codec));
    let docs = tokens::marked_docs(
        &source::mark(service),
        "The documented error responses of each tool: `error.documented::<…>()`.",
    );
    tokens::file(&quote! {
        #docs
        #types
        use toolwright::{Failure, Refusal #codec};
        #items
    })
}

/// Returns the enumeration of a tool's failures.
fn item(types: &RustTypes<'_>, name: &TokenStream, failures: &[Failure]) -> TokenStream {
    let variants = failures.iter().map(|Failure { status, ty }| {
        let docs = tokens::docs(&format!("`{status}`."));
        let (variant, held) = (variant(*status), tokens::code(&types.variant_type(*ty)));
        quote!(#docs #variant(#held))
    });
    let read = read(failures);
    quote! {
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub enum #name {
            #(#variants,)*
        }
        impl Failure for #name {
            fn read(answer: Refusal<'_>) -> Option<Self> {
                #read
            }
        }
    }
}

/// Returns the expression that reads an error response; the most specific status is first.
fn read(failures: &[Failure]) -> TokenStream {
    if let [Failure { status, .. }] = failures
        && *status == StatusPattern::Default
    {
        let variant = variant(*status);
        return quote!(answer.read_as(Self::#variant));
    }
    let arms = failures.iter().map(|Failure { status, .. }| {
        let variant = variant(*status);
        let pattern = match status {
            StatusPattern::Exact(status) => {
                let status = Literal::u16_unsuffixed(*status);
                quote!(#status)
            }
            StatusPattern::Class(class) => {
                let class = Literal::u8_unsuffixed(*class);
                quote!(_ if answer.class() == #class)
            }
            StatusPattern::Default => quote!(_),
        };
        quote!(#pattern => answer.read_as(Self::#variant),)
    });
    let last = failures.last().map(|failure| failure.status);
    let otherwise = (last != Some(StatusPattern::Default)).then(|| quote!(_ => None,));
    quote! {
        match answer.status() {
            #(#arms)*
            #otherwise
        }
    }
}

/// Returns the name of a tool's failures.
fn name(tool: &ToolName) -> String {
    format!("{}Failure", ident(&call_name(tool)))
}

/// `404` → `NotFound`.
fn variant(status: StatusPattern) -> TokenStream {
    tokens::code(&rust_names::type_name(&status.phrase()))
}
