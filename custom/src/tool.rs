//! Reads the file of a tool.

use std::sync::Arc;

use serde_json::json;
use toolwright::{
    Effect, Kind, Tool, ToolName, ToolSpec,
    config::{
        Placed,
        reader::{ConfigReader, TomlNode},
    },
    policy::ScopeParameters,
};
use toolwright_commands::{CommandResult, confined};
use toolwright_model::{
    Governance, TOOL_VERBS,
    settings::{Node as _, Reader as _},
    text::has_invisible,
};
use toolwright_sandbox::Network;
use toolwright_skills::Sequence;

use crate::{
    CustomTool,
    arguments::{self, Arguments},
    command::{self, Command, LIMIT_NAMES},
    kind,
    record::{Carried, Texts, record},
    request::{self, Request},
    scope,
    steps::{self, StepsTool},
};

/// The keys of the file.
pub(crate) const KEYS: [&str; 12] = [
    "name",
    "line",
    "description",
    "when_to_use",
    "category",
    "effect",
    "arguments",
    "scope",
    "http",
    "command",
    "steps",
    "returns",
];

/// The keys that each describe how calls are carried out. A file has one of them.
const ACTIONS: [&str; 3] = ["http", "command", "steps"];

/// The way in which the calls of a tool are carried out.
enum Action {
    Http(Request),
    Command(Command),
    Steps(Sequence),
}

/// The parts that every tool has.
struct Head {
    name: ToolName,
    texts: Texts,
    kind: Kind,
    arguments: Arguments,
    scope: ScopeParameters,
}

pub(crate) fn read(document: TomlNode<'_>, reader: &mut ConfigReader) -> Option<CustomTool> {
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
    ] {
        reader.require(document, key, help);
    }
    let name = name(document, reader);
    let line = text(document, "line", reader);
    let description = text(document, "description", reader);
    let when_to_use = text(document, "when_to_use", reader);
    let kind = kind::read(document, name.as_ref(), reader);
    let arguments = arguments::read(document, reader);
    let limits: &[&str] = match document.value_of("command") {
        Some(_) => &LIMIT_NAMES,
        None => &[],
    };
    let scope = scope::read(document, &arguments, limits, reader);
    let action = action(document, &arguments, reader);
    if let Some(action) = &action {
        check_use(document, &arguments, action, reader);
    }
    if let (Some(Action::Command(command)), Some(kind)) = (&action, kind) {
        check_class(document, command, kind, reader);
    }
    let texts = Texts {
        line: line?,
        description,
        when_to_use,
    };
    let head = Head {
        name: name?,
        texts,
        kind: kind?,
        arguments,
        scope: scope?,
    };
    head.tool(document, action?, reader)
}

/// Reads how the calls are carried out: exactly one of the three ways.
fn action(
    document: TomlNode<'_>,
    arguments: &Arguments,
    reader: &mut ConfigReader,
) -> Option<Action> {
    let found = ACTIONS
        .into_iter()
        .filter(|key| document.value_of(key).is_some());
    let found: Vec<&str> = found.collect();
    let [key] = found.as_slice() else {
        let (place, message) = match found.get(1).and_then(|second| document.value_of(second)) {
            Some(second) => (
                second.place(),
                format!("a tool has one of `{}`", found.join("` and `")),
            ),
            None => (
                document.place(),
                "nothing says how calls are carried out".to_owned(),
            ),
        };
        let help = "write one of `[http]`, a request, `[command]`, a program, and `[[steps]]`, calls of other tools";
        reader.problem(place, &message, help);
        return None;
    };
    if let (Some(returns), true) = (document.value_of("returns"), *key != "steps") {
        let message = "only a tool of steps has `returns`";
        reader.problem(returns.place(), message, "remove the line");
    }
    match *key {
        "steps" => Some(Action::Steps(steps::read(document, arguments, reader))),
        "command" => {
            let table = reader.table_at(document, key)?;
            command::read(table, arguments, reader).map(Action::Command)
        }
        _ => {
            let table = reader.table_at(document, key)?;
            request::read(table, arguments, reader).map(Action::Http)
        }
    }
}

