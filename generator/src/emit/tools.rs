//! The arguments of each tool, as a struct.

use proc_macro2::TokenStream;
use quote::quote;
use toolwright_model::ToolName;

use super::{
    docs,
    fields::{argument_names, call_name, ident},
    item::{Struct, StructField},
    rust_type::RustTypes,
    source,
};
use crate::{check::CheckedService, ir::Operation};

/// `tools.rs`.
pub(super) fn emit(service: &CheckedService) -> String {
    let types = RustTypes {
        types: &service.service().types,
        path: quote!(types::),
    };
    let mut tools: Vec<_> = service.tools().collect();
    tools.sort_by_key(|(name, _)| *name);
    let items: Vec<_> = tools
        .iter()
        .map(|(name, operation)| call(&types, name, operation))
        .collect();
    let names: Vec<_> = tools
        .iter()
        .map(|(name, _)| ident(&call_name(name)))
        .collect();
    let used = uses_types(&items).then(|| {
        quote!(
            use super::types;
        )
    });
    let forwards = (!names.is_empty()).then(|| quote!(codec::forward!(#(#names),*);));
    let codec = (!names.is_empty()).then(|| {
        quote!(
            use toolwright::{ToolCall, codec};
        )
    });
    let items = quote! {
        #codec
        #used
        #(#items)*
        #forwards
    };
    source::file(
        &source::mark(service),
        "The arguments of each tool. A view calls them: `view.call(…)`.",
        items,
    )
}

fn call(types: &RustTypes<'_>, name: &ToolName, operation: &Operation) -> TokenStream {
    let struct_name = call_name(name);
    let names = argument_names(
        operation
            .arguments
            .iter()
            .map(|argument| argument.name.as_str()),
    );
    let fields = operation
        .arguments
        .iter()
        .zip(names)
        .map(|(argument, name)| StructField {
            name,
            wire_name: argument.name.clone(),
            docs: docs::of_schema(&argument.schema, &argument.name),
            ty: types.field(argument.ty, argument.required, false),
            required: argument.required,
        });
    let arguments = Struct {
        name: &struct_name,
        docs: documentation(name, operation),
        fields: fields.collect(),
        additional: None,
        made_by_callers: true,
    }
    .emit();
    let (ident, tool) = (ident(&struct_name), name.as_str());
    let output = types.plain(operation.output.ty);
    quote! {
        #arguments

        impl ToolCall for #ident {
            const NAME: &'static str = #tool;
            type Output = #output;
        }
    }
}

/// What the tool does, and what is to be known of it.
fn documentation(name: &ToolName, operation: &Operation) -> String {
    let texts = &operation.texts;
    let mut text = docs::text_or(&texts.description, &format!("Arguments of `{name}`."));
    let row = operation.governance;
    let approval = if row.approval_required {
        "a person approves each call"
    } else {
        "no approval"
    };
    text.push_str(&format!(
        "\n\nTool `{name}`: `{} {}`. Category `{}`, effect `{}`; {approval}.",
        operation.method,
        operation.path.replace('`', ""),
        row.category,
        row.effect
    ));
    text
}

fn uses_types(items: &[TokenStream]) -> bool {
    items
        .iter()
        .any(|item| item.to_string().contains("types ::"))
}
