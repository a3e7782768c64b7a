//! Reads the file of a tool.

use std::{collections::BTreeMap, path::Path};

use serde_json::{Value, json};
use toolwright::{
    Category, Effect, Kind, Tool, ToolName, ToolSpec,
    config::{
        Placed,
        reader::{ConfigReader, TomlNode},
    },
    policy::{ParameterCheck, ScopeParameter, ScopeParameters},
};
use toolwright_model::{
    Evidence, EvidenceSource, Governance, Promise, TOOL_VERBS, promise_of,
    settings::{Node as _, Reader as _},
    text::has_invisible,
};

use crate::{
    arguments::{self, Arguments, is_name},
    request,
};

const KEYS: [&str; 9] = [
    "name",
    "line",
    "description",
    "when_to_use",
    "category",
    "effect",
    "arguments",
    "scope",
    "http",
];

const SCOPE_KEYS: [&str; 3] = ["check", "argument", "optional"];

/// The checks that a scope parameter can make of an argument.
const CHECKS: [(&str, ParameterCheck); 3] = [
    ("pattern", ParameterCheck::Pattern),
    ("allowed_paths", ParameterCheck::AllowedPaths),
    ("denied_paths", ParameterCheck::DeniedPaths),
];

pub(crate) fn read(document: TomlNode<'_>, path: &Path, reader: &mut ConfigReader) -> Option<Tool> {
    reader.check_keys(document, &KEYS);
    for (key, help) in [
        ("name", "add `name = \"<verb>-<service>-<noun>\"`"),
        (
            "line",
            "add `line = \"…\"`, one sentence about what the tool does",
        ),
        ("category", "add `category = \"observe\"`, or another one"),
        (
            "scope",
            "add a table `[scope.NAME]` for each limit that an operator sets",
        ),
        ("http", "add a table `[http]` with the request"),
    ] {
        reader.require(document, key, help);
    }
    let name = name(document, reader);
    let line = text(document, "line", reader);
    let description = text(document, "description", reader);
    let when_to_use = text(document, "when_to_use", reader);
    let kind = kind(document, name.as_ref(), reader);
    let arguments = arguments::read(document, reader);
    let scope = scope(document, &arguments, reader);
    let http = reader.table_at(document, "http");
    let http = http.and_then(|table| request::read(table, &arguments, reader));
    if let Some(http) = &http {
        let unused = arguments.names().filter(|name| !http.uses(name));
        for name in unused.map(str::to_owned).collect::<Vec<_>>() {
            let message = format!("no part of the request contains the argument `{name}`");
            let help =
                format!("write `{{{name}}}` in the path, the query or the body, or remove it");
            reader.problem(document.place(), &message, &help);
        }
    }
    let (name, line, kind, http) = (name?, line?, kind?, http?);
    let record = record(
        &name,
        (line, description, when_to_use),
        kind,
        &arguments,
        http,
        path,
    );
    match serde_json::from_value::<ToolSpec>(record) {
        Ok(spec) => Some(Tool::bound(spec).with_scope_parameters(scope?)),
        Err(error) => {
            let message = format!("this is not a tool: {error}");
            reader.problem(
                document.place(),
                &message,
                "compare it with docs/custom-tools.md",
            );
            None
        }
    }
}

type Texts = (String, Option<String>, Option<String>);

fn record(
    name: &ToolName,
    (line, description, when_to_use): Texts,
    kind: Kind,
    arguments: &Arguments,
    http: request::Request,
    path: &Path,
) -> Value {
    let service = name.as_str().split('-').nth(1).unwrap_or_default();
    let governance = Governance::from_kind(kind, http.is_idempotent());
    let evidence = Evidence {
        source: EvidenceSource::Declared,
        found: format!(
            "category = \"{}\", effect = \"{}\"",
            kind.category(),
            kind.effect()
        ),
        suggests: kind,
        weight: 0,
        decided: true,
    };
    let title = name.as_str().replace('-', " ");
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let mut record = json!({
        "name": name, "service": service, "title": title, "short": line,
        "description": description.unwrap_or_else(|| line.clone()), "section": service,
        "category": governance.kind.category(), "effect": governance.kind.effect(),
        "approval_required": governance.approval_required, "hints": governance.hints,
        "enabled_by_default": governance.enabled_by_default,
        "input_schema": {
            "type": "object", "properties": arguments.schemas(), "required": arguments.required(),
            "additionalProperties": false,
        },
        "binding": {"http": http.into_binding()},
        "origin": {"document": file, "pointer": "/http"}, "evidence": [evidence],
    });
    if let (Some(record), Some(when)) = (record.as_object_mut(), when_to_use) {
        record.insert("when_to_use".to_owned(), when.into());
    }
    record
}

