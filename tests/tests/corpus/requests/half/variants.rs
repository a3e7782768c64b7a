//! Variants of which a discriminator says which one is meant.
//!
//! The judge knows no discriminators. What is another variant as well is one too many for it.

use serde_json::Value;

/// Lets the variants overlap, where there is a discriminator.
pub(super) fn may_overlap(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if fields.contains_key("discriminator")
                && !fields.contains_key("anyOf")
                && let Some(variants) = fields.remove("oneOf")
            {
                fields.insert("anyOf".to_owned(), variants);
            }
            fields.values_mut().for_each(may_overlap);
        }
        Value::Array(items) => items.iter_mut().for_each(may_overlap),
        _ => {}
    }
}
