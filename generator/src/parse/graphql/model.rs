//! A GraphQL schema, independent of the form in which it was written.

use std::{collections::BTreeMap, fmt};

use indexmap::IndexMap;
use serde_json::Value;

use crate::document::source::Place;

/// The names of the operation types in a schema without a definition of them.
pub(super) const ROOT_NAMES: [&str; 3] = ["Query", "Mutation", "Subscription"];

/// The scalars of the language itself.
pub(super) const BUILT_IN: &[&str] = &["Int", "Float", "String", "Boolean", "ID"];

/// A schema.
#[derive(Debug)]
pub(super) struct Schema {
    /// The span of the whole document.
    pub(super) place: Place,
    /// The description of the schema.
    pub(super) description: Option<String>,
    /// The type of queries.
    pub(super) query: Option<String>,
    /// The type of mutations.
    pub(super) mutation: Option<String>,
    /// The type of subscriptions.
    pub(super) subscription: Option<String>,
    /// The types by name, in the document's order.
    pub(super) types: IndexMap<String, TypeDefinition>,
    /// The objects that implement an interface, by its name.
    implementers: BTreeMap<String, Vec<String>>,
}

/// A type.
#[derive(Debug)]
pub(super) struct TypeDefinition {
    /// The span of its name.
    pub(super) place: Place,
    /// The description.
    pub(super) description: Option<String>,
    /// The kind, with the parts.
    pub(super) kind: TypeKind,
}

/// The kind of a type.
#[derive(Debug)]
pub(super) enum TypeKind {
    /// A scalar.
    Scalar,
    /// An object with the names of its interfaces.
    Object {
        fields: IndexMap<String, FieldDefinition>,
        interfaces: Vec<String>,
    },
    /// An interface.
    Interface {
        fields: IndexMap<String, FieldDefinition>,
        interfaces: Vec<String>,
    },
    /// A union with the names of its types.
    Union { members: Vec<(String, Place)> },
    /// An enumeration.
    Enum { values: Vec<ListedValue> },
    /// An input object; exactly one field is given if it is a `@oneOf`.
    Input {
        fields: IndexMap<String, InputValue>,
        one_of: bool,
    },
}

/// A value of an enumeration.
#[derive(Debug)]
pub(super) struct ListedValue {
    /// The value.
    pub(super) name: String,
    /// Its span.
    pub(super) place: Place,
}

/// A field of an object or an interface.
#[derive(Debug)]
pub(super) struct FieldDefinition {
    /// The span of its name.
    pub(super) place: Place,
    /// The description.
    pub(super) description: Option<String>,
    /// True if it is deprecated.
    pub(super) deprecated: bool,
    /// The arguments by name.
    pub(super) arguments: IndexMap<String, InputValue>,
    /// The type.
    pub(super) ty: TypeRef,
}

/// An argument, or a field of an input object.
#[derive(Debug)]
pub(super) struct InputValue {
    /// The span of its name.
    pub(super) place: Place,
    /// The description.
    pub(super) description: Option<String>,
    /// True if it is deprecated.
    pub(super) deprecated: bool,
    /// The type.
    pub(super) ty: TypeRef,
    /// The default; null if its value cannot be represented.
    pub(super) default: Option<Value>,
}

/// A reference to a type: its name, within lists and exclamation marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TypeRef {
    /// The name of the innermost type.
    pub(super) name: String,
    /// The span of the reference.
    pub(super) place: Place,
    /// The wrappers, the outermost first.
    pub(super) wrappers: Vec<Wrapper>,
}

/// A wrapper of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrapper {
    /// `[T]`.
    List,
    /// `T!`.
    NonNull,
}

impl Schema {
    /// Creates a schema without types.
    pub(super) fn new(place: Place) -> Self {
        Self {
            place,
            description: None,
            query: None,
            mutation: None,
            subscription: None,
            types: IndexMap::new(),
            implementers: BTreeMap::new(),
        }
    }

