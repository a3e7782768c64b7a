//! Masks the secrets among the arguments that a person is shown.
//!
//! The schema decides what is a secret: `writeOnly`, or the format `password`. So does the
//! operator's list of places. The name of a key decides nothing, since the caller may have chosen
//! it. Only scalars are masked: the keys and the shape of the value are always shown.
//!
//! A string that is a URL as a whole loses its password, which no schema declares. Only the
//! receiver of the credentials reads that part, so the caller can hide nothing else there.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    str::FromStr,
    sync::{Mutex, OnceLock, PoisonError},
};

use serde_json::{Map, Value};
use toolwright_schema::{JsonPointer, Root, declares_secret, reference, walk};

use crate::{
    canonical::digest,
    schema::{self, Fits, Parts},
    secret::without_url_password,
};

/// The most subschemas that are looked at for one value. Schemas can refer to each other in
/// circles.
const MOST_SCHEMAS: usize = 256;

/// The most compiled parts of a schema that are kept from one call to the next.
const MOST_KEPT: usize = 64;

/// The number of hexadecimal digits that are shown of a masked value's digest.
const DIGITS: usize = 16;

/// A JSON Pointer into the arguments. The token `*` matches each element of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentPointer(Vec<String>);

/// The masks by one schema of a tool. What a call compiles, the next one uses.
#[derive(Default)]
pub(crate) struct Masks {
    declares_secret: OnceLock<bool>,
    schema: OnceLock<Box<WholeSchema>>,
}

/// A schema, with the parts of it that were compiled.
struct WholeSchema {
    schema: Value,
    parts: Parts,
    /// Checks by the address of the part, which stays the same: the schema is never changed or moved.
    branches: Mutex<BTreeMap<usize, Fits>>,
    patterns: Mutex<BTreeMap<String, Fits>>,
}

/// The position of a value: the schemas that apply to it, and the listed places at or below it.
struct Position<'a> {
    schemas: Vec<&'a Value>,
    listed: Vec<&'a [String]>,
}

impl Masks {
    /// Returns a value with each secret replaced by its length and digest. Every call must pass the same schema.
    pub(crate) fn mask(&self, value: &Value, schema: &Value, listed: &[ArgumentPointer]) -> Value {
        let declares = || walk(schema).any(|part| declares_secret(part.schema));
        if listed.is_empty() && !*self.declares_secret.get_or_init(declares) {
            return mask_urls(value);
        }
        let whole = || Box::new(WholeSchema::new(schema.clone()));
        self.schema.get_or_init(whole).mask(value, listed)
    }
}

impl FromStr for ArgumentPointer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match JsonPointer::steps_of(text) {
            Some(steps) if !text.is_empty() => Ok(Self(steps.map(Cow::into_owned).collect())),
            _ => Err(format!(
                "`{text}` is not a place in the arguments: a JSON Pointer such as `/password` or `/users/*/pin`"
            )),
        }
    }
}

impl<'a> Position<'a> {
    fn mask(&self, value: &Value, root: &'a WholeSchema, within_secret: bool) -> Value {
        let declared = self.schemas.iter().any(|schema| declares_secret(schema));
        let listed = self.listed.iter().any(|steps| steps.is_empty());
        let secret = within_secret || declared || listed;
        match value {
            Value::Object(fields) => {
                let field = |(name, field): (&String, &Value)| {
                    let position = self.field(name, field, root);
                    (name.clone(), position.mask(field, root, secret))
                };
                Value::Object(fields.iter().map(field).collect::<Map<_, _>>())
            }
            Value::Array(items) => {
                let item = |(index, item): (usize, &Value)| {
                    self.item(index, item, root).mask(item, root, secret)
                };
                items.iter().enumerate().map(item).collect()
            }
            Value::Null => Value::Null,
            scalar if secret => mask_scalar(scalar).into(),
            scalar => mask_urls(scalar),
        }
    }

