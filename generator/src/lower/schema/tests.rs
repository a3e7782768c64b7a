//! Schemas, their types and what agents see of them.

use serde_json::{Value, json};

use super::{BodyEncoding, Dialect, Direction, NameHint, SchemaLowering};
use crate::{
    document::{
        diagnostic::Diagnostics,
        documents::Documents,
        source::Sources,
        tree::{Node, yaml},
    },
    ir::types::{Additional, Shape, TypeId, Types},
};

/// Some schemas, as `components` of a document.
fn document(schemas: &str) -> Documents {
    let indented = schemas.trim_matches('\n').replace('\n', "\n    ");
    let text = format!("components:\n  schemas:\n    {indented}\n");
    let mut sources = Sources::new();
    let source = sources.add("a.yaml", text.as_str());
    let root = yaml::read(source, &text, &mut Diagnostics::default()).unwrap();
    let mut documents = Documents::default();
    documents.add(source, "a.yaml", root);
    documents
}

fn lowering_of(documents: &Documents, dialect: Dialect) -> SchemaLowering<'_> {
    let root = documents.roots().next().unwrap();
    SchemaLowering::new(documents, root.place.source, dialect)
}

fn schema<'a>(documents: &'a Documents, name: &str) -> &'a Node {
    let root = documents.roots().next().unwrap();
    root.at_pointer(&format!("/components/schemas/{name}"))
        .unwrap()
}

/// Describes the type of the schema `A`, and the items that it reaches.
fn lowered(dialect: Dialect, direction: Direction, schemas: &str) -> String {
    let documents = document(schemas);
    let mut lowering = lowering_of(&documents, dialect);
    let id = lowering.type_of(schema(&documents, "A"), &NameHint::new("hint"), direction);
    let lowered = lowering.finish();
    let mut out = words(&lowered.types, id);
    let mut items: Vec<String> = lowered
        .types
        .iter()
        .filter_map(|(_, ty)| Some(item(&lowered.types, ty.name.as_ref()?, &ty.shape)))
        .collect();
    items.sort();
    items.dedup();
    for item in items {
        out.push_str("; ");
        out.push_str(&item);
    }
    out
}

fn answered(schemas: &str) -> String {
    lowered(Dialect::JsonSchema, Direction::Response, schemas)
}

fn words(types: &Types, id: TypeId) -> String {
    let ty = types.get(id).unwrap();
    if let Some(name) = &ty.name {
        return name.clone();
    }
    match &ty.shape {
        Shape::Any(None) => "any".to_owned(),
        Shape::Any(Some(_)) => "untyped".to_owned(),
        Shape::List(inner) => format!("[{}]", words(types, *inner)),
        Shape::Map(inner) => format!("{{{}}}", words(types, *inner)),
        Shape::Nullable(inner) => format!("{}|null", words(types, *inner)),
        Shape::Secret(inner) => format!("secret {}", words(types, *inner)),
        Shape::Tuple(items) => {
            let items: Vec<_> = items.iter().map(|item| words(types, *item)).collect();
            format!("({})", items.join(", "))
        }
        leaf => format!("{leaf:?}").to_lowercase(),
    }
}

fn item(types: &Types, name: &str, shape: &Shape) -> String {
    match shape {
        Shape::Object(object) => {
            let mut fields: Vec<String> = object
                .fields
                .iter()
                .map(|field| {
                    let optional = if field.required { "" } else { "?" };
                    let boxed = if field.boxed { "box " } else { "" };
                    format!(
                        "{}{optional}: {boxed}{}",
                        field.name,
                        words(types, field.ty)
                    )
                })
                .collect();
            match object.additional {
                Additional::Any => fields.push("..".to_owned()),
                Additional::Typed(ty) => fields.push(format!("..{}", words(types, ty))),
            }
            format!("{name} {{{}}}", fields.join(", "))
        }
        Shape::Enum(values) => {
            let values: Vec<_> = values.iter().map(|value| value.name.as_str()).collect();
            format!("{name} {}", values.join("/"))
        }
        Shape::Union(union) => {
            let variants = union.variants.iter().map(|variant| {
                let tags = variant.tags.iter().map(|tag| format!(" {tag:?}"));
                let tags: String = tags.collect();
                format!("{}({}){tags}", variant.name, words(types, variant.ty))
            });
            let variants: Vec<_> = variants.collect();
            let by = union.discriminator.as_deref().unwrap_or_default();
            format!("{name} {by}<{}>", variants.join(", "))
        }
        _ => format!("{name} ?"),
    }
}

