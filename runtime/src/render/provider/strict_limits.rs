//! The published limits of strict schemas.

use std::collections::BTreeMap;

use serde_json::Value;
use toolwright_schema::{Definitions, definition_name, properties, walk};

/// The most properties of all objects.
const MOST_PROPERTIES: usize = 5_000;

/// The most levels of objects.
const MOST_LEVELS: usize = 10;

/// The most values of all `enum`s.
const MOST_VALUES: usize = 1_000;

/// The most characters of the names of properties and definitions, and of listed values.
const MOST_CHARACTERS: usize = 120_000;

/// The number of strings of one `enum` from which on their length is limited.
const MANY_STRINGS: usize = 250;

/// The most characters of the strings of such an `enum`.
const MOST_OF_MANY: usize = 15_000;

/// Returns the first limit that a strict schema exceeds.
pub(super) fn check(schema: &Value) -> Result<(), String> {
    let (mut names, mut values, mut characters) = (0, 0, 0);
    for subschema in walk(schema) {
        let tables = ["properties", "$defs"].into_iter();
        let tables = tables.filter_map(|keyword| subschema.schema.get(keyword)?.as_object());
        characters += tables
            .flat_map(|table| table.keys())
            .map(|name| length(name))
            .sum::<usize>();
        names += properties(subschema.schema).count();
        let listed = subschema.schema.get("enum").and_then(Value::as_array);
        let listed = listed.map_or(&[][..], Vec::as_slice);
        let of_listed: usize = listed.iter().map(length_of_value).sum();
        if listed.len() > MANY_STRINGS && of_listed > MOST_OF_MANY {
            return Err(format!(
                "an enum of {} values has {of_listed} characters, and {MOST_OF_MANY} are possible",
                listed.len()
            ));
        }
        values += listed.len();
        let constant = subschema.schema.get("const");
        characters += of_listed + constant.map_or(0, length_of_value);
    }
    let levels = levels(schema);
    let limits = [
        (names, MOST_PROPERTIES, "properties"),
        (levels, MOST_LEVELS, "levels of objects"),
        (values, MOST_VALUES, "listed values"),
        (
            characters,
            MOST_CHARACTERS,
            "characters of names and values",
        ),
    ];
    let exceeded = limits.into_iter().find(|(found, most, _)| found > most);
    exceeded.map_or(Ok(()), |(found, most, what)| {
        Err(format!(
            "the schema has {found} {what}, and {most} are possible"
        ))
    })
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn length_of_value(value: &Value) -> usize {
    value
        .as_str()
        .map_or_else(|| length(&value.to_string()), length)
}

/// Returns the number of objects within one another. A definition within itself counts once.
fn levels(schema: &Value) -> usize {
    let empty = serde_json::Map::new();
    let table = schema.get("$defs").and_then(Value::as_object);
    let mut search = Levels {
        definitions: Definitions::new(table.unwrap_or(&empty)),
        known: BTreeMap::new(),
    };
    search.count(schema)
}

struct Levels<'a> {
    definitions: Definitions<'a>,
    /// The levels of definitions; zero for those in progress.
    known: BTreeMap<&'a str, usize>,
}

impl<'a> Levels<'a> {
    /// Strict schemas are nested at most 64 levels deep, so this ends.
    fn count(&mut self, schema: &'a Value) -> usize {
        if let Some(name) = definition_name(schema) {
            return self.count_definition(name);
        }
        let own = usize::from(schema.get("properties").is_some());
        let variants = schema
            .get("anyOf")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let below = properties(schema)
            .map(|(_, schema)| schema)
            .chain(schema.get("items"))
            .chain(variants);
        let deepest = below.map(|schema| self.count(schema)).max();
        own + deepest.unwrap_or_default()
    }

    fn count_definition(&mut self, name: &'a str) -> usize {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let Some(schema) = self.definitions.get(name) else {
            return 0;
        };
        self.known.insert(name, 0);
        let levels = self.count(schema);
        self.known.insert(name, levels);
        levels
    }
}
