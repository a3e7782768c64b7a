//! Schemas for the strict functions of `OpenAI`: every property is required, no object has others, and
//! an optional property may be null.

use serde_json::{Map, Value, json};
use toolwright_schema::{Root, type_of, types};

use super::{
    super::rewrite::{
        Arguments, any_of_for_one_of, distributed, is_annotation, merged, prune, restrict,
        split_annotations, without_all_of,
    },
    strict_limits,
};
use crate::ToolSpec;

/// The deepest that schemas are nested.
const DEEPEST: usize = 64;

/// The keywords that a strict schema may have.
const KEPT: [&str; 20] = [
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "multipleOf",
    "pattern",
    "properties",
    "required",
    "type",
];

/// The keywords that it may not have, or not with every value.
pub(super) const DROPPED: [&str; 20] = [
    "contains",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "format",
    "if",
    "maxContains",
    "maxLength",
    "maxProperties",
    "minContains",
    "minLength",
    "minProperties",
    "not",
    "oneOf",
    "pattern",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
];

/// The keywords that say nothing about scalars.
const OF_CONTAINERS: [&str; 4] = ["additionalProperties", "items", "properties", "required"];

/// The formats that a strict schema may have.
const FORMATS: [&str; 9] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "time",
    "uuid",
];

/// Returns the `parameters` of a strict function, or the reason why the arguments have no strict schema.
pub(super) fn schema(spec: &ToolSpec) -> Result<Value, String> {
    let mut schema = Arguments::new(spec).schema;
    any_of_for_one_of(&mut schema);
    without_all_of(&mut schema);
    let whole = schema.clone();
    let strict = Strict {
        root: Root::new(&whole),
    };
    // Definitions that nothing reaches need no strict form.
    prune(&mut schema);
    let definitions = schema
        .as_object_mut()
        .and_then(|schema| schema.shift_remove("$defs"));
    let mut result = strict.node(&schema, "the arguments", DEEPEST)?;
    if let Some(Value::Object(table)) = definitions {
        let table = table.iter().map(|(name, schema)| {
            let schema = strict.node(schema, &format!("`{name}`"), DEEPEST)?;
            Ok((name.clone(), schema))
        });
        let table = table.collect::<Result<Map<_, _>, String>>()?;
        if let Some(result) = result.as_object_mut() {
            result.insert("$defs".to_owned(), table.into());
        }
    }
    restrict(&mut result, is_kept);
    prune(&mut result);
    strict_limits::check(&result)?;
    Ok(result)
}

/// The writer of strict schemas. It follows no references, so it ends.
struct Strict<'a> {
    root: Root<'a>,
}

