//! Types of the intermediate representation as Rust types.

use super::fields::ident;
use crate::ir::types::{Shape, TypeId, Types};

/// Writes the types of one file.
pub(super) struct RustTypes<'a> {
    pub(super) types: &'a Types,
    /// The path before the name of an item: nothing, or `types::`.
    pub(super) path: &'static str,
}

impl RustTypes<'_> {
    /// Returns the same types with another path before the names of items.
    pub(super) const fn seen_from(&self, path: &'static str) -> Self {
        RustTypes {
            types: self.types,
            path,
        }
    }

    /// Returns the type of a field, without the `Option` of an optional one.
    pub(super) fn field(&self, id: TypeId, boxed: bool) -> String {
        let plain = self.plain(id);
        if boxed {
            format!("Box<{plain}>")
        } else {
            plain
        }
    }

    /// Returns the type that a variant of a union holds, boxed if it may be large or may contain
    /// the union.
    pub(super) fn variant_type(&self, id: TypeId) -> String {
        let ty = self.plain(id);
        if self.may_be_large(id) {
            format!("Box<{ty}>")
        } else {
            ty
        }
    }

    fn may_be_large(&self, id: TypeId) -> bool {
        match self.types.shape(id) {
            Some(Shape::Object(_) | Shape::Union(_) | Shape::Nullable(_) | Shape::Tuple(_)) => true,
            Some(Shape::Secret(inner)) => self.may_be_large(*inner),
            _ => false,
        }
    }

    /// Returns the type without boxes and options.
    pub(super) fn plain(&self, id: TypeId) -> String {
        let Some(ty) = self.types.get(id) else {
            return "codec::Value".to_owned();
        };
        match &ty.name {
            Some(name) => format!("{}{}", self.path, ident(name)),
            None => self.shape(&ty.shape),
        }
    }

    fn shape(&self, shape: &Shape) -> String {
        let word = match shape {
            Shape::Null => "()",
            Shape::Bool => "bool",
            Shape::Integer => "i64",
            Shape::Unsigned => "u64",
            Shape::Number => "codec::Number",
            Shape::String => "String",
            Shape::Formatted(format) => format.rust_type(),
            Shape::Bytes => "codec::Bytes",
            Shape::File => "codec::File",
            Shape::Download => "codec::Download",
            Shape::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|item| self.plain(*item)).collect();
                // The type of one item needs the comma.
                let end = if items.len() == 1 { "," } else { "" };
                return format!("({}{end})", items.join(", "));
            }
            Shape::List(inner) => return format!("Vec<{}>", self.plain(*inner)),
            Shape::Map(inner) if matches!(self.types.shape(*inner), Some(Shape::Any(_))) => {
                "codec::Object"
            }
            Shape::Map(inner) => {
                let inner = self.plain(*inner);
                return format!("std::collections::BTreeMap<String, {inner}>");
            }
            Shape::Nullable(inner) => return format!("codec::Nullable<{}>", self.plain(*inner)),
            Shape::Secret(inner) => return format!("codec::Secret<{}>", self.plain(*inner)),
            // Items have a name; a type without one accepts any value.
            Shape::Any(_) | Shape::Object(_) | Shape::Enum(_) | Shape::Union(_) => "codec::Value",
        };
        word.to_owned()
    }
}
