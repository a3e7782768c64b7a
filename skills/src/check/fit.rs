//! Which values a JSON Schema allows, as far as that decides whether a hole can be filled.

use std::{collections::BTreeSet, fmt};

use serde_json::{Map, Value, json};
use toolwright_schema::{JsonPointer, Root, type_of, types};

/// The greatest number of alternatives that are followed.
const MOST_ALTERNATIVES: usize = 64;

/// The schema of a property.
pub(super) enum Shape {
    /// This one.
    Schema(Value),
    /// Every value fits.
    Anything,
    /// An object has no such property.
    Nothing,
}

/// The types and the values that a schema allows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Types {
    /// The types; none if all are allowed.
    types: Option<BTreeSet<String>>,
    /// The values, if they are listed.
    values: Option<Vec<Value>>,
}

impl Types {
    /// Returns the types of a schema with its definitions.
    pub(super) fn of(schema: &Value) -> Self {
        let mut types = Some(BTreeSet::new());
        let mut values = Some(Vec::new());
        let alternatives = alternatives(schema, schema);
        for alternative in &alternatives {
            let (found, listed) = of_alternative(schema, alternative);
            match (&mut types, found) {
                (Some(types), Some(found)) => types.extend(found),
                _ => types = None,
            }
            match (&mut values, listed) {
                (Some(values), Some(listed)) => values.extend(listed),
                _ => values = None,
            }
        }
        if alternatives.is_empty() {
            (types, values) = (None, None);
        }
        Self { types, values }
    }

    /// Checks whether no value has this type.
    pub(super) fn excludes(&self, found: &str) -> bool {
        let types = self.types.as_ref();
        types.is_some_and(|types| !types.iter().any(|wanted| is_a(found, wanted)))
    }

    /// Checks whether all values are lists or objects.
    pub(super) fn is_composite(&self) -> bool {
        let types = self.types.as_ref();
        types.is_some_and(|types| {
            types
                .iter()
                .all(|found| ["array", "object", "null"].contains(&found.as_str()))
        })
    }

    /// Checks whether some value of these can be one of the others.
    pub(super) fn fits(&self, wanted: &Self) -> bool {
        let by_type = match (&self.types, &wanted.types) {
            (Some(found), Some(wanted)) => found.iter().any(|found| {
                wanted
                    .iter()
                    .any(|wanted| is_a(found, wanted) || is_a(wanted, found))
            }),
            _ => true,
        };
        let by_value = match (&self.values, &wanted.values) {
            (Some(found), Some(wanted)) => found.iter().any(|value| wanted.contains(value)),
            _ => true,
        };
        by_type && by_value
    }
}

impl fmt::Display for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(values) = &self.values {
            let shown: Vec<_> = values.iter().take(8).map(Value::to_string).collect();
            return write!(f, "one of {}", shown.join(", "));
        }
        let Some(types) = &self.types else {
            return f.write_str("any value");
        };
        let words = types.iter().map(|name| match name.as_str() {
            "null" => "null".to_owned(),
            name if name.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {name}"),
            name => format!("a {name}"),
        });
        let words: Vec<String> = words.collect();
        f.write_str(&words.join(" or "))
    }
}

/// Checks whether every value of a type is one of another: integers are numbers.
fn is_a(found: &str, wanted: &str) -> bool {
    found == wanted || (found == "integer" && wanted == "number")
}

fn of_alternative(root: &Value, schema: &Value) -> (Option<BTreeSet<String>>, Option<Vec<Value>>) {
    let (mut found, mut listed) = (None, None);
    for part in Root::new(root).parts(schema) {
        if let Some(values) = part.get("enum").and_then(Value::as_array) {
            listed = Some(values.clone());
        }
        if let Some(value) = part.get("const") {
            listed = Some(vec![value.clone()]);
        }
        let of_part: BTreeSet<String> = types(part).map(str::to_owned).collect();
        if !of_part.is_empty() {
            found = Some(of_part);
        }
    }
    if found.is_none() {
        let of_values = listed
            .as_ref()
            .map(|values| values.iter().map(type_name).collect());
        found = of_values;
    }
    (found, listed)
}

fn type_name(value: &Value) -> String {
    match value {
        Value::Number(number) if number.is_f64() => "number".to_owned(),
        Value::Number(_) => "integer".to_owned(),
        value => type_of(value).to_owned(),
    }
}

