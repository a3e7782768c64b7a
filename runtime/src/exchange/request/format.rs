//! The formats of path arguments: `uuid`, `date`, `ipv4`, `int32` and their like.
//!
//! In JSON Schema a format is an annotation, and services accept dates that break it. A format in a
//! path also limits the target of a request, so it is checked there.

use std::{collections::BTreeSet, sync::OnceLock};

use jsonschema::{Validator, draft202012};
use serde_json::{Map, Value, json};
use toolwright_model::{Binding, Bound, Location, ToolSpec};
use toolwright_schema::SharedDefinitions;

use crate::schema::Violation;

/// The formats of integers, each with its least and its greatest value.
const INTEGERS: &[(&str, i128, i128)] = &[
    ("int8", i8::MIN as i128, i8::MAX as i128),
    ("int16", i16::MIN as i128, i16::MAX as i128),
    ("int32", i32::MIN as i128, i32::MAX as i128),
    ("int64", i64::MIN as i128, i64::MAX as i128),
    ("uint8", 0, u8::MAX as i128),
    ("uint16", 0, u16::MAX as i128),
    ("uint32", 0, u32::MAX as i128),
    ("uint64", 0, u64::MAX as i128),
];

/// The formats of a tool's path arguments, compiled when they are first needed.
#[derive(Debug, Default)]
pub struct PathFormats {
    compiled: OnceLock<Result<Option<Validator>, String>>,
}

impl PathFormats {
    /// Returns the path arguments that do not have the format of their schema. No message repeats
    /// a value. The same tool must be given each time.
    ///
    /// # Errors
    /// When the schema of a path argument cannot be compiled.
    pub fn violations(&self, spec: &ToolSpec, arguments: &Value) -> Result<Vec<Violation>, &str> {
        let compiled = self.compiled.get_or_init(|| compile(spec));
        let Some(validator) = compiled.as_ref().map_err(String::as_str)? else {
            return Ok(Vec::new());
        };
        let errors = validator.iter_errors(arguments).map(|error| Violation {
            pointer: error.instance_path().to_string(),
            message: error.masked_with("the value").to_string(),
        });
        Ok(errors.collect())
    }
}

/// Compiles the schemas of the path arguments, formats included; none if they have no format.
fn compile(spec: &ToolSpec) -> Result<Option<Validator>, String> {
    let names = path_arguments(&spec.binding);
    let whole = spec.input_schema.whole();
    let fields = |key: &str| {
        whole
            .get(key)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
    };
    let copy = |(name, schema): (&String, &Value)| (name.clone(), schema.clone());
    let own: Map<String, Value> = fields("properties")
        .filter(|(name, _)| names.contains(name.as_str()))
        .map(copy)
        .collect();
    let definitions: SharedDefinitions = fields("$defs").map(copy).collect();
    let mut schema = definitions.bundle(json!({"type": "object", "properties": own}));
    if !prepare(&mut schema) {
        return Ok(None);
    }
    let mut options = draft202012::options()
        .offline()
        .should_validate_formats(true);
    for &(name, least, greatest) in INTEGERS {
        options = options.with_format(name, move |text: &str| {
            text.parse::<i128>()
                .is_ok_and(|number| (least..=greatest).contains(&number))
        });
    }
    let compiled = options.build(&schema);
    compiled
        .map(Some)
        .map_err(|error| format!("at `{}`: {error}", error.instance_path()))
}

fn path_arguments(binding: &Binding) -> BTreeSet<&str> {
    let Binding::Http(binding) = binding else {
        return BTreeSet::new();
    };
    let parameters = binding.parameters.iter();
    parameters
        .filter(|parameter| parameter.location == Location::Path)
        .filter_map(|parameter| Bound::argument(&parameter.value))
        .collect()
}

/// Prepares a schema: formats of integers become bounds, patterns are removed. Returns whether the
/// schema has any format.
fn prepare(schema: &mut Value) -> bool {
    match schema {
        Value::Array(items) => items
            .iter_mut()
            .fold(false, |has, item| prepare(item) | has),
        Value::Object(fields) => {
            let mut has_format = fields.get("format").is_some_and(Value::is_string);
            // A property may have the name of a keyword; then its value is a schema.
            if fields.get("pattern").is_some_and(Value::is_string) {
                fields.remove("pattern");
            }
            fields.remove("patternProperties");
            bound(fields);
            for value in fields.values_mut() {
                has_format |= prepare(value);
            }
            has_format
        }
        _ => false,
    }
}

/// Adds the bounds of an integer's format.
fn bound(fields: &mut Map<String, Value>) {
    let format = fields.get("format").and_then(Value::as_str);
    let Some((_, least, greatest)) = INTEGERS.iter().find(|(name, ..)| Some(*name) == format)
    else {
        return;
    };
    let bounds = [("minimum", *least), ("maximum", *greatest)];
    for (keyword, bound) in bounds {
        let bound = i64::try_from(bound)
            .map(Value::from)
            .or_else(|_| u64::try_from(bound).map(Value::from));
        if let (Ok(bound), false) = (bound, fields.contains_key(keyword)) {
            fields.insert(keyword.to_owned(), bound);
        }
    }
}