impl Strict<'_> {
    /// Returns the strict form of a schema, or the reason why it has none. `at` names the place.
    fn node(&self, schema: &Value, at: &str, depth: usize) -> Result<Value, String> {
        let depth = depth
            .checked_sub(1)
            .ok_or_else(|| format!("{at} is nested too deeply"))?;
        let fields = schema
            .as_object()
            .ok_or_else(|| format!("{at} may have any value"))?;
        if fields.contains_key("allOf") {
            return Err(format!("{at} combines schemas that cannot be merged"));
        }
        if fields.contains_key("$ref") {
            return self.reference(fields, at, depth);
        }
        if fields.contains_key("anyOf") {
            return self.alternatives(fields, at, depth);
        }
        let names = types_of(fields);
        match names.as_slice() {
            [] => Err(format!("{at} may have any value")),
            [name] => self.typed(name, fields, at, depth),
            [name, null] | [null, name] if null == "null" => {
                self.typed(name, fields, at, depth).map(nullable)
            }
            names => {
                let variants = names.iter().map(|name| {
                    let mut fields = fields.clone();
                    fields.insert("type".to_owned(), name.as_str().into());
                    Value::Object(fields)
                });
                let (annotations, _) = split_annotations(fields.clone());
                self.any_of(annotations, &variants.collect::<Vec<_>>(), at, depth)
            }
        }
    }

    /// A reference has no neighbours. Annotations are left out, and other keywords are merged into a copy
    /// of the target.
    fn reference(
        &self,
        fields: &Map<String, Value>,
        at: &str,
        depth: usize,
    ) -> Result<Value, String> {
        let mut own = fields.clone();
        let reference = own.shift_remove("$ref").unwrap_or_default();
        if own.keys().all(|keyword| is_annotation(keyword)) {
            return Ok(json!({ "$ref": reference }));
        }
        let target = reference
            .as_str()
            .and_then(|reference| self.root.target(reference));
        let one = target.and_then(|target| merged(&Value::Object(own), target));
        let one = one.ok_or_else(|| format!("{at} combines schemas that cannot be merged"))?;
        self.node(&one, at, depth)
    }

    fn alternatives(
        &self,
        fields: &Map<String, Value>,
        at: &str,
        depth: usize,
    ) -> Result<Value, String> {
        let (annotations, variants) = distributed(fields)
            .ok_or_else(|| format!("{at} combines schemas that cannot be merged"))?;
        self.any_of(annotations, &variants, at, depth)
    }

    fn any_of(
        &self,
        mut annotations: Map<String, Value>,
        variants: &[Value],
        at: &str,
        depth: usize,
    ) -> Result<Value, String> {
        let variants = variants.iter().map(|variant| self.node(variant, at, depth));
        let mut variants = variants.collect::<Result<Vec<Value>, String>>()?;
        if let [one] = variants.as_mut_slice() {
            let one = one.take();
            return Ok(described(one, &annotations));
        }
        annotations.insert("anyOf".to_owned(), variants.into());
        Ok(annotations.into())
    }

    /// Returns the strict form of a schema with one type.
    fn typed(
        &self,
        name: &str,
        fields: &Map<String, Value>,
        at: &str,
        depth: usize,
    ) -> Result<Value, String> {
        let mut fields = fields.clone();
        fields.insert("type".to_owned(), name.into());
        keep_values_of(name, &mut fields, at)?;
        match name {
            "object" => self.object(fields, at, depth),
            "array" => self.array(fields, at, depth),
            _ => {
                fields.retain(|keyword, _| !OF_CONTAINERS.contains(&keyword.as_str()));
                Ok(fields.into())
            }
        }
    }

    fn array(
        &self,
        mut fields: Map<String, Value>,
        at: &str,
        depth: usize,
    ) -> Result<Value, String> {
        if fields.contains_key("prefixItems") {
            return Err(format!("{at} has elements of different schemas"));
        }
        let items = fields.get("items").cloned().unwrap_or(Value::Bool(true));
        let items = self.node(&items, &format!("an element of {at}"), depth)?;
        fields.insert("items".to_owned(), items);
        fields
            .retain(|keyword, _| keyword == "items" || !OF_CONTAINERS.contains(&keyword.as_str()));
        Ok(fields.into())
    }

    fn object(
        &self,
        mut fields: Map<String, Value>,
        at: &str,
        depth: usize,
    ) -> Result<Value, String> {
        let is_open = match fields.get("additionalProperties") {
            Some(others) => others != false,
            None => !fields.contains_key("properties"),
        };
        if is_open || fields.contains_key("patternProperties") {
            return Err(format!("{at} may have any property"));
        }
        let table = fields
            .shift_remove("properties")
            .unwrap_or_else(|| json!({}));
        let table = table.as_object().cloned().unwrap_or_default();
        let names = fields.shift_remove("required").unwrap_or_else(|| json!([]));
        let names = names.as_array().cloned().unwrap_or_default();
        if let Some(name) = names
            .iter()
            .filter_map(Value::as_str)
            .find(|name| !table.contains_key(*name))
        {
            return Err(format!(
                "{at} requires `{name}`, which it does not describe"
            ));
        }
        fields.shift_remove("items");
        let mut properties = Map::new();
        for (name, schema) in &table {
            let schema = self.node(schema, &format!("`{name}`"), depth)?;
            let is_required = names.iter().any(|own| own == name);
            let schema = if is_required {
                schema
            } else {
                nullable(schema)
            };
            properties.insert(name.clone(), schema);
        }
        let all: Vec<&String> = properties.keys().collect();
        fields.insert("required".to_owned(), json!(all));
        fields.insert("properties".to_owned(), properties.into());
        fields.insert("additionalProperties".to_owned(), Value::Bool(false));
        Ok(fields.into())
    }
}

