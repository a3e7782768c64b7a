//! Tests of the rules of each dialect.
#![cfg(test)]

use serde_json::{Map, Value, json};

use super::*;
use crate::{
    Kind,
    render::{
        description::APPROVAL,
        tests::{spec, spec_with},
    },
};

/// A schema with most of what documents contain.
fn filters() -> Value {
    json!({
        "type": "object",
        "properties": {
            "id": {"type": "integer", "exclusiveMinimum": 0},
            "name": {"type": "string", "description": "The name.", "maxLength": 9, "default": "x"},
            "kind": {"enum": ["a", null]},
            "filter": {"$ref": "#/$defs/Filter", "description": "What to find."},
            "all": {"type": "array", "items": {"$ref": "#/$defs/Filter"}, "uniqueItems": true},
            "or": {"$ref": "#/$defs/Filter"},
        },
        "required": ["id", "filter"],
        "additionalProperties": false,
        "$defs": {
            "Filter": {"oneOf": [
                {"type": "object", "properties": {"not": {"$ref": "#/$defs/Filter"}}, "required": ["not"]},
                {"allOf": [{"$ref": "#/$defs/Base"}, {"properties": {"value": {"type": ["string", "integer"]}}}]},
            ]},
            "Base": {"type": "object", "properties": {"field": {"const": "name"}, "value": {}}, "required": ["field"]},
        },
    })
}

fn parameters(dialect: Dialect, schema: Value) -> Value {
    let mut tool = dialect.tool(&spec_with(schema));
    assert_eq!(tool.not_strict, None);
    let pointer = match dialect {
        Dialect::Anthropic => "/input_schema",
        Dialect::OpenAi | Dialect::OpenAiStrict => "/function/parameters",
        Dialect::Gemini => "/parametersJsonSchema",
        Dialect::Bedrock => "/toolSpec/inputSchema/json",
    };
    tool.tool.pointer_mut(pointer).unwrap().take()
}

#[test]
fn each_dialect_has_its_envelope() {
    let spec = spec(Kind::Delete, None);
    let schema = json!({"type": "object", "properties": {"any": {}}, "required": []});
    let text = format!("Gives one item.\n\nTo read one item.\n\n{APPROVAL}");
    for (dialect, expected) in [
        (
            Dialect::Anthropic,
            json!({"tools": [{"name": "get-depot-item", "description": text, "input_schema": schema}]}),
        ),
        (
            Dialect::OpenAi,
            json!({"tools": [{"type": "function", "function": {
                "name": "get-depot-item", "description": text, "parameters": schema, "strict": false,
            }}]}),
        ),
        (
            Dialect::Gemini,
            json!({"tools": [{"functionDeclarations": [{
                "name": "get-depot-item", "description": text, "parametersJsonSchema": schema,
            }]}]}),
        ),
        (
            Dialect::Bedrock,
            json!({"toolConfig": {"tools": [{"toolSpec": {
                "name": "get_depot_item", "description": text, "inputSchema": {"json": schema},
            }}]}}),
        ),
    ] {
        assert_eq!(
            dialect.request(vec![dialect.tool(&spec).tool]),
            expected,
            "{dialect}"
        );
    }
}

#[test]
fn a_strict_schema_requires_every_property() {
    let strict = parameters(Dialect::OpenAiStrict, filters());
    assert_eq!(
        strict,
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["id", "name", "kind", "filter", "all", "or"],
            "properties": {
                "id": {"type": "integer", "exclusiveMinimum": 0},
                "name": {
                    "type": ["string", "null"],
                    "description": "The name. At most 9 characters. Default: \"x\".",
                },
                "kind": {"type": ["string", "null"], "enum": ["a", null]},
                "filter": {"$ref": "#/$defs/Filter"},
                "all": {
                    "type": ["array", "null"],
                    "items": {"$ref": "#/$defs/Filter"},
                    "description": "No two elements are equal.",
                },
                "or": {"anyOf": [{"$ref": "#/$defs/Filter"}, {"type": "null"}]},
            },
            "$defs": {"Filter": {"anyOf": [
                {
                    "type": "object",
                    "required": ["not"],
                    "properties": {"not": {"$ref": "#/$defs/Filter"}},
                    "additionalProperties": false,
                },
                {
                    "type": "object",
                    "required": ["field", "value"],
                    "properties": {
                        "field": {"const": "name", "type": "string"},
                        "value": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
                    },
                    "additionalProperties": false,
                },
            ]}},
        })
    );
}

