//! Variants with a discriminator.
//!
//! The validator does not support discriminators and cannot distinguish variants without other
//! differences. Each variant gets the discriminator's values as an enum. The result accepts nothing
//! that the document rejects.

use serde_json::{Map, Value, json};

use super::{all_of, resolve};

/// Adds the discriminator's values to each variant.
pub(super) fn add_discriminator_values(whole: &Value, schema: &mut Map<String, Value>) {
    let discriminator = schema.get("discriminator").cloned().unwrap_or_default();
    let (Some(property), Some(Value::Array(variants))) = (
        discriminator["propertyName"].as_str(),
        schema.get_mut("oneOf"),
    ) else {
        return;
    };
    for variant in variants {
        let names = names(&discriminator["mapping"], variant);
        if !names.is_empty() && allows_any(whole, variant, property, &names) {
            *variant = json!({
                "allOf": [variant.take(), {"properties": {property: {"enum": names}}}],
            });
        }
    }
}

/// Returns the discriminator values of a variant: the mapped ones and the schema name.
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

/// Returns true if a variant's own enum is absent or contains one of the names.
fn allows_any(whole: &Value, variant: &Value, property: &str, names: &[String]) -> bool {
    all_of(whole, variant).into_iter().all(|part| {
        let own = resolve(whole, &part["properties"][property]);
        let listed = own["enum"].as_array().map(Vec::as_slice);
        let listed = listed.or(own.get("const").map(std::slice::from_ref));
        listed.is_none_or(|listed| {
            names
                .iter()
                .any(|name| listed.iter().any(|own| own == name))
        })
    })
}