/// Reports each argument that has no effect.
fn check_use(
    document: TomlNode<'_>,
    arguments: &Arguments,
    action: &Action,
    reader: &mut ConfigReader,
) {
    let (part, help) = match action {
        Action::Http(_) => ("request", "in the path, the query or the body"),
        Action::Command(_) => ("command", "in `arguments` of the command"),
        Action::Steps(_) => ("step", "in a step"),
    };
    for name in arguments.names() {
        let (is_used, hole) = match action {
            Action::Http(request) => (request.uses(name), format!("{{{name}}}")),
            Action::Command(command) => (command.uses(name), format!("{{{name}}}")),
            Action::Steps(sequence) => (sequence.uses(name), format!("{{{{{name}}}}}")),
        };
        if !is_used {
            let message = format!("no part of the {part} contains the argument `{name}`");
            let place = arguments.place(name).cloned();
            let place = place.unwrap_or_else(|| document.place());
            reader.problem(
                place,
                &message,
                &format!("write `{hole}` {help}, or remove it"),
            );
        }
    }
}

/// Reports a command that reads by its class and may write by its sandbox.
fn check_class(document: TomlNode<'_>, command: &Command, kind: Kind, reader: &mut ConfigReader) {
    let write = document
        .value_of("command")
        .and_then(|table| table.value_of("write"));
    if let (Some(write), true, true) = (write, command.writes(), kind.effect() == Effect::Read) {
        let message = format!(
            "a command of the category `{}` writes files",
            kind.category()
        );
        let help = "write `category = \"execute\"`, or remove `write`";
        reader.problem(write.place(), &message, help);
    }
}

impl Head {
    fn tool(
        self,
        document: TomlNode<'_>,
        action: Action,
        reader: &mut ConfigReader,
    ) -> Option<CustomTool> {
        let tool = match action {
            Action::Http(request) => self.of_request(document, request),
            Action::Command(command) => self.of_command(document, command),
            Action::Steps(sequence) => {
                return Some(CustomTool::Steps(Box::new(StepsTool {
                    name: self.name,
                    texts: self.texts,
                    kind: self.kind,
                    arguments: self.arguments,
                    scope: self.scope,
                    sequence,
                    place: document.place(),
                })));
            }
        };
        match tool {
            Ok(tool) => Some(CustomTool::Tool(tool.with_scope_parameters(self.scope))),
            Err(error) => {
                let message = format!("this is not a tool: {error}");
                let help = "compare it with docs/custom-tools.md";
                reader.problem(document.place(), &message, help);
                None
            }
        }
    }

    fn of_request(
        &self,
        document: TomlNode<'_>,
        request: Request,
    ) -> Result<Tool, serde_json::Error> {
        let governance = Governance::from_kind(self.kind, request.is_idempotent());
        let carried = Carried {
            binding: json!({"http": request.into_binding()}),
            output_schema: None,
            pointer: "/http",
        };
        Ok(Tool::bound(self.spec(document, &governance, carried)?))
    }

    fn of_command(
        &self,
        document: TomlNode<'_>,
        command: Command,
    ) -> Result<Tool, serde_json::Error> {
        let mut governance = Governance::from_kind(self.kind, false);
        governance.hints.open_world = command.has_network();
        let carried = Carried {
            binding: json!("native"),
            output_schema: Some(CommandResult::schema()),
            pointer: "/command",
        };
        let spec = self.spec(document, &governance, carried)?;
        let parts = command.credential_parts();
        let program = command.program().display().to_string();
        let lacking = match command.has_network() {
            true => |_: &_| confined::lacking_for(&Network::Ports([1].into())),
            false => confined::lacking_layers,
        };
        let command = Arc::new(command);
        let tool = Tool::native(spec, move |context, arguments| {
            let command = Arc::clone(&command);
            async move { command::call(&command, &context, &arguments).await }
        });
        let tool = tool.within_sandbox(lacking);
        Ok(match parts.is_empty() {
            true => tool,
            false => tool.uses_credentials(program, parts),
        })
    }

    fn spec(
        &self,
        document: TomlNode<'_>,
        governance: &Governance,
        carried: Carried,
    ) -> Result<ToolSpec, serde_json::Error> {
        let file = document.place().file;
        let record = record(
            &self.name,
            &self.texts,
            governance,
            &self.arguments,
            carried,
            &file,
        );
        serde_json::from_value(record)
    }
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
