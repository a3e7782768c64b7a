//! The JSON Schema of the tables of a policy, for editors.

use serde_json::{Map, Value, json};
use toolwright_model::Method;

use crate::{
    declaration::SCOPE_KEYS,
    reader::{CONDITION_KEYS, FORBID_KEYS, PROFILE_KEYS, ROLE_KEYS},
};

/// Returns the schemas of the tables `roles`, `profiles`, `nodes`, `forbid` and `tools`. They refer
/// to [`definitions`].
#[must_use]
pub fn tables() -> Map<String, Value> {
    let node = table(vec![("scopes", scopes())], &["scopes"]);
    let tables = [
        (
            "roles",
            table_of(
                &role(),
                "reader",
                "The roles, by their names. A role without a table may call nothing.",
            ),
        ),
        (
            "profiles",
            table_of(
                &profile(),
                "stock",
                "The profiles, by their names: tools with limits, for the roles that list the profile.",
            ),
        ),
        (
            "nodes",
            table_of(
                &node,
                "review",
                "The nodes of a pipeline, by their names. They narrow the scopes of the roles that work for them.",
            ),
        ),
        ("forbid", list_of(&forbid(), "Calls that no grant allows.")),
        ("tools", switches()),
    ];
    by_name(tables)
}

/// Returns the schemas that the tables refer to, for the `$defs` of the schema of the whole file.
#[must_use]
pub fn definitions() -> Map<String, Value> {
    by_name([("scope", scope()), ("condition", condition())])
}

fn by_name<const N: usize>(schemas: [(&str, Value); N]) -> Map<String, Value> {
    let schemas = schemas.into_iter();
    schemas
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect()
}

fn role() -> Value {
    let keys = vec![
        (
            "grant",
            selectors(
                "The selectors of tools that the role may call without limits.",
                &json!(["service:depot category:observe", "update-plane-task"]),
            ),
        ),
        (
            "profiles",
            strings("The profiles of the role.", &json!(["stock"])),
        ),
        (
            "credentials",
            string(
                "The account whose credentials the calls of the role use; by default the administrator's.",
                "clerk",
            ),
        ),
        (
            "sandbox",
            strings(
                "The layers of the sandbox that calls which write or run something require: `files`, `network`, `processes`, `system_calls`; by default all.",
                &json!(["files", "system_calls"]),
            ),
        ),
    ];
    table(keys, &ROLE_KEYS)
}

fn profile() -> Value {
    let keys = vec![
        (
            "tools",
            selectors(
                "The selectors of the profile's tools.",
                &json!(["service:depot"]),
            ),
        ),
        ("scopes", scopes()),
    ];
    table(keys, &PROFILE_KEYS)
}

fn forbid() -> Value {
    let when =
        "The conditions on arguments, which must all be met. Without any, the tool is not offered.";
    let keys = vec![
        (
            "tools",
            string("The selector of the tools; by default all.", "delete-*"),
        ),
        (
            "roles",
            strings("The roles; by default all.", &json!(["reader"])),
        ),
        (
            "when",
            conditions(when, &json!({"reason": {"pattern": ".*test.*"}})),
        ),
        (
            "reason",
            string(
                "The reason, which `policy explain` shows to the operator.",
                "stock is never deleted",
            ),
        ),
    ];
    table(keys, &FORBID_KEYS)
}

fn scopes() -> Value {
    json!({
        "type": "array",
        "items": {"$ref": "#/$defs/scope"},
        "description": "Limits of calls. A call must fit each scope for its tool.",
    })
}

fn scope() -> Value {
    let keys = [scope_of_requests(), scope_of_arguments()].concat();
    let mut scope = table(keys, &SCOPE_KEYS);
    if let Some(scope) = scope.as_object_mut() {
        // The parameters that tools declare.
        let own = json!({"type": ["string", "array"], "items": {"type": "string"}});
        scope.insert("additionalProperties".to_owned(), own);
        let about = "A limit of calls. Other keys are the scope parameters that its tools declare.";
        scope.insert("description".to_owned(), about.into());
    }
    scope
}