/// The self-contained schema of `A`, as an agent sees it.
fn seen(dialect: Dialect, direction: Direction, schemas: &str) -> Value {
    let documents = document(schemas);
    let mut lowering = lowering_of(&documents, dialect);
    let schema = lowering.json_schema(schema(&documents, "A"), direction);
    let definitions = lowering.finish().definitions.into_iter();
    let definitions: toolwright_schema::SharedDefinitions = definitions.collect();
    definitions.bundle(schema)
}

#[test]
fn scalars() {
    for (schema, ty) in [
        ("A: {type: boolean}", "bool"),
        ("A: {type: integer, format: int32}", "integer"),
        ("A: {type: integer, format: uint64}", "unsigned"),
        (
            "A: {type: integer, example: 18446744073709551615}",
            "unsigned",
        ),
        (
            "A: {type: integer, examples: [-1, 18446744073709551615]}",
            "number",
        ),
        ("A: {type: number, format: double}", "number"),
        ("A: {type: string, format: date-time}", "string"),
        ("A: {type: string, format: byte}", "bytes"),
        ("A: {format: uuid}", "string"),
        ("A: {type: [string, 'null']}", "string|null"),
        ("A: {type: string, nullable: true}", "string|null"),
        ("A: {type: integer, enum: [1, 2]}", "integer"),
        ("A: {description: anything}", "any"),
        ("A: true", "any"),
        ("A: {}", "any"),
    ] {
        assert_eq!(answered(schema), ty, "{schema}");
    }
}

#[test]
fn enumerations() {
    for (schema, ty) in [
        (
            "A: {enum: [a-b, a_b, '', '-1', '+1', Unlisted]}",
            "A; A AB/AUnderscoreB/Empty/Minus1/Plus1/Unlisted2",
        ),
        (
            "A: {type: string, enum: [1, true, ~]}",
            "A|null; A Value1/True",
        ),
        ("A: {const: fixed}", "A; A Fixed"),
        (
            "A: {enum: [a, 1]}",
            "A; A <Integer(integer), String(AString)>; AString A",
        ),
        ("A: {oneOf: [{const: a, title: x}, {const: b}]}", "A; A A/B"),
        ("A: {anyOf: [{type: string}, {enum: [b]}]}", "A; A B"),
    ] {
        assert_eq!(answered(schema), ty, "{schema}");
    }
}

#[test]
fn collections() {
    for (schema, ty) in [
        ("A: {type: array, items: {type: string}}", "[string]"),
        ("A: {items: {type: string}}", "[string]"),
        ("A: {type: object}", "{any}"),
        (
            "A: {type: object, additionalProperties: {type: integer}}",
            "{integer}",
        ),
        (
            "A: {patternProperties: {'^x': {type: integer}}, additionalProperties: false}",
            "{integer}",
        ),
        (
            "A: {prefixItems: [{type: string}, {type: number}], items: false, minItems: 2}",
            "(string, number)",
        ),
        (
            "A: {prefixItems: [{type: number}, {type: number}]}",
            "[number]",
        ),
        (
            "A: {prefixItems: [{type: string}, {type: number}]}",
            "[AItem]; AItem <Element1(string), Element2(number)>",
        ),
        (
            "A: {type: array, items: {$ref: '#/components/schemas/A'}}",
            "untyped",
        ),
        ("A: {type: object, additionalProperties: false}", "{any}"),
    ] {
        assert_eq!(answered(schema), ty, "{schema}");
    }
}

#[test]
fn objects() {
    assert_eq!(
        answered(
            "
A:
  type: object
  required: [self, absent]
  properties:
    self: {type: string}
    createdAt: {type: string, nullable: true}
    created_at: {type: integer}
    additional: {type: boolean}
    nested: {type: object, properties: {deep: {enum: [x]}}}
  additionalProperties: {type: integer}
"
        ),
        "A; A {self_: string, created_at2?: string|null, created_at?: integer, \
         additional2?: bool, nested?: ANested, ..integer}; ANested {deep?: ANestedDeep, ..}; \
         ANestedDeep X"
    );
}

