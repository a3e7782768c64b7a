//! The JSON Schema of the file of a tool, for editors.

use serde_json::{Map, Value, json};
use toolwright::{Category, CredentialPart, Effect};
use toolwright_model::Method;
use toolwright_skills::{returns_schema, steps_schema};

use crate::{
    command::{LIMIT_BOUNDS, LIMIT_NAMES},
    scope,
};

/// Returns the JSON Schema of the file.
#[must_use]
pub fn json_schema() -> Value {
    let mut steps = steps_schema();
    if let Some(steps) = steps.as_object_mut() {
        let about = "The calls of other tools, in order, as those of a skill.";
        steps.insert("description".to_owned(), about.into());
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tools/NAME.toml",
        "description": "A custom tool: a request, a program or a sequence of calls. See docs/custom-tools.md.",
        "type": "object",
        "properties": {
            "name": {
                "type": "string",
                "description": "The name: `<verb>-<service>-<noun>`.",
                "pattern": "^[a-z][a-z0-9]*(-[a-z0-9]+){2,}$",
                "examples": ["get-weather-report"],
            },
            "line": text("One sentence about what the tool does.", "Gets the weather report of a city."),
            "description": text("A longer text for agents.", "Gets the weather report of a city for some days."),
            "when_to_use": text("When an agent should take it.", "Before a trip is planned."),
            "category": {
                "description": "The category of its class.",
                "enum": [Category::Observe, Category::Report, Category::Execute],
                "examples": ["observe"],
            },
            "effect": {
                "description": "What it does, if its category is `execute`. An `action` waits for a person.",
                "enum": Effect::ALL,
                "examples": ["create"],
            },
            "arguments": arguments(),
            "scope": scope_parameters(),
            "http": http(),
            "command": command(),
            "steps": steps,
            "returns": returns_schema(),
        },
        "required": ["name", "line", "category", "scope"],
        "oneOf": [
            {"required": ["http"], "properties": {"command": false, "steps": false, "returns": false}},
            {"required": ["command"], "properties": {"http": false, "steps": false, "returns": false}},
            {"required": ["steps"], "properties": {"http": false, "command": false}},
        ],
        "additionalProperties": false,
    })
}

fn text(about: &str, example: &str) -> Value {
    json!({"type": "string", "minLength": 1, "description": about, "examples": [example]})
}

fn arguments() -> Value {
    json!({
        "type": "object",
        "description": "The arguments, each a JSON Schema.",
        "propertyNames": {"pattern": "^[a-z][a-z0-9_]*$"},
        "additionalProperties": {
            "type": "object",
            "properties": {
                "type": {"description": "The type of the values.", "examples": ["string"]},
                "description": {
                    "type": "string",
                    "description": "What the argument means, for agents.",
                    "examples": ["The city, by its English name."],
                },
                "optional": {
                    "type": "boolean",
                    "description": "True if a call may leave it out.",
                    "default": false,
                },
            },
            "required": ["type", "description"],
        },
    })
}

fn scope_parameters() -> Value {
    json!({
        "type": "object",
        "description": "The scope parameters that an operator sets. There is at least one.",
        "minProperties": 1,
        "propertyNames": {"pattern": "^[a-z][a-z0-9_]*$"},
        "additionalProperties": {
            "type": "object",
            "properties": {
                "check": {
                    "description": "The check of an argument, or `limit` for a limit of the command that has the \
                        name of the parameter.",
                    "enum": scope::checks(),
                    "examples": ["pattern"],
                },
                "argument": text("The argument that is checked.", "city"),
                "optional": {
                    "type": "boolean",
                    "description": "True if calls are allowed while no scope sets it.",
                    "default": false,
                },
            },
            "required": ["check"],
            "if": {"properties": {"check": {"const": scope::LIMIT}}},
            "then": {"properties": {"argument": false}},
            "else": {"required": ["argument"]},
            "additionalProperties": false,
        },
    })
}

