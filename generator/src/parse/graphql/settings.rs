//! What the overlay decides about a GraphQL schema.

use indexmap::IndexMap;
use toolwright_model::words;

use super::nodes::{self, text, typed};
use crate::document::{
    source::{Place, Placed},
    tree::Node,
};

/// The depth of results unless the overlay sets it.
const DEPTH: u8 = 2;

/// The greatest depth that the overlay can set.
pub(crate) const DEEPEST: u8 = 5;

/// The settings of a GraphQL service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GraphqlSettings {
    /// The depth of the objects in results.
    pub(crate) depth: Option<Placed<u8>>,
    /// The types of custom scalars.
    pub(crate) scalars: Vec<(Placed<String>, ScalarType)>,
    /// The files with operations, relative to the overlay. Each operation is a tool in place of those
    /// of the fields.
    pub(crate) operations: Vec<Placed<String>>,
}

words! {
    /// The JSON type of a custom scalar.
    ScalarType {
        /// A string.
        String = "string",
        /// A date and a time with an offset.
        DateTime = "date-time",
        /// A date.
        Date = "date",
        /// A UUID.
        Uuid = "uuid",
        /// An absolute URI.
        Uri = "uri",
        /// A whole number.
        Integer = "integer",
        /// A number.
        Number = "number",
        /// A boolean.
        Boolean = "boolean",
        /// An object.
        Object = "object",
        /// Any value.
        Any = "any",
    }
}

impl GraphqlSettings {
    /// Returns the depth of results: 1 selects the fields of the object itself.
    pub(super) fn depth(&self) -> u8 {
        self.depth.as_ref().map_or(DEPTH, |depth| depth.value)
    }

    /// Returns the types of scalars by name.
    pub(super) fn scalar_types(&self) -> IndexMap<String, ScalarType> {
        let scalars = self.scalars.iter();
        scalars
            .map(|(name, ty)| (name.value.clone(), *ty))
            .collect()
    }
}

impl ScalarType {
    /// Returns the schema of its values.
    pub(super) fn schema(self, place: Place) -> Node {
        match self {
            Self::Any => nodes::object(place, Vec::new()),
            Self::DateTime | Self::Date | Self::Uuid | Self::Uri => {
                let mut node = typed(place, "string");
                nodes::add(&mut node, "format", text(place, self.word()));
                node
            }
            _ => typed(place, self.word()),
        }
    }
}
