//! The form of messages on the wire, to compare two versions of a service.

use std::collections::{BTreeMap, BTreeSet};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use prost_reflect::{DescriptorPool, FieldDescriptor, Kind};
use toolwright_model::Descriptors;

/// The form of a field on the wire, or of a value of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireField {
    /// The number.
    pub number: i64,
    /// The type: `int64`, or the full name of a message or an enum. It is `value` for a value of an enum.
    pub type_name: String,
    /// The number of values: `single`, `repeated` or `map`.
    pub cardinality: &'static str,
}

/// Returns the fields and the values of enums that a message reaches, by their full names:
/// `shop.v1.Order.cents`. There are none if the descriptors cannot be read.
#[must_use]
pub fn fields_on_the_wire(descriptors: &Descriptors, message: &str) -> BTreeMap<String, WireField> {
    let mut fields = BTreeMap::new();
    let read = |base64: &str| {
        let bytes = BASE64_STANDARD.decode(base64).ok()?;
        DescriptorPool::decode(bytes.as_slice()).ok()
    };
    let pool = descriptors.read_once(read);
    let Some(pool) = pool.as_deref().and_then(Option::as_ref) else {
        return fields;
    };
    let mut seen = BTreeSet::new();
    let mut open: Vec<_> = pool.get_message_by_name(message).into_iter().collect();
    while let Some(message) = open.pop() {
        if !seen.insert(message.full_name().to_owned()) {
            continue;
        }
        for field in message.fields() {
            fields.insert(field.full_name().to_owned(), form(&field));
            match field.kind() {
                Kind::Message(inner) => open.push(inner),
                Kind::Enum(one) => {
                    for value in one.values() {
                        let name = format!("{}.{}", one.full_name(), value.name());
                        let form = WireField {
                            number: value.number().into(),
                            type_name: "value".to_owned(),
                            cardinality: "single",
                        };
                        fields.insert(name, form);
                    }
                }
                _ => {}
            }
        }
    }
    fields
}

fn form(field: &FieldDescriptor) -> WireField {
    let cardinality = match (field.is_map(), field.is_list()) {
        (true, _) => "map",
        (false, true) => "repeated",
        (false, false) => "single",
    };
    WireField {
        number: field.number().into(),
        type_name: name_of(&field.kind()),
        cardinality,
    }
}

/// Returns the name of a type in a document.
fn name_of(kind: &Kind) -> String {
    match kind {
        Kind::Message(message) => message.full_name().to_owned(),
        Kind::Enum(one) => one.full_name().to_owned(),
        scalar => format!("{scalar:?}").to_ascii_lowercase(),
    }
}
