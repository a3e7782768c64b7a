//! The form of messages on the wire, to compare two versions of a service.

use std::collections::{BTreeMap, BTreeSet};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use prost_reflect::{DescriptorPool, Kind};
use toolwright_model::Descriptors;

/// Returns the fields and the enum values that a message reaches, each with its number and type on the wire:
/// `shop.v1.Order.cents` is `int64 = 2`. It is empty if the descriptors cannot be read.
#[must_use]
pub fn fields_on_the_wire(descriptors: &Descriptors, message: &str) -> BTreeMap<String, String> {
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
            let kind = field.kind();
            let repeated = if field.is_list() { "repeated " } else { "" };
            let wire = format!("{repeated}{} = {}", name_of(&kind), field.number());
            fields.insert(field.full_name().to_owned(), wire);
            match kind {
                Kind::Message(inner) => open.push(inner),
                Kind::Enum(one) => {
                    for value in one.values() {
                        let name = format!("{}.{}", one.full_name(), value.name());
                        fields.insert(name, value.number().to_string());
                    }
                }
                _ => {}
            }
        }
    }
    fields
}

/// Returns the name of a type in a document.
fn name_of(kind: &Kind) -> String {
    match kind {
        Kind::Message(message) => message.full_name().to_owned(),
        Kind::Enum(one) => one.full_name().to_owned(),
        scalar => format!("{scalar:?}").to_ascii_lowercase(),
    }
}
