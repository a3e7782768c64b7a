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

/// The differences of a schema that an agent sees from the one of the tool.
#[derive(Debug, Default)]
pub(crate) struct ShownArguments<'a> {
    /// The arguments that the operator sets in each case.
    pub(crate) pinned: BTreeSet<&'a str>,
    /// The arguments that the operator sets in some workspaces. An agent may leave them out.
    pub(crate) optional: BTreeSet<&'a str>,
    /// An argument that the runtime adds, with its schema.
    pub(crate) added: Option<(&'a str, Value)>,
}

impl ShownArguments<'_> {
    /// Checks whether the agent sees the schema of the tool.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.pinned.is_empty() && self.optional.is_empty() && self.added.is_none()
    }

    /// Returns the spec as an agent sees it.
    pub(crate) fn of(self, spec: &ToolSpec) -> ToolSpec {
        let Self {
            pinned,
            optional,
            added,
        } = self;
        let mut shown = spec.clone();
        shown.input_schema.edit(|schema| {
            if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
                properties.retain(|name, _| !pinned.contains(name.as_str()));
            }
            if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
                let is_set = |name: &str| pinned.contains(name) || optional.contains(name);
                required.retain(|name| !name.as_str().is_some_and(is_set));
            }
            if let (Some((name, added)), Some(schema)) = (added, schema.as_object_mut()) {
                let properties = schema
                    .entry("properties")
                    .or_insert_with(|| Map::new().into());
                if let Some(properties) = properties.as_object_mut() {
                    properties.insert(name.to_owned(), added);
                }
            }
        });
        shown
    }
}
