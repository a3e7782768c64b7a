//! The reference of the keys in `docs/configuration.md` is made from the JSON Schema of the file.

use std::{fmt::Write as _, fs, path::Path};

use serde_json::{Map, Value};
use toolwright::config::{Config, json_schema};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/configuration.md");

const BEGIN: &str = "<!-- keys -->\n";

const END: &str = "<!-- end -->";

/// The most words that a type lists.
const MOST_WORDS: usize = 6;

/// A table of the file.
struct Table<'s> {
    /// The name in brackets, such as `[services.NAME]`.
    title: String,
    /// The lines before the keys of its example.
    header: String,
    /// The texts about it, the outermost first.
    about: Vec<&'s str>,
    schema: &'s Value,
}

/// Returns the tables of the file, in the order of the schema.
fn tables(root: &Value) -> Vec<Table<'_>> {
    let mut tables = Vec::new();
    for (name, schema) in properties(root) {
        add(&mut tables, name, name, schema, Vec::new());
        if name == "profiles" {
            let scope = "[[profiles.stock.scopes]]".to_owned();
            let condition = format!("{scope}\n[profiles.stock.scopes.arguments.shelf]");
            tables.push(definition(root, "scope", scope));
            tables.push(definition(root, "condition", condition));
        }
    }
    tables
}

fn definition<'s>(root: &'s Value, name: &str, header: String) -> Table<'s> {
    let schema = &root["$defs"][name];
    Table {
        title: format!("A {name}"),
        header,
        about: vec![schema["description"].as_str().unwrap()],
        schema,
    }
}

/// Adds a table with those below it.
fn add<'s>(
    tables: &mut Vec<Table<'s>>,
    title: &str,
    header: &str,
    schema: &'s Value,
    mut about: Vec<&'s str>,
) {
    about.extend(schema["description"].as_str());
    let entry = &schema["additionalProperties"];
    if let Some(first) = schema.get("oneOf").filter(|_| schema.get("type").is_none()) {
        return add(tables, title, header, &first[0], about);
    }
    if has_keys(entry) {
        let example = schema["propertyNames"]["examples"][0].as_str().unwrap();
        let (title, header) = (format!("{title}.NAME"), format!("{header}.{example}"));
        return add(tables, &title, &header, entry, about);
    }
    let is_list = has_keys(&schema["items"]);
    let table = if is_list { &schema["items"] } else { schema };
    let brackets = |name: &str| {
        if is_list {
            format!("[[{name}]]")
        } else {
            format!("[{name}]")
        }
    };
    let own = tables.len();
    tables.push(Table {
        title: format!("`{}`", brackets(title)),
        header: brackets(header),
        about,
        schema: table,
    });
    for (name, inner) in properties(table).filter(|(_, inner)| is_table(inner)) {
        let (title, header) = (format!("{title}.{name}"), format!("{header}.{name}"));
        let place = tables.len();
        add(tables, &title, &header, inner, Vec::new());
        if has_keys(&inner["items"]) {
            // An entry of a list is valid only in a table that has its other keys.
            let list = tables[place].header.clone();
            tables[place].header = needed(&tables[own]) + &list;
        }
    }
}

/// Returns the header of a table, and the keys that it must have and that are no tables.
fn needed(table: &Table<'_>) -> String {
    let mut text = format!("{}\n", table.header);
    let required = table.schema["required"].as_array();
    for name in required.into_iter().flatten() {
        let schema = &table.schema["properties"][name.as_str().unwrap()];
        if !is_table(schema) {
            let _ = writeln!(
                text,
                "{} = {}",
                name.as_str().unwrap(),
                toml(&schema["examples"][0])
            );
        }
    }
    text
}

fn properties(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let properties = schema["properties"].as_object().unwrap().iter();
    properties.map(|(name, schema)| (name.as_str(), schema))
}

fn has_keys(schema: &Value) -> bool {
    schema.get("properties").is_some()
}

/// Checks whether a key has a section of its own.
fn is_table(schema: &Value) -> bool {
    has_keys(schema) || has_keys(&schema["additionalProperties"]) || has_keys(&schema["items"])
}

fn section(table: &Table<'_>) -> String {
    let mut text = format!("### {}\n\n{}\n\n", table.title, table.about.join(" "));
    text.push_str("| key | type | default | meaning |\n|---|---|---|---|\n");
    for (name, schema) in properties(table.schema).filter(|(_, schema)| !is_table(schema)) {
        let about = schema["description"].as_str();
        let about = about.unwrap_or_else(|| panic!("`{name}` of {} is not described", table.title));
        let kind = kind(schema);
        let _ = writeln!(
            text,
            "| `{name}` | {kind} | {} | {about} |",
            default(table.schema, name)
        );
    }
    let _ = write!(text, "\n```toml\n{}```\n\n", example(table));
    text
}

/// Returns the default of a key, which is empty if there is no fixed one.
fn default(table: &Value, name: &str) -> String {
    let required = table["required"].as_array();
    if required.is_some_and(|required| required.iter().any(|key| key == name)) {
        return "required".to_owned();
    }
    let value = table["properties"][name].get("default");
    value.map_or_else(String::new, |value| format!("`{}`", toml(value)))
}

