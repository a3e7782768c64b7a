//! The parts of the schema: tables and keys.

use serde_json::{Map, Value, json};

/// The schema of a key.
pub(super) struct Key(pub(super) Value);

impl Key {
    /// Sets the default. It is the example, too, unless another one is set.
    pub(super) fn default(self, value: impl Into<Value>) -> Self {
        self.with("default", value.into())
    }

    pub(super) fn example(self, value: impl Into<Value>) -> Self {
        self.with("examples", json!([value.into()]))
    }

    pub(super) fn with(mut self, keyword: &str, value: Value) -> Self {
        if let Some(schema) = self.0.as_object_mut() {
            schema.insert(keyword.to_owned(), value);
        }
        self
    }
}

pub(super) fn table(about: &str, keys: &[&str], schema: &dyn Fn(&str) -> Key) -> Value {
    let properties = keys.iter();
    let properties: Map<_, _> = properties
        .map(|key| ((*key).to_owned(), schema(key).0))
        .collect();
    json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "description": about,
    })
}

/// Returns the schema of a table that must have these keys.
pub(super) fn required(mut table: Value, keys: &[&str]) -> Value {
    if let Some(table) = table.as_object_mut() {
        table.insert("required".to_owned(), json!(keys));
    }
    table
}

pub(super) fn string(about: &str) -> Key {
    Key(json!({"type": "string", "description": about}))
}

pub(super) fn strings(about: &str) -> Key {
    Key(json!({"type": "array", "items": {"type": "string"}, "description": about}))
}

/// Returns the schema of a key that is false by default.
pub(super) fn boolean(about: &str) -> Key {
    Key(json!({"type": "boolean", "description": about}))
        .default(false)
        .example(true)
}

pub(super) fn number(about: &str, first: u64, last: u64) -> Key {
    Key(json!({"type": "integer", "minimum": first, "maximum": last, "description": about}))
}

pub(super) fn words<T: ToString>(about: &str, words: &[T]) -> Key {
    Key(json!({"enum": spelt(words), "description": about}))
}

pub(super) fn list_of_words<T: ToString>(about: &str, words: &[T]) -> Key {
    Key(json!({"type": "array", "items": {"enum": spelt(words)}, "description": about}))
}

pub(super) fn spelt<T: ToString>(words: &[T]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}
