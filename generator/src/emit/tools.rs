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
use crate::{
    check::CheckedService,
    ir::{
        Operation,
        types::{Shape, TypeId, Types},
    },
    tree::unescape_step,
};

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
    let has_pages = tools
        .iter()
        .any(|(_, operation)| item_type(types.types, operation).is_some());
    let codec = (!names.is_empty()).then(|| {
        let paged = has_pages.then(|| quote!(Paged,));
        quote!(
            use toolwright::{#paged ToolCall, codec};
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
    let paged = item_type(types.types, operation).map(|ty| {
        let item = types.plain(ty);
        quote! {
            impl Paged for #ident {
                type Item = #item;
            }
        }
    });
    quote! {
        #arguments

        impl ToolCall for #ident {
            const NAME: &'static str = #tool;
            type Output = #output;
        }

        #paged
    }
}

/// The type of the items, where the tool answers a list in pages.
fn item_type(types: &Types, operation: &Operation) -> Option<TypeId> {
    let place = operation.pagination.as_ref()?.items.as_deref()?;
    let mut ty = operation.output.ty;
    for step in place.split('/').skip(1) {
        let Shape::Object(object) = types.shape(valued(types, ty))? else {
            return None;
        };
        let name = unescape_step(step);
        let mut fields = object.fields.iter();
        ty = fields.find(|field| field.wire_name == name)?.ty;
    }
    match types.shape(valued(types, ty))? {
        Shape::List(item) => Some(*item),
        _ => None,
    }
}

/// The type without the null beside it.
fn valued(types: &Types, ty: TypeId) -> TypeId {
    match types.shape(ty) {
        Some(Shape::Nullable(inner)) => *inner,
        _ => ty,
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
