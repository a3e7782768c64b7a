//! Reads a `skill.toml`, node by node, and reports every fault.

use serde_json::Value;
use toolwright::{
    ToolName,
    audit::OWN_SERVICE,
    config::{
        Place, Placed,
        reader::{ConfigReader, TomlNode},
    },
};
use toolwright_model::{
    settings::{Node as _, Reader as _},
    text::has_invisible,
};

use super::{Skill, script::script};
use crate::sequence::{Parameter, Sequence, has_invisible_part};

/// The keys of the file.
pub(crate) const SKILL_KEYS: [&str; 10] = [
    "name",
    "line",
    "when_to_use",
    "owner",
    "alternative",
    "parameters",
    "steps",
    "returns",
    "tools",
    "seconds",
];

/// Reads the file. The result has no digest.
pub(super) fn skill(
    document: TomlNode<'_>,
    run: Option<&str>,
    reader: &mut ConfigReader,
) -> Option<Skill> {
    reader.check_keys(document, &SKILL_KEYS);
    for (key, help) in [
        ("name", "add `name = \"<verb>-<service>-<noun>\"`"),
        (
            "line",
            "add `line = \"…\"`, one sentence about what the skill does",
        ),
        (
            "owner",
            "add `owner = \"…\"`, the person or team who answers for it",
        ),
    ] {
        reader.require(document, key, help);
    }
    let has_script = run.is_some() || document.value_of("tools").is_some();
    if !has_script {
        let help = "add a table `[[steps]]` with the first call, or `tools` and a `run.sh`";
        reader.require(document, "steps", help);
    }
    let name = name(document, reader);
    let line = one_line(document, "line", reader);
    let owner = one_line(document, "owner", reader);
    let when_to_use = one_line(document, "when_to_use", reader);
    let alternative = reader.parsed_at(document, "alternative");
    let parameters = parameters(document, reader);
    let sequence = Sequence::read(document, parameters, reader);
    let script = script(document, run, reader);
    Some(Skill {
        name: name?,
        line: line?,
        owner: owner?,
        when_to_use,
        alternative,
        sequence,
        script,
        digest: String::new(),
    })
}

/// Returns the name, which must have a verb, a service and a noun.
fn name(document: TomlNode<'_>, reader: &mut ConfigReader) -> Option<Placed<ToolName>> {
    let name: Placed<ToolName> = reader.parsed_at(document, "name")?;
    let Err(fault) = check_name(&name.value) else {
        return Some(name);
    };
    let help = "write a name such as `reserve-depot-items`";
    reader.problem(name.place, fault, help);
    None
}

/// Checks that a name can be that of a skill: it has a verb, a service and a noun, and the service is not
/// that of the tools that find and run skills.
///
/// # Errors
/// The message.
pub fn check_name(name: &ToolName) -> Result<(), &'static str> {
    let parts: Vec<&str> = name.as_str().split('-').collect();
    match parts.as_slice() {
        [_, OWN_SERVICE, _, ..] => {
            Err("the service `toolwright` is that of the tools that find and run skills")
        }
        [_, _, _, ..] => Ok(()),
        _ => Err("this name is not `<verb>-<service>-<noun>`"),
    }
}

/// Returns a string of one line.
fn one_line(table: TomlNode<'_>, key: &str, reader: &mut ConfigReader) -> Option<String> {
    let text = reader.placed_text(table, key)?;
    if text.value.contains('\n') || has_invisible(&text.value) {
        let message = format!("`{key}` has a line break or an invisible character");
        reader.problem(text.place, &message, "write one line of visible characters");
        return None;
    }
    Some(text.value)
}

fn parameters(document: TomlNode<'_>, reader: &mut ConfigReader) -> Vec<Parameter> {
    let table = reader.table_at(document, "parameters");
    let entries = table.and_then(|table| table.entries());
    let mut parameters = Vec::new();
    for (name, place, node) in entries.into_iter().flatten() {
        // Steps may name a parameter that has a fault.
        let mut parameter = Parameter {
            name: name.to_owned(),
            schema: Value::Bool(true),
            optional: false,
            place: place.clone(),
        };
        if reader
            .table(node, &format!("`parameters.{name}`"))
            .is_some()
        {
            let optional = reader.boolean(node, "optional");
            if let Some(Value::Object(mut schema)) = node.to_json() {
                schema.shift_remove("optional");
                let has_default = schema.contains_key("default");
                parameter.optional = has_default || optional.is_some_and(|optional| optional.value);
                parameter.schema = Value::Object(schema);
                check_schema(&parameter.schema, &place, reader);
            } else {
                reader.problem(place, "a date is not JSON", "write it as a string");
            }
        }
        parameters.push(parameter);
    }
    parameters
}

/// Checks that the table of a parameter is a JSON Schema that states a type and is explained.
fn check_schema(schema: &Value, place: &Place, reader: &mut ConfigReader) {
    let has = |key: &str| schema.get(key).is_some();
    if !["type", "enum", "const", "anyOf", "oneOf"]
        .into_iter()
        .any(has)
    {
        let help = "add `type = \"string\"`, or another type of JSON";
        reader.problem(place.clone(), "this parameter has no type", help);
    }
    if !has("description") {
        let help = "add `description = \"…\"`: agents read it";
        reader.problem(place.clone(), "this parameter has no description", help);
    }
    if has_invisible_part(schema) {
        let help = "write visible characters: agents read them";
        reader.problem(
            place.clone(),
            "this parameter has an invisible character",
            help,
        );
    }
    if let Err(error) = jsonschema::draft202012::new(schema) {
        let message = format!("this is not a JSON Schema: {error}");
        reader.problem(place.clone(), &message, "write keywords of JSON Schema");
    }
}
