//! JSON Schemas in a few words, for tables and sentences.

use serde_json::Value;

/// The most alternatives or values that are spelt out.
const SPELT_OUT: usize = 4;

/// Schemas of one tool, whose `$ref`s lead into `$defs` of the root.
#[derive(Clone, Copy, Debug)]
pub struct Schemas<'a> {
    root: &'a Value,
}

impl<'a> Schemas<'a> {
    /// The schemas of a self-contained one.
    #[must_use]
    pub const fn of(root: &'a Value) -> Self {
        Self { root }
    }

    /// Returns a short name for the schema's values: `text`, `list of number`, `"a" | "b"`.
    #[must_use]
    pub fn kind(self, schema: &Value) -> String {
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            return one_of(values.iter().map(ToString::to_string));
        }
        if let Some(value) = schema.get("const") {
            return value.to_string();
        }
        if let Some((name, target)) = self.target(schema) {
            let is_enum = target.is_some_and(|target| target.get("enum").is_some());
            return match target {
                Some(target) if is_enum => self.kind(target),
                _ => name.to_owned(),
            };
        }
        for keyword in ["oneOf", "anyOf"] {
            if let Some(schemas) = schema.get(keyword).and_then(Value::as_array) {
                return one_of(schemas.iter().map(|schema| self.kind(schema)));
            }
        }
        match schema.get("type") {
            Some(Value::String(name)) => self.of_type(name, schema),
            Some(Value::Array(names)) => {
                let names = names.iter().filter_map(Value::as_str);
                one_of(names.map(|name| self.of_type(name, schema)))
            }
            _ if schema.get("properties").is_some() => "object".to_owned(),
            _ => "anything".to_owned(),
        }
    }

    /// Returns the first sentence of the description of the schema or of the definition it refers
    /// to.
    #[must_use]
    pub fn description(self, schema: &'a Value) -> &'a str {
        let own = |schema: &'a Value| schema.get("description").and_then(Value::as_str);
        let target = || self.target(schema).and_then(|(_, target)| own(target?));
        let text = own(schema).or_else(target).unwrap_or_default().trim();
        let line = text.lines().next().unwrap_or_default();
        let sentence = line.split_inclusive(". ").next().unwrap_or_default();
        sentence.trim_end()
    }

    /// Resolves a `$ref` to the definition's name and its schema.
    fn target<'s>(self, schema: &'s Value) -> Option<(&'s str, Option<&'a Value>)> {
        let reference = schema.get("$ref")?.as_str()?;
        let name = reference.rsplit('/').next().unwrap_or(reference);
        let pointer = reference.strip_prefix('#').unwrap_or(reference);
        Some((name, self.root.pointer(pointer)))
    }

    fn of_type(self, name: &str, schema: &Value) -> String {
        match (name, schema.get("format").and_then(Value::as_str)) {
            ("string", Some(format)) => format.to_owned(),
            ("string", None) => "text".to_owned(),
            ("array", _) => match schema.get("items") {
                Some(items) => format!("list of {}", self.kind(items)),
                None => "list".to_owned(),
            },
            (name, _) => name.to_owned(),
        }
    }
}

/// The alternatives, the first few of them spelt out, each once.
fn one_of(kinds: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    for kind in kinds {
        if !all.contains(&kind) {
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
    fn a_schema_in_a_few_words() {
        let root = json!({"$defs": {"Word": {"enum": ["x", "y"]}, "Item": {"type": "object"}}});
        for (schema, expected) in [
            (json!({}), "anything"),
            (json!(true), "anything"),
            (json!({"type": "string"}), "text"),
            (json!({"type": "string", "format": "uuid"}), "uuid"),
            (json!({"type": ["string", "null"]}), "text | null"),
            (json!({"enum": ["a", 1]}), "\"a\" | 1"),
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
            assert_eq!(Schemas::of(&root).kind(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn a_description_is_the_first_sentence_of_the_schema_s_own() {
        let root = json!({"$defs": {"A": {"description": "What A is."}}});
        let described = |schema: Value| Schemas { root: &root }.description(&schema).to_owned();
        let text = " What it is. And more.\nAnd so on.";
        assert_eq!(described(json!({"description": text})), "What it is.");
        assert_eq!(described(json!({"$ref": "#/$defs/A"})), "What A is.");
        assert_eq!(described(json!({})), "");
    }
}
