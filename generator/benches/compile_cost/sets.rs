//! The measured types: from a specification in this file, lowered and emitted like any other.

use std::{collections::BTreeMap, env, fs, path::PathBuf};

use serde_json::{Map, Value, json};
use toolwright_generator::{
    emit,
    generate::{self, Input, Options, Unnameable},
    internals::{Type, TypeId, Types},
    load::Memory,
};

/// Types, and the source that is emitted for them.
pub(crate) struct TypeSet {
    pub(crate) title: String,
    pub(crate) emitted: String,
    pub(crate) types: BTreeMap<TypeId, Type>,
}

/// Returns the sets whose title contains the word; the real document only if the shared ones exist.
pub(crate) fn all_sets(word: &str) -> Result<Vec<TypeSet>, String> {
    let shared = env::var("TOOLWRIGHT_SHARED").map_or_else(
        |_| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared")),
        PathBuf::from,
    );
    let mut documents = vec![
        ("1,000 structs of 8 fields", document(structs(1000, 8))),
        ("100 structs of 80 fields", document(structs(100, 80))),
        (
            "1,000 enumerations of 8 words",
            document(enumerations(1000, 8)),
        ),
        ("500 unions of 4 structs", document(unions(500, 4))),
    ];
    match fs::read_to_string(shared.join("services/plane/openapi.json")) {
        Ok(text) => documents.push(("Plane, 130 operations", text)),
        Err(error) => println!("Plane is left out, since its document is not there: {error}"),
    }
    let chosen = documents
        .into_iter()
        .filter(|(title, _)| title.contains(word));
    chosen
        .map(|(title, document)| set(title, &document))
        .collect()
}

/// The types that a document leads to.
fn set(title: &str, document: &str) -> Result<TypeSet, String> {
    let files = Memory(BTreeMap::from([(
        "measured.yaml".to_owned(),
        document.as_bytes().to_vec(),
    )]));
    let options = Options {
        unnameable: Unnameable::LeaveOut,
        ..Options::default()
    };
    let input = Input::new("measured.yaml").service("measured");
    let outcome = generate::run(&[input], options, &files);
    let catalog = outcome.catalog.ok_or("the document has errors")?;
    let service = catalog.services().first().ok_or("there is no service")?;
    let tree = emit::service(service);
    let emitted = tree
        .file("types.rs")
        .ok_or("there are no types")?
        .to_owned();
    Ok(TypeSet {
        title: title.to_owned(),
        types: reachable_types(&service.service().types, &emitted),
        emitted,
    })
}

/// The types whose items are in the source, and those without a name.
fn reachable_types(types: &Types, source: &str) -> BTreeMap<TypeId, Type> {
    let all = types.iter().filter(|(_, ty)| {
        ty.name.as_ref().is_none_or(|name| {
            source.contains(&format!("pub struct {name} {{"))
                || source.contains(&format!("pub enum {name} {{"))
        })
    });
    all.map(|(id, ty)| (id, ty.clone())).collect()
}

/// A document with an operation that answers with each of the schemas.
fn document(schemas: Map<String, Value>) -> String {
    let properties: Map<String, Value> = schemas
        .keys()
        .map(|name| (name.clone(), reference(name)))
        .collect();
    let answer = json!({"type": "object", "properties": properties});
    let answer = json!({"description": "all", "content": {"application/json": {"schema": answer}}});
    json!({
        "openapi": "3.1.0",
        "info": {"title": "Measured", "version": "1"},
        "paths": {"/all": {"get": {"operationId": "getAll", "responses": {"200": answer}}}},
        "components": {"schemas": schemas},
    })
    .to_string()
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn structs(count: usize, width: usize) -> Map<String, Value> {
    let schemas = (0..count).map(|number| {
        let properties: Map<String, Value> = (0..width)
            .map(|at| (format!("field_{at}"), field(number * 7 + at * 3, count)))
            .collect();
        let schema =
            json!({"type": "object", "required": ["field_0", "field_1"], "properties": properties});
        (format!("Struct{number}"), schema)
    });
    schemas.collect()
}

/// Returns a typical field: mostly optional strings, some numbers, lists and structs.
fn field(seed: usize, count: usize) -> Value {
    match seed % 20 {
        0..8 => json!({"type": "string"}),
        8..11 => json!({"type": "integer"}),
        11..13 => json!({"type": "boolean"}),
        13 => json!({"type": "number"}),
        14 => json!({"type": ["string", "null"]}),
        15 | 16 => json!({"type": "array", "items": {"type": "string"}}),
        17 => json!({"type": "array", "items": reference(&format!("Struct{}", seed % count))}),
        _ => reference(&format!("Struct{}", (seed * 5) % count)),
    }
}

fn enumerations(count: usize, width: usize) -> Map<String, Value> {
    let schemas = (0..count).map(|number| {
        let words: Vec<String> = (0..width).map(|at| format!("word-{number}-{at}")).collect();
        (
            format!("Enum{number}"),
            json!({"type": "string", "enum": words}),
        )
    });
    schemas.collect()
}

fn unions(count: usize, width: usize) -> Map<String, Value> {
    let mut schemas = structs(count, 2);
    for number in 0..count {
        let variants: Vec<Value> = (0..width)
            .map(|at| reference(&format!("Struct{}", (number + at) % count)))
            .collect();
        schemas.insert(format!("Union{number}"), json!({"oneOf": variants}));
    }
    schemas
}