fn scope_of_requests() -> Vec<(&'static str, Value)> {
    let methods: Vec<_> = Method::ALL.iter().map(|method| method.word()).collect();
    vec![
        (
            "tools",
            string(
                "The selector of the tools that the scope limits; by default all of the profile.",
                "update-*",
            ),
        ),
        (
            "allowed_urls",
            strings(
                "The origins that requests and their redirects may go to, each with the path at or below which they stay.",
                &json!(["https://depot.example/api/"]),
            ),
        ),
        (
            "allowed_methods",
            json!({
                "type": "array",
                "items": {"enum": methods},
                "description": "The methods that requests may have.",
                "examples": [["GET", "PATCH"]],
            }),
        ),
        (
            "allowed_workspaces",
            strings(
                "The workspaces of the service that calls may be for. A service without workspaces has none that fits.",
                &json!(["north"]),
            ),
        ),
        (
            "rate",
            json!({
                "type": "string",
                "pattern": "^ *[1-9][0-9]* */ *(second|minute|hour|day) *$",
                "description": "The number of calls of the role per `second`, `minute`, `hour` or `day`. Each process counts for itself.",
                "examples": ["60/minute"],
            }),
        ),
        (
            "max_response_bytes",
            json!({
                "type": "integer",
                "minimum": 1,
                "maximum": 1 << 30,
                "description": "The longest answer, in bytes, also of one that is saved as a file. A longer one is an error.",
                "examples": [65_536],
            }),
        ),
    ]
}

fn scope_of_arguments() -> Vec<(&'static str, Value)> {
    vec![
        (
            "pinned",
            json!({
                "type": "object",
                "additionalProperties": value(),
                "description": "Arguments with the values that the operator sets. Agents do not see them.",
                "examples": [{"shelf": "A"}],
            }),
        ),
        (
            "arguments",
            conditions(
                "The conditions on arguments, by their names or JSON Pointers.",
                &json!({"quantity": {"values": [1, 2, 3]}}),
            ),
        ),
    ]
}

fn condition() -> Value {
    let keys = vec![
        (
            "values",
            json!({
                "type": "array",
                "items": value(),
                "description": "The values that the argument may have.",
                "examples": [["A", "B"]],
            }),
        ),
        (
            "pattern",
            string(
                "The regular expression that must match the whole value.",
                "[a-z]{1,20}",
            ),
        ),
        (
            "optional",
            json!({
                "type": "boolean",
                "description": "True if the argument may be absent.",
                "default": false,
                "examples": [true],
            }),
        ),
    ];
    let mut condition = table(keys, &CONDITION_KEYS);
    if let Some(condition) = condition.as_object_mut() {
        let about = "A condition on one argument. With `values` and `pattern`, both must hold.";
        condition.insert("description".to_owned(), about.into());
    }
    condition
}

fn switches() -> Value {
    let keys = vec![
        (
            "enable",
            selectors(
                "The selectors of tools that are on although they are off by default: those that change state.",
                &json!(["create-*", "update-*"]),
            ),
        ),
        (
            "disable",
            selectors(
                "The selectors of tools that are off. This wins over every other setting.",
                &json!(["delete-*"]),
            ),
        ),
    ];
    let mut switches = table(keys, &["enable", "disable"]);
    if let Some(switches) = switches.as_object_mut() {
        let about = "The tools that are on or off, whatever their defaults are.";
        switches.insert("description".to_owned(), about.into());
    }
    switches
}

fn value() -> Value {
    json!({"type": ["string", "integer", "boolean"], "minimum": 0})
}

fn string(description: &str, example: &str) -> Value {
    json!({"type": "string", "minLength": 1, "description": description, "examples": [example]})
}

fn strings(description: &str, example: &Value) -> Value {
    json!({
        "type": "array",
        "items": {"type": "string"},
        "description": description,
        "examples": [example],
    })
}

fn selectors(description: &str, example: &Value) -> Value {
    json!({
        "type": "array",
        "items": {"type": "string", "pattern": "[^ ]"},
        "description": description,
        "examples": [example],
    })
}

fn conditions(description: &str, example: &Value) -> Value {
    json!({
        "type": "object",
        "additionalProperties": {"$ref": "#/$defs/condition"},
        "description": description,
        "examples": [example],
    })
}

/// Returns the schema of a table with these keys, in the order of the reader.
fn table(keys: Vec<(&str, Value)>, order: &[&str]) -> Value {
    let mut properties = Map::new();
    for name in order {
        let found = keys.iter().find(|(key, _)| key == name);
        properties.extend(found.map(|(key, schema)| ((*key).to_owned(), schema.clone())));
    }
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

/// Returns the schema of a table of tables, with an example of a name.
fn table_of(entry: &Value, name: &str, description: &str) -> Value {
    json!({
        "type": "object",
        "propertyNames": {"examples": [name]},
        "additionalProperties": entry,
        "description": description,
    })
}

fn list_of(entry: &Value, description: &str) -> Value {
    json!({"type": "array", "items": entry, "description": description})
}
