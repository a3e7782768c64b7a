//! Schemas without references, for dialects that have none.

use serde_json::{Map, Value, json};
use toolwright_schema::{Root, reference, required, types};

use super::merged;

/// The numbers of times that a reference may be followed within itself, the first that fits is used.
const REPEATS: [usize; 3] = [2, 1, 0];

/// The most schemas of a schema without references.
const MOST_SCHEMAS: usize = 2_000;

/// The deepest that schemas are nested.
const DEEPEST: usize = 64;

/// Returns the schema with a copy of its target for each reference.
///
/// A schema that contains itself is copied a few times. Deeper values cannot be written: the optional
/// property that would contain them is left out, or the list is empty. So are the last optional
/// properties of a schema that is too large. The schema accepts no value that the original refuses,
/// except if the original requires more than fits: the properties of the root then have their types and
/// descriptions only.
pub(in crate::render) fn inlined(schema: &Value) -> Value {
    let copy = |repeats, limit| {
        let mut copies = Copies {
            root: Root::new(schema),
            open: Vec::new(),
            repeats,
            left: MOST_SCHEMAS,
            is_exceeded: false,
        };
        let copy = copies.copy(schema, DEEPEST);
        copy.filter(|_| limit == Limit::Cut || !copies.is_exceeded)
    };
    let attempts = REPEATS.into_iter().map(|repeats| (repeats, Limit::Refuse));
    let attempts = attempts.chain([(0, Limit::Cut)]);
    let mut copies = attempts.filter_map(|(repeats, limit)| copy(repeats, limit));
    copies.next().unwrap_or_else(|| outline(schema))
}

/// What becomes of a copy with too many schemas.
#[derive(PartialEq, Eq)]
enum Limit {
    /// It is not used.
    Refuse,
    /// Its last optional properties are left out.
    Cut,
}

/// Copies of schemas.
struct Copies<'a> {
    root: Root<'a>,
    /// The references that are being followed.
    open: Vec<&'a str>,
    /// How often a reference may be followed within itself.
    repeats: usize,
    /// The number of schemas that still fit.
    left: usize,
    /// True if more schemas would have been copied.
    is_exceeded: bool,
}

impl<'a> Copies<'a> {
    /// Returns a copy of a schema, or `None` if none fits.
    fn copy(&mut self, schema: &'a Value, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let left = self.left.checked_sub(1);
        self.is_exceeded |= left.is_none();
        self.left = left?;
        let Some(fields) = schema.as_object() else {
            return Some(schema.clone());
        };
        let own = self.copy_fields(fields, depth)?;
        match reference(schema) {
            None => Some(own),
            Some(reference) => {
                let target = self.copy_target(reference, depth)?;
                Some(merged(&own, &target).unwrap_or_else(|| with_all_of(own, target)))
            }
        }
    }

    fn copy_target(&mut self, reference: &'a str, depth: usize) -> Option<Value> {
        let within = self.open.iter().filter(|open| **open == reference).count();
        if within > self.repeats {
            return None;
        }
        let target = self.root.target(reference)?;
        self.open.push(reference);
        let copy = self.copy(target, depth);
        self.open.pop();
        copy
    }

    /// Returns a copy of a schema without its reference and its definitions.
    fn copy_fields(&mut self, fields: &'a Map<String, Value>, depth: usize) -> Option<Value> {
        let mut copy = Map::new();
        let mut is_complete = true;
        for (keyword, value) in fields {
            let copied = match (keyword.as_str(), value) {
                ("$ref" | "$defs", _) => continue,
                ("properties", Value::Object(table)) => {
                    let kept = self.copy_properties(table, fields, depth)?;
                    is_complete = kept.len() == table.len();
                    kept.into()
                }
                ("items" | "additionalProperties", _) => match self.copy(value, depth) {
                    Some(schema) => schema,
                    None if keyword == "items" => {
                        copy.insert("maxItems".to_owned(), json!(0));
                        continue;
                    }
                    None => Value::Bool(false),
                },
                ("anyOf" | "oneOf", Value::Array(variants)) => {
                    let variants = variants
                        .iter()
                        .filter_map(|variant| self.copy(variant, depth));
                    let variants: Vec<Value> = variants.collect();
                    (!variants.is_empty()).then(|| json!(variants))?
                }
                ("allOf" | "prefixItems", Value::Array(all)) => {
                    let all = all.iter().map(|schema| self.copy(schema, depth));
                    all.collect::<Option<Vec<Value>>>()?.into()
                }
                ("patternProperties" | "dependentSchemas", Value::Object(table)) => {
                    let table = table.iter();
                    let table =
                        table.map(|(name, schema)| Some((name.clone(), self.copy(schema, depth)?)));
                    table.collect::<Option<Map<String, Value>>>()?.into()
                }
                (
                    "contains"
                    | "contentSchema"
                    | "else"
                    | "if"
                    | "not"
                    | "propertyNames"
                    | "then"
                    | "unevaluatedItems"
                    | "unevaluatedProperties",
                    _,
                ) => self.copy(value, depth)?,
                ("maxItems", _) if copy.get("maxItems").is_some() => continue,
                _ => value.clone(),
            };
            copy.insert(keyword.clone(), copied);
        }
        if !is_complete {
            // A property that is left out must not have another value.
            copy.insert("additionalProperties".to_owned(), Value::Bool(false));
            copy.shift_remove("patternProperties");
        }
        Some(copy.into())
    }