    /// The position of a field. The operator's list reaches only properties that the schema
    /// declares: the caller cannot hide a value by giving it a listed name.
    fn field(&self, name: &str, value: &Value, root: &'a WholeSchema) -> Self {
        let mut is_declared = false;
        let mut found: Vec<&Value> = Vec::new();
        for schema in &self.schemas {
            let property = schema.get("properties").and_then(|all| all.get(name));
            is_declared |= property.is_some();
            let patterns = schema.get("patternProperties").and_then(Value::as_object);
            let patterns = patterns.into_iter().flatten();
            let matched = patterns.filter(|(pattern, _)| root.matches(pattern, name));
            let own: Vec<&Value> = property
                .into_iter()
                .chain(matched.map(|(_, schema)| schema))
                .collect();
            if own.is_empty() {
                found.extend(schema.get("additionalProperties"));
            }
            found.extend(own);
        }
        if found.is_empty() {
            let rest = self.schemas.iter();
            found.extend(rest.filter_map(|schema| schema.get("unevaluatedProperties")));
        }
        let step = |steps: &&'a [String]| match steps.split_first() {
            Some((first, rest)) if is_declared && first == name => Some(rest),
            _ => None,
        };
        Self {
            schemas: root.applicable(found, value),
            listed: self.listed.iter().filter_map(step).collect(),
        }
    }

    fn item(&self, index: usize, value: &Value, root: &'a WholeSchema) -> Self {
        let schemas = self.schemas.iter().flat_map(|schema| {
            let first = schema.get("prefixItems").and_then(|items| items.get(index));
            let rest = || schema.get("items").or(schema.get("unevaluatedItems"));
            let contained = schema.get("contains");
            let contained = contained.filter(|branch| root.fits(branch, value));
            first.or_else(rest).into_iter().chain(contained)
        });
        let step = |steps: &&'a [String]| match steps.split_first() {
            Some((first, rest)) if first == "*" || *first == index.to_string() => Some(rest),
            _ => None,
        };
        Self {
            schemas: root.applicable(schemas, value),
            listed: self.listed.iter().filter_map(step).collect(),
        }
    }
}

impl WholeSchema {
    fn new(schema: Value) -> Self {
        Self {
            schema,
            parts: Parts::default(),
            branches: Mutex::default(),
            patterns: Mutex::default(),
        }
    }

    fn mask(&self, value: &Value, listed: &[ArgumentPointer]) -> Value {
        let position = Position {
            schemas: self.applicable([&self.schema], value),
            listed: listed.iter().map(|pointer| pointer.0.as_slice()).collect(),
        };
        let masked = position.mask(value, self, false);
        forget_many(&self.branches);
        forget_many(&self.patterns);
        masked
    }

    /// Returns the schemas with all that apply to the same value: references, and the branches that
    /// the value fits. So the caller cannot hide a value in a branch that it does not choose.
    fn applicable<'a>(
        &'a self,
        schemas: impl IntoIterator<Item = &'a Value>,
        value: &Value,
    ) -> Vec<&'a Value> {
        let mut found: Vec<&Value> = Vec::new();
        let mut unseen: Vec<&Value> = schemas.into_iter().collect();
        while let Some(schema) = unseen.pop() {
            let is_known = found.iter().any(|known| std::ptr::eq(*known, schema));
            if is_known || found.len() == MOST_SCHEMAS {
                continue;
            }
            found.push(schema);
            let branches = |keyword: &str| schema.get(keyword).and_then(Value::as_array);
            unseen.extend(branches("allOf").into_iter().flatten());
            for keyword in ["anyOf", "oneOf"] {
                let branches = branches(keyword).into_iter().flatten();
                unseen.extend(branches.filter(|branch| self.fits(branch, value)));
            }
            if let Some(condition) = schema.get("if") {
                let holds = self.fits(condition, value);
                unseen.extend(Some(condition).filter(|_| holds));
                unseen.extend(schema.get(if holds { "then" } else { "else" }));
            }
            let dependent = schema.get("dependentSchemas").and_then(Value::as_object);
            let dependent = dependent.into_iter().flatten();
            let dependent = dependent.filter(|(name, _)| value.get(name.as_str()).is_some());
            unseen.extend(dependent.map(|(_, schema)| schema));
            let root = Root::new(&self.schema);
            let target = reference(schema).and_then(|target| root.target(target));
            unseen.extend(target);
        }
        found
    }

    /// Checks whether a value fits a part of the schema.
    fn fits(&self, part: &Value, value: &Value) -> bool {
        let address = std::ptr::from_ref(part).addr();
        let compile = || self.parts.fits(part, &self.schema);
        compiled(&self.branches, address, compile)(value)
    }

    /// Checks whether a pattern of `patternProperties` is about a name.
    fn matches(&self, pattern: &str, name: &str) -> bool {
        let compile = || schema::matches(pattern);
        compiled(&self.patterns, pattern.to_owned(), compile)(&Value::from(name))
    }
}

