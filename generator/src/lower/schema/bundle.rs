//! Self-contained schemas.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde_json::{Map, Value};

/// How a schema refers to a definition.
pub(super) const PREFIX: &str = "#/$defs/";

/// The schema with a `$defs` of the definitions that it reaches, and no others.
#[must_use]
pub fn bundle(definitions: &IndexMap<String, Value>, mut root: Value) -> Value {
    let mut reached: BTreeMap<&str, &Value> = BTreeMap::new();
    let mut open = names_in(&root);
    while let Some(name) = open.pop() {
        if let Some((name, schema)) = definitions.get_key_value(&name)
            && reached.insert(name, schema).is_none()
        {
            open.extend(names_in(schema));
        }
    }
    if let (Value::Object(root), false) = (&mut root, reached.is_empty()) {
        let reached = reached.into_iter();
        let defs: Map<String, Value> = reached
            .map(|(name, schema)| (name.to_owned(), schema.clone()))
            .collect();
        root.insert("$defs".to_owned(), Value::Object(defs));
    }
    root
}

/// The definitions that a value names.
fn names_in(value: &Value) -> Vec<String> {
    let mut names = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(map) => {
                let reference = map.get("$ref").and_then(Value::as_str);
                names.extend(
                    reference
                        .and_then(|text| text.strip_prefix(PREFIX))
                        .map(ToOwned::to_owned),
                );
                open.extend(map.values());
            }
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_reached_is_added() {
        let definitions = [
            ("A", json!({"properties": {"b": {"$ref": "#/$defs/B"}}})),
            ("B", json!({"items": {"$ref": "#/$defs/A"}})),
            ("C", json!({})),
        ];
        let definitions = definitions
            .into_iter()
            .map(|(name, schema)| (name.to_owned(), schema))
            .collect();
        let bundled = bundle(&definitions, json!({"anyOf": [{"$ref": "#/$defs/A"}]}));
        let defs: Vec<_> = bundled["$defs"].as_object().unwrap().keys().collect();
        assert_eq!(defs, ["A", "B"]);
        assert_eq!(
            bundle(&definitions, json!({"type": "null"})),
            json!({"type": "null"})
        );
    }
}