#[test]
fn the_nulls_of_absent_properties_are_removed() {
    let spec = spec_with(filters());
    let called = json!({
        "id": 1,
        "name": null,
        "kind": null,
        "filter": {"not": {"field": "name", "value": null}},
        "all": [{"field": "name", "value": null}, {"field": "name", "value": 2}],
        "or": null,
    });
    let arguments = Dialect::OpenAiStrict.arguments(&spec, called.clone());
    assert_eq!(
        arguments,
        json!({
            "id": 1,
            "filter": {"not": {"field": "name"}},
            "all": [{"field": "name"}, {"field": "name", "value": 2}],
        })
    );
    assert!(jsonschema::is_valid(&filters(), &arguments));
    for dialect in [
        Dialect::Anthropic,
        Dialect::OpenAi,
        Dialect::Gemini,
        Dialect::Bedrock,
    ] {
        assert_eq!(
            dialect.arguments(&spec, called.clone()),
            called,
            "{dialect}"
        );
    }
    let required = json!({"type": "object", "properties": {"a": {"type": ["null", "string"]}}, "required": ["a"]});
    let given = json!({"a": null});
    assert_eq!(
        Dialect::OpenAiStrict.arguments(&spec_with(required), given.clone()),
        given
    );
}

/// Checks that a tool with this required property is not strict, for this reason.
#[track_caller]
fn assert_not_strict(property: &Value, reason: &str) {
    let schema = json!({"type": "object", "properties": {"a": property}, "required": ["a"]});
    let rendering = Dialect::OpenAiStrict.tool(&spec_with(schema.clone()));
    assert_eq!(rendering.not_strict.as_deref(), Some(reason));
    assert_eq!(rendering.tool["function"]["strict"], false);
    assert_eq!(
        rendering.tool,
        Dialect::OpenAi.tool(&spec_with(schema)).tool
    );
}

#[test]
fn arguments_without_a_strict_schema_have_a_reason() {
    for (property, reason) in [
        (json!({}), "`a` may have any value"),
        (
            json!({"type": "array"}),
            "an element of `a` may have any value",
        ),
        (json!({"type": "object"}), "`a` may have any property"),
        (
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
            "`a` may have any property",
        ),
        (
            json!({"type": "object", "properties": {}, "required": ["b"]}),
            "`a` requires `b`, which it does not describe",
        ),
        (
            json!({"type": "array", "prefixItems": [{}]}),
            "`a` has elements of different schemas",
        ),
        (
            json!({"enum": [{"b": 1}]}),
            "`a` lists values other than scalars",
        ),
        (
            json!({"allOf": [{"pattern": "a"}, {"pattern": "b"}]}),
            "`a` combines schemas that cannot be merged",
        ),
    ] {
        assert_not_strict(&property, reason);
    }
}

#[test]
fn arguments_over_a_limit_have_a_reason() {
    let wide = (0..5_001).map(|i| (format!("p{i}"), json!({"type": "null"})));
    let wide: Map<String, Value> = wide.collect();
    let mut deep = json!({"type": "object", "properties": {}});
    for _ in 0..10 {
        deep = json!({"type": "object", "properties": {"a": deep}});
    }
    let names = |count: usize, length: usize| {
        (0..count)
            .map(|i| format!("{i:0length$}"))
            .collect::<Vec<_>>()
    };
    let long = "x".repeat(120_000);
    for (property, reason) in [
        (
            deep,
            "the schema has 12 levels of objects, and 10 are possible",
        ),
        (
            json!({"type": "object", "properties": wide}),
            "the schema has 5002 properties, and 5000 are possible",
        ),
        (
            json!({"enum": names(1_001, 1)}),
            "the schema has 1001 listed values, and 1000 are possible",
        ),
        (
            json!({"enum": names(251, 60)}),
            "an enum of 251 values has 15060 characters, and 15000 are possible",
        ),
        (
            json!({"type": "object", "properties": {long: {"type": "null"}}}),
            "the schema has 120001 characters of names and values, and 120000 are possible",
        ),
    ] {
        assert_not_strict(&property, reason);
    }
}

#[test]
fn gemini_gets_the_keywords_that_it_reads() {
    let mut schema = filters();
    schema["$defs"]["Filter"]["oneOf"][0]["required"] = json!([]);
    let shown = parameters(Dialect::Gemini, schema);
    assert_eq!(
        shown,
        json!({
            "type": "object",
            "properties": {
                "id": {"type": "integer", "minimum": 1},
                "name": {
                    "type": "string",
                    "description": "The name. At most 9 characters. Default: \"x\".",
                },
                "kind": {"anyOf": [{"enum": ["a"], "type": "string"}, {"type": "null"}]},
                "filter": {"description": "What to find.", "anyOf": [{"$ref": "#/$defs/Filter"}]},
                "all": {
                    "type": "array",
                    "items": {"$ref": "#/$defs/Filter"},
                    "description": "No two elements are equal.",
                },
                "or": {"$ref": "#/$defs/Filter"},
            },
            "required": ["id", "filter"],
            "additionalProperties": false,
            "$defs": {"Filter": {"oneOf": [
                {"type": "object", "properties": {"not": {"$ref": "#/$defs/Filter"}}, "required": []},
                {
                    "type": "object",
                    "required": ["field"],
                    "properties": {
                        "field": {"type": "string", "enum": ["name"]},
                        "value": {"type": ["string", "integer"]},
                    },
                },
            ]}},
        })
    );
}

