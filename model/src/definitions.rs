//! Schemas that other schemas refer to by name.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The schemas that several tools share as `#/$defs/<name>`.
///
/// A file of records contains each definition once. A record contains a copy of the definitions it
/// reaches, so its schemas are self-contained.
#[derive(Debug, Default)]
pub struct Definitions<'a> {
    by_name: BTreeMap<&'a str, Definition<'a>>,
}

#[derive(Debug)]
struct Definition<'a> {
    schema: &'a Value,
    /// The definitions that it refers to.
    mentions: Vec<&'a str>,
}

impl<'a> Definitions<'a> {
    /// The prefix of a reference to a definition.
    pub const PREFIX: &'static str = "#/$defs/";

    /// Definitions by name.
    pub fn new(all: impl IntoIterator<Item = (&'a str, &'a Value)>) -> Self {
        let by_name = all.into_iter().map(|(name, schema)| {
            let mentions = mentions(schema);
            (name, Definition { schema, mentions })
        });
        Self {
            by_name: by_name.collect(),
        }
    }

    /// The definitions that a schema reaches, at any depth, by name.
    #[must_use]
    pub fn reached(&self, root: &Value) -> BTreeMap<&'a str, &'a Value> {
        let mut reached = BTreeMap::new();
        let mut open = Vec::new();
        for name in mentions(root) {
            self.visit(name, &mut reached, &mut open);
        }
        while let Some(name) = open.pop() {
            self.visit(name, &mut reached, &mut open);
        }
        reached
    }

    /// The definitions that a schema itself refers to, each as often as it does.
    #[must_use]
    pub fn mentioned(schema: &Value) -> Vec<&str> {
        mentions(schema)
    }

    /// The schema with a `$defs` of the definitions that it reaches, and no others.
    #[must_use]
    pub fn bundle(&self, mut root: Value) -> Value {
        let reached = self.reached(&root);
        if let (Value::Object(root), false) = (&mut root, reached.is_empty()) {
            let copies = reached.into_iter();
            let copies: Map<String, Value> = copies
                .map(|(name, schema)| (name.to_owned(), schema.clone()))
                .collect();
            root.insert("$defs".to_owned(), Value::Object(copies));
        }
        root
    }

    /// Notes a definition that was come upon, unless it was before, and what it refers to.
    fn visit(
        &self,
        name: &str,
        reached: &mut BTreeMap<&'a str, &'a Value>,
        open: &mut Vec<&'a str>,
    ) {
        if let Some((name, definition)) = self.by_name.get_key_value(name)
            && reached.insert(name, definition.schema).is_none()
        {
            open.extend(&definition.mentions);
        }
    }
}

/// The definitions that a value names.
fn mentions(value: &Value) -> Vec<&str> {
    let mut names = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(map) => {
                let reference = map.get("$ref").and_then(Value::as_str);
                names.extend(reference.and_then(|text| text.strip_prefix(Definitions::PREFIX)));
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
        let all = json!({
            "A": {"properties": {"b": {"$ref": "#/$defs/B"}}},
            "B": {"items": {"$ref": "#/$defs/A"}},
            "C": {},
        });
        let all = all.as_object().unwrap();
        let definitions =
            Definitions::new(all.iter().map(|(name, schema)| (name.as_str(), schema)));
        let bundled = definitions.bundle(json!({"anyOf": [{"$ref": "#/$defs/A"}]}));
        let names: Vec<_> = bundled["$defs"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["A", "B"]);
        assert_eq!(
            definitions.bundle(json!({"type": "null"})),
            json!({"type": "null"})
        );
    }
}
