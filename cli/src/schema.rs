//! JSON Schemas in a few words, for tables.

use serde_json::Value;

/// The most alternatives or values that are spelt out.
const SPELT_OUT: usize = 4;

/// What a value of the schema is: `text`, `list of numbers`, `one of "a", "b"`.
pub(crate) fn kind(schema: &Value) -> String {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return one_of(values.iter().map(ToString::to_string));
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return reference.rsplit('/').next().unwrap_or(reference).to_owned();
    }
    for keyword in ["oneOf", "anyOf"] {
        if let Some(schemas) = schema.get(keyword).and_then(Value::as_array) {
            return one_of(schemas.iter().map(kind));
        }
    }
    match schema.get("type") {
        Some(Value::String(name)) => of_type(name, schema),
        Some(Value::Array(names)) => {
            let names = names.iter().filter_map(Value::as_str);
            one_of(names.map(|name| of_type(name, schema)))
        }
        _ if schema.get("properties").is_some() => "object".to_owned(),
        _ => "anything".to_owned(),
    }
}

/// The first sentence of what the schema says of itself.
pub(crate) fn description(schema: &Value) -> &str {
    let text = schema.get("description").and_then(Value::as_str);
    let text = text.unwrap_or_default().trim();
    let line = text.lines().next().unwrap_or_default();
    line.split_inclusive(". ")
        .next()
        .unwrap_or_default()
        .trim_end()
}

fn of_type(name: &str, schema: &Value) -> String {
    match (name, schema.get("format").and_then(Value::as_str)) {
        ("string", Some(format)) => format.to_owned(),
        ("string", None) => "text".to_owned(),
        ("array", _) => match schema.get("items") {
            Some(items) => format!("list of {}", kind(items)),
            None => "list".to_owned(),
        },
        (name, _) => name.to_owned(),
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
            assert_eq!(kind(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn a_description_is_its_first_sentence() {
        let schema = json!({"description": " What it is. And more.\nAnd so on."});
        assert_eq!(description(&schema), "What it is.");
        assert_eq!(description(&json!({})), "");
    }
}
