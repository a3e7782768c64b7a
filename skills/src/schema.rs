//! The JSON Schema of `skill.toml`, for editors.

use serde_json::{Map, Value, json};

use crate::{
    format::MOST_SECONDS,
    sequence::{MOST_ELEMENTS, MOST_STEPS},
};

/// Returns the JSON Schema of the file.
#[must_use]
pub fn json_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "skill.toml",
        "description": "A skill: a sequence of calls as one governed tool. See docs/skills.md.",
        "type": "object",
        "properties": {
            "name": {
                "type": "string",
                "description": "The name of the skill and of its folder: `<verb>-<service>-<noun>`.",
                "pattern": "^[a-z][a-z0-9]*(-[a-z0-9]+){2,}$",
                "examples": ["restock-depot-items"],
            },
            "line": text("One sentence about what the skill does.", "Orders what is below its minimum."),
            "when_to_use": text("When an agent should take it.", "a shelf runs low."),
            "owner": text("The person or team who answers for it.", "warehouse team"),
            "alternative": text(
                "The skill or tool to use in its place, if it is deprecated.",
                "refill-depot-shelves",
            ),
            "parameters": parameters(),
            "steps": steps_schema(),
            "returns": returns_schema(),
            "tools": {
                "type": "array",
                "description": "The tools that `run.sh` may call, if the skill has a script in place of steps.",
                "minItems": 1,
                "maxItems": MOST_STEPS,
                "uniqueItems": true,
                "items": {"type": "string"},
                "examples": [["search-depot-items"]],
            },
            "seconds": {
                "type": "integer",
                "description": "The longest time of a run of `run.sh`.",
                "minimum": 1,
                "maximum": MOST_SECONDS,
                "default": 60,
                "examples": [20],
            },
        },
        "required": ["name", "line", "owner"],
        "oneOf": [
            {"required": ["steps"], "properties": {"tools": false, "seconds": false}},
            {"required": ["tools"], "properties": {"steps": false, "returns": false}},
        ],
        "additionalProperties": false,
    })
}

/// Returns the JSON Schema of `[[steps]]`.
#[must_use]
pub fn steps_schema() -> Value {
    json!({
        "type": "array",
        "description": "The calls, in order.",
        "minItems": 1,
        "maxItems": MOST_STEPS,
        "items": step(),
    })
}

/// Returns the JSON Schema of `returns`.
#[must_use]
pub fn returns_schema() -> Value {
    json!({
        "description": "The result, with holes; by default that of the last step.",
        "examples": ["{{order}}"],
    })
}

fn text(about: &str, example: &str) -> Value {
    json!({"type": "string", "minLength": 1, "description": about, "examples": [example]})
}

fn parameters() -> Value {
    json!({
        "type": "object",
        "description": "The parameters, each a JSON Schema.",
        "propertyNames": {"pattern": "^[a-z][a-z0-9_]*$"},
        "additionalProperties": {
            "type": "object",
            "properties": {
                "type": {"description": "The type of the values.", "examples": ["string"]},
                "description": {
                    "type": "string",
                    "description": "What the parameter means, for agents.",
                    "examples": ["The shelf."],
                },
                "optional": {
                    "type": "boolean",
                    "description": "True if a call may leave it out.",
                    "default": false,
                },
                "default": {"description": "The value if a call leaves it out.", "examples": [1]},
            },
            "required": ["description"],
        },
    })
}

fn step() -> Value {
    let condition = condition();
    json!({
        "type": "object",
        "properties": {
            "id": {
                "type": "string",
                "description": "The name by which later holes refer to the result.",
                "pattern": "^[a-z][a-z0-9_]*$",
                "examples": ["order"],
            },
            "tool": text("The tool that is called.", "create-depot-order"),
            "arguments": {
                "type": "object",
                "description": "The arguments, with holes: `{{parameter}}`, `{{step#/json/pointer}}`, \
                    `{{item#/json/pointer}}`.",
                "examples": [{"item_id": "{{find#/items/0/id}}"}],
            },
            "when": {
                "description": "The conditions of the call, all of which must hold.",
                "anyOf": [condition, {"type": "array", "items": condition}],
                "examples": [{"value": "{{find#/total}}", "at_least": 1}],
            },
            "each": text("The list for whose elements the call is made, as a hole.", "{{find#/items}}"),
            "most": {
                "type": "integer",
                "description": "The greatest number of elements.",
                "minimum": 1,
                "maximum": MOST_ELEMENTS,
                "examples": [20],
            },
        },
        "required": ["id", "tool"],
        "dependentRequired": {"each": ["most"], "most": ["each"]},
        "additionalProperties": false,
    })
}

fn condition() -> Value {
    let tests = [
        (
            "equals",
            json!({"description": "The value is this one.", "examples": [0]}),
        ),
        (
            "not_equals",
            json!({"description": "The value is another one.", "examples": [0]}),
        ),
        (
            "at_least",
            json!({"type": "number", "description": "The least value.", "examples": [1]}),
        ),
        (
            "at_most",
            json!({"type": "number", "description": "The greatest value.", "examples": [9]}),
        ),
        (
            "exists",
            json!({"type": "boolean", "description": "There is a value.", "examples": [true]}),
        ),
        (
            "empty",
            json!({"type": "boolean", "description": "It has no content.", "examples": [false]}),
        ),
    ];
    let mut properties = Map::new();
    let value =
        json!({"description": "The value that is tested.", "examples": ["{{find#/total}}"]});
    properties.insert("value".to_owned(), value);
    properties.extend(tests.map(|(name, schema)| (name.to_owned(), schema)));
    json!({
        "type": "object",
        "properties": properties,
        "required": ["value"],
        "minProperties": 2,
        "maxProperties": 2,
        "additionalProperties": false,
    })
}
