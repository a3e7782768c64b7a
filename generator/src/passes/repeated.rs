//! Labels that tell an agent nothing, since they repeat listed values: each agent that receives a tool would read them.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use serde_json::Value;
use toolwright_schema::definition_name;

/// The beginning of a label of a listed string.
const LABEL: &str = "* `";

/// The values that labels may repeat.
pub(super) struct Repeated {
    /// The strings that a definition lists, by its name.
    listed: BTreeMap<String, BTreeSet<String>>,
}

impl Repeated {
    /// Reads the definitions of a service.
    pub(super) fn of(definitions: &IndexMap<String, Value>) -> Self {
        let listed = definitions.iter().filter_map(|(name, schema)| {
            let values = schema.get("enum")?.as_array()?.iter();
            let strings = values.filter_map(Value::as_str).map(ToOwned::to_owned);
            Some((name.clone(), strings.collect()))
        });
        Self {
            listed: listed.collect(),
        }
    }

    /// Removes from a schema, without its subschemas, the labels of listed strings that only repeat them:
    /// "* `active` - Active".
    pub(super) fn take_out(&self, schema: &mut Value) {
        let text = schema.get("description").and_then(Value::as_str);
        let Some(text) = text.filter(|text| text.contains(LABEL)) else {
            return;
        };
        let told = without_labels(text, |value| self.lists(schema, value));
        if let Some(schema) = schema.as_object_mut() {
            match told.is_empty() {
                true => schema.shift_remove("description"),
                false => schema.insert("description".to_owned(), told.into()),
            };
        }
    }

    /// Checks whether a schema lists a string: itself, by a reference, or for its items.
    fn lists(&self, schema: &Value, value: &str) -> bool {
        let mut schemas = [Some(schema), schema.get("items")].into_iter().flatten();
        schemas.any(|schema| {
            let own = schema.get("enum").and_then(Value::as_array);
            let known = definition_name(schema).and_then(|name| self.listed.get(name));
            own.is_some_and(|own| own.iter().any(|one| one == value))
                || known.is_some_and(|known| known.contains(value))
        })
    }
}

/// Returns a text without the lines that label a listed string with its own words. A text that would end with the
/// announcement of the labels stays as it is.
fn without_labels(text: &str, lists: impl Fn(&str) -> bool) -> String {
    let tells = |line: &&str| match label(line) {
        Some((value, label)) => !repeats(label, value) || !lists(value),
        None => true,
    };
    let lines: Vec<&str> = text.lines().filter(tells).collect();
    let left = lines.join("\n").trim().to_owned();
    match left.ends_with(':') {
        true => text.to_owned(),
        false => left,
    }
}

/// Returns the value and the label of a line such as "* `active` - Active".
fn label(line: &str) -> Option<(&str, &str)> {
    line.trim().strip_prefix(LABEL)?.split_once("` - ")
}

/// Checks whether a label has the words of its value, in whatever spelling.
fn repeats(label: &str, value: &str) -> bool {
    let words = |text: &str| -> String {
        let letters = text.chars().filter(|c| !matches!(c, ' ' | '_' | '-'));
        letters.flat_map(char::to_lowercase).collect()
    };
    value.contains(char::is_alphabetic) && words(label) == words(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn taken_out(definitions: &Value, mut schema: Value) -> Value {
        let definitions = definitions.as_object().unwrap().clone();
        let repeated = Repeated::of(&definitions.into_iter().collect());
        repeated.take_out(&mut schema);
        schema
    }

    #[test]
    fn labels_that_repeat_their_values_are_removed() {
        let text = "State\n\n* `in_use` - In use\n* `lag` - Link aggregation\n* `other` - Other\n* `1` - 1";
        let schema = |text: &str| json!({"description": text, "enum": ["in_use", "lag", "1"]});
        assert_eq!(
            taken_out(&json!({}), schema(text)),
            schema("State\n\n* `lag` - Link aggregation\n* `other` - Other\n* `1` - 1")
        );
        let only = "* `in_use` - In Use\n* `lag` - LAG";
        assert_eq!(
            taken_out(&json!({}), schema(only)),
            json!({"enum": ["in_use", "lag", "1"]})
        );
        let announced = "One of:\n* `lag` - LAG";
        assert_eq!(taken_out(&json!({}), schema(announced)), schema(announced));
        let negative = "* `-a` - A\n* `a` - +A";
        let schema = json!({"description": negative, "enum": ["a", "+a"]});
        assert_eq!(taken_out(&json!({}), schema.clone()), schema);
    }

    #[test]
    fn labels_of_items_and_references_are_removed() {
        let definitions = json!({"State": {"type": "string", "enum": ["active"]}});
        for mut schema in [
            json!({"$ref": "#/$defs/State"}),
            json!({"type": "array", "items": {"$ref": "#/$defs/State"}}),
            json!({"type": "array", "items": {"enum": ["active"]}}),
        ] {
            let plain = schema.clone();
            schema["description"] = "* `active` - Active".into();
            assert_eq!(taken_out(&definitions, schema), plain);
        }
    }
}
