//! Schemas that other schemas refer to by name.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::reference;

/// The schemas that several others share as `#/$defs/<name>`.
///
/// A file of records contains each definition once. A record contains a copy of the definitions it
/// reaches, so its schemas are self-contained. Names consist of characters that a reference need not
/// escape.
///
/// ```
/// use serde_json::json;
/// use toolwright_schema::Definitions;
///
/// let table = json!({"A": {"items": {"$ref": "#/$defs/B"}}, "B": {}, "C": {}});
/// let definitions = Definitions::new(table.as_object().into_iter().flatten());
/// let bundled = definitions.bundle(json!({"$ref": "#/$defs/A"}));
/// assert_eq!(bundled, json!({
///     "$ref": "#/$defs/A",
///     "$defs": {"A": {"items": {"$ref": "#/$defs/B"}}, "B": {}},
/// }));
/// ```
#[derive(Debug, Default)]
pub struct Definitions<'a> {
    by_name: BTreeMap<&'a str, Definition<'a>>,
}

#[derive(Debug)]
struct Definition<'a> {
    schema: &'a Value,
    /// The definitions that it mentions.
    mentions: Vec<&'a str>,
}

/// Returns the name of the definition that a schema refers to.
///
/// ```
/// # use serde_json::json;
/// let schema = json!({"$ref": "#/$defs/Item"});
/// assert_eq!(toolwright_schema::definition_name(&schema), Some("Item"));
/// ```
#[must_use]
pub fn definition_name(schema: &Value) -> Option<&str> {
    reference(schema)?.strip_prefix(Definitions::PREFIX)
}

impl<'a> Definitions<'a> {
    /// The prefix of a reference to a definition.
    pub const PREFIX: &'static str = "#/$defs/";

    /// Creates definitions by name, such as those of a `$defs`. Of several with one name, the last counts.
    pub fn new<S: AsRef<str> + ?Sized + 'a>(
        all: impl IntoIterator<Item = (&'a S, &'a Value)>,
    ) -> Self {
        let all = all.into_iter();
        let schemas: BTreeMap<&str, &Value> =
            all.map(|(name, schema)| (name.as_ref(), schema)).collect();
        let by_name = schemas.into_iter().map(|(name, schema)| {
            let mentions = Self::mentioned(schema);
            (name, Definition { schema, mentions })
        });
        Self {
            by_name: by_name.collect(),
        }
    }

    /// Returns the definition of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.by_name.get(name).map(|definition| definition.schema)
    }

    /// Follows the references of a schema until it is not a reference to a definition. A chain is a
    /// circle if it is longer than the number of definitions; the result is then one of the circle.
    #[must_use]
    pub fn resolve(&self, schema: &'a Value) -> &'a Value {
        let mut schema = schema;
        for _ in 0..=self.by_name.len() {
            match definition_name(schema).and_then(|name| self.get(name)) {
                Some(target) => schema = target,
                None => break,
            }
        }
        schema
    }

    /// Returns the definitions that a schema reaches, at any depth, by name.
    #[must_use]
    pub fn reached(&self, root: &Value) -> BTreeMap<&'a str, &'a Value> {
        let mut reached = BTreeMap::new();
        let mut open = Vec::new();
        for name in Self::mentioned(root) {
            self.visit(name, &mut reached, &mut open);
        }
        while let Some(name) = open.pop() {
            self.visit(name, &mut reached, &mut open);
        }
        reached
    }

    /// Returns the names of the definitions that a schema itself refers to, each as often as it does.
    ///
    /// A `$ref` counts at any place, including data and unknown keywords: a definition too many does
    /// no harm, but a missing one breaks the schema.
    #[must_use]
    pub fn mentioned(schema: &Value) -> Vec<&str> {
        let mut names = Vec::new();
        let mut open = vec![schema];
        while let Some(value) = open.pop() {
            match value {
                Value::Array(items) => open.extend(items),
                Value::Object(map) => {
                    names.extend(definition_name(value));
                    open.extend(map.values());
                }
                _ => {}
            }
        }
        names
    }

    /// Returns the schema with a `$defs` of the definitions that it reaches, and no others.
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

    /// Adds a definition, and queues those that it mentions, unless it is known.
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_reached_definitions_are_added() {
        let all = json!({
            "A": {"properties": {"b": {"$ref": "#/$defs/B"}}},
            "B": {"items": {"$ref": "#/$defs/A"}},
            "C": {},
        });
        let definitions = Definitions::new(all.as_object().unwrap());
        let bundled = definitions.bundle(json!({"anyOf": [{"$ref": "#/$defs/A"}]}));
        let names: Vec<_> = bundled["$defs"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["A", "B"]);
        assert_eq!(
            definitions.bundle(json!({"type": "null"})),
            json!({"type": "null"})
        );
    }

    #[test]
    fn chains_resolve_and_circles_end() {
        let all = json!({
            "A": {"$ref": "#/$defs/B"}, "B": {"type": "null"},
            "X": {"$ref": "#/$defs/Y"}, "Y": {"$ref": "#/$defs/X"},
            "Dead": {"$ref": "#/$defs/None"},
        });
        let definitions = Definitions::new(all.as_object().unwrap());
        assert_eq!(definitions.resolve(&all["A"]), &all["B"]);
        assert_eq!(definitions.resolve(&all["Dead"]), &all["Dead"]);
        assert!(definition_name(definitions.resolve(&all["X"])).is_some());
    }
}