/// Returns the name, which has a verb of tool names, a service and a noun.
fn name(document: TomlNode<'_>, reader: &mut ConfigReader) -> Option<ToolName> {
    let Placed { value: name, place } = reader.parsed_at::<ToolName>(document, "name")?;
    let mut parts = name.as_str().split('-');
    let (verb, parts) = (parts.next().unwrap_or_default(), parts.count());
    if parts < 2 {
        let help = "write a name such as `get-weather-report`";
        reader.problem(place, "this name is not `<verb>-<service>-<noun>`", help);
        return None;
    }
    if !TOOL_VERBS.contains(&verb) {
        let message = format!("`{verb}` is not a verb of tool names");
        reader.problem(
            place,
            &message,
            "begin with a verb such as `get`; docs/names.md lists them",
        );
        return None;
    }
    Some(name)
}

/// Returns a string of visible characters.
fn text(document: TomlNode<'_>, key: &str, reader: &mut ConfigReader) -> Option<String> {
    let text = reader.placed_text(document, key)?;
    if has_invisible(&text.value) {
        let message = format!("`{key}` has an invisible character");
        reader.problem(
            text.place,
            &message,
            "write visible characters: agents read them",
        );
        return None;
    }
    Some(text.value)
}

/// Returns the kind that the category and the effect declare, if neither contradicts the other or the name.
fn kind(
    document: TomlNode<'_>,
    name: Option<&ToolName>,
    reader: &mut ConfigReader,
) -> Option<Kind> {
    let category = reader.word(document, "category", Category::ALL)?;
    let effect = reader.word(document, "effect", Effect::ALL);
    if document.value_of("effect").is_some() && effect.is_none() {
        return None;
    }
    let effect_value = effect.as_ref().map(|effect| effect.value);
    let reads = match category.value {
        Category::Observe | Category::Report => true,
        Category::Execute => false,
        _ => {
            let help = "write `observe`, `report` or `execute`";
            reader.problem(
                category.place,
                "a custom tool takes part in no approval",
                help,
            );
            return None;
        }
    };
    let otherwise = if reads { Effect::Read } else { Effect::Action };
    let effect_word = effect_value.unwrap_or(otherwise);
    if reads != (effect_word == Effect::Read) {
        let place = effect.map_or(category.place, |effect| effect.place);
        let message = format!(
            "the effect `{effect_word}` contradicts the category `{}`",
            category.value
        );
        let help = "a tool that changes something has the category `execute`";
        reader.problem(place, &message, help);
        return None;
    }
    let verb = name.and_then(|name| name.as_str().split('-').next());
    let is_kept = match verb.and_then(promise_of) {
        Some(Promise::Reads) => reads,
        Some(Promise::Has(effect)) => effect_word == effect || effect_word == Effect::Delete,
        Some(Promise::Changes) => !reads,
        None => true,
    };
    if !is_kept {
        let verb = verb.unwrap_or_default();
        let message = format!("the verb `{verb}` contradicts the effect `{effect_word}`");
        let help = "agents rely on the verb: write the effect that it has, or another verb";
        reader.problem(category.place, &message, help);
        return None;
    }
    Some(Kind::from_parts(category.value, effect_word, true))
}

/// Returns the scope parameters, of which there is at least one.
fn scope(
    document: TomlNode<'_>,
    arguments: &Arguments,
    reader: &mut ConfigReader,
) -> Option<ScopeParameters> {
    let table = reader.table_at(document, "scope")?;
    let entries = table.entries().unwrap_or_default();
    if entries.is_empty() {
        let message = "the tool declares no scope parameters";
        let help = "add a table `[scope.NAME]` for each limit that an operator sets";
        reader.problem(table.place(), message, help);
        return None;
    }
    let mut parameters = BTreeMap::new();
    for (name, place, node) in entries {
        let Some(node) = reader.table(node, &format!("`scope.{name}`")) else {
            continue;
        };
        reader.check_keys(node, &SCOPE_KEYS);
        for key in ["check", "argument"] {
            reader.require(node, key, "add the check and the argument that it checks");
        }
        let words = CHECKS.map(|(word, _)| word);
        let check = reader.word(node, "check", &words);
        let argument = reader.exact_text(node, "argument");
        let optional = reader.boolean(node, "optional");
        let (Some(check), Some(argument)) = (check, argument) else {
            continue;
        };
        if !arguments.has(&argument.value) {
            let message = format!("the tool has no argument `{}`", argument.value);
            reader.problem(argument.place, &message, "name one of `[arguments]`");
            continue;
        }
        let found = CHECKS.into_iter().find(|(word, _)| *word == check.value);
        let Some((_, check)) = found else { continue };
        let parameter = if optional.is_some_and(|optional| optional.value) {
            ScopeParameter::optional(check, argument.value)
        } else {
            ScopeParameter::required(check, argument.value)
        };
        if !is_name(name) {
            let message = format!("`{name}` is not a name of a scope parameter");
            reader.problem(place, &message, "write lower-case letters, digits and `_`");
            continue;
        }
        parameters.insert(name.to_owned(), parameter);
    }
    Some(parameters)
}
