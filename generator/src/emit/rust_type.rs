//! A type of the intermediate representation as a Rust type.

use proc_macro2::TokenStream;
use quote::quote;

use super::{boxes::Boxes, fields::ident};
use crate::ir::types::{Shape, TypeId, Types};

/// How types are written in one file.
pub(super) struct RustTypes<'a> {
    pub(super) types: &'a Types,
    pub(super) boxes: &'a Boxes,
    /// What stands before the name of an item: nothing, or `types::`.
    pub(super) path: TokenStream,
}

impl RustTypes<'_> {
    /// The type where the holder has it as a field.
    pub(super) fn field(&self, holder: Option<TypeId>, id: TypeId, required: bool) -> TokenStream {
        let ty = self.boxed(holder, id);
        if required { ty } else { quote!(Option<#ty>) }
    }

    /// The type, in a box where the holder needs one.
    pub(super) fn boxed(&self, holder: Option<TypeId>, id: TypeId) -> TokenStream {
        let ty = self.plain(id);
        if self.boxes.needed(holder, id) {
            quote!(Box<#ty>)
        } else {
            ty
        }
    }

    /// The type as it is.
    pub(super) fn plain(&self, id: TypeId) -> TokenStream {
        let Some(ty) = self.types.get(id) else {
            return quote!(codec::Value);
        };
        if let Some(name) = &ty.name {
            let (path, name) = (&self.path, ident(name));
            return quote!(#path #name);
        }
        self.shape(id, &ty.shape)
    }

    /// What a shape is in Rust, whatever its name.
    pub(super) fn shape(&self, id: TypeId, shape: &Shape) -> TokenStream {
        match shape {
            Shape::Null => quote!(()),
            Shape::Bool => quote!(bool),
            Shape::Integer => quote!(i64),
            Shape::Number => quote!(codec::Number),
            Shape::String => quote!(String),
            Shape::Bytes => quote!(codec::Bytes),
            Shape::File => quote!(codec::File),
            Shape::List(inner) => {
                let inner = self.plain(*inner);
                quote!(Vec<#inner>)
            }
            Shape::Map(inner) => {
                let inner = self.plain(*inner);
                quote!(std::collections::BTreeMap<String, #inner>)
            }
            Shape::Nullable(inner) => {
                let inner = self.boxed(Some(id), *inner);
                quote!(codec::Nullable<#inner>)
            }
            // Items have a name; what has none is any value.
            Shape::Any(_) | Shape::Object(_) | Shape::Enum(_) | Shape::Union(_) => {
                quote!(codec::Value)
            }
        }
    }
}
