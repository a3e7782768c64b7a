//! The schemas of a record, which share their definitions with the other records of a service.

use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use toolwright_schema::SharedDefinitions;

/// A JSON Schema 2020-12 of a record.
///
/// The records of one service refer to one table of definitions. The self-contained form, which has a copy of every
/// definition that the schema reaches in its `$defs`, is made when it is asked for, since it is often much larger than
/// everything else in a record. The JSON form of a record contains the self-contained schema.
#[derive(Clone, Debug)]
pub struct ToolSchema {
    root: Value,
    shared: Arc<SharedDefinitions>,
    whole: OnceLock<Box<Value>>,
}

impl ToolSchema {
    /// Creates a schema that refers to shared definitions.
    #[must_use]
    pub const fn new(root: Value, shared: Arc<SharedDefinitions>) -> Self {
        Self {
            root,
            shared,
            whole: OnceLock::new(),
        }
    }

    /// Returns the schema without the definitions that it shares.
    #[must_use]
    pub const fn root(&self) -> &Value {
        &self.root
    }

    /// Returns the definitions that it may refer to.
    #[must_use]
    pub fn shared(&self) -> &SharedDefinitions {
        &self.shared
    }

    /// Returns the self-contained schema. It is kept, so this is for tools that are called.
    #[must_use]
    pub fn whole(&self) -> &Value {
        if self.shared.is_empty() {
            return &self.root;
        }
        self.whole.get_or_init(|| Box::new(self.to_value()))
    }

    /// Returns a self-contained copy of the schema.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self.whole.get() {
            Some(whole) => Value::clone(whole),
            None => self.shared.bundle(self.root.clone()),
        }
    }

    /// Returns a self-contained schema that accepts at least the same values and has about `limit` bytes at most. See
    /// [`SharedDefinitions::cut`].
    #[must_use]
    pub fn cut(&self, limit: usize, comment: &str) -> Value {
        self.shared.cut(&self.root, limit, comment)
    }

    /// Changes the schema itself, but not the definitions that it shares.
    pub fn edit(&mut self, edit: impl FnOnce(&mut Value)) {
        self.whole = OnceLock::new();
        edit(&mut self.root);
    }

    /// Refers to these definitions from now on.
    pub(crate) fn share(&mut self, shared: &Arc<SharedDefinitions>) {
        self.whole = OnceLock::new();
        self.shared = Arc::clone(shared);
    }
}

impl From<Value> for ToolSchema {
    /// Creates a self-contained schema.
    fn from(root: Value) -> Self {
        Self::new(root, Arc::default())
    }
}

impl PartialEq for ToolSchema {
    fn eq(&self, other: &Self) -> bool {
        if Arc::ptr_eq(&self.shared, &other.shared) {
            return self.root == other.root;
        }
        self.to_value() == other.to_value()
    }
}

impl Serialize for ToolSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.shared.is_empty() {
            return self.root.serialize(serializer);
        }
        self.to_value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ToolSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shared() -> Arc<SharedDefinitions> {
        let all = [
            ("A".to_owned(), json!({"type": "null"})),
            ("B".to_owned(), json!({})),
        ];
        Arc::new(all.into_iter().collect())
    }

    #[test]
    fn the_json_form_is_self_contained() {
        let schema = ToolSchema::new(json!({"$ref": "#/$defs/A"}), shared());
        let whole = json!({"$ref": "#/$defs/A", "$defs": {"A": {"type": "null"}}});
        assert_eq!(serde_json::to_value(&schema).unwrap(), whole);
        assert_eq!(schema.whole(), &whole);
        assert_eq!(ToolSchema::from(whole), schema);
    }

    #[test]
    fn an_edit_changes_the_whole_schema() {
        let mut schema = ToolSchema::new(json!({"$ref": "#/$defs/A"}), shared());
        assert!(schema.whole().get("$defs").is_some());
        schema.edit(|root| *root = json!({"$ref": "#/$defs/B"}));
        assert_eq!(schema.whole()["$defs"], json!({"B": {}}));
    }
}
