//! The types that adapters need: a table of shapes, told apart by [`TypeId`].
//!
//! Ids are given before bodies are known, so recursive schemas need no special case.

use serde_json::Value;

use crate::source::Place;

/// All types of a service.
#[derive(Debug, Default)]
pub struct Types {
    table: Vec<Type>,
}

/// A type of a [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(u32);

/// A type.
#[derive(Clone, Debug)]
pub struct Type {
    /// The Rust name, for the shapes that are items of their own.
    pub name: Option<String>,
    /// What the specification says of it.
    pub docs: String,
    /// Where the schema stands.
    pub place: Place,
    /// What it is made of.
    pub shape: Shape,
}

/// What a type is made of.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Any JSON value, and why there is no better type; `None` when the schema says nothing.
    Any(Option<String>),
    /// Null, and nothing else: an answer without a body.
    Null,
    /// A boolean.
    Bool,
    /// A whole number that fits `i64`.
    Integer,
    /// A number.
    Number,
    /// A text.
    String,
    /// Bytes, base64 on the wire of a tool.
    Bytes,
    /// A file to upload or that was downloaded.
    File,
    /// An array.
    List(TypeId),
    /// An object whose keys are data.
    Map(TypeId),
    /// The type or null.
    Nullable(TypeId),
    /// An object with known fields.
    Object(Object),
    /// One of some texts; others survive.
    Enum(Vec<EnumValue>),
    /// One of several types.
    Union(Union),
}

/// An object with known fields.
#[derive(Clone, Debug)]
pub struct Object {
    /// The fields, in the document's order.
    pub fields: Vec<ObjectField>,
    /// What else may be there.
    pub additional: Additional,
}

/// What an object may have beside its known fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Additional {
    /// Nothing.
    Forbidden,
    /// Anything; it survives.
    Any,
    /// Values of this type.
    Typed(TypeId),
}

/// A field of an object.
#[derive(Clone, Debug)]
pub struct ObjectField {
    /// The Rust name.
    pub name: String,
    /// The name on the wire.
    pub wire_name: String,
    /// What the specification says of it.
    pub docs: String,
    /// Whether it has to be there.
    pub required: bool,
    /// Its type.
    pub ty: TypeId,
}

/// A value of an enumeration.
#[derive(Clone, Debug)]
pub struct EnumValue {
    /// The Rust name of the variant.
    pub name: String,
    /// The value on the wire.
    pub wire: Value,
}

/// One of several types.
#[derive(Clone, Debug)]
pub struct Union {
    /// The variants, in the order in which they are tried.
    pub variants: Vec<UnionVariant>,
    /// The property that tells them apart, where the document names one.
    pub discriminator: Option<String>,
}

/// A variant of a union.
#[derive(Clone, Debug)]
pub struct UnionVariant {
    /// The Rust name.
    pub name: String,
    /// The values of the discriminator that stand for it.
    pub tags: Vec<String>,
    /// Its type.
    pub ty: TypeId,
}

impl Types {
    /// Adds a type and gives its id.
    pub fn add(&mut self, ty: Type) -> TypeId {
        self.table.push(ty);
        TypeId(u32::try_from(self.table.len() - 1).unwrap_or(u32::MAX))
    }

    /// The type of an id.
    #[must_use]
    pub fn get(&self, id: TypeId) -> Option<&Type> {
        self.table.get(usize::try_from(id.0).ok()?)
    }

    /// The type of an id, to complete it.
    pub fn get_mut(&mut self, id: TypeId) -> Option<&mut Type> {
        self.table.get_mut(usize::try_from(id.0).ok()?)
    }

    /// All types with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        (0..).map(TypeId).zip(&self.table)
    }
}