    /// Gives the operation types the names that they have without a definition of the schema.
    pub(super) fn name_roots(&mut self) {
        let [query, mutation, subscription] = ROOT_NAMES;
        let known = |name: &str| self.types.contains_key(name).then(|| name.to_owned());
        let roots = (known(query), known(mutation), known(subscription));
        (self.query, self.mutation, self.subscription) = roots;
    }

    /// Returns the kind of a type; a built-in scalar need not be defined.
    pub(super) fn kind(&self, name: &str) -> Option<&TypeKind> {
        match self.types.get(name) {
            Some(definition) => Some(&definition.kind),
            None if BUILT_IN.contains(&name) => Some(&TypeKind::Scalar),
            None => None,
        }
    }

    /// Returns the fields of an object or an interface.
    pub(super) fn fields(&self, name: &str) -> Option<&IndexMap<String, FieldDefinition>> {
        self.types.get(name)?.kind.fields()
    }

    /// Returns the names of the objects that a value of a type may be.
    pub(super) fn possible(&self, name: &str) -> Vec<&str> {
        match self.kind(name) {
            Some(TypeKind::Union { members }) => {
                members.iter().map(|(member, _)| member.as_str()).collect()
            }
            Some(TypeKind::Interface { .. }) => {
                let objects = self.implementers.get(name).into_iter().flatten();
                objects.map(String::as_str).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Collects the objects of each interface, after all types are known.
    pub(super) fn index(&mut self) {
        let mut implementers: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, definition) in &self.types {
            if let TypeKind::Object { interfaces, .. } = &definition.kind {
                for interface in interfaces {
                    let objects = implementers.entry(interface.clone()).or_default();
                    objects.push(name.clone());
                }
            }
        }
        self.implementers = implementers;
    }

    /// Checks whether a type is a scalar or an enumeration.
    pub(super) fn is_leaf(&self, name: &str) -> bool {
        let kind = self.kind(name);
        matches!(kind, Some(TypeKind::Scalar | TypeKind::Enum { .. }))
    }
}

impl TypeKind {
    /// Returns the fields of an object or an interface.
    pub(super) const fn fields(&self) -> Option<&IndexMap<String, FieldDefinition>> {
        match self {
            Self::Object { fields, .. } | Self::Interface { fields, .. } => Some(fields),
            _ => None,
        }
    }

    /// Checks whether values of the type may be arguments.
    pub(super) const fn is_input(&self) -> bool {
        matches!(self, Self::Scalar | Self::Enum { .. } | Self::Input { .. })
    }

    /// Returns the kind in words.
    pub(super) const fn word(&self) -> &'static str {
        match self {
            Self::Scalar => "a scalar",
            Self::Object { .. } => "an object",
            Self::Interface { .. } => "an interface",
            Self::Union { .. } => "a union",
            Self::Enum { .. } => "an enumeration",
            Self::Input { .. } => "an input object",
        }
    }
}

impl FieldDefinition {
    /// Checks whether the field needs an argument.
    pub(super) fn needs_argument(&self) -> bool {
        self.arguments.values().any(InputValue::is_required)
    }
}

impl InputValue {
    /// Checks whether a value must be given.
    pub(super) fn is_required(&self) -> bool {
        self.ty.is_non_null() && self.default.is_none()
    }
}

impl TypeRef {
    /// Checks whether the value is never null.
    pub(super) fn is_non_null(&self) -> bool {
        self.wrappers.first() == Some(&Wrapper::NonNull)
    }

    /// Checks whether the value is a list.
    pub(super) fn is_list(&self) -> bool {
        self.wrappers.contains(&Wrapper::List)
    }
}

impl fmt::Display for TypeRef {
    /// Writes the reference as GraphQL does: `[Item!]!`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lists = self.wrappers.iter();
        for _ in lists.filter(|wrapper| **wrapper == Wrapper::List) {
            f.write_str("[")?;
        }
        f.write_str(&self.name)?;
        for wrapper in self.wrappers.iter().rev() {
            f.write_str(match wrapper {
                Wrapper::List => "]",
                Wrapper::NonNull => "!",
            })?;
        }
        Ok(())
    }
}
