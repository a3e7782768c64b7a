//! Schemas that other schemas refer to by name.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::reference;

/// A view of schemas that others refer to as `#/$defs/<name>`.
///
/// Names consist of characters that a reference need not escape.
#[derive(Debug, Default)]
pub struct Definitions<'a> {
    by_name: BTreeMap<&'a str, &'a Value>,
}

/// The schemas that the records of a service share as `#/$defs/<name>`.
///
/// The table exists once. A self-contained copy of a record's schema is made when it is needed.
///
/// ```
/// use serde_json::json;
/// use toolwright_schema::SharedDefinitions;
///
/// let table = json!({"A": {"items": {"$ref": "#/$defs/B"}}, "B": {}, "C": {}});
/// let definitions: SharedDefinitions = table.as_object().unwrap().clone().into_iter().collect();
/// let bundled = definitions.bundle(json!({"$ref": "#/$defs/A"}));
/// assert_eq!(bundled, json!({
///     "$ref": "#/$defs/A",
///     "$defs": {"A": {"items": {"$ref": "#/$defs/B"}}, "B": {}},
/// }));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SharedDefinitions {
    by_name: BTreeMap<String, SharedDefinition>,
}

#[derive(Clone, Debug, PartialEq)]
struct SharedDefinition {
    schema: Value,
    /// The definitions that it mentions.
    mentions: Vec<String>,
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

    /// Creates a view of definitions by name, such as those of a `$defs`. Of several with one name, the last counts.
    pub fn new<S: AsRef<str> + ?Sized + 'a>(
        all: impl IntoIterator<Item = (&'a S, &'a Value)>,
    ) -> Self {
        let all = all.into_iter();
        Self {
            by_name: all.map(|(name, schema)| (name.as_ref(), schema)).collect(),
        }
    }

    /// Returns the definition of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.by_name.get(name).copied()
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
}

impl SharedDefinitions {
    /// Checks whether there are no definitions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// Returns the definition of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        Some(&self.by_name.get(name)?.schema)
    }

    /// Returns the definitions that a schema reaches, at any depth, by name.
    #[must_use]
    pub fn reached(&self, root: &Value) -> BTreeMap<&str, &Value> {
        let mut reached = BTreeMap::new();
        self.reach(root, &mut reached);
        reached
    }

    /// Adds the definitions that a schema reaches to those that others reach.
    pub fn reach<'s>(&'s self, root: &Value, reached: &mut BTreeMap<&'s str, &'s Value>) {
        self.reach_through(root, reached, |_| true);
    }

    /// Adds the definitions that a schema reaches through accepted ones.
    pub(crate) fn reach_through<'s>(
        &'s self,
        root: &Value,
        reached: &mut BTreeMap<&'s str, &'s Value>,
        accepts: impl Fn(&str) -> bool,
    ) {
        let mut open = Definitions::mentioned(root);
        while let Some(name) = open.pop() {
            if let Some((name, schema)) = self.get_key_value(name)
                && accepts(name)
                && reached.insert(name, schema).is_none()
            {
                open.extend(self.mentions(name));
            }
        }
    }

    /// Returns the schema with a `$defs` of the definitions that it reaches, and no others.
    #[must_use]
    pub fn bundle(&self, root: Value) -> Value {
        let reached = self.reached(&root).into_iter();
        let copies = reached.map(|(name, schema)| (name.to_owned(), schema.clone()));
        let copies: Map<String, Value> = copies.collect();
        with_definitions(root, copies)
    }

    /// Returns a definition with its name.
    pub(crate) fn get_key_value(&self, name: &str) -> Option<(&str, &Value)> {
        let (name, definition) = self.by_name.get_key_value(name)?;
        Some((name, &definition.schema))
    }

    /// Returns the definitions with their names, in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        let all = self.by_name.iter();
        all.map(|(name, definition)| (name.as_str(), &definition.schema))
    }

    /// Returns the names that a definition refers to, sorted, each once. There may be no definition of such a name.
    pub fn mentions(&self, name: &str) -> impl Iterator<Item = &str> {
        let definition = self.by_name.get(name).into_iter();
        let mentions = definition.flat_map(|definition| &definition.mentions);
        mentions.map(String::as_str)
    }
}

impl FromIterator<(String, Value)> for SharedDefinitions {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(all: I) -> Self {
        let by_name = all.into_iter().map(|(name, schema)| {
            let mut mentions = Definitions::mentioned(&schema);
            mentions.sort_unstable();
            mentions.dedup();
            let mentions = mentions.into_iter().map(str::to_owned).collect();
            (name, SharedDefinition { schema, mentions })
        });
        Self {
            by_name: by_name.collect(),
        }
    }
}

/// Returns the schema with these definitions as its `$defs`.
pub(crate) fn with_definitions(mut root: Value, definitions: Map<String, Value>) -> Value {
    if let (Value::Object(root), false) = (&mut root, definitions.is_empty()) {
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
    root
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
        let definitions: SharedDefinitions = all.as_object().unwrap().clone().into_iter().collect();
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