#[test]
fn all_of_is_one_object() {
    let schemas = "
A:
  description: both
  allOf:
    - $ref: '#/components/schemas/B'
    - type: object
      required: [b, c]
      properties: {c: {type: string}}
B: {type: object, properties: {b: {type: integer, minimum: 0}}}
";
    assert_eq!(answered(schemas), "A; A {b: integer, c: string, ..}");
    assert_eq!(
        seen(Dialect::OpenApi30, Direction::Response, schemas),
        json!({"$ref": "#/$defs/A", "$defs": {"A": {
            "type": "object",
            "description": "both",
            "properties": {"b": {"type": "integer", "minimum": 0}, "c": {"type": "string"}},
            "required": ["b", "c"],
        }}})
    );
}

#[test]
fn a_wrapper_is_what_it_wraps() {
    for wrapper in [
        "allOf: [{$ref: '#/components/schemas/B'}]",
        "oneOf: [{$ref: '#/components/schemas/B'}]",
        "$ref: '#/components/schemas/B'",
    ] {
        let schemas = format!(
            "A:\n  nullable: true\n  description: x\n  {wrapper}\nB: {{type: object, properties: {{b: {{type: string}}}}}}"
        );
        assert_eq!(
            answered(&schemas),
            "B|null; B {b?: string, ..}",
            "{wrapper}"
        );
        let seen = seen(Dialect::OpenApi30, Direction::Response, &schemas);
        assert_eq!(
            seen["anyOf"],
            json!([{"$ref": "#/$defs/B"}, {"type": "null"}])
        );
        assert_eq!(seen["description"], "x");
    }
}

#[test]
fn unions() {
    for (schemas, ty) in [
        (
            "A: {type: [string, integer, 'null']}",
            "A|null; A <Integer(integer), String(string)>",
        ),
        (
            "A: {oneOf: [{type: 'null'}, {type: array, items: {type: string}}, {type: string}]}",
            "A|null; A <List([string]), String(string)>",
        ),
        (
            "A: {properties: {x: {type: string}}, anyOf: [{required: [x]}, {required: [y]}]}",
            "A; A {x?: string, ..}",
        ),
        (
            "A: {properties: {x: {type: string}}, oneOf: [{title: One, properties: {y: {type: string}}}, {title: Two, properties: {z: {type: string}}}]}",
            "A; A <One(AOne), Two(ATwo)>; AOne {x?: string, y?: string, ..}; ATwo {x?: string, z?: string, ..}",
        ),
        (
            "A: {oneOf: [{properties: {kind: {const: cat}}}, {properties: {kind: {const: dog}}}]}",
            "A; A <Cat(ACat), Dog(ADog)>; ACat {kind?: ACatKind, ..}; ACatKind Cat; ADog {kind?: ADogKind, ..}; ADogKind Dog",
        ),
    ] {
        assert_eq!(answered(schemas), ty, "{schemas}");
    }
}

#[test]
fn discriminators() {
    let schemas = "
A:
  oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
  discriminator: {propertyName: kind, mapping: {cat: '#/components/schemas/Cat', puss: Cat}}
Cat: {type: object, properties: {kind: {type: string}}}
Dog: {type: object, properties: {kind: {type: string}}}
";
    assert_eq!(
        answered(schemas),
        "A; A kind<Cat(Cat) \"cat\" \"puss\", Dog(Dog) \"Dog\">; Cat {kind?: string, ..}; \
         Dog {kind?: string, ..}"
    );
    let seen = seen(Dialect::JsonSchema, Direction::Request, schemas);
    let cat = json!({"$ref": "#/$defs/Cat", "properties": {"kind": {"enum": ["cat", "puss"]}}});
    let any_of = json!([cat, {"$ref": "#/$defs/Dog"}]);
    assert_eq!(seen["$defs"]["A"], json!({"anyOf": any_of}));
}

