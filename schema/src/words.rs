//! JSON Schemas in a few words, for tables and sentences.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{Root, reference, types};

/// The most alternatives or values that are spelt out.
const SPELT_OUT: usize = 4;

/// The deepest nesting of lists and alternatives that is described.
const DEEPEST: usize = 16;

impl<'a> Root<'a> {
    /// Returns a short name for the values of a schema: `text`, `list of number`, `"a" | "b"`.
    ///
    /// A definition is described by its name, except one that lists its values. Lists and
    /// alternatives that are nested more than 16 levels deep count as `anything`.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolwright_schema::Root;
    ///
    /// let schema = json!({"type": "array", "items": {"$ref": "#/$defs/Item"}});
    /// assert_eq!(Root::new(&schema).in_words(&schema), "list of Item");
    /// ```
    #[must_use]
    pub fn in_words(self, schema: &Value) -> String {
        self.words(schema, DEEPEST)
    }

    /// Returns the first sentence of the description of a schema, or of the definition that it refers
    /// to; empty if there is none.
    ///
    /// ```
    /// use serde_json::json;
    /// use toolwright_schema::Root;
    ///
    /// let schema = json!({"description": "The owner. May change."});
    /// assert_eq!(Root::new(&schema).summary(&schema), "The owner.");
    /// ```
    #[must_use]
    pub fn summary(self, schema: &'a Value) -> &'a str {
        let own = |schema: &'a Value| schema.get("description").and_then(Value::as_str);
        let target = || own(self.target(reference(schema)?)?);
        let text = own(schema).or_else(target).unwrap_or_default().trim();
        let line = text.lines().next().unwrap_or_default();
        let sentence = line.split_inclusive(". ").next().unwrap_or_default();
        sentence.trim_end()
    }

    fn words(self, schema: &Value, depth: usize) -> String {
        let Some(depth) = depth.checked_sub(1) else {
            return "anything".to_owned();
        };
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            return one_of(values.iter().map(ToString::to_string));
        }
        if let Some(value) = schema.get("const") {
            return value.to_string();
        }
        if let Some(reference) = reference(schema) {
            let target = self.target(reference);
            let listed = target.filter(|target| target.get("enum").is_some_and(Value::is_array));
            return match listed {
                Some(target) => self.words(target, depth),
                None => reference.rsplit('/').next().unwrap_or(reference).to_owned(),
            };
        }
        for keyword in ["oneOf", "anyOf"] {
            if let Some(schemas) = schema.get(keyword).and_then(Value::as_array) {
                return one_of(schemas.iter().map(|schema| self.words(schema, depth)));
            }
        }
        match schema.get("type") {
            Some(Value::String(name)) => self.words_of_type(name, schema, depth),
            Some(Value::Array(_)) => {
                // A type that is listed twice is described once: its items may be nested deeply.
                let mut seen = BTreeSet::new();
                let names = types(schema).filter(|name| seen.insert(*name));
                one_of(names.map(|name| self.words_of_type(name, schema, depth)))
            }
            _ if schema.get("properties").is_some() => "object".to_owned(),
            _ => "anything".to_owned(),
        }
    }

    fn words_of_type(self, name: &str, schema: &Value, depth: usize) -> String {
        match (name, schema.get("format").and_then(Value::as_str)) {
            ("string", Some(format)) => format.to_owned(),
            ("string", None) => "text".to_owned(),
            ("array", _) => match schema.get("items") {
                Some(items) => format!("list of {}", self.words(items, depth)),
                None => "list".to_owned(),
            },
            (name, _) => name.to_owned(),
        }
    }
}

/// Joins the alternatives, the first few of them spelt out, each once.
fn one_of(kinds: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    for kind in kinds {
        if seen.insert(kind.clone()) {
            all.push(kind);
        }
    }
    let rest = all.len().saturating_sub(SPELT_OUT);
    all.truncate(SPELT_OUT);
    let spelt = all.join(" | ");
    if rest > 0 {
        format!("{spelt} | {rest} more")
    } else {
        spelt
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_are_described_in_a_few_words() {
        let root = json!({"$defs": {"Word": {"enum": ["x", "y"]}, "Item": {"type": "object"}}});
        for (schema, expected) in [
            (json!({}), "anything"),
            (json!(true), "anything"),
            (json!({"type": "string"}), "text"),
            (json!({"type": "string", "format": "uuid"}), "uuid"),
            (json!({"type": ["string", "null"]}), "text | null"),
            (json!({"enum": ["a", 1]}), "\"a\" | 1"),
            (json!({"$ref": "#/$defs/Word"}), "\"x\" | \"y\""),
            (json!({"$ref": "#/$defs/Unknown"}), "Unknown"),
            (
                json!({"type": "array", "items": {"$ref": "#/$defs/Item"}}),
                "list of Item",
            ),
            (
                json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
                "integer | null",
            ),
            (
                json!({"enum": [1, 2, 3, 4, 5, 6]}),
                "1 | 2 | 3 | 4 | 2 more",
            ),
        ] {
            assert_eq!(Root::new(&root).in_words(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn deep_and_circular_schemas_have_short_words() {
        let mut schema = json!({"type": "string"});
        for _ in 0..500 {
            schema = json!({"type": ["array", "array", "null"], "items": schema});
        }
        let words = Root::new(&schema).in_words(&schema);
        assert!(words.contains("list of anything | null | null"), "{words}");
        assert!(words.len() < 400, "{words}");
        let circle = json!({"$ref": "#", "enum": 7});
        assert_eq!(Root::new(&circle).in_words(&circle), "#");
    }

    #[test]
    fn a_summary_is_the_first_sentence_of_the_schema_s_own_description() {
        let root = json!({"$defs": {"A": {"description": "What A is."}}});
        let text = " What it is. And more.\nAnd so on.";
        for (schema, summary) in [
            (json!({"description": text}), "What it is."),
            (json!({"$ref": "#/$defs/A"}), "What A is."),
            (json!({}), ""),
        ] {
            assert_eq!(Root::new(&root).summary(&schema), summary);
        }
    }
}
