//! Pinned arguments, which the service constants fill in.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use toolwright_model::{Binding, Bound, JsonPointer, ToolSpec};

use crate::schema::Violation;

/// Returns the arguments of a tool that the constants fill in, with their values.
pub(crate) fn pins<'a>(
    binding: &'a Binding,
    constants: &'a Map<String, Value>,
) -> BTreeMap<&'a str, &'a Value> {
    binding
        .bounds()
        .into_iter()
        .filter_map(Bound::argument)
        .filter_map(|name| Some((name, constants.get(name)?)))
        .collect()
}

/// Fills in the pinned arguments. Returns a violation for each one that the caller set to another
/// value.
pub(crate) fn fill(
    arguments: &mut Map<String, Value>,
    pins: &BTreeMap<&str, &Value>,
) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (&name, &value) in pins {
        let given = arguments.insert(name.to_owned(), value.clone());
        if given.is_some_and(|given| given != *value) {
            violations.push(Violation {
                pointer: JsonPointer::from_iter([name]).into(),
                message: "is set by the operator; remove it".to_owned(),
            });
        }
    }
    violations
}

/// Returns the spec as an agent sees it: its schema lacks the pinned arguments.
pub(crate) fn without(spec: &ToolSpec, pinned: &BTreeSet<&str>) -> ToolSpec {
    let mut shown = spec.clone();
    shown.input_schema.edit(|schema| {
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            properties.retain(|name, _| !pinned.contains(name.as_str()));
        }
        if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| !name.as_str().is_some_and(|name| pinned.contains(name)));
        }
    });
    shown
}