/// Returns the types of a schema: those that it declares, or those that its values and keywords imply.
fn types_of(fields: &Map<String, Value>) -> Vec<String> {
    let declared: Vec<String> = match fields.get("type") {
        Some(name) => types(&json!({"type": name})).map(str::to_owned).collect(),
        None => Vec::new(),
    };
    if !declared.is_empty() {
        return declared;
    }
    let listed = fields.get("enum").and_then(Value::as_array);
    let values = listed.into_iter().flatten().chain(fields.get("const"));
    let mut names: Vec<String> = Vec::new();
    for value in values {
        let name = type_of(value).to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match (names.is_empty(), fields) {
        (false, _) => names,
        (true, fields) if fields.contains_key("properties") => vec!["object".to_owned()],
        (true, fields) if fields.contains_key("items") => vec!["array".to_owned()],
        (true, _) => Vec::new(),
    }
}

/// Keeps the listed values of a type. Only scalars can be listed.
fn keep_values_of(name: &str, fields: &mut Map<String, Value>, at: &str) -> Result<(), String> {
    let is_own = |value: &Value| {
        let own = type_of(value);
        own == name || (name == "number" && own == "integer")
    };
    let mut is_listed = false;
    if let Some(values) = fields.get_mut("enum").and_then(Value::as_array_mut) {
        values.retain(is_own);
        is_listed = true;
        if values.is_empty() {
            return Err(format!("no listed value of {at} has its type"));
        }
    }
    if let Some(value) = fields.get("const") {
        is_listed = true;
        if !is_own(value) {
            return Err(format!("the value of {at} has another type"));
        }
    }
    if is_listed && ["object", "array"].contains(&name) {
        return Err(format!("{at} lists values other than scalars"));
    }
    Ok(())
}

/// Adds the annotations to a schema that has none of its own, and is no reference.
fn described(mut schema: Value, annotations: &Map<String, Value>) -> Value {
    if let Some(fields) = schema
        .as_object_mut()
        .filter(|fields| !fields.contains_key("$ref"))
    {
        for (keyword, value) in annotations {
            fields.entry(keyword).or_insert_with(|| value.clone());
        }
    }
    schema
}

/// Returns the schema that accepts null, too.
fn nullable(schema: Value) -> Value {
    let Value::Object(mut fields) = schema else {
        return schema;
    };
    let only_null = json!({"type": "null"});
    if let Some(variants) = fields.get_mut("anyOf").and_then(Value::as_array_mut) {
        if !variants.iter().any(admits_null) {
            variants.push(only_null);
        }
        return fields.into();
    }
    if fields.contains_key("$ref") {
        return json!({"anyOf": [fields, only_null]});
    }
    if let Some(value) = fields.shift_remove("const") {
        fields.insert("enum".to_owned(), json!([value]));
    }
    if let Some(values) = fields.get_mut("enum").and_then(Value::as_array_mut)
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    let names = match fields.get("type") {
        Some(Value::String(name)) if name != "null" => json!([name, "null"]),
        Some(names) => names.clone(),
        None => return fields.into(),
    };
    fields.insert("type".to_owned(), names);
    fields.into()
}

fn admits_null(schema: &Value) -> bool {
    types(schema).any(|name| name == "null")
}

fn is_kept(keyword: &str, value: &Value, _: &Map<String, Value>) -> bool {
    match keyword {
        "format" => value
            .as_str()
            .is_some_and(|format| FORMATS.contains(&format)),
        // Look-around is not regular, and a grammar for the model's output cannot express it.
        "pattern" => value
            .as_str()
            .is_some_and(|pattern| !has_look_around(pattern)),
        keyword => KEPT.contains(&keyword),
    }
}

fn has_look_around(pattern: &str) -> bool {
    ["(?=", "(?!", "(?<"]
        .iter()
        .any(|group| pattern.contains(group))
}
