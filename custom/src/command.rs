//! The template of a command: a program with fixed arguments, and values of an agent as whole arguments.

mod call;
mod limits;

pub(crate) use call::call;
pub(crate) use limits::{BOUNDS as LIMIT_BOUNDS, NAMES as LIMIT_NAMES};

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path, PathBuf},
};

use serde_json::Value;
use toolwright::{
    CredentialPart,
    config::{
        Place,
        reader::{ConfigReader, TomlNode},
    },
    policy::{is_protected, is_protected_folder},
};
use toolwright_commands::{Argument, HoleType};
use toolwright_model::{
    settings::{Node as _, Reader as _},
    text::has_invisible,
};

use crate::arguments::{Arguments, is_name};
use limits::CommandLimits;

/// The keys of the table other than limits.
const KEYS: [&str; 9] = [
    "program",
    "arguments",
    "folder",
    "read",
    "execute",
    "write",
    "ports",
    "environment",
    "credentials",
];

/// A command.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    program: PathBuf,
    arguments: Vec<Argument>,
    /// The folder below the repository that it starts in.
    folder: String,
    /// Paths that it may read, in addition to its folder.
    read: Vec<PathBuf>,
    /// Paths with programs that it may execute, in addition to the programs of the system.
    execute: Vec<PathBuf>,
    /// Folders below the repository that it may write.
    write: Vec<String>,
    ports: BTreeSet<u16>,
    environment: BTreeMap<String, String>,
    /// The variables that hold parts of the credentials of the service.
    credentials: BTreeMap<String, CredentialPart>,
    limits: CommandLimits,
}

impl Command {
    /// Checks whether an argument of the tool is one of the command.
    pub(crate) fn uses(&self, argument: &str) -> bool {
        let mut holes = self.arguments.iter().filter_map(Argument::hole);
        holes.any(|(name, _)| name == argument)
    }

    /// Checks whether it can write files.
    pub(crate) const fn writes(&self) -> bool {
        !self.write.is_empty()
    }

    /// Checks whether it has a network.
    pub(crate) fn has_network(&self) -> bool {
        !self.ports.is_empty()
    }

    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// Returns the parts of the credentials that it receives.
    pub(crate) fn credential_parts(&self) -> Vec<CredentialPart> {
        self.credentials.values().copied().collect()
    }
}

pub(crate) fn read(
    table: TomlNode<'_>,
    arguments: &Arguments,
    reader: &mut ConfigReader,
) -> Option<Command> {
    let known: Vec<&str> = KEYS.into_iter().chain(LIMIT_NAMES).collect();
    reader.check_keys(table, &known);
    let help = "add `program = \"/usr/bin/…\"`, the absolute path of the program";
    reader.require(table, "program", help);
    let program = program(table, reader);
    let arguments = words(table, arguments, reader);
    let folder = folder(table, reader);
    let read = paths(table, "read", reader);
    let execute = paths(table, "execute", reader);
    let write = writable(table, reader);
    let environment = reader.variables(table, "environment");
    let credentials = credentials(table, &environment, reader);
    let ports = reader.ports(table);
    let limits = limits::read(table, reader);
    Some(Command {
        program: program?,
        arguments,
        folder,
        read,
        execute,
        write,
        ports,
        environment,
        credentials,
        limits,
    })
}

/// Checks that a path is absolute and has no `.` or `..`.
fn is_plain(path: &Path) -> bool {
    let mut components = path.components();
    path.is_absolute()
        && components.all(|one| matches!(one, Component::RootDir | Component::Normal(_)))
        && !path.to_string_lossy().contains("/./")
}

fn program(table: TomlNode<'_>, reader: &mut ConfigReader) -> Option<PathBuf> {
    let text = reader.exact_text(table, "program")?;
    if text.value.contains(['{', '}']) {
        let help = "write one program; another program is another tool";
        reader.problem(text.place, "the program is not fixed", help);
        return None;
    }
    let path = PathBuf::from(&text.value);
    if !is_plain(&path) || has_invisible(&text.value) || text.value.ends_with('/') {
        let message = format!("`{}` is not the absolute path of a program", text.value);
        let help = "write a path such as `/usr/bin/wc`, without `.` and `..`";
        reader.problem(text.place, &message, help);
        return None;
    }
    Some(path)
}

/// Reads the arguments: fixed strings, and arguments of the tool as a whole.
fn words(table: TomlNode<'_>, arguments: &Arguments, reader: &mut ConfigReader) -> Vec<Argument> {
    let Some(node) = table.value_of("arguments") else {
        return Vec::new();
    };
    let Some(elements) = node.elements() else {
        reader.wrong_type(node, "`arguments`", "an array of strings");
        return Vec::new();
    };
    let mut words = Vec::new();
    for element in elements {
        let Some(text) = reader.string_of(element, "each of `arguments`") else {
            continue;
        };
        words.extend(word(&text.value, text.place, arguments, reader));
    }
    words
}

