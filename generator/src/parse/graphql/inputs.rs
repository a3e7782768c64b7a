//! The JSON Schemas of values: scalars, enumerations, input objects.

use indexmap::IndexMap;

use super::{
    model::{InputValue, Schema, TypeKind, TypeRef, Wrapper},
    nodes::{self, array, boolean, object, reference, text, typed},
    settings::ScalarType,
};
use crate::document::{
    source::Place,
    tree::{Field, Fields, Node},
};

/// Scalars with a known form, in lower case: the type of JSON and its format.
const KNOWN: &[(&str, &str, &str)] = &[
    ("int", "integer", "int32"),
    ("float", "number", ""),
    ("string", "string", ""),
    ("boolean", "boolean", ""),
    ("id", "string", ""),
    ("datetime", "string", "date-time"),
    ("iso8601datetime", "string", "date-time"),
    ("datetimeiso", "string", "date-time"),
    ("datetimetz", "string", "date-time"),
    ("date", "string", "date"),
    ("iso8601date", "string", "date"),
    ("localdate", "string", "date"),
    ("uuid", "string", "uuid"),
    ("uri", "string", "uri"),
    ("url", "string", "uri"),
    ("html", "string", ""),
    ("email", "string", ""),
    ("emailaddress", "string", ""),
    ("base64string", "string", ""),
    ("gitobjectid", "string", ""),
    ("gitrefname", "string", ""),
    ("gittimestamp", "string", ""),
    ("gitsshremote", "string", ""),
    ("x509certificate", "string", ""),
    ("color", "string", ""),
    ("untrustedstring", "string", ""),
    ("decimal", "string", ""),
    ("formattedstring", "string", ""),
    ("unsignedint64", "string", ""),
    ("countrycode", "string", ""),
    ("locale", "string", ""),
    ("timezone", "string", ""),
    ("jsonstring", "string", ""),
    ("upload", "string", ""),
];

/// Makes the schemas of values.
pub(super) struct Values<'s> {
    pub(super) schema: &'s Schema,
    pub(super) scalars: &'s IndexMap<String, ScalarType>,
}

impl Values<'_> {
    /// Returns the definitions of all enumerations and input objects.
    pub(super) fn definitions(&self) -> Fields {
        let mut definitions = Fields::default();
        for (name, definition) in &self.schema.types {
            let place = definition.place;
            let mut node = match &definition.kind {
                TypeKind::Enum { values } => {
                    let values = values.iter();
                    let values = values.map(|value| text(value.place, &value.name));
                    let listed = array(place, values.collect());
                    object(
                        place,
                        vec![("type", text(place, "string")), ("enum", listed)],
                    )
                }
                TypeKind::Input { fields, one_of } => {
                    let mut node = self.object_of(place, fields);
                    if *one_of {
                        let one = nodes::value(place, &1.into());
                        nodes::add(&mut node, "minProperties", one.clone());
                        nodes::add(&mut node, "maxProperties", one);
                    }
                    node
                }
                _ => continue,
            };
            nodes::describe(&mut node, definition.description.as_ref());
            definitions.insert(name.clone(), Field { key: place, node });
        }
        definitions
    }

    /// Returns the schema of the arguments of a field: an argument that may be null is optional, and
    /// leaving it out means the same.
    pub(super) fn arguments(&self, place: Place, arguments: &IndexMap<String, InputValue>) -> Node {
        let offered = arguments.iter();
        let offered = offered.filter(|(_, value)| value.is_required() || !value.deprecated);
        self.object_with(place, offered, false)
    }

    fn object_of(&self, place: Place, fields: &IndexMap<String, InputValue>) -> Node {
        let offered = fields.iter();
        let offered = offered.filter(|(_, value)| value.is_required() || !value.deprecated);
        self.object_with(place, offered, true)
    }

    fn object_with<'v>(
        &self,
        place: Place,
        values: impl Iterator<Item = (&'v String, &'v InputValue)>,
        nulls: bool,
    ) -> Node {
        let mut properties = Fields::default();
        let mut required = Vec::new();
        for (name, value) in values {
            if value.is_required() {
                required.push(text(value.place, name));
            }
            let mut node = self.value(&value.ty, |name, place| self.leaf(name, place));
            if nulls && !value.ty.is_non_null() {
                node = nodes::nullable(node);
            }
            nodes::describe(&mut node, value.description.as_ref());
            if let Some(default) = value.default.as_ref().filter(|default| !default.is_null()) {
                nodes::add(&mut node, "default", nodes::value(value.place, default));
            }
            let key = value.place;
            properties.insert(name.clone(), Field { key, node });
        }
        let mut fields = vec![
            ("type", text(place, "object")),
            ("properties", nodes::keyed(place, properties)),
        ];
        if !required.is_empty() {
            fields.push(("required", array(place, required)));
        }
        fields.push(("additionalProperties", boolean(place, false)));
        object(place, fields)
    }

    /// Returns the schema of a reference, without null at its outermost level. `named` makes that of
    /// the type within.
    pub(super) fn value(&self, ty: &TypeRef, named: impl FnOnce(&str, Place) -> Node) -> Node {
        let place = ty.place;
        let mut node = named(&ty.name, place);
        let mut non_null = false;
        for wrapper in ty.wrappers.iter().rev() {
            match wrapper {
                Wrapper::NonNull => non_null = true,
                Wrapper::List => {
                    let item = if non_null {
                        node
                    } else {
                        nodes::nullable(node)
                    };
                    node = object(place, vec![("type", text(place, "array")), ("items", item)]);
                    non_null = false;
                }
            }
        }
        node
    }

    /// Returns the schema of a scalar, or refers to that of an enumeration or an input object.
    pub(super) fn leaf(&self, name: &str, place: Place) -> Node {
        match self.schema.kind(name) {
            Some(TypeKind::Scalar) => self.scalar(name, place),
            Some(_) => reference(place, name),
            None => object(place, Vec::new()),
        }
    }

    fn scalar(&self, name: &str, place: Place) -> Node {
        if let Some(set) = self.scalars.get(name) {
            return set.schema(place);
        }
        let lower = name.to_ascii_lowercase();
        let known = KNOWN.iter().find(|(known, ..)| *known == lower);
        if let Some((_, word, format)) = known {
            let mut node = typed(place, word);
            if !format.is_empty() {
                nodes::add(&mut node, "format", text(place, *format));
            }
            return node;
        }
        // `UserID` and `ProjectId` are identifiers, which GraphQL writes as strings.
        if name.ends_with("ID") || name.ends_with("Id") {
            return typed(place, "string");
        }
        object(place, Vec::new())
    }
}
