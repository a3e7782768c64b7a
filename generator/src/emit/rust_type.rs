//! A type of the intermediate representation as a Rust type.

use proc_macro2::TokenStream;
use quote::quote;

use super::fields::ident;
use crate::ir::types::{Shape, TypeId, Types};

/// How types are written in one file.
pub(super) struct RustTypes<'a> {
    pub(super) types: &'a Types,
    /// What stands before the name of an item: nothing, or `types::`.
    pub(super) path: TokenStream,
}

impl RustTypes<'_> {
    /// The type of a field.
    pub(super) fn field(&self, id: TypeId, required: bool, boxed: bool) -> TokenStream {
        let plain = self.plain(id);
        let ty = if boxed { quote!(Box<#plain>) } else { plain };
        if required { ty } else { quote!(Option<#ty>) }
    }

    /// The type that a variant of a union holds. What may be large, or lead back to the union, is
    /// boxed.
    pub(super) fn held(&self, id: TypeId) -> TokenStream {
        let ty = self.plain(id);
        match self.types.shape(id) {
            Some(Shape::Object(_) | Shape::Union(_) | Shape::Nullable(_) | Shape::Tuple(_)) => {
                quote!(Box<#ty>)
            }
            _ => ty,
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
        self.shape(&ty.shape)
    }

    fn shape(&self, shape: &Shape) -> TokenStream {
        match shape {
            Shape::Null => quote!(()),
            Shape::Bool => quote!(bool),
            Shape::Integer => quote!(i64),
            Shape::Unsigned => quote!(u64),
            Shape::Number => quote!(codec::Number),
            Shape::String => quote!(String),
            Shape::Bytes => quote!(codec::Bytes),
            Shape::File => quote!(codec::File),
            Shape::Download => quote!(codec::Download),
            Shape::Tuple(items) => {
                let items = items.iter().map(|item| self.plain(*item));
                quote!((#(#items,)*))
            }
            Shape::List(inner) => {
                let inner = self.plain(*inner);
                quote!(Vec<#inner>)
            }
            Shape::Map(inner) if matches!(self.types.shape(*inner), Some(Shape::Any(_))) => {
                quote!(codec::Map<String, codec::Value>)
            }
            Shape::Map(inner) => {
                let inner = self.plain(*inner);
                quote!(std::collections::BTreeMap<String, #inner>)
            }
            Shape::Nullable(inner) => {
                let inner = self.plain(*inner);
                quote!(codec::Nullable<#inner>)
            }
            // Items have a name; what has none is any value.
            Shape::Any(_) | Shape::Object(_) | Shape::Enum(_) | Shape::Union(_) => {
                quote!(codec::Value)
            }
        }
    }
}