#[test]
fn a_variant_that_lists_its_values_is_told_apart_where_it_lists_those_of_others() {
    let schemas = "
A:
  oneOf: [{$ref: '#/components/schemas/Link'}, {$ref: '#/components/schemas/Code'}, {$ref: '#/components/schemas/Other'}]
  discriminator:
    propertyName: by
    mapping: {link: '#/components/schemas/Link', code: '#/components/schemas/Code', other: Other}
Link: {type: object, properties: {by: {enum: [link]}}}
Code: {type: object, properties: {by: {enum: [link, code]}}}
Other: {type: object, properties: {by: {enum: [Another]}}}
";
    let seen = seen(Dialect::OpenApi30, Direction::Request, schemas);
    let code = json!({"$ref": "#/$defs/Code", "properties": {"by": {"enum": ["code"]}}});
    let any_of = json!([{"$ref": "#/$defs/Link"}, code, {"$ref": "#/$defs/Other"}]);
    assert_eq!(seen["$defs"]["A"], json!({"anyOf": any_of}));
}

#[test]
fn subtypes_stand_for_their_parent() {
    let schemas = "
A: {$ref: '#/components/schemas/Pet'}
Pet:
  type: object
  discriminator: kind
  required: [kind]
  properties: {kind: {type: string}}
Cat:
  allOf:
    - $ref: '#/components/schemas/Pet'
    - {properties: {friend: {$ref: '#/components/schemas/Pet'}}}
";
    assert_eq!(
        lowered(Dialect::Swagger2, Direction::Response, schemas),
        "Pet; Cat {kind: string, friend?: Pet, ..}; \
         Pet kind<Cat(Cat) \"Cat\", PetBase(PetBase) \"Pet\">; PetBase {kind: string, ..}"
    );
}

#[test]
fn another_name_of_a_parent_is_no_subtype() {
    let schemas = "
A: {$ref: '#/components/schemas/Pet'}
Pet:
  type: object
  discriminator:
    propertyName: kind
    mapping: {cat: '#/components/schemas/Cat', any: '#/components/schemas/Plain'}
  required: [kind]
  properties: {kind: {type: string}}
Plain: {allOf: [{$ref: '#/components/schemas/Pet'}], description: A pet that is just a pet.}
Cat: {allOf: [{$ref: '#/components/schemas/Pet'}, {properties: {lives: {type: integer}}}]}
";
    assert_eq!(
        lowered(Dialect::OpenApi30, Direction::Request, schemas),
        "Pet; Cat {kind: string, lives?: integer, ..}; \
         Pet kind<Cat(Cat) \"cat\", PetBase(PetBase) \"any\">; PetBase {kind: string, ..}"
    );
    let seen = seen(Dialect::OpenApi30, Direction::Request, schemas);
    let any_of = seen["$defs"]["Pet"]["anyOf"].as_array().unwrap();
    assert_eq!(any_of.len(), 2);
    assert_eq!(any_of[0], json!({"$ref": "#/$defs/Cat"}));
    assert_eq!(any_of[1]["type"], "object");
}

#[test]
fn each_direction_leaves_out_what_does_not_travel_in_it() {
    let schemas = "
A:
  type: object
  required: [id, secret, child]
  properties:
    id: {type: integer, readOnly: true}
    secret: {type: string, writeOnly: true}
    child: {$ref: '#/components/schemas/B'}
    same: {$ref: '#/components/schemas/C'}
B: {type: object, properties: {at: {readOnly: true, type: string}, b: {type: string}}}
C: {type: object, properties: {c: {type: string}}}
";
    assert_eq!(
        lowered(Dialect::OpenApi30, Direction::Request, schemas),
        "AInput; AInput {secret: secret string, child: BInput, same?: C, ..}; BInput {b?: string, ..}; \
         C {c?: string, ..}"
    );
    assert_eq!(
        lowered(Dialect::OpenApi30, Direction::Response, schemas),
        "A; A {id: integer, child: B, same?: C, ..}; B {at?: string, b?: string, ..}; \
         C {c?: string, ..}"
    );
    let seen = seen(Dialect::OpenApi30, Direction::Request, schemas);
    let input = &seen["$defs"]["AInput"];
    assert_eq!(input["required"], json!(["child", "secret"]));
    assert!(input["properties"].get("id").is_none());
    assert!(seen["$defs"].get("BInput").is_some() && seen["$defs"].get("C").is_some());
}

