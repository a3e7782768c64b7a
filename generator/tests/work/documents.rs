//! Small documents that describe very much.

use rand::{RngExt, rngs::StdRng};
use serde_json::{Map, Value, json};

/// A family of documents: the schemas of one level from the reference to the next level.
pub(crate) type Level = (&'static str, fn(&Value, usize) -> Value);

/// Each keyword that holds schemas, with the next level in it twice.
pub(crate) const LEVELS: &[Level] = &[
    (
        "oneOf of allOf and a reference",
        |next, _| json!({"oneOf": [{"allOf": [next, leaf("x")]}, next]}),
    ),
    (
        "oneOf of two allOf",
        |next, at| json!({"oneOf": [{"allOf": [next, field(at, "a")]}, {"allOf": [next, field(at, "b")]}]}),
    ),
    ("anyOf of two allOf beside properties", |next, at| {
        let mut schema = field(at, "own");
        schema["anyOf"] =
            json!([{"allOf": [next, field(at, "a")]}, {"allOf": [next, field(at, "b")]}]);
        schema
    }),
    ("oneOf beside properties", |next, at| {
        let mut schema = field(at, "own");
        schema["oneOf"] = json!([next, {"allOf": [next]}, {"allOf": [next, leaf("y")]}]);
        schema
    }),
    (
        "allOf of two unions",
        |next, at| json!({"allOf": [{"oneOf": [next, field(at, "a")]}, {"anyOf": [next, field(at, "b")]}]}),
    ),
    (
        "allOf twice",
        |next, _| json!({"allOf": [{"allOf": [next]}, {"allOf": [next, {}]}]}),
    ),
    (
        "not",
        |next, _| json!({"type": "object", "not": {"allOf": [next, {"oneOf": [next, {"not": next}]}]}}),
    ),
    ("if, then, else", |next, at| {
        let mut schema = field(at, "own");
        schema["if"] = json!({"allOf": [next, leaf("c")]});
        schema["then"] = json!({"allOf": [next, leaf("d")]});
        schema["else"] = json!({"allOf": [next, leaf("e")]});
        schema
    }),
    ("dependentSchemas", |next, at| {
        let mut schema = field(at, "own");
        schema["dependentSchemas"] =
            json!({"a": {"allOf": [next, leaf("a")]}, "b": {"allOf": [next, leaf("b")]}});
        schema
    }),
    (
        "patternProperties",
        |next, _| json!({"type": "object", "patternProperties": {"^a": {"allOf": [next, leaf("a")]}, "^b": {"allOf": [next, leaf("b")]}}}),
    ),
    (
        "properties",
        |next, _| json!({"type": "object", "properties": {"a": next, "b": next}}),
    ),
    (
        "properties of allOf",
        |next, _| json!({"type": "object", "properties": {"a": {"allOf": [next, leaf("a")]}, "b": {"allOf": [next, leaf("b")]}}}),
    ),
    ("properties of unions", |next, _| {
        json!({"type": "object", "properties": {
            "a": {"oneOf": [{"allOf": [next, leaf("a")]}, {"type": "string"}]},
            "b": {"anyOf": [{"allOf": [next, leaf("b")]}, {"type": "null"}]},
        }})
    }),
    ("merged properties", |next, at| {
        let own = json!({"properties": {"a": next, "b": next}});
        json!({"type": "object", "allOf": [own, {"properties": {"a": field(at, "x"), "b": field(at, "y")}}]})
    }),
    (
        "additionalProperties",
        |next, _| json!({"type": "object", "additionalProperties": {"anyOf": [{"allOf": [next, leaf("a")]}, {"allOf": [next, leaf("b")]}]}}),
    ),
    (
        "items",
        |next, _| json!({"type": "array", "items": {"oneOf": [{"allOf": [next, leaf("a")]}, {"allOf": [next, leaf("b")]}]}}),
    ),
    (
        "prefixItems",
        |next, _| json!({"type": "array", "prefixItems": [next, next], "items": false, "minItems": 2, "maxItems": 2}),
    ),
    ("contains and propertyNames", |next, _| {
        json!({"contains": {"allOf": [next, leaf("a")]}, "propertyNames": {"allOf": [next, leaf("b")]},
            "unevaluatedProperties": {"allOf": [next, leaf("c")]}, "unevaluatedItems": {"allOf": [next, leaf("d")]}})
    }),
    ("discriminator", |next, at| {
        json!({"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}},
            "discriminator": {"propertyName": "kind", "mapping": {"a": next["$ref"], "b": next["$ref"]}},
            "oneOf": [{"allOf": [next, field(at, "a")]}, {"allOf": [next, field(at, "b")]}]})
    }),
    ("parent with a discriminator", |next, at| {
        json!({"type": "object", "allOf": [next, field(at, "own")], "properties": {"kind": {"type": "string"}},
            "discriminator": {"propertyName": "kind", "mapping": {"a": next["$ref"]}}})
    }),
    ("references beside keywords", |next, at| {
        let mut schema = field(at, "own");
        schema["$ref"] = next["$ref"].clone();
        schema["oneOf"] = json!([{"allOf": [next, leaf("a")]}, {"allOf": [next, leaf("b")]}]);
        schema
    }),
];

/// A document whose levels lead to one another.
pub(crate) fn nested(level: Level, depth: usize) -> Value {
    let mut schemas = Map::new();
    for at in 0..depth {
        schemas.insert(format!("L{at}"), level.1(&reference(at + 1), at));
    }
    schemas.insert(format!("L{depth}"), field(depth, "last"));
    document(schemas, &reference(0))
}

/// Returns cycles of lengths without a common divisor, which all apply to each element.
pub(crate) fn cycles(lengths: &[usize]) -> Value {
    let mut schemas = Map::new();
    let mut all = Vec::new();
    for length in lengths {
        for at in 0..*length {
            let next =
                json!({"$ref": format!("#/components/schemas/C{length}_{}", (at + 1) % length)});
            let schema = json!({"type": "object", "properties": {"next": next, "at": {"const": format!("{length}/{at}")}}});
            schemas.insert(format!("C{length}_{at}"), schema);
        }
        all.push(json!({"$ref": format!("#/components/schemas/C{length}_0")}));
    }
    schemas.insert("L0".to_owned(), json!({"allOf": all}));
    document(schemas, &reference(0))
}

/// Documents whose size is in one place.
pub(crate) fn wide(count: usize) -> Vec<(&'static str, Value)> {
    let numbered = |prefix: &str| {
        (0..count)
            .map(|at| format!("{prefix}{at}"))
            .collect::<Vec<_>>()
    };
    let one = |schema: Value| document(Map::from_iter([("L0".to_owned(), schema)]), &reference(0));
    let properties = |schema: &Value| {
        let names = numbered("p").into_iter();
        json!({"type": "object", "properties": names.map(|name| (name, schema.clone())).collect::<Map<_, _>>()})
    };
    let pages = |first: Value| {
        let schemas = [
            ("L0", first),
            ("L1", properties(&reference(2))),
            ("L2", properties(&reference(3))),
            ("L3", properties(&reference(0))),
        ];
        document(
            schemas
                .map(|(name, schema)| (name.to_owned(), schema))
                .into_iter()
                .collect(),
            &reference(0),
        )
    };
    vec![
        (
            "values",
            one(json!({"type": "string", "enum": numbered("v")})),
        ),
        (
            "values in both parts",
            one(json!({"allOf": [{"enum": numbered("v")}, {"enum": numbered("v")}]})),
        ),
        ("properties", one(properties(&json!({"type": "string"})))),
        ("properties of properties", pages(properties(&reference(1)))),
        (
            "parts",
            one(
                json!({"allOf": numbered("p").iter().map(|name| json!({"properties": {"same": {"description": name}}})).collect::<Vec<_>>()}),
            ),
        ),
        ("parts of parts", {
            let parts: Vec<Value> = (0..12).map(|_| reference(1)).collect();
            let schemas = (0..9).map(|at| {
                let parts = parts
                    .iter()
                    .map(|_| json!({"allOf": [reference(at + 1)]}))
                    .collect::<Vec<_>>();
                (
                    format!("L{at}"),
                    json!({"allOf": parts, "properties": {format!("p{at}"): {}}}),
                )
            });
            document(
                schemas.chain([("L9".to_owned(), leaf("x"))]).collect(),
                &reference(0),
            )
        }),
        (
            "variants",
            one(json!({"oneOf": numbered("v").iter().map(|name| leaf(name)).collect::<Vec<_>>()})),
        ),
        (
            "patterns",
            one(properties(
                &json!({"type": "string", "pattern": "(((a{100}){100}){100}){100}"}),
            )),
        ),
        (
            "long texts",
            one(
                json!({"type": "object", "description": "word ".repeat(count * 10), "properties": {"a": {"title": "x".repeat(count * 20)}}}),
            ),
        ),
    ]
}

/// An operation that answers with a schema, and takes it.
fn document(schemas: Map<String, Value>, schema: &Value) -> Value {
    let content = json!({"application/json": {"schema": schema}});
    let answers = json!({"200": {"description": "d", "content": content}, "400": {"description": "d", "content": content}});
    let parameters = json!([{"name": "q", "in": "query", "schema": schema}, {"name": "c", "in": "query", "content": content}]);
    json!({
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {
            "/things": {
                "get": {"operationId": "listThings", "parameters": parameters, "responses": answers},
                "post": {"operationId": "createThing", "requestBody": {"content": content}, "responses": answers},
            },
            "/good": {"get": {"operationId": "getGood", "responses": {"200": {"description": "d"}}}},
        },
        "components": {"schemas": schemas},
    })
}

fn reference(level: usize) -> Value {
    json!({"$ref": format!("#/components/schemas/L{level}")})
}

fn field(at: usize, name: &str) -> Value {
    json!({"type": "object", "properties": {format!("{name}{at}"): {"type": "string"}}})
}

fn leaf(name: &str) -> Value {
    json!({"type": "object", "properties": {name: {"type": "integer"}}})
}

/// A document of so many schemas that lead to one another at random.
pub(crate) fn random(random: &mut StdRng, count: usize) -> Value {
    let mut schemas = Map::new();
    for at in 0..count {
        schemas.insert(format!("L{at}"), random_schema(random, count, 3));
    }
    document(schemas, &reference(0))
}

/// A random schema that is nested no deeper than this.
fn random_schema(random: &mut StdRng, count: usize, deep: usize) -> Value {
    if deep == 0 || random.random_range(0..4) == 0 {
        return match random.random_range(0..4) {
            0 => field(random.random_range(0..count), "p"),
            _ => reference(random.random_range(0..count)),
        };
    }
    let mut schema = Map::new();
    for _ in 0..random.random_range(1..4) {
        let one = |random: &mut StdRng| random_schema(random, count, deep - 1);
        let several = |random: &mut StdRng| -> Vec<Value> {
            (0..random.random_range(1..4))
                .map(|_| random_schema(random, count, deep - 1))
                .collect()
        };
        let (keyword, value) = match random.random_range(0..14) {
            0 | 1 => ("allOf", several(random).into()),
            2 | 3 => ("oneOf", several(random).into()),
            4 => ("anyOf", several(random).into()),
            5 => ("not", one(random)),
            6 => ("if", one(random)),
            7 => ("then", one(random)),
            8 => (
                "dependentSchemas",
                json!({"a": one(random), "b": one(random)}),
            ),
            9 => ("patternProperties", json!({"^a": one(random)})),
            10 => ("items", one(random)),
            11 => ("prefixItems", several(random).into()),
            12 => ("additionalProperties", one(random)),
            _ => (
                "properties",
                json!({"a": one(random), "b": one(random), "c": {"readOnly": true, "allOf": several(random)}}),
            ),
        };
        schema.insert(keyword.to_owned(), value);
    }
    if random.random_range(0..6) == 0 {
        let target = format!("#/components/schemas/L{}", random.random_range(0..count));
        let discriminator = json!({"propertyName": "a", "mapping": {"x": target}});
        schema.insert("discriminator".to_owned(), discriminator);
    }
    Value::Object(schema)
}
