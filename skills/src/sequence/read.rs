//! Reads the steps of a sequence, node by node, and reports every fault.

use std::collections::BTreeMap;

use serde_json::Value;
use toolwright::{
    ToolName,
    config::{
        Place, Placed,
        reader::{ConfigReader, TomlNode},
    },
};
use toolwright_model::{
    most_similar,
    settings::{Node as _, Reader as _},
    text::has_invisible,
};

use super::{Condition, Each, MOST_ELEMENTS, MOST_STEPS, Parameter, Sequence, Step, Test};
use crate::template::{Hole, ITEM, Source, Template, is_name};

/// The keys of a step.
const STEP_KEYS: [&str; 6] = ["id", "tool", "arguments", "when", "each", "most"];

/// The tests of a condition.
const TESTS: [&str; 6] = [
    "equals",
    "not_equals",
    "at_least",
    "at_most",
    "exists",
    "empty",
];

/// The names that parameters and steps have so far, with their places.
type Names = BTreeMap<String, Place>;

/// Reads the steps and the result.
pub(super) fn sequence(
    document: TomlNode<'_>,
    parameters: Vec<Parameter>,
    reader: &mut ConfigReader,
) -> Sequence {
    let mut names = Names::new();
    for parameter in &parameters {
        let Parameter { name, place, .. } = parameter;
        add_name(name, place, &mut names, "parameter", reader);
    }
    let steps = steps(document, &mut names, reader);
    let returns = document.value_of("returns");
    let returns = returns.map(|node| template(node, reader));
    for hole in returns.iter().flat_map(Template::holes) {
        check_source(hole, &names, false, reader);
    }
    Sequence {
        parameters,
        steps,
        returns,
    }
}