fn word(
    text: &str,
    place: Place,
    arguments: &Arguments,
    reader: &mut ConfigReader,
) -> Option<Argument> {
    if text.contains(|c: char| c.is_control()) {
        let message = "an argument has a control character";
        reader.problem(place, message, "write visible characters");
        return None;
    }
    if !text.contains(['{', '}']) {
        return Some(Argument::fixed(text));
    }
    let inner = text
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'));
    let (name, kind) = match inner.map(|inner| inner.split_once(':').unwrap_or((inner, ""))) {
        Some((name, kind)) if is_name(name) && !kind.contains(['{', '}']) => (name, kind),
        _ => {
            let message = "an argument is a fixed string, or one value as a whole";
            let help =
                "write `{name}` or `{name:path}` alone; a value is never a part of an argument";
            reader.problem(place, message, help);
            return None;
        }
    };
    let Some(schema) = arguments.schema(name) else {
        let message = format!("the tool has no argument `{name}`");
        reader.problem(place, &message, "name one of `[arguments]`");
        return None;
    };
    if !arguments.requires(name) {
        let message = format!("the argument `{name}` of the command is optional");
        let help = "remove `optional`: a command has all of its arguments";
        reader.problem(place, &message, help);
        return None;
    }
    match hole_type(kind, schema) {
        Ok(hole) => Some(Argument::of_value(name, hole)),
        Err((message, help)) => {
            reader.problem(place, &format!("`{name}`: {message}"), help);
            None
        }
    }
}

/// Returns the type of a place. Without one, the schema of the argument decides.
fn hole_type(kind: &str, schema: &Value) -> Result<HoleType, (String, &'static str)> {
    let of_schema = schema.get("type").and_then(Value::as_str);
    let hole = match (kind, of_schema) {
        ("", Some("integer")) => HoleType::Number,
        ("", _) => HoleType::Text,
        (kind, _) => kind.parse().map_err(|message| {
            (
                message,
                "write `{name:word}`, or leave the type out for one line of text",
            )
        })?,
    };
    match (&hole, of_schema) {
        (HoleType::Number, Some("integer")) | (_, Some("string")) => Ok(hole),
        (_, Some("integer")) => {
            let message = "an integer is of the type `number`".to_owned();
            Err((message, "write `{name:number}`, or leave the type out"))
        }
        _ => {
            let message = "an argument of a command is a string or an integer".to_owned();
            Err((message, "write `type = \"string\"` in its table"))
        }
    }
}

/// Reads the folder that the command starts in: by default the repository.
fn folder(table: TomlNode<'_>, reader: &mut ConfigReader) -> String {
    let Some(text) = reader.exact_text(table, "folder") else {
        return ".".to_owned();
    };
    if !is_inside(&text.value) || is_protected(&text.value) {
        let message = format!(
            "`{}` is not a folder of the repository for programs",
            text.value
        );
        let help = "write a relative path without `..`, such as `src`, and none with credentials";
        reader.problem(text.place, &message, help);
    }
    text.value
}

/// Reads folders below the repository. A link to another folder is found at the call.
fn writable(table: TomlNode<'_>, reader: &mut ConfigReader) -> Vec<String> {
    let folders = reader.texts(table, "write");
    for folder in &folders {
        if !is_inside(&folder.value) || is_protected_folder(&folder.value) {
            let message = format!("commands cannot write `{}`", folder.value);
            let help = "write a relative path without `..`, such as `target`, of a folder that is not protected";
            reader.problem(folder.place.clone(), &message, help);
        }
    }
    folders.into_iter().map(|folder| folder.value).collect()
}

fn is_inside(folder: &str) -> bool {
    let mut components = Path::new(folder).components();
    components.all(|one| matches!(one, Component::CurDir | Component::Normal(_)))
}

/// Reads absolute paths.
fn paths(table: TomlNode<'_>, key: &str, reader: &mut ConfigReader) -> Vec<PathBuf> {
    let texts = reader.texts(table, key);
    for text in &texts {
        if !is_plain(Path::new(&text.value)) {
            let message = format!("`{}` in `{key}` is not an absolute path", text.value);
            let help = "write an absolute path without `.` and `..`";
            reader.problem(text.place.clone(), &message, help);
        }
    }
    texts.into_iter().map(|text| text.value.into()).collect()
}

/// Reads the variables that hold parts of the credentials of the service.
fn credentials(
    table: TomlNode<'_>,
    environment: &BTreeMap<String, String>,
    reader: &mut ConfigReader,
) -> BTreeMap<String, CredentialPart> {
    let mut parts = BTreeMap::new();
    let variables = reader.variables(table, "credentials");
    let inner = table.value_of("credentials");
    for name in variables.into_keys() {
        let Some(part) = inner.and_then(|inner| reader.word(inner, &name, &CredentialPart::ALL))
        else {
            continue;
        };
        if environment.contains_key(&name) {
            let message = format!("the variable `{name}` is in `environment` too");
            reader.problem(part.place.clone(), &message, "remove one of them");
        }
        parts.insert(name, part.value);
    }
    parts
}