    /// Returns the properties that have a copy, or `None` if a required one has none.
    fn copy_properties(
        &mut self,
        table: &'a Map<String, Value>,
        fields: &'a Map<String, Value>,
        depth: usize,
    ) -> Option<Map<String, Value>> {
        let is_required = |name: &str| {
            let names = fields.get("required").and_then(Value::as_array);
            names.is_some_and(|names| names.iter().any(|own| own == name))
        };
        let mut kept = Map::new();
        for (name, schema) in table {
            match self.copy(schema, depth) {
                Some(copy) => drop(kept.insert(name.clone(), copy)),
                None if is_required(name) => return None,
                None => {}
            }
        }
        Some(kept)
    }
}

/// Returns a schema that accepts what both accept.
fn with_all_of(mut own: Value, other: Value) -> Value {
    match own.get_mut("allOf").and_then(Value::as_array_mut) {
        Some(all) => all.push(other),
        None => {
            if let Some(fields) = own.as_object_mut() {
                fields.insert("allOf".to_owned(), json!([other]));
            }
        }
    }
    own
}

/// Returns the types and descriptions of the root's properties.
fn outline(schema: &Value) -> Value {
    let root = Root::new(schema);
    let properties = toolwright_schema::properties(schema).map(|(name, property)| {
        let mut outline = Map::new();
        let target = root.resolve(property).unwrap_or(property);
        let names: Vec<&str> = types(target).collect();
        match names.as_slice() {
            [] => {}
            [name] => drop(outline.insert("type".to_owned(), json!(name))),
            names => drop(outline.insert("type".to_owned(), json!(names))),
        }
        let description = [property, target]
            .into_iter()
            .find_map(|schema| schema.get("description"));
        if let Some(description) = description {
            outline.insert("description".to_owned(), description.clone());
        }
        (name.to_owned(), outline.into())
    });
    let properties: Map<String, Value> = properties.collect();
    let required: Vec<&str> = required(schema).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_become_copies() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": {"$ref": "#/$defs/A", "description": "own"},
                "b": {"$ref": "#/$defs/B"},
            },
            "$defs": {
                "A": {"type": "string", "description": "of A", "maxLength": 3},
                "B": {"type": "array", "items": {"$ref": "#/$defs/A"}},
            },
        });
        assert_eq!(
            inlined(&schema),
            json!({
                "type": "object",
                "properties": {
                    "a": {"description": "own", "type": "string", "maxLength": 3},
                    "b": {"type": "array", "items": {"type": "string", "description": "of A", "maxLength": 3}},
                },
            })
        );
    }

    #[test]
    fn a_schema_within_itself_ends() {
        let node = json!({
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "next": {"$ref": "#/$defs/Node"},
                "all": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
                "one": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
            },
        });
        let schema =
            json!({"properties": {"node": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}});
        let copy = inlined(&schema);
        assert!(!copy.to_string().contains("$ref"));
        let last = &copy["properties"]["node"]["properties"]["next"]["properties"]["next"];
        assert_eq!(
            last,
            &json!({
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "all": {"type": "array", "maxItems": 0},
                    "one": {"anyOf": [{"type": "null"}]},
                },
                "additionalProperties": false,
            })
        );
    }

    #[test]
    fn what_never_ends_has_its_type() {
        let endless = json!({"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#/$defs/E"}}});
        let schema = json!({
            "type": "object",
            "required": ["x"],
            "properties": {"x": {"$ref": "#/$defs/E", "description": "d"}, "y": {"type": ["string", "null"]}},
            "$defs": {"E": endless},
        });
        assert_eq!(
            inlined(&schema),
            json!({
                "type": "object",
                "properties": {"x": {"type": "object", "description": "d"}, "y": {"type": ["string", "null"]}},
                "required": ["x"],
            })
        );
        let wide: Map<String, Value> = (0..3_000)
            .map(|i| (format!("p{i}"), json!({"type": "null"})))
            .collect();
        let names: Vec<&String> = wide.keys().collect();
        let mut schema = json!({"type": "object", "properties": {
            "wide": {"type": "object", "properties": wide, "required": names},
        }});
        assert_eq!(inlined(&schema)["properties"], json!({}));
        schema["required"] = json!(["wide"]);
        assert_eq!(
            inlined(&schema)["properties"]["wide"],
            json!({"type": "object"})
        );
        if let Some(fields) = schema["properties"]["wide"].as_object_mut() {
            fields.remove("required");
        }
        let cut = &inlined(&schema)["properties"]["wide"];
        assert_eq!(
            cut["properties"].as_object().unwrap().len(),
            MOST_SCHEMAS - 2
        );
        assert_eq!(cut["additionalProperties"], false);
    }
}