/// Returns the example of a table. Only the first of keys that exclude each other is set, and no key that needs
/// another one of them. Lists of tables are at its end.
fn example(table: &Table<'_>) -> String {
    let mut text = format!("{}\n", table.header);
    let alternatives = table.schema["oneOf"].as_array();
    let alternatives = alternatives.into_iter().flatten().skip(1);
    let mut excluded: Vec<_> = alternatives.map(|keys| &keys["required"][0]).collect();
    let dependent = table.schema["dependentRequired"].as_object();
    let dependent: Vec<Value> = dependent
        .into_iter()
        .flatten()
        .filter(|(_, keys)| excluded.contains(&&keys[0]))
        .map(|(key, _)| Value::from(key.as_str()))
        .collect();
    excluded.extend(&dependent);
    let mut lists = String::new();
    for (name, schema) in properties(table.schema) {
        let value = schema["examples"].get(0).or(schema.get("default"));
        let Some(value) = value else {
            if schema["items"].get("$ref").is_some() {
                let header = table.header.trim_matches(['[', ']']);
                let _ = writeln!(lists, "[[{header}.{name}]]");
            } else {
                assert!(
                    is_table(schema),
                    "`{name}` of {} has no example",
                    table.title
                );
            }
            continue;
        };
        let mark = if excluded.iter().any(|key| *key == name) {
            "# "
        } else {
            ""
        };
        let _ = writeln!(text, "{mark}{name} = {}", toml(value));
    }
    text + &lists
}

/// Returns the type of a key in words.
fn kind(schema: &Value) -> String {
    if let Some(target) = schema["items"]["$ref"].as_str() {
        return format!("list of {}", link(target));
    }
    if let Some(target) = schema["additionalProperties"]["$ref"].as_str() {
        return format!("table of {}", link(target));
    }
    if let Some(words) = schema["enum"].as_array() {
        let listed = words
            .iter()
            .take(MOST_WORDS)
            .map(|word| format!("`{}`", word.as_str().unwrap()));
        let listed = listed.collect::<Vec<_>>().join(", ");
        return if words.len() > MOST_WORDS {
            format!("{listed}, …")
        } else {
            listed
        };
    }
    match schema["type"].as_str() {
        Some("array") if schema["items"].get("enum").is_some() => {
            format!("list of {}", kind(&schema["items"]))
        }
        Some("array") if schema["items"]["type"] == "string" => "list of strings".to_owned(),
        Some("array") => "list of strings, integers or booleans".to_owned(),
        Some("integer") => match (&schema["minimum"], &schema["maximum"]) {
            (first, Value::Null) => format!("integer, from {first}"),
            (first, last) => format!("integer, {first} to {last}"),
        },
        Some("object") => "table of strings, integers or booleans".to_owned(),
        other => other.unwrap().to_owned(),
    }
}

/// Returns a link to the section of a definition.
fn link(target: &str) -> String {
    let name = target.rsplit('/').next().unwrap();
    format!("[{name}s](#a-{name})")
}

fn toml(value: &Value) -> String {
    match value {
        Value::Array(elements) => {
            let elements: Vec<_> = elements.iter().map(toml).collect();
            format!("[{}]", elements.join(", "))
        }
        Value::Object(entries) => format!("{{ {} }}", inline(entries)),
        other => other.to_string(),
    }
}

fn inline(entries: &Map<String, Value>) -> String {
    let entries = entries.iter();
    let entries = entries.map(|(key, value)| format!("{key} = {}", toml(value)));
    entries.collect::<Vec<_>>().join(", ")
}

#[test]
fn the_page_has_every_key() {
    let schema = json_schema();
    let sections: String = tables(&schema).iter().map(section).collect();
    let page = fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let current = format!("{before}{BEGIN}\n{}\n\n{END}{after}", sections.trim_end());
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(PAGE, &current).unwrap();
    }
    assert_eq!(
        fs::read_to_string(PAGE).unwrap(),
        current,
        "`UPDATE_EXPECT=1` rewrites the page"
    );
}

#[test]
fn the_documented_defaults_are_those_of_the_reader() {
    let schema = json_schema();
    for table in tables(&schema) {
        let keys = properties(table.schema);
        let defaults = keys.filter_map(|(name, schema)| Some((name, schema.get("default")?)));
        let mut text = format!("{}\n", table.header);
        for (name, value) in defaults {
            let _ = writeln!(text, "{name} = {}", toml(value));
        }
        // Tables with keys that must be set have no defaults as a whole.
        let requires = |key| table.schema.get(key).is_some();
        if requires("required") || requires("oneOf") || table.title == "A scope" {
            continue;
        }
        let read = |text: &str| Config::parse(Path::new("toolwright.toml"), text).unwrap();
        let name = format!("{}\n", table.header);
        let (set, unset) = (read(&text), read(&name));
        assert_eq!(without_places(&set), without_places(&unset), "{text}");
    }
}

/// Returns a configuration as text, without the places of its keys in the file.
fn without_places(config: &Config) -> String {
    let text = format!("{config:?}");
    let mut parts = text.split("Place {");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once('}').map_or("", |(_, rest)| rest)
    })
}