/// Returns the alternatives of a schema: the parts of `anyOf` and `oneOf`, or the schema itself.
fn alternatives<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let mut found = Vec::new();
    let mut open = vec![(schema, 0)];
    while let Some((schema, depth)) = open.pop() {
        let Some(schema) = Root::new(root).resolve(schema) else {
            continue;
        };
        let listed = ["anyOf", "oneOf"]
            .into_iter()
            .find_map(|key| schema.get(key)?.as_array());
        match listed {
            Some(listed) if depth < 8 && found.len() + open.len() < MOST_ALTERNATIVES => {
                open.extend(listed.iter().rev().map(|schema| (schema, depth + 1)));
            }
            _ => found.push(schema),
        }
    }
    found
}

/// Returns the schema with the definitions of its root, to be read alone.
fn with_definitions(root: &Value, schema: &Value) -> Value {
    let mut own = match schema {
        Value::Object(own) => own.clone(),
        Value::Bool(false) => return json!({"not": {}}),
        _ => Map::new(),
    };
    for key in ["$defs", "definitions"] {
        if let Some(definitions) = root.get(key) {
            own.entry(key).or_insert_with(|| definitions.clone());
        }
    }
    Value::Object(own)
}

/// Returns the schema of a property of an object.
pub(super) fn property(schema: &Value, name: &str) -> Shape {
    let mut found = Vec::new();
    let mut is_open = false;
    for alternative in alternatives(schema, schema) {
        let mut declared = false;
        let mut closed = false;
        for part in Root::new(schema).parts(alternative) {
            if let Some(property) = part.get("properties").and_then(|own| own.get(name)) {
                found.push(property);
                declared = true;
            }
            match part.get("additionalProperties") {
                Some(Value::Bool(false)) => closed = true,
                Some(Value::Object(_)) if !declared => {
                    found.extend(part.get("additionalProperties"));
                    declared = true;
                }
                _ => {}
            }
        }
        let has_properties = alternative.get("properties").is_some();
        let is_other = Types::of(&with_definitions(schema, alternative)).excludes("object");
        let is_listed = has_properties && is_described(alternative);
        is_open |= ![declared, closed, is_other, is_listed].contains(&true);
    }
    one_of(schema, &found, is_open)
}

/// Checks whether an object's schema lists its properties completely, as far as a person reads it: it
/// declares some and does not mention others.
fn is_described(schema: &Value) -> bool {
    schema.get("additionalProperties").is_none() && schema.get("patternProperties").is_none()
}

/// Returns the schema of the elements of a list.
pub(super) fn items(schema: &Value) -> Value {
    let mut found = Vec::new();
    for alternative in alternatives(schema, schema) {
        for part in Root::new(schema).parts(alternative) {
            found.extend(part.get("items"));
        }
    }
    match one_of(schema, &found, found.is_empty()) {
        Shape::Schema(schema) => schema,
        Shape::Anything | Shape::Nothing => json!(true),
    }
}

/// Returns the schema of a list whose elements have a schema.
pub(super) fn list_of(schema: Value) -> Value {
    let mut list = json!({"type": "array"});
    if let (Some(list), Value::Object(mut element)) = (list.as_object_mut(), schema) {
        for key in ["$defs", "definitions"] {
            if let Some(definitions) = element.shift_remove(key) {
                list.insert(key.to_owned(), definitions);
            }
        }
        list.insert("items".to_owned(), Value::Object(element));
    }
    list
}

fn one_of(root: &Value, found: &[&Value], is_open: bool) -> Shape {
    match found {
        _ if is_open => Shape::Anything,
        [] => Shape::Nothing,
        [one] => Shape::Schema(with_definitions(root, one)),
        several => Shape::Schema(with_definitions(root, &json!({ "anyOf": several }))),
    }
}

/// Returns the schema of the value at a JSON Pointer; none if there can be no such value.
pub(super) fn at(schema: &Value, pointer: &str) -> Option<Value> {
    let mut schema = schema.clone();
    for step in JsonPointer::steps_of(pointer)? {
        let types = Types::of(&schema);
        let is_index = step.chars().all(|c| c.is_ascii_digit());
        schema = match types.excludes("object") {
            true if is_index && !types.excludes("array") => items(&schema),
            true => return None,
            false => match property(&schema, &step) {
                Shape::Schema(schema) => schema,
                Shape::Anything => json!(true),
                Shape::Nothing if is_index && !types.excludes("array") => items(&schema),
                Shape::Nothing => return None,
            },
        };
    }
    Some(schema)
}

/// Returns why a value does not fit a schema; none if it fits, and if the schema cannot be compiled.
pub(super) fn fault(schema: &Value, value: &Value) -> Option<String> {
    let validator = jsonschema::draft202012::new(schema).ok()?;
    let error = validator.iter_errors(value).next()?;
    Some(format!("the tool does not accept this value: {error}"))
}
