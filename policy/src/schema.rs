//! The JSON Schema of the tables of a policy, for editors.

use serde_json::{Map, Value, json};
use toolwright_model::Method;

use crate::{
    declaration::SCOPE_KEYS,
    reader::{CONDITION_KEYS, FORBID_KEYS, PROFILE_KEYS, ROLE_KEYS},
};

/// Returns the schemas of the tables `roles`, `profiles`, `nodes`, `forbid` and `tools`.
#[must_use]
pub fn tables() -> Map<String, Value> {
    let scopes = list_of(
        &scope(),
        "Limits of calls. A call must fit each one for its tool.",
    );
    let tables = [
        ("roles", table_of(&role(), "The roles, by their names.")),
        (
            "profiles",
            table_of(&profile(&scopes), "The profiles, by their names."),
        ),
        (
            "nodes",
            table_of(
                &table(vec![("scopes", scopes)], &["scopes"]),
                "The overrides of the nodes of a pipeline. They narrow scopes.",
            ),
        ),
        ("forbid", list_of(&forbid(), "What no grant allows.")),
        ("tools", switches()),
    ];
    let tables = tables.into_iter();
    tables
        .map(|(name, table)| (name.to_owned(), table))
        .collect()
}

fn role() -> Value {
    let keys = vec![
        (
            "grant",
            selectors("The tools that the role is granted without limits."),
        ),
        ("profiles", strings("The profiles of the role.")),
        (
            "credentials",
            string("The account whose credentials the calls of the role use."),
        ),
    ];
    table(keys, &ROLE_KEYS)
}

fn profile(scopes: &Value) -> Value {
    let keys = vec![
        ("tools", selectors("The tools of the profile.")),
        ("scopes", scopes.clone()),
    ];
    table(keys, &PROFILE_KEYS)
}

fn forbid() -> Value {
    let when =
        "The conditions on arguments, which must all be met. Without any, the tool is not offered.";
    let keys = vec![
        (
            "tools",
            string("The selector of the tools; all if it is absent."),
        ),
        ("roles", strings("The roles; all if it is absent.")),
        ("when", table_of(&condition(), when)),
        ("reason", string("The reason, for the operator.")),
    ];
    table(keys, &FORBID_KEYS)
}

fn scope() -> Value {
    let arguments = "The conditions on arguments, by their names or JSON Pointers.";
    let methods: Vec<_> = Method::ALL.iter().map(|method| method.word()).collect();
    let keys = vec![
        (
            "tools",
            string("The selector of the tools; all of the profile if it is absent."),
        ),
        (
            "allowed_urls",
            strings("The origins, with the paths, that requests may go to."),
        ),
        (
            "allowed_methods",
            json!({"type": "array", "items": {"enum": methods}, "description": "The methods of requests."}),
        ),
        (
            "pinned",
            json!({"type": "object", "additionalProperties": value(), "description": "The arguments that the operator sets."}),
        ),
        ("arguments", table_of(&condition(), arguments)),
        (
            "rate",
            json!({"type": "string", "pattern": "^ *[1-9][0-9]* */ *(second|minute|hour|day) *$", "description": "The rate of calls, such as `60/minute`."}),
        ),
        (
            "max_response_bytes",
            json!({"type": "integer", "minimum": 1, "maximum": 1 << 30, "description": "The longest answer, in bytes."}),
        ),
    ];
    let mut scope = table(keys, &SCOPE_KEYS);
    if let Some(scope) = scope.as_object_mut() {
        // The parameters that tools declare.
        let own = json!({"type": ["string", "array"], "items": {"type": "string"}});
        scope.insert("additionalProperties".to_owned(), own);
    }
    scope
}

fn condition() -> Value {
    let keys = vec![
        (
            "values",
            json!({"type": "array", "items": value(), "description": "The values."}),
        ),
        (
            "pattern",
            string("The regular expression that the whole text matches."),
        ),
        (
            "optional",
            json!({"type": "boolean", "description": "True if the argument may be absent."}),
        ),
    ];
    table(keys, &CONDITION_KEYS)
}

fn switches() -> Value {
    let keys = vec![
        (
            "enable",
            selectors("The tools that are on although they are off by default."),
        ),
        (
            "disable",
            selectors("The tools that are off. This wins over every other setting."),
        ),
    ];
    table(keys, &["enable", "disable"])
}

fn value() -> Value {
    json!({"type": ["string", "integer", "boolean"], "minimum": 0})
}

fn string(description: &str) -> Value {
    json!({"type": "string", "minLength": 1, "description": description})
}

fn strings(description: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description": description})
}

fn selectors(description: &str) -> Value {
    json!({"type": "array", "items": {"type": "string", "pattern": "[^ ]"}, "description": description})
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

fn table_of(entry: &Value, description: &str) -> Value {
    json!({"type": "object", "additionalProperties": entry, "description": description})
}

fn list_of(entry: &Value, description: &str) -> Value {
    json!({"type": "array", "items": entry, "description": description})
}
