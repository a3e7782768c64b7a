//! Makes response-only properties optional in requests.
//!
//! The specification requires them in responses only. The validator applies that rule to the
//! outermost schema of a body and its properties, but not inside a union or an `allOf`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::all_of;

/// Removes them from `required`.
pub(super) fn make_optional(half: &mut Value) {
    let whole = half.clone();
    visit(&whole, half, &BTreeSet::new());
}

fn visit(whole: &Value, value: &mut Value, outer: &BTreeSet<String>) {
    let mut only = outer.clone();
    only.extend(required(value).filter(|name| is_read_only(whole, value, name)));
    match value {
        Value::Object(fields) => {
            if let Some(Value::Array(required)) = fields.get_mut("required") {
                required.retain(|name| name.as_str().is_none_or(|name| !only.contains(name)));
            }
            for (key, value) in fields {
                // The parts of a schema describe the same properties.
                let parts = matches!(key.as_str(), "allOf" | "oneOf" | "anyOf");
                let none = BTreeSet::new();
                visit(whole, value, if parts { &only } else { &none });
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| visit(whole, item, outer)),
        _ => {}
    }
}

fn required(schema: &Value) -> impl Iterator<Item = String> {
    let names = schema["required"].as_array().into_iter().flatten();
    names.filter_map(Value::as_str).map(ToOwned::to_owned)
}

/// Returns true if a part of the schema marks the property as `readOnly`.
fn is_read_only(whole: &Value, schema: &Value, name: &str) -> bool {
    all_of(whole, schema).into_iter().any(|part| {
        let property = &part["properties"][name];
        let mut all = all_of(whole, property).into_iter().chain([property]);
        all.any(|schema| schema["readOnly"] == true)
    })
}
