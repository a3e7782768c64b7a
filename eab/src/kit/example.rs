//! A small value that a schema accepts.

use serde_json::{Map, Value, json};

/// The depth to which schemas are followed. A schema that needs more has no small value.
const DEEPEST: usize = 12;

/// Returns a value that the schema accepts: its own example, or else the smallest that can be made.
/// None if it cannot be made from types and bounds alone.
#[must_use]
pub fn example(schema: &Value) -> Option<Value> {
    let value = Maker { root: schema }.make(schema, DEEPEST)?;
    let validator = jsonschema::draft202012::new(schema).ok()?;
    validator.is_valid(&value).then_some(value)
}

struct Maker<'s> {
    root: &'s Value,
}

impl Maker<'_> {
    fn make(&self, schema: &Value, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let schema = match schema {
            Value::Bool(true) => return Some(Value::Null),
            Value::Object(schema) => schema,
            _ => return None,
        };
        if let Some(value) = own_example(schema) {
            return Some(value);
        }
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return self.make(self.root.pointer(reference.strip_prefix('#')?)?, depth);
        }
        for union in ["oneOf", "anyOf"] {
            if let Some(variants) = schema.get(union).and_then(Value::as_array) {
                return variants
                    .iter()
                    .find_map(|variant| self.make(variant, depth));
            }
        }
        let parts = schema.get("allOf").and_then(Value::as_array);
        if let Some(parts) = parts.filter(|_| !schema.contains_key("type")) {
            return parts.iter().find_map(|part| self.make(part, depth));
        }
        let kind = match schema.get("type") {
            Some(Value::String(kind)) => kind.as_str(),
            Some(Value::Array(kinds)) => kinds.first()?.as_str()?,
            _ if schema.contains_key("properties") => "object",
            _ => "null",
        };
        match kind {
            "object" => self.object(schema, depth),
            "array" => self.array(schema, depth),
            "string" => Some(string(schema)),
            "integer" => Some(json!(number(schema).ceil())).and_then(whole),
            "number" => Some(json!(number(schema))),
            "boolean" => Some(json!(false)),
            _ => Some(Value::Null),
        }
    }

    fn object(&self, schema: &Map<String, Value>, depth: usize) -> Option<Value> {
        let properties = schema.get("properties").and_then(Value::as_object);
        let required = schema.get("required").and_then(Value::as_array);
        let mut fields = Map::new();
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            let property = properties.and_then(|properties| properties.get(name));
            let value = match property {
                Some(property) => self.make(property, depth)?,
                None => Value::Null,
            };
            fields.insert(name.to_owned(), value);
        }
        Some(Value::Object(fields))
    }

    fn array(&self, schema: &Map<String, Value>, depth: usize) -> Option<Value> {
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
        let any = Value::Bool(true);
        let items = schema.get("items").unwrap_or(&any);
        let items = (0..least.min(100)).map(|_| self.make(items, depth));
        items.collect::<Option<Vec<_>>>().map(Value::Array)
    }
}

/// Returns the schema's own example.
fn own_example(schema: &Map<String, Value>) -> Option<Value> {
    let first = |key: &str| schema.get(key)?.as_array()?.first().cloned();
    schema
        .get("const")
        .cloned()
        .or_else(|| first("examples"))
        .or_else(|| schema.get("example").cloned())
        .or_else(|| schema.get("default").cloned())
        .or_else(|| first("enum"))
}

fn string(schema: &Map<String, Value>) -> Value {
    let least = schema.get("minLength").and_then(Value::as_u64);
    let length = usize::try_from(least.unwrap_or(0)).unwrap_or(0);
    let text = match schema.get("format").and_then(Value::as_str) {
        Some("uuid") => "00000000-0000-4000-8000-000000000000".to_owned(),
        Some("date") => "2026-01-01".to_owned(),
        Some("date-time") => "2026-01-01T00:00:00Z".to_owned(),
        Some("uri") => "http://localhost/".to_owned(),
        _ => "a".repeat(length.min(10_000)),
    };
    Value::String(text)
}

fn number(schema: &Map<String, Value>) -> f64 {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let least = bound("minimum").or_else(|| Some(bound("exclusiveMinimum")? + 1.0));
    let most = bound("maximum").or_else(|| Some(bound("exclusiveMaximum")? - 1.0));
    let value = least.unwrap_or(0.0);
    most.map_or(value, |most| value.min(most))
}

fn whole(value: Value) -> Option<Value> {
    let number = value.as_f64()?;
    serde_json::from_str(&format!("{number:.0}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_values_fit_their_schemas() {
        for (schema, expected) in [
            (json!({"type": "integer", "minimum": 3}), json!(3)),
            (json!({"type": "string", "minLength": 2}), json!("aa")),
            (json!({"enum": ["x", "y"]}), json!("x")),
            (json!({"anyOf": [{"type": "boolean"}]}), json!(false)),
            (
                json!({"type": "object", "required": ["a"], "properties": {
                    "a": {"$ref": "#/$defs/A"}, "b": {}},
                    "$defs": {"A": {"type": "array", "minItems": 1, "items": {"type": "number"}}}}),
                json!({"a": [0.0]}),
            ),
        ] {
            assert_eq!(example(&schema), Some(expected), "{schema}");
        }
    }

    #[test]
    fn a_schema_without_a_small_value_has_no_example() {
        for schema in [
            json!({"type": "string", "pattern": "^[0-9]{4}$"}),
            json!({"$ref": "#/$defs/A", "$defs": {"A": {
                "type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/$defs/A"}}}}}),
            json!(false),
        ] {
            assert_eq!(example(&schema), None, "{schema}");
        }
    }
}
