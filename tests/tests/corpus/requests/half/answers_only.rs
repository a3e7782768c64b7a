//! Properties that only answers have.
//!
//! They are required in answers alone, which the judge knows of the outermost schema of a body and
//! of its properties, and not of what is in a union or an `allOf`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::resolved;

/// Requires them no longer.
pub(super) fn release(half: &mut Value) {
    let whole = half.clone();
    visit(&whole, half, &BTreeSet::new());
}

fn visit(whole: &Value, value: &mut Value, outer: &BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            let mut only = outer.clone();
            for name in fields.get("required").into_iter().flat_map(names) {
                if is_read_only(whole, fields.get("properties"), fields.get("allOf"), &name) {
                    only.insert(name);
                }
            }
            if let Some(Value::Array(required)) = fields.get_mut("required") {
                required.retain(|name| name.as_str().is_none_or(|name| !only.contains(name)));
            }
            for (key, value) in fields {
                // The parts of a schema are about the same properties.
                let parts = matches!(key.as_str(), "allOf" | "oneOf" | "anyOf");
                let none = BTreeSet::new();
                visit(whole, value, if parts { &only } else { &none });
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| visit(whole, item, outer)),
        _ => {}
    }
}

fn names(required: &Value) -> Vec<String> {
    let names = required.as_array().into_iter().flatten();
    names
        .filter_map(Value::as_str)
        .map(ToOwned::to_owned)
        .collect()
}

fn is_read_only(
    whole: &Value,
    properties: Option<&Value>,
    parts: Option<&Value>,
    name: &str,
) -> bool {
    let property = properties.and_then(|properties| properties.get(name));
    let own = property.is_some_and(|property| {
        let target = resolved(whole, property);
        let inner = target["allOf"].as_array().into_iter().flatten();
        let mut all = inner
            .map(|part| resolved(whole, part))
            .chain([property, target]);
        all.any(|schema| schema["readOnly"] == true)
    });
    let mut parts = parts.and_then(Value::as_array).into_iter().flatten();
    own || parts.any(|part| {
        let part = resolved(whole, part);
        is_read_only(whole, part.get("properties"), part.get("allOf"), name)
    })
}