/// Returns the check with this key. Compiles it without the lock: two calls may do so at once.
fn compiled<K: Ord>(kept: &Mutex<BTreeMap<K, Fits>>, key: K, compile: impl Fn() -> Fits) -> Fits {
    let lock = || kept.lock().unwrap_or_else(PoisonError::into_inner);
    let known = lock().get(&key).cloned();
    known.unwrap_or_else(|| {
        let new = compile();
        lock().insert(key, new.clone());
        new
    })
}

/// Forgets all checks if there are many: a schema may have thousands of branches.
fn forget_many<K>(kept: &Mutex<BTreeMap<K, Fits>>) {
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() > MOST_KEPT {
        kept.clear();
    }
}

/// Returns a value whose strings contain no password of a URL: `postgresql://user:***@host`.
fn mask_urls(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(without_url_password(text)),
        Value::Array(items) => items.iter().map(mask_urls).collect(),
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(name, field)| (name.clone(), mask_urls(field)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

/// Returns a value with each scalar masked.
pub(super) fn mask_whole(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter();
            Value::Object(
                fields
                    .map(|(name, field)| (name.clone(), mask_whole(field)))
                    .collect(),
            )
        }
        Value::Array(items) => items.iter().map(mask_whole).collect(),
        Value::Null => Value::Null,
        scalar => mask_scalar(scalar).into(),
    }
}

