//! The published rules of each dialect, written as schemas of tools, independent of the renderings.
//!
//! No provider publishes a meta-schema of its dialect. These state what the documentation of each says:
//!
//! | dialect | source |
//! |---|---|
//! | Anthropic | the reference of the Messages API (`tools`), and the errors of that API |
//! | `OpenAI` | the guide "Structured Outputs", section "Supported schemas", and the errors of the API |
//! | Gemini | the reference of `FunctionDeclaration`, and of `responseJsonSchema` for the keywords |
//! | Bedrock | `ToolSpecification` of the API, and "Defining a tool" of Amazon Nova for the schema |

use std::{collections::BTreeSet, sync::LazyLock};

use jsonschema::Validator;
use serde_json::{Value, json};
use toolwright::render::provider::Dialect;

/// Returns the schema of the arguments in a rendered tool.
pub(super) fn schema(dialect: Dialect, tool: &Value) -> Option<&Value> {
    tool.pointer(match dialect {
        Dialect::Anthropic => "/input_schema",
        Dialect::OpenAi | Dialect::OpenAiStrict => "/function/parameters",
        Dialect::Gemini => "/parametersJsonSchema",
        Dialect::Bedrock => "/toolSpec/inputSchema/json",
    })
}

/// Returns the first published rule that a tool breaks.
pub(super) fn fault(dialect: Dialect, tool: &Value) -> Option<String> {
    static ANTHROPIC: LazyLock<Validator> = LazyLock::new(|| compile(&anthropic()));
    static OPENAI: LazyLock<Validator> = LazyLock::new(|| compile(&openai(false, &json!(true))));
    static STRICT: LazyLock<Validator> = LazyLock::new(|| compile(&openai(true, &strict_node())));
    static GEMINI: LazyLock<Validator> = LazyLock::new(|| compile(&gemini()));
    static BEDROCK: LazyLock<Validator> = LazyLock::new(|| compile(&bedrock()));
    let rules = match dialect {
        Dialect::Anthropic => &ANTHROPIC,
        Dialect::OpenAiStrict if tool["function"]["strict"] == true => &STRICT,
        Dialect::OpenAi | Dialect::OpenAiStrict => &OPENAI,
        Dialect::Gemini => &GEMINI,
        Dialect::Bedrock => &BEDROCK,
    };
    let schema = schema(dialect, tool)?;
    if let Err(error) = jsonschema::draft202012::meta::validate(schema) {
        return Some(format!("its schema is invalid: {error}"));
    }
    if tool["function"]["strict"] == true
        && !toolwright_schema::walk(schema).all(|node| requires_all(node.schema))
    {
        return Some("an object does not require all its properties".to_owned());
    }
    let broken = rules.validate(tool).err();
    broken.map(|error| {
        format!(
            "{error} at {}, by {}",
            error.instance_path(),
            error.schema_path()
        )
    })
}

/// Checks whether a schema requires each property that it declares, and no others.
fn requires_all(schema: &Value) -> bool {
    let declared: BTreeSet<&str> = toolwright_schema::properties(schema)
        .map(|(name, _)| name)
        .collect();
    let required: BTreeSet<&str> = toolwright_schema::required(schema).collect();
    declared == required
}

fn compile(rules: &Value) -> Validator {
    jsonschema::draft202012::new(rules).unwrap()
}

/// An object with exactly these members.
fn exactly(members: &Value) -> Value {
    let names: Vec<&String> = members.as_object().unwrap().keys().collect();
    json!({"type": "object", "properties": members, "required": names, "additionalProperties": false})
}

fn name(pattern: &str) -> Value {
    json!({"type": "string", "pattern": pattern})
}

fn anthropic() -> Value {
    exactly(&json!({
        "name": name("^[a-zA-Z0-9_-]{1,64}$"),
        "description": {"type": "string"},
        "input_schema": {
            "properties": {
                "type": {"const": "object"},
                "properties": {"propertyNames": {"pattern": "^[a-zA-Z0-9_.-]{1,64}$"}},
                "oneOf": false, "allOf": false, "anyOf": false,
            },
            "required": ["type"],
        },
    }))
}

/// The rules for functions, with those for each schema of a strict one.
fn openai(strict: bool, node: &Value) -> Value {
    let parameters = json!({
        "properties": {
            "type": {"const": "object"},
            "oneOf": false, "anyOf": false, "allOf": false, "enum": false, "not": false, "const": false,
        },
        "required": ["type", "properties"],
        "allOf": [{"$ref": "#/$defs/node"}],
    });
    let function = exactly(&json!({
        "name": name("^[a-zA-Z0-9_-]{1,64}$"),
        "description": {"type": "string", "maxLength": 1024},
        "parameters": parameters,
        "strict": {"const": strict},
    }));
    let mut tool = exactly(&json!({"type": {"const": "function"}, "function": function}));
    tool["$defs"] = json!({"node": node});
    tool
}

