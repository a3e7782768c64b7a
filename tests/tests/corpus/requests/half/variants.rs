//! Variants of which a discriminator says which one is meant.
//!
//! The judge knows no discriminators, and sees no difference between variants that differ in
//! nothing else. So what the discriminator says is written into each variant: with which names it
//! is meant. Nothing is let pass that the document does not describe.

use serde_json::{Map, Value, json};

use super::{all_of, resolved};

/// Writes out the names of the variants, where a schema has a discriminator.
pub(super) fn tell_apart(whole: &Value, schema: &mut Map<String, Value>) {
    let discriminator = schema.get("discriminator").cloned().unwrap_or_default();
    let (Some(property), Some(Value::Array(variants))) = (
        discriminator["propertyName"].as_str(),
        schema.get_mut("oneOf"),
    ) else {
        return;
    };
    for variant in variants {
        let names = names(&discriminator["mapping"], variant);
        if !names.is_empty() && may_be(whole, variant, property, &names) {
            *variant = json!({
                "allOf": [variant.take(), {"properties": {property: {"enum": names}}}],
            });
        }
    }
}

/// The names of a variant: those that are mapped to it, and that of its schema.
fn names(mapping: &Value, variant: &Value) -> Vec<String> {
    let Some(reference) = variant["$ref"].as_str() else {
        return Vec::new();
    };
    let own = reference.rsplit('/').next().unwrap_or_default();
    let mapped = mapping.as_object().into_iter().flatten();
    let mapped = mapped.filter(|(_, to)| *to == reference || *to == own);
    let mapped = mapped.map(|(name, _)| name.clone());
    mapped.chain([own.to_owned()]).collect()
}

/// Whether a variant's own list of values for the property, if there is one, has one of the names.
fn may_be(whole: &Value, variant: &Value, property: &str, names: &[String]) -> bool {
    all_of(whole, variant).into_iter().all(|part| {
        let own = resolved(whole, &part["properties"][property]);
        let listed = own["enum"].as_array().map(Vec::as_slice);
        let listed = listed.or(own.get("const").map(std::slice::from_ref));
        listed.is_none_or(|listed| {
            names
                .iter()
                .any(|name| listed.iter().any(|own| own == name))
        })
    })
}