/// Returns the mask of a scalar: its length, and the first digits of its SHA-256, which distinguish
/// two values.
fn mask_scalar(scalar: &Value) -> String {
    let length = match scalar {
        Value::String(text) => text.chars().count(),
        other => other.to_string().len(),
    };
    let digest: String = digest(scalar).chars().take(DIGITS).collect();
    let unit = if length == 1 {
        "character"
    } else {
        "characters"
    };
    format!("(masked: {length} {unit}, sha256 {digest}…)")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn mask(value: &Value, schema: &Value, listed: &[ArgumentPointer]) -> Value {
        Masks::default().mask(value, schema, listed)
    }

    fn is_masked(value: &Value) -> bool {
        value
            .as_str()
            .is_some_and(|text| text.starts_with("(masked: "))
    }

    #[test]
    fn only_declared_secrets_are_masked() {
        let schema = json!({
            "properties": {
                "pin": {"type": "integer", "writeOnly": true},
                "users": {"items": {"$ref": "#/$defs/user"}},
                "either": {"oneOf": [{"type": "string", "format": "password"}, {"type": "null"}]},
                "box": {"type": "object", "writeOnly": true},
                "free": {"type": "object"},
            },
            "$defs": {"user": {"allOf": [{"properties": {"code": {"format": "password"}}}]}},
        });
        let arguments = json!({
            "pin": 1234, "users": [{"code": "y", "nick": "n"}], "either": "z",
            "box": {"deep": ["x", {"k": true}]},
            "free": {"token_note": ["role=admin"], "password": {"a": "b"}}, "secret_name": "KEY",
        });
        let shown = mask(&arguments, &schema, &[]);
        for place in [
            "/pin",
            "/users/0/code",
            "/either",
            "/box/deep/0",
            "/box/deep/1/k",
        ] {
            assert!(
                is_masked(shown.pointer(place).unwrap()),
                "{place} in {shown}"
            );
        }
        for place in ["/users/0/nick", "/free", "/secret_name"] {
            assert_eq!(shown.pointer(place), arguments.pointer(place), "{place}");
        }
    }

    #[test]
    fn a_mask_applies_to_the_described_value_only() {
        let secret = json!({"type": "string", "writeOnly": true});
        let kind = |kind: &str, value: &Value| json!({"properties": {"kind": {"const": kind}, "value": value}});
        let (plain, hidden) = (
            kind("plain", &json!({"type": "string"})),
            kind("secret", &secret),
        );
        for (schema, arguments, masked) in [
            (
                json!({"oneOf": [plain, hidden]}),
                json!({"kind": "plain", "value": "x"}),
                false,
            ),
            (
                json!({"oneOf": [plain, hidden]}),
                json!({"kind": "secret", "value": "x"}),
                true,
            ),
            (
                json!({"anyOf": [plain, hidden]}),
                json!({"kind": "plain", "value": "x"}),
                false,
            ),
            (
                json!({"if": plain, "else": hidden}),
                json!({"kind": "plain", "value": "x"}),
                false,
            ),
            (
                json!({"if": plain, "else": hidden}),
                json!({"kind": "secret", "value": "x"}),
                true,
            ),
            (
                json!({"dependentSchemas": {"kind": hidden}}),
                json!({"value": "x"}),
                false,
            ),
            (
                json!({"patternProperties": {"^s-": secret}}),
                json!({"value": "x"}),
                false,
            ),
            (
                json!({"patternProperties": {"^v": secret}}),
                json!({"value": "x"}),
                true,
            ),
            (
                json!({"patternProperties": {"(?!x)": secret}}),
                json!({"value": "x"}),
                false,
            ),
            (
                json!({"patternProperties": {"^v": {}}, "additionalProperties": secret}),
                json!({"value": "x"}),
                false,
            ),
            (
                json!({"additionalProperties": secret}),
                json!({"value": "x"}),
                true,
            ),
            (
                json!({"unevaluatedProperties": secret}),
                json!({"value": "x"}),
                true,
            ),
            (
                json!({"properties": {"value": {"$ref": "#/$defs/a"}}, "$defs": {"a": secret}}),
                json!({"value": "x"}),
                true,
            ),
            (
                json!({"properties": {"value": {"$ref": "#/$defs/a%20b"}}, "$defs": {"a b": secret}}),
                json!({"value": "x"}),
                true,
            ),
        ] {
            let shown = mask(&arguments, &schema, &[]);
            assert_eq!(is_masked(&shown["value"]), masked, "{schema} {shown}");
        }
    }

    #[test]
    fn the_operators_list_reaches_declared_properties_only() {
        let schema = json!({"properties": {
            "note": {"type": "string"},
            "rows": {"items": {"properties": {"cell": {"type": "string"}}}},
            "free": {"type": "object"},
        }});
        let listed: Vec<_> = ["/note", "/rows/*/cell", "/free/note"]
            .iter()
            .filter_map(|text| text.parse().ok())
            .collect();
        let arguments =
            json!({"note": "a", "rows": [{"cell": "b", "x": "c"}], "free": {"note": "d"}});
        let shown = mask(&arguments, &schema, &listed);
        assert!(
            is_masked(&shown["note"]) && is_masked(&shown["rows"][0]["cell"]),
            "{shown}"
        );
        assert_eq!(shown["rows"][0]["x"], "c");
        assert_eq!(shown["free"], json!({"note": "d"}));
    }

    #[test]
    fn a_mask_shows_the_length_and_distinguishes_values() {
        let digest: String = digest(&json!("hunter2")).chars().take(DIGITS).collect();
        let expected = format!("(masked: 7 characters, sha256 {digest}…)");
        assert_eq!(mask_scalar(&json!("hunter2")), expected);
        assert_ne!(mask_scalar(&json!("a")), mask_scalar(&json!("b")));
    }

    #[test]
    fn a_later_call_is_masked_by_its_own_values() {
        let branches = (0..=MOST_KEPT).map(|number| {
            let value = json!({"type": "string", "writeOnly": number == MOST_KEPT});
            json!({"properties": {"kind": {"const": number}, "value": value}})
        });
        let schema = json!({"oneOf": branches.collect::<Vec<_>>()});
        let few = json!({"oneOf": schema["oneOf"].as_array().unwrap()[MOST_KEPT - 1..]});
        for (schema, kept) in [(&schema, 0), (&few, 2)] {
            let masks = Masks::default();
            for number in [MOST_KEPT, MOST_KEPT - 1, MOST_KEPT] {
                let arguments = json!({"kind": number, "value": "x"});
                let shown = masks.mask(&arguments, schema, &[]);
                assert_eq!(is_masked(&shown["value"]), number == MOST_KEPT, "{shown}");
                let branches = &masks.schema.get().unwrap().branches;
                assert_eq!(branches.lock().unwrap().len(), kept);
            }
        }
    }

    #[test]
    fn circular_schemas_terminate() {
        let schema = json!({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#"}]}}});
        assert_eq!(mask(&json!({"x": [1]}), &schema, &[]), json!({"x": [1]}));
    }
}