/// A schema within a strict one.
fn strict_node() -> Value {
    let node = json!({"$ref": "#/$defs/node"});
    let kinds = json!([
        "string", "number", "integer", "boolean", "object", "array", "null"
    ]);
    let number = json!({"type": "number"});
    let has_type = |name: &str| {
        json!({"required": ["type"], "properties": {"type": {"anyOf": [
            {"const": name}, {"type": "array", "contains": {"const": name}},
        ]}}})
    };
    json!({
        "type": "object",
        "properties": {
            "type": {"anyOf": [
                {"enum": kinds},
                {"type": "array", "items": {"enum": kinds}, "contains": {"const": "null"}, "minItems": 2, "maxItems": 2},
            ]},
            "description": {"type": "string"},
            "enum": {"type": "array", "minItems": 1, "items": {"type": ["string", "number", "boolean", "null"]}},
            "const": {"type": ["string", "number", "boolean", "null"]},
            "properties": {"additionalProperties": node},
            "required": true,
            "additionalProperties": {"const": false},
            "items": node,
            "anyOf": {"type": "array", "items": node, "minItems": 2},
            "$defs": {"additionalProperties": node},
            "$ref": {"type": "string", "pattern": "^#"},
            "pattern": {"type": "string"},
            "format": {"enum": [
                "date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid",
            ]},
            "multipleOf": number, "maximum": number, "exclusiveMaximum": number, "minimum": number,
            "exclusiveMinimum": number, "minItems": number, "maxItems": number,
        },
        "additionalProperties": false,
        "anyOf": [
            {"required": ["$ref"], "maxProperties": 1},
            {"required": ["type"], "not": {"required": ["$ref"]}},
            {"required": ["anyOf"], "not": {"required": ["$ref"]}},
        ],
        "allOf": [
            {"if": has_type("object"), "then": {"required": ["properties", "required", "additionalProperties"]}},
            {"if": has_type("array"), "then": {"required": ["items"]}},
        ],
    })
}

fn gemini() -> Value {
    let node = json!({"$ref": "#/$defs/node"});
    let list = json!({"type": "array", "items": node});
    let table = json!({"additionalProperties": node});
    let mut tool = exactly(&json!({
        "name": name("^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$"),
        "description": {"type": "string"},
        "parametersJsonSchema": {"allOf": [node, {"properties": {"type": {"const": "object"}}, "required": ["type"]}]},
    }));
    tool["$defs"] = json!({"node": {
        "type": "object",
        "properties": {
            "$id": true, "$anchor": true, "$defs": table, "$ref": {"type": "string"},
            "type": true, "format": {"type": "string"}, "title": true, "description": {"type": "string"},
            "enum": {"type": "array", "items": {"type": ["string", "number"]}},
            "items": node, "prefixItems": list, "minItems": true, "maxItems": true,
            "minimum": true, "maximum": true, "anyOf": list, "oneOf": list,
            "properties": table, "required": true,
            "additionalProperties": {"anyOf": [{"type": "boolean"}, node]},
        },
        "additionalProperties": false,
        // A reference has neighbours that begin with `$` only.
        "if": {"required": ["$ref"]},
        "then": {"propertyNames": {"pattern": "^\\$"}},
    }});
    tool
}

fn bedrock() -> Value {
    let schema = json!({
        "type": "object",
        "properties": {
            "type": {"const": "object"},
            "properties": {"additionalProperties": {"$ref": "#/$defs/node"}},
            "required": {"type": "array"},
        },
        "required": ["type", "properties", "required"],
        "additionalProperties": false,
    });
    let specification = exactly(&json!({
        "name": name("^[a-zA-Z][a-zA-Z0-9_]{0,63}$"),
        "description": {"type": "string", "minLength": 1},
        "inputSchema": exactly(&json!({"json": schema})),
    }));
    let mut tool = exactly(&json!({"toolSpec": specification}));
    let node = json!({"$ref": "#/$defs/node"});
    tool["$defs"] = json!({"node": {"properties": {
        "$ref": false, "$defs": false,
        "properties": {"additionalProperties": node}, "items": node, "additionalProperties": node,
        "anyOf": {"items": node}, "allOf": {"items": node}, "oneOf": {"items": node},
    }}});
    tool
}
