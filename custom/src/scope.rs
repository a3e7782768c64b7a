//! Reads the scope parameters of a tool.

use std::collections::BTreeMap;

use toolwright::{
    config::{
        Placed,
        reader::{ConfigReader, TomlNode},
    },
    policy::{ParameterCheck, ScopeParameter, ScopeParameters},
};
use toolwright_model::settings::{Node as _, Reader as _};

use crate::arguments::{Arguments, is_name};

const SCOPE_KEYS: [&str; 3] = ["check", "argument", "optional"];

/// The checks that a scope parameter can make of an argument.
const CHECKS: [(&str, ParameterCheck); 3] = [
    ("pattern", ParameterCheck::Pattern),
    ("allowed_paths", ParameterCheck::AllowedPaths),
    ("denied_paths", ParameterCheck::DeniedPaths),
];

/// The check of a parameter that lowers a limit of a command.
pub(crate) const LIMIT: &str = "limit";

/// The words of the checks.
pub(crate) fn checks() -> Vec<&'static str> {
    let words = CHECKS.map(|(word, _)| word);
    words.into_iter().chain([LIMIT]).collect()
}

/// Returns the scope parameters, at least one. `limits` are the limits of a command.
pub(crate) fn read(
    document: TomlNode<'_>,
    arguments: &Arguments,
    limits: &[&str],
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
        let Some(parameter) = parameter(name, node, arguments, limits, reader) else {
            continue;
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

/// Reads a scope parameter: a check of an argument, or a limit of a command.
fn parameter(
    name: &str,
    node: TomlNode<'_>,
    arguments: &Arguments,
    limits: &[&str],
    reader: &mut ConfigReader,
) -> Option<ScopeParameter> {
    reader.check_keys(node, &SCOPE_KEYS);
    reader.require(
        node,
        "check",
        "add the check, such as `check = \"pattern\"`",
    );
    let optional = reader.boolean(node, "optional");
    let is_required = !optional.is_some_and(|optional| optional.value);
    let check = reader.word(node, "check", &checks())?;
    let Some((_, of_argument)) = CHECKS.into_iter().find(|(word, _)| *word == check.value) else {
        return limit(name, node, &check, limits, reader)
            .then(|| ScopeParameter::value(is_required));
    };
    reader.require(
        node,
        "argument",
        "add `argument = \"…\"`, the argument that it checks",
    );
    let argument = reader.exact_text(node, "argument")?;
    if !arguments.has(&argument.value) {
        let message = format!("the tool has no argument `{}`", argument.value);
        reader.problem(argument.place, &message, "name one of `[arguments]`");
        return None;
    }
    Some(match is_required {
        true => ScopeParameter::required(of_argument, argument.value),
        false => ScopeParameter::optional(of_argument, argument.value),
    })
}

/// Checks that a limit is one of the command, and that it checks no argument.
fn limit(
    name: &str,
    node: TomlNode<'_>,
    check: &Placed<&str>,
    limits: &[&str],
    reader: &mut ConfigReader,
) -> bool {
    if let Some(argument) = node.value_of("argument") {
        let message = "a limit checks no argument";
        reader.problem(argument.place(), message, "remove the line");
        return false;
    }
    if limits.contains(&name) {
        return true;
    }
    let place = check.place.clone();
    if limits.is_empty() {
        let help = "write `pattern`, `allowed_paths` or `denied_paths`";
        reader.problem(place, "only a command has limits", help);
    } else {
        let message = format!("`{name}` is not a limit of a command");
        let help = format!("name the parameter `{}`", limits.join("`, `"));
        reader.problem(place, &message, &help);
    }
    false
}