fn http() -> Value {
    let methods = Method::ALL
        .iter()
        .filter(|method| **method != Method::Trace);
    let methods: Vec<_> = methods.map(|method| method.word()).collect();
    let values = |about: &str, example: Value| {
        json!({
            "type": "object",
            "description": about,
            "additionalProperties": {"type": "string"},
            "examples": [example],
        })
    };
    json!({
        "type": "object",
        "description": "The request. A value is a fixed string, or one argument as a whole: `{city}`.",
        "properties": {
            "method": {"description": "The method.", "enum": methods, "examples": ["GET"]},
            "base_url": text("The URL of the service.", "https://weather.example/api"),
            "path": text("The path below it: segments that are fixed, or one argument each.", "/reports/{city}"),
            "query": values("The parameters of the query.", json!({"days": "{days}"})),
            "headers": values("The headers, which are fixed.", json!({"X-Client": "toolwright"})),
            "body": values("The fields of the body, which is sent as JSON.", json!({"text": "{text}"})),
        },
        "required": ["method", "base_url", "path"],
        "additionalProperties": false,
    })
}

fn command() -> Value {
    let list = |about: &str, example: Value| json!({"type": "array", "items": {"type": "string"}, "description": about, "examples": [example]});
    let mut properties = Map::new();
    for (key, schema) in [
        (
            "program",
            text("The absolute path of the program.", "/usr/bin/wc"),
        ),
        (
            "arguments",
            list(
                "The arguments. Each is a fixed string, or one argument of the tool as a whole: `{file:path}`.",
                json!(["-w", "{file:path}"]),
            ),
        ),
        (
            "folder",
            json!({
                "type": "string", "minLength": 1, "default": ".", "examples": ["docs"],
                "description": "The folder of the repository that it starts in and may read.",
            }),
        ),
        (
            "read",
            list("Absolute paths that it may read too.", json!(["/srv/data"])),
        ),
        (
            "execute",
            list(
                "Absolute paths with programs, next to those of the system.",
                json!(["/opt/tool"]),
            ),
        ),
        (
            "write",
            list(
                "Folders below the repository that it may write.",
                json!(["target"]),
            ),
        ),
        (
            "ports",
            json!({
                "type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 65535}, "examples": [[443]],
                "description": "The TCP ports that it may connect to. Without them it has no network.",
            }),
        ),
        (
            "environment",
            json!({
                "type": "object", "additionalProperties": {"type": "string"},
                "propertyNames": {"pattern": VARIABLE}, "examples": [{"NO_COLOR": "1"}],
                "description": "Its variables, next to `PATH`, `LANG` and `TMPDIR`.",
            }),
        ),
        (
            "credentials",
            json!({
                "type": "object",
                "additionalProperties": {"enum": CredentialPart::ALL.map(|part| part.to_string())},
                "propertyNames": {"pattern": VARIABLE}, "examples": [{"API_TOKEN": "token"}],
                "description": "The variables that hold parts of the credentials of the tool's service.",
            }),
        ),
    ] {
        properties.insert(key.to_owned(), schema);
    }
    for ((name, about), (least, default, most)) in
        LIMIT_NAMES.into_iter().zip(LIMITS).zip(LIMIT_BOUNDS)
    {
        let schema = json!({
            "type": "integer", "minimum": least, "maximum": most, "default": default,
            "description": about, "examples": [default],
        });
        properties.insert(name.to_owned(), schema);
    }
    json!({
        "type": "object",
        "description": "The program, which runs in the sandbox.",
        "properties": properties,
        "required": ["program"],
        "additionalProperties": false,
    })
}

/// The name of a variable of an environment.
const VARIABLE: &str = "^[A-Za-z_][A-Za-z0-9_]*$";

/// The descriptions of the limits.
const LIMITS: [&str; 6] = [
    "The time after which all of its processes are killed.",
    "The CPU time of all of its processes.",
    "The memory of its processes.",
    "The number of its processes and threads.",
    "The bytes of its output.",
    "The bytes that it writes to disks.",
];
