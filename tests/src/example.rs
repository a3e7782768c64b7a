//! Examples of JSON Schemas: values that are valid, and the same each time. Where a schema gives
//! an example of its own, it is taken, since a pattern cannot be guessed.

use serde_json::{Map, Value, json};

/// How deep an example goes into schemas that contain themselves.
const DEEPEST: usize = 4;

/// How much an example has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Only what is required.
    Least,
    /// Every property, and an element in every array.
    Most,
}

/// A value that is valid by the schema, whose `$ref`s lead into its own `$defs`.
#[must_use]
pub fn example(schema: &Value, extent: Extent) -> Value {
    Example {
        root: schema,
        extent,
    }
    .of(schema, 0)
}

struct Example<'a> {
    root: &'a Value,
    extent: Extent,
}

impl<'a> Example<'a> {
    fn of(&self, schema: &'a Value, depth: usize) -> Value {
        if let Some(value) = schema.get("const") {
            return value.clone();
        }
        for given in ["/enum/0", "/examples/0", "/example"] {
            if let Some(value) = schema.pointer(given) {
                return value.clone();
            }
        }
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let target = self.root.pointer(reference.trim_start_matches('#'));
            return target.map_or(Value::Null, |target| self.of(target, depth));
        }
        if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
            return self.merged(schema, parts, depth);
        }
        for keyword in ["oneOf", "anyOf"] {
            if let Some(schemas) = schema.get(keyword).and_then(Value::as_array) {
                return self.one_of(schemas, depth);
            }
        }
        self.of_type(schema, depth)
    }

    /// Null where it is allowed and enough is there, otherwise the first that is not null.
    fn one_of(&self, schemas: &'a [Value], depth: usize) -> Value {
        let is_null = |schema: &&Value| schema.get("type") == Some(&json!("null"));
        if depth >= DEEPEST && schemas.iter().any(|schema| is_null(&schema)) {
            return Value::Null;
        }
        let first = schemas.iter().find(|schema| !is_null(schema));
        first.map_or(Value::Null, |schema| self.of(schema, depth))
    }

    fn merged(&self, schema: &'a Value, parts: &'a [Value], depth: usize) -> Value {
        let mut merged = Map::new();
        let own = std::iter::once(self.of_type(schema, depth));
        for value in parts.iter().map(|part| self.of(part, depth)).chain(own) {
            match value {
                Value::Object(fields) => merged.extend(fields),
                Value::Null => {}
                scalar => return scalar,
            }
        }
        Value::Object(merged)
    }

    fn of_type(&self, schema: &'a Value, depth: usize) -> Value {
        let name = match schema.get("type") {
            Some(Value::Array(names)) => names.iter().find(|name| **name != "null"),
            name => name,
        };
        match name.and_then(Value::as_str) {
            Some("string") => text(schema).into(),
            Some("integer") => schema.get("minimum").cloned().unwrap_or(json!(1)),
            Some("number") => schema.get("minimum").cloned().unwrap_or(json!(1.5)),
            Some("boolean") => true.into(),
            Some("array") => self.array(schema, depth),
            Some("object") => self.object(schema, depth),
            None if schema.get("properties").is_some() => self.object(schema, depth),
            _ => Value::Null,
        }
    }

    fn array(&self, schema: &'a Value, depth: usize) -> Value {
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
        let wanted = u64::from(self.extent == Extent::Most && depth < DEEPEST);
        let items = schema.get("items");
        let element = |_| items.map_or(Value::Null, |items| self.of(items, depth + 1));
        (0..least.max(wanted)).map(element).collect()
    }

    fn object(&self, schema: &'a Value, depth: usize) -> Value {
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|names| names.contains(&name.into()));
        let all = self.extent == Extent::Most && depth < DEEPEST;
        let properties = schema.get("properties").and_then(Value::as_object);
        let example = |(name, schema): (&String, &'a Value)| {
            (all || is_required(name)).then(|| (name.clone(), self.of(schema, depth + 1)))
        };
        properties
            .into_iter()
            .flatten()
            .filter_map(example)
            .collect()
    }
}

/// A text of the format and the length.
fn text(schema: &Value) -> String {
    let keyword = |keyword: &str| schema.get(keyword).and_then(Value::as_str);
    let text = match keyword("contentEncoding").or_else(|| keyword("format")) {
        Some("date-time") => "2026-01-02T03:04:05Z",
        Some("date") => "2026-01-02",
        Some("time") => "03:04:05Z",
        Some("uuid") => "01234567-89ab-4def-8123-456789abcdef",
        Some("uri" | "url") => "https://example.com/a?b=c",
        Some("email") => "a@example.com",
        Some("byte" | "base64") => "aGVsbG8=",
        Some("ipv4") => "192.0.2.1",
        // Most patterns allow no more than words.
        _ if schema.get("pattern").is_some() => "some-text",
        _ => "some text & more",
    };
    let length = |key: &str| {
        let length = schema.get(key).and_then(Value::as_u64)?;
        usize::try_from(length).ok()
    };
    let least = length("minLength").unwrap_or(0);
    let most = length("maxLength").unwrap_or(usize::MAX);
    let padded = text.chars().chain(std::iter::repeat('x'));
    padded.take(text.len().max(least).min(most)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_have_as_much_as_was_asked_for() {
        let schema = json!({
            "type": "object", "required": ["a"],
            "properties": {
                "a": {"type": "string", "maxLength": 4},
                "b": {"type": "array", "items": {"$ref": "#/$defs/B"}},
                "c": {"anyOf": [{"type": "null"}, {"enum": ["x", "y"]}]},
            },
            "$defs": {"B": {"type": "object", "properties": {"b": {"$ref": "#/$defs/B"}}}},
        });
        assert_eq!(example(&schema, Extent::Least), json!({"a": "some"}));
        let most = example(&schema, Extent::Most);
        assert_eq!(most["c"], "x");
        assert_eq!(most["b"], json!([{"b": {"b": {}}}]));
    }
}
