//! The types that adapters need: a table of shapes, identified by [`TypeId`].
//!
//! Ids exist before bodies, so recursive schemas need no special case.

use std::collections::BTreeSet;

use crate::{document::source::Place, parse::format::Format};

/// All types of a service.
#[derive(Debug, Default)]
pub struct Types {
    table: Vec<Type>,
    nodes: Vec<TypedNode>,
    /// The schema nodes that restrict values, each with the types that it was lowered to.
    covered: BTreeSet<(Place, TypeId)>,
}

/// The direction of a value between client and service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// To the service.
    Request,
    /// From the service.
    Response,
}

/// A schema node of a document, and the type of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TypedNode {
    /// The node before references are resolved: a reference has an entry of its own.
    pub place: Place,
    /// The direction of the values.
    pub direction: Direction,
    /// The type.
    pub ty: TypeId,
}

/// A type of a [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(u32);

/// A type.
#[derive(Clone, Debug)]
pub struct Type {
    /// The Rust name, for the shapes that are items of their own.
    pub name: Option<String>,
    /// The description in the specification.
    pub docs: String,
    /// The place of the schema.
    pub place: Place,
    /// The structure.
    pub shape: Shape,
}

/// The structure of a type.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Any JSON value, with the reason for no better type; `None` for an empty schema.
    Any(Option<String>),
    /// Null, and nothing else: an answer without a body.
    Null,
    /// A boolean.
    Bool,
    /// A whole number that fits `i64`.
    Integer,
    /// A whole number that fits `u64`.
    Unsigned,
    /// A number.
    Number,
    /// A string.
    String,
    /// A string or a whole number of a format that has a type of its own.
    Formatted(Format),
    /// Bytes, base64 in JSON.
    Bytes,
    /// A file to upload.
    File,
    /// A file that was downloaded.
    Download,
    /// An array.
    List(TypeId),
    /// An array of fixed length, each element with its type.
    Tuple(Vec<TypeId>),
    /// An object whose keys are data.
    Map(TypeId),
    /// The type or null.
    Nullable(TypeId),
    /// The type, whose values are secrets.
    Secret(TypeId),
    /// An object with known fields. An item of its own.
    Object(Object),
    /// One of several strings; unknown strings are kept. An item of its own.
    Enum(Vec<EnumValue>),
    /// One of several types; others survive. An item of its own.
    Union(Union),
}

/// An object with known fields.
#[derive(Clone, Debug)]
pub struct Object {
    /// The fields, in the document's order.
    pub fields: Vec<ObjectField>,
    /// The type of further properties.
    pub additional: Additional,
}

/// The further properties of an object. They are kept even if the schema forbids them, since
/// services add properties before their documents do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Additional {
    /// Anything; it survives.
    Any,
    /// Values of this type.
    Typed(TypeId),
}

/// A field of an object.
#[derive(Clone, Debug)]
pub struct ObjectField {
    /// The Rust name. It may be a keyword.
    pub name: String,
    /// The name on the wire.
    pub wire_name: String,
    /// The description in the specification.
    pub docs: String,
    /// True if it is required.
    pub required: bool,
    /// True if its type contains the object itself, so it must be boxed.
    pub boxed: bool,
    /// Its type.
    pub ty: TypeId,
}

/// A value of an enumeration.
#[derive(Clone, Debug)]
pub struct EnumValue {
    /// The Rust name of the variant.
    pub name: String,
    /// The value on the wire.
    pub wire: String,
    /// The description in the specification.
    pub docs: String,
}

/// One of several types.
#[derive(Clone, Debug)]
pub struct Union {
    /// The variants, in the order in which they are tried.
    pub variants: Vec<UnionVariant>,
    /// The property that selects the variant, if the document names one.
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

    /// The shape of an id.
    #[must_use]
    pub fn shape(&self, id: TypeId) -> Option<&Shape> {
        self.get(id).map(|ty| &ty.shape)
    }

    /// All types with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        (0..).map(TypeId).zip(&self.table)
    }

    /// Notes which type a schema node has in a direction.
    pub fn note(&mut self, place: Place, direction: Direction, ty: TypeId) {
        self.nodes.push(TypedNode {
            place,
            direction,
            ty,
        });
    }

    /// Returns the schema nodes that have a type of their own, each in the directions of its uses.
    /// Parts of an `allOf` share the type of the whole.
    #[must_use]
    pub fn typed_nodes(&self) -> &[TypedNode] {
        &self.nodes
    }

    /// Records which type a schema node was lowered to.
    pub(crate) fn cover(&mut self, node: Place, ty: TypeId) {
        self.covered.insert((node, ty));
    }

    /// Returns the schema nodes that restrict values, by place. Parts of an `allOf` have the type
    /// of the whole; a node that differs between the directions has two types.
    pub fn covered_nodes(&self) -> impl Iterator<Item = (Place, TypeId)> {
        self.covered.iter().copied()
    }

    /// Returns the schema nodes that restrict values but have the type of any value, each with that
    /// type and the reason.
    pub(crate) fn untyped_nodes(&self) -> impl Iterator<Item = (Place, TypeId, &str)> {
        self.covered.iter().filter_map(|(place, ty)| {
            let Some(Shape::Any(Some(why))) = self.shape(*ty) else {
                return None;
            };
            Some((*place, *ty, why.as_str()))
        })
    }

    /// All types that some types mention, at any depth, and these themselves.
    #[must_use]
    pub fn reachable_from(&self, from: impl IntoIterator<Item = TypeId>) -> BTreeSet<TypeId> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<_> = from.into_iter().collect();
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                open.extend(self.shape(id).map(Shape::parts).unwrap_or_default());
            }
        }
        seen
    }

    /// Counts the schema nodes that restrict values.
    #[must_use]
    pub fn nodes(&self) -> usize {
        let places: BTreeSet<Place> = self.covered.iter().map(|(place, _)| *place).collect();
        places.len()
    }

    /// Counts the nodes without a better type than any value.
    #[must_use]
    pub fn untyped(&self) -> usize {
        let places: BTreeSet<Place> = self.untyped_nodes().map(|(place, ..)| place).collect();
        places.len()
    }
}

impl Shape {
    /// The types that values of this one hold.
    #[must_use]
    pub fn parts(&self) -> Vec<TypeId> {
        match self {
            Self::List(ty) | Self::Map(ty) | Self::Nullable(ty) | Self::Secret(ty) => vec![*ty],
            Self::Tuple(types) => types.clone(),
            Self::Object(object) => {
                let additional = match object.additional {
                    Additional::Typed(ty) => Some(ty),
                    Additional::Any => None,
                };
                let fields = object.fields.iter().map(|field| field.ty);
                fields.chain(additional).collect()
            }
            Self::Union(union) => union.variants.iter().map(|variant| variant.ty).collect(),
            _ => Vec::new(),
        }
    }

    /// Checks whether it is an item with a name of its own.
    #[must_use]
    pub(crate) const fn is_item(&self) -> bool {
        matches!(self, Self::Object(_) | Self::Enum(_) | Self::Union(_))
    }
}