#[test]
fn gemini_gets_copies_of_what_requires_itself() {
    let shown = parameters(Dialect::Gemini, filters());
    let variant = |schema: &Value, index: usize| schema["oneOf"][index].clone();
    let mut filter = shown["properties"]["filter"].clone();
    for _ in 0..2 {
        filter = variant(&filter, 0)["properties"]["not"].clone();
    }
    assert_eq!(
        variant(&filter, 0)["required"],
        json!(["field"]),
        "{filter}"
    );
    assert!(!shown.to_string().contains("$ref"));
}

#[test]
fn bedrock_gets_no_references() {
    let schema = parameters(Dialect::Bedrock, filters());
    let keys: Vec<&String> = schema.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["type", "properties", "required"]);
    assert!(!schema.to_string().contains("$ref"), "{schema}");
    assert_eq!(
        schema["properties"]["filter"]["description"],
        "What to find."
    );
}

#[test]
fn openai_gets_items_in_every_array() {
    let schema = json!({"type": "object", "properties": {"a": {"type": ["array", "null"]}}});
    let items = &parameters(Dialect::OpenAi, schema)["properties"]["a"]["items"];
    assert_eq!(items, &json!({}));
}

#[test]
fn long_descriptions_keep_their_ends() {
    let mut spec = spec(Kind::Delete, None);
    spec.deprecated = true;
    spec.description = "word ".repeat(1_000);
    let tool = Dialect::OpenAi.tool(&spec).tool;
    let text = tool["function"]["description"].as_str().unwrap();
    assert!(
        (1_000..=1_024).contains(&text.chars().count()),
        "{}",
        text.len()
    );
    assert!(
        text.starts_with("Deprecated:") && text.ends_with(&format!(" …\n\n{APPROVAL}")),
        "{text}"
    );
    let whole = Dialect::Anthropic.tool(&spec).tool;
    assert!(whole["description"].as_str().unwrap().len() > 4_000);
}

#[test]
fn names_have_one_alias_and_back() {
    for name in ["get-depot-item", "list-a-b2-c", "x"] {
        let spec = ToolSpec {
            name: ToolName::new(name).unwrap(),
            ..spec(Kind::Read, None)
        };
        for &dialect in Dialect::ALL {
            let alias = dialect.name(&spec);
            assert_eq!(
                dialect.tool_name(&alias),
                Some(spec.name.clone()),
                "{dialect}"
            );
        }
    }
    assert_eq!(Dialect::Bedrock.tool_name("get-depot_item"), None);
    assert_eq!(Dialect::Bedrock.tool_name("get__item"), None);
    assert_eq!(Dialect::Anthropic.tool_name("get_depot_item"), None);
}

#[test]
fn other_roots_and_names_come_back() {
    let union = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
        "additionalProperties": false,
    });
    let spec = spec_with(union);
    for &dialect in Dialect::ALL {
        let called = json!({"arguments": {"a": "x"}});
        assert_eq!(
            dialect.arguments(&spec, called),
            json!({"a": "x"}),
            "{dialect}"
        );
    }
    let odd =
        spec_with(json!({"type": "object", "properties": {"filter[id]": {"type": "string"}}}));
    let schema = &Dialect::Anthropic.tool(&odd).tool["input_schema"];
    assert_eq!(
        schema["properties"],
        json!({"filter_id_": {"type": "string"}})
    );
    let arguments = Dialect::Anthropic.arguments(&odd, json!({"filter_id_": "x"}));
    assert_eq!(arguments, json!({"filter[id]": "x"}));
}

#[test]
fn the_page_lists_the_keywords_that_a_format_lacks() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/formats.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, table) = page.split_once("## Keywords that a format lacks").unwrap();
    let rows: Vec<&str> = table
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    for &dialect in Dialect::ALL {
        let word = format!("`{dialect}`");
        let row = rows
            .iter()
            .find(|row| row.split('|').nth(1).unwrap().contains(&word));
        let cell = row.unwrap().split('|').nth(2).unwrap();
        let mut listed: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
        listed.retain(|word| *word != "anyOf");
        listed.sort_unstable();
        assert_eq!(listed, dialect.dropped(), "{dialect}");
    }
}
