//! Reads the arguments of a tool.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use toolwright::config::{
    Place,
    reader::{ConfigReader, TomlNode},
};
use toolwright_model::{
    settings::{Node as _, Reader as _},
    text::has_invisible,
};
use toolwright_skills::Parameter;

/// The arguments of a tool: their schemas, and which are required.
#[derive(Clone, Debug)]
pub(crate) struct Arguments {
    schemas: Map<String, Value>,
    required: Vec<String>,
    places: BTreeMap<String, Place>,
}

impl Arguments {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.schemas.contains_key(name)
    }

    pub(crate) fn requires(&self, name: &str) -> bool {
        self.required.iter().any(|required| required == name)
    }

    /// Returns the schemas, by the names of the arguments.
    pub(crate) const fn schemas(&self) -> &Map<String, Value> {
        &self.schemas
    }

    /// Returns the names of the required ones.
    pub(crate) fn required(&self) -> &[String] {
        &self.required
    }

    /// Returns the schema of an argument.
    pub(crate) fn schema(&self, name: &str) -> Option<&Value> {
        self.schemas.get(name)
    }

    /// Returns the arguments as parameters of a sequence.
    pub(crate) fn parameters(&self) -> Vec<Parameter> {
        let schemas = self.schemas.iter();
        let parameters = schemas.filter_map(|(name, schema)| {
            Some(Parameter {
                name: name.clone(),
                schema: schema.clone(),
                optional: !self.requires(name),
                place: self.places.get(name)?.clone(),
            })
        });
        parameters.collect()
    }

    /// Returns the place of an argument.
    pub(crate) fn place(&self, name: &str) -> Option<&Place> {
        self.places.get(name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.schemas.keys().map(String::as_str)
    }
}

/// Checks a name of an argument.
pub(crate) fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(is_part)
}

pub(crate) fn read(document: TomlNode<'_>, reader: &mut ConfigReader) -> Arguments {
    let mut arguments = Arguments {
        schemas: Map::new(),
        required: Vec::new(),
        places: BTreeMap::new(),
    };
    let table = reader.table_at(document, "arguments");
    let entries = table.and_then(|table| table.entries());
    for (name, place, node) in entries.into_iter().flatten() {
        if !is_name(name) {
            let message = format!("`{name}` is not a name of an argument");
            let help = "write lower-case letters, digits and `_`, beginning with a letter";
            reader.problem(place, &message, help);
            continue;
        }
        let subject = format!("`arguments.{name}`");
        if reader.table(node, &subject).is_none() {
            continue;
        }
        let optional = reader.boolean(node, "optional");
        arguments.places.insert(name.to_owned(), place.clone());
        let Some(Value::Object(mut schema)) = node.to_json() else {
            reader.problem(place, "a date is not JSON", "write it as a string");
            continue;
        };
        schema.shift_remove("optional");
        for (key, help) in [
            ("type", "add `type = \"string\"`, or another type of JSON"),
            ("description", "add `description = \"…\"`: agents read it"),
        ] {
            if !schema.contains_key(key) {
                let message = format!("the argument `{name}` has no {key}");
                reader.problem(place.clone(), &message, help);
            }
        }
        if has_invisible(&Value::Object(schema.clone()).to_string()) {
            let message = format!("the argument `{name}` has an invisible character");
            reader.problem(
                place,
                &message,
                "write visible characters: agents read them",
            );
        }
        if !optional.is_some_and(|optional| optional.value) {
            arguments.required.push(name.to_owned());
        }
        arguments
            .schemas
            .insert(name.to_owned(), Value::Object(schema));
    }
    arguments
}