#[test]
fn recursion_is_boxed() {
    for (schemas, ty) in [
        (
            "A: {type: object, properties: {next: {$ref: '#/components/schemas/A'}}}",
            "A; A {next?: box A, ..}",
        ),
        (
            "A: {type: object, properties: {all: {type: array, items: {$ref: '#/components/schemas/A'}}}}",
            "A; A {all?: [A], ..}",
        ),
        (
            "A: {type: object, properties: {b: {$ref: '#/components/schemas/B'}}}\nB: {type: object, properties: {a: {nullable: true, allOf: [{$ref: '#/components/schemas/A'}]}}}",
            "A; A {b?: box B, ..}; B {a?: box A|null, ..}",
        ),
        // No value could ever end, so the field may be absent.
        (
            "A: {type: object, required: [a], properties: {a: {$ref: '#/components/schemas/A'}}}",
            "A; A {a?: box A, ..}",
        ),
    ] {
        assert_eq!(answered(schemas), ty, "{schemas}");
    }
}

#[test]
fn what_leads_nowhere_is_any_value_and_is_told() {
    for schemas in [
        "A: {$ref: '#/components/schemas/None'}",
        "A: {$ref: '#/components/schemas/A'}",
        "A: {allOf: [{$ref: '#/components/schemas/A'}]}",
        "A: {oneOf: [{$ref: '#/components/schemas/A'}]}",
        "A: {$ref: '#/components/schemas/B'}\nB: {anyOf: [{$ref: '#/components/schemas/A'}]}",
    ] {
        let documents = document(schemas);
        let mut lowering = lowering_of(&documents, Dialect::OpenApi30);
        let node = schema(&documents, "A");
        let id = lowering.type_of(node, &NameHint::new("x"), Direction::Request);
        assert_eq!(
            lowering.json_schema(node, Direction::Request),
            json!({}),
            "{schemas}"
        );
        let lowered = lowering.finish();
        assert_eq!(words(&lowered.types, id), "untyped", "{schemas}");
        assert_eq!((lowered.types.nodes(), lowered.types.untyped()), (1, 1));
        assert!(!lowered.diagnostics.sorted().is_empty());
    }
}

#[test]
fn cycles_of_merged_schemas_end() {
    for schemas in [
        "A: {allOf: [{$ref: '#/components/schemas/A'}, {properties: {x: {type: string}}}]}",
        "A: {type: object, properties: {x: {allOf: [{$ref: '#/components/schemas/A'}, {properties: {y: {type: string}}}]}}}",
        "A: {oneOf: [{$ref: '#/components/schemas/A'}, {type: string}]}",
        "A: {anyOf: [{$ref: '#/components/schemas/B'}, {type: string}]}\nB: {anyOf: [{$ref: '#/components/schemas/A'}, {type: integer}]}",
        "A: {prefixItems: [{$ref: '#/components/schemas/A'}], items: false, minItems: 1}",
    ] {
        answered(schemas);
        let seen = seen(Dialect::JsonSchema, Direction::Response, schemas);
        assert!(jsonschema::meta::is_valid(&seen), "{seen}");
    }
}

#[test]
fn a_long_chain_of_references_does_not_matter() {
    let mut schemas = String::from("A: {properties: {next: {$ref: '#/components/schemas/B0'}}}\n");
    for number in 0..3000 {
        let next = number + 1;
        schemas.push_str(&format!(
            "B{number}: {{properties: {{next: {{$ref: '#/components/schemas/B{next}'}}}}}}\n"
        ));
    }
    schemas.push_str("B3000: {type: string}");
    let documents = document(&schemas);
    let mut lowering = lowering_of(&documents, Dialect::OpenApi30);
    let node = schema(&documents, "A");
    lowering.type_of(node, &NameHint::new("x"), Direction::Request);
    lowering.json_schema(node, Direction::Request);
    let lowered = lowering.finish();
    assert_eq!(lowered.definitions.len(), 3001);
    assert_eq!(lowered.types.nodes(), 3002);
}