/// Checks whether a string of a value has an invisible character.
pub(crate) fn has_invisible_part(value: &Value) -> bool {
    match value {
        Value::String(text) => has_invisible(text),
        Value::Array(items) => items.iter().any(has_invisible_part),
        Value::Object(fields) => fields
            .iter()
            .any(|(name, field)| has_invisible(name) || has_invisible_part(field)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn steps(document: TomlNode<'_>, names: &mut Names, reader: &mut ConfigReader) -> Vec<Step> {
    let Some(node) = document.value_of("steps") else {
        return Vec::new();
    };
    let Some(elements) = node.elements() else {
        reader.wrong_type(node, "`steps`", "an array of tables, `[[steps]]`");
        return Vec::new();
    };
    if elements.is_empty() || elements.len() > MOST_STEPS {
        let message = format!(
            "a sequence has 1 to {MOST_STEPS} steps, and this has {}",
            elements.len()
        );
        reader.problem(node.place(), &message, "split it, or add a step");
    }
    let mut steps = Vec::new();
    for element in elements {
        let Some(table) = reader.table(element, "each entry of `steps`") else {
            continue;
        };
        let read = step(table, names, reader);
        // A name is known to later steps also if its step has a fault.
        if let Some(id) = table.value_of("id").and_then(|id| id.as_str()) {
            add_name(id, &table.place(), names, "step", reader);
        }
        steps.extend(read);
    }
    steps
}

fn step(table: TomlNode<'_>, names: &Names, reader: &mut ConfigReader) -> Option<Step> {
    reader.check_keys(table, &STEP_KEYS);
    reader.require(
        table,
        "id",
        "add `id = \"…\"`, by which later steps refer to the result",
    );
    reader.require(table, "tool", "add `tool = \"…\"`, the tool to call");
    let id = reader.string(table, "id");
    let tool: Option<Placed<ToolName>> = reader.parsed_at(table, "tool");
    let each = each(table, names, reader);
    let arguments = match table.value_of("arguments") {
        Some(node) => reader
            .table(node, "`arguments`")
            .map(|node| template(node, reader)),
        None => Some(Template::Object(Vec::new(), table.place())),
    };
    let conditions = conditions(table, reader);
    let of_conditions = conditions.iter().map(|condition| &condition.value);
    for hole in of_conditions.chain(&arguments).flat_map(Template::holes) {
        check_source(hole, names, each.is_some(), reader);
    }
    Some(Step {
        id: id?.value,
        tool: tool?,
        arguments: arguments?,
        conditions,
        each,
    })
}

fn each(table: TomlNode<'_>, names: &Names, reader: &mut ConfigReader) -> Option<Each> {
    let most = reader.number(table, "most", 1..=MOST_ELEMENTS);
    let Some(node) = table.value_of("each") else {
        if let Some(most) = most {
            let help = "add `each = \"{{step#/list}}\"`, or remove the line";
            reader.problem(most.place, "`most` has no loop", help);
        }
        return None;
    };
    if table.value_of("most").is_none() {
        let help = format!("add `most = 20`, at most {MOST_ELEMENTS}");
        reader.problem(node.place(), "this loop has no bound", &help);
    }
    match template(node, reader) {
        Template::Hole(list) => {
            check_source(&list, names, false, reader);
            Some(Each {
                list,
                most: most?.value,
            })
        }
        Template::Constant(Value::Null, _) => None,
        _ => {
            let help = "write one hole, such as `\"{{step#/list}}\"`";
            reader.problem(node.place(), "`each` is not a hole", help);
            None
        }
    }
}

fn conditions(table: TomlNode<'_>, reader: &mut ConfigReader) -> Vec<Condition> {
    let Some(node) = table.value_of("when") else {
        return Vec::new();
    };
    let nodes = node.elements().unwrap_or_else(|| vec![node]);
    let mut conditions = Vec::new();
    for node in nodes {
        if let Some(table) = reader.table(node, "`when`") {
            conditions.extend(condition(table, reader));
        }
    }
    conditions
}

fn condition(table: TomlNode<'_>, reader: &mut ConfigReader) -> Option<Condition> {
    let known: Vec<&str> = ["value"].into_iter().chain(TESTS).collect();
    reader.check_keys(table, &known);
    reader.require(
        table,
        "value",
        "add `value = \"{{step#/pointer}}\"`, the value to test",
    );
    let value = table.value_of("value");
    let value = value.map(|value| template(value, reader));
    let mut tests = TESTS
        .into_iter()
        .filter_map(|key| Some((key, table.value_of(key)?)));
    let (Some((key, node)), None) = (tests.next(), tests.next()) else {
        let message = "a condition has one test";
        let help = format!("write one of `{}`", TESTS.join("`, `"));
        reader.problem(table.place(), message, &help);
        return None;
    };
    let test = test(table, key, node, reader)?;
    Some(Condition {
        value: value?,
        test,
    })
}

fn test(
    table: TomlNode<'_>,
    key: &str,
    node: TomlNode<'_>,
    reader: &mut ConfigReader,
) -> Option<Test> {
    let json = node.to_json();
    match (key, json) {
        ("equals", Some(value)) => Some(Test::Equals(value)),
        ("not_equals", Some(value)) => Some(Test::NotEquals(value)),
        ("at_least" | "at_most", Some(Value::Number(number))) => {
            let number = number.as_f64()?;
            Some(match key {
                "at_least" => Test::AtLeast(number),
                _ => Test::AtMost(number),
            })
        }
        ("at_least" | "at_most", _) => {
            reader.wrong_type(node, &format!("`{key}`"), "a number");
            None
        }
        ("exists", _) => reader
            .boolean(table, key)
            .map(|test| Test::Exists(test.value)),
        ("empty", _) => reader
            .boolean(table, key)
            .map(|test| Test::Empty(test.value)),
        _ => {
            reader.wrong_type(node, &format!("`{key}`"), "a value of JSON");
            None
        }
    }
}

/// Adds the name of a parameter or a step, which must be new.
fn add_name(
    name: &str,
    place: &Place,
    names: &mut Names,
    subject: &str,
    reader: &mut ConfigReader,
) {
    if !is_name(name) || name == ITEM {
        let message = format!("`{name}` cannot be the name of a {subject}");
        let help = "use lower-case letters, digits and `_`, and not `item`";
        reader.problem(place.clone(), &message, help);
    } else if let Some(first) = names.insert(name.to_owned(), place.clone()) {
        let message = format!("`{name}` is the name of two parameters or steps");
        let help = format!("rename it; the first is in line {}", first.line);
        reader.problem(place.clone(), &message, &help);
    }
}

/// Checks that a hole names something that is known before its step.
fn check_source(hole: &Hole, names: &Names, in_loop: bool, reader: &mut ConfigReader) {
    match &hole.source {
        Source::Item if in_loop => {}
        Source::Item => {
            let help = "add `each` and `most` to the step, or name a parameter or a step";
            reader.problem(hole.place.clone(), "`item` is not in a loop", help);
        }
        Source::Named(name) if names.contains_key(name) => {}
        Source::Named(name) => {
            let message = format!("no parameter and no earlier step is named `{name}`");
            let known = names.keys().map(String::as_str);
            let help = match most_similar(name, known) {
                Some(similar) => format!("a similar name is `{similar}`"),
                None if names.is_empty() => "declare it in `[parameters]`".to_owned(),
                None => {
                    let names: Vec<_> = names.keys().map(String::as_str).collect();
                    format!("the names here are `{}`", names.join("`, `"))
                }
            };
            reader.problem(hole.place.clone(), &message, &help);
        }
    }
}

/// Reads a value with holes. A part with a fault is null, and the others are checked too.
fn template(node: TomlNode<'_>, reader: &mut ConfigReader) -> Template {
    let place = node.place();
    if let Some(items) = node.elements() {
        let items = items.into_iter().map(|item| template(item, reader));
        return Template::Array(items.collect(), place);
    }
    if let Some(entries) = node.entries() {
        let fields = entries.into_iter();
        let fields = fields.map(|(name, _, field)| (name.to_owned(), template(field, reader)));
        return Template::Object(fields.collect(), place);
    }
    let Some(value) = node.to_json() else {
        reader.wrong_type(node, "this value", "a value of JSON");
        return Template::Constant(Value::Null, place);
    };
    Template::parse(value, &place).unwrap_or_else(|message| {
        let help = "write `{{parameter}}`, `{{step#/json/pointer}}` or `{{item#/json/pointer}}`";
        reader.problem(place.clone(), &message, help);
        Template::Constant(Value::Null, place)
    })
}