#[test]
fn keywords_are_evened_out() {
    let schemas = "
A:
  type: object
  xml: {name: x}
  x-internal: true
  externalDocs: {url: 'http://x'}
  properties:
    a: {type: number, minimum: 1, exclusiveMinimum: true, example: 2, nullable: true}
    b: {type: string, format: binary, title: B, maxLength: '5'}
    c: {type: string, enum: [x, y], nullable: true, default: x}
    d: {type: file}
    e: {type: string, pattern: '/^a$/', minLength: -1}
    f: {not: {type: string}, deprecated: true}
    g: {type: string, oneOf: [], anyOf: []}
    h: {enum: [null]}
    i: {oneOf: [{type: integer}, {$ref: '#/components/schemas/Nothing'}]}
  additionalProperties: true
Nothing: {type: 'null'}
";
    assert_eq!(
        seen(Dialect::OpenApi30, Direction::Response, schemas)["$defs"]["A"],
        json!({
            "type": "object",
            "properties": {
                "a": {"type": ["number", "null"], "examples": [2], "exclusiveMinimum": 1},
                "b": {"type": "string", "title": "B", "contentEncoding": "base64", "maxLength": 5},
                "c": {"type": ["string", "null"], "default": "x", "enum": ["x", "y", null]},
                "d": {"type": "string"},
                "e": {"type": "string", "pattern": "^a$"},
                "f": {"deprecated": true, "not": {"type": "string"}},
                "g": {"type": "string"},
                "h": {"type": "null"},
                "i": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            },
            "additionalProperties": true,
        })
    );
}

#[test]
fn a_plain_body_is_flat() {
    let documents = document(
        "
A: {allOf: [{$ref: '#/components/schemas/B'}], description: x}
B:
  type: object
  required: [file, name, id]
  properties:
    id: {type: string, readOnly: true}
    file: {type: string, format: binary, description: The file.}
    more: {type: array, items: {type: string, format: binary}}
    name: {type: string}
C: {type: object, additionalProperties: {type: string}}
D: {type: object, properties: {a: {}}, oneOf: [{properties: {b: {}}}]}
E: {type: array, items: {}}
",
    );
    let mut lowering = lowering_of(&documents, Dialect::OpenApi30);
    let hint = NameHint::new("create-x-y");
    let mut flat = |name, encoding| {
        let flat = lowering.properties_of(schema(&documents, name), &hint, encoding);
        flat.map(|flat| {
            let told = flat.properties.into_iter().map(|property| {
                (
                    property.name,
                    property.required,
                    property.file,
                    property.schema["type"].clone(),
                )
            });
            told.collect::<Vec<_>>()
        })
    };
    let told = |name: &str, required, file, ty: &str| (name.to_owned(), required, file, json!(ty));
    assert_eq!(
        flat("A", BodyEncoding::Multipart(&[])).unwrap(),
        [
            told("file", true, true, "object"),
            told("more", false, true, "array"),
            told("name", true, false, "string"),
        ]
    );
    assert_eq!(
        flat("A", BodyEncoding::Document).unwrap()[0],
        told("file", true, false, "string")
    );
    for name in ["C", "D", "E"] {
        assert!(flat(name, BodyEncoding::Document).is_none(), "{name}");
    }
}

#[test]
fn other_documents_of_a_run_do_not_matter() {
    let mut documents = document("A: {type: object, properties: {a: {type: string}}}");
    let text = "components: {schemas: {A: {type: object, properties: {b: {type: string}}}}}";
    let mut sources = Sources::new();
    sources.add("a.yaml", "");
    let other = sources.add("b.yaml", text);
    let root = yaml::read(other, text, &mut Diagnostics::default()).unwrap();
    documents.add(other, "b.yaml", root);
    for root in documents.roots() {
        let node = root.at_pointer("/components/schemas/A").unwrap();
        let source = root.place.source;
        let mut lowering = SchemaLowering::new(&documents, source, Dialect::OpenApi30);
        let id = lowering.type_of(node, &NameHint::new("x"), Direction::Request);
        assert_eq!(words(&lowering.finish().types, id), "A");
    }
}

#[test]
fn names_are_stable_and_kept_for_the_named() {
    // The inline enumeration would be `AppleState`, which the schema of that name keeps.
    assert_eq!(
        answered(
            "
A: {$ref: '#/components/schemas/apple'}
apple: {type: object, properties: {state: {enum: [x]}}}
AppleState: {type: string}
"
        ),
        "Apple; Apple {state?: AppleState2, ..}; AppleState2 X"
    );
}
