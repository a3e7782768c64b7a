//! The emitted API depends on what a document declares, not on the order in which it does.

#![expect(
    clippy::unwrap_used,
    reason = "the helpers of a test fail as the test does"
)]

mod shared;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use quote::{ToTokens, quote};
use serde_json::{Map, Value, json};
use shared::shared;
use syn::{Fields, FnArg, ImplItem, Item, Visibility};
use toolwright_drift::Inventory;
use toolwright_generator::{
    check::CheckedCatalog,
    emit,
    generate::{self, Input, Options, Unnameable},
    load::Memory,
};

/// Shared documents above this size take too long.
const LARGEST: usize = 300_000;

/// The keywords of maps whose order has no meaning.
const MAPS: &[&str] = &["properties", "schemas", "definitions", "$defs"];

/// Two required strings, names that differ in form only, and two nested objects with equal words.
fn own_document() -> Value {
    let text = json!({"type": "string"});
    let nested = json!({"type": "object", "required": ["b", "a"], "properties": {"a": text, "b": text, "c": text}});
    let other = json!({"type": "object", "properties": {"x": text}});
    let user = json!({
        "type": "object",
        "required": ["name", "password"],
        "properties": {
            "name": text, "password": text, "pageSize": text, "page-size": text, "page_size": text,
            "home address": nested, "home": {"type": "object", "properties": {"address": other}},
        },
    });
    let body = json!({"required": true, "content": {"application/json": {"schema": user}}});
    json!({
        "openapi": "3.1.0",
        "info": {"title": "Users", "version": "1"},
        "paths": {"/users": {"post": {
            "operationId": "createUser",
            "requestBody": body,
            "responses": {"200": {"description": "d", "content": {"application/json": {"schema": user}}}},
        }}},
    })
}

#[test]
fn the_order_of_properties_decides_nothing() {
    let faults = compare("own.json", &own_document());
    assert_eq!(faults, Some(BTreeSet::new()));
}

#[test]
fn no_constructor_depends_on_an_order() {
    let catalog = run("own.json", &own_document()).unwrap();
    let api = api_of(&catalog);
    let constructors = api.iter().filter(|item| item.contains("fn new"));
    let constructors: Vec<&String> = constructors.collect();
    assert!(!constructors.is_empty());
    for constructor in constructors {
        assert_eq!(constructor.matches(':').count() % 2, 1, "{constructor}");
        assert!(
            constructor.contains("required : required ::"),
            "{constructor}"
        );
    }
}

#[test]
fn the_order_of_properties_of_shared_documents_decides_nothing() {
    let Some(corpus) = shared("corpus") else {
        return;
    };
    let mut faults = BTreeMap::new();
    let mut compared = 0;
    for entry in fs::read_dir(corpus).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let is_json = path.extension().is_some_and(|ending| ending == "json");
        let Some(document) = Some(&bytes)
            .filter(|bytes| is_json && bytes.len() < LARGEST)
            .and_then(|bytes| serde_json::from_slice(bytes).ok())
        else {
            continue;
        };
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if let Some(found) = compare(&name, &document) {
            compared += 1;
            if !found.is_empty() {
                faults.insert(name, found);
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(compared > 20, "{compared}");
}

/// Returns what differs in the API after all properties were put in the reverse order; `None` if
/// the document has an error.
fn compare(name: &str, document: &Value) -> Option<BTreeSet<String>> {
    let before = run(name, document)?;
    let after = run(name, &reversed(document))?;
    let (old, new) = (api_of(&before), api_of(&after));
    let mut faults: BTreeSet<String> = old.symmetric_difference(&new).cloned().collect();
    let specs = |catalog: &CheckedCatalog| catalog.tool_specs();
    let changes = toolwright_drift::compare(
        &Inventory::of_specs(specs(&before)),
        &Inventory::of_specs(specs(&after)),
    );
    faults.extend(changes.changes.iter().map(|change| format!("{change:?}")));
    Some(faults)
}

fn run(name: &str, document: &Value) -> Option<CheckedCatalog> {
    let bytes = serde_json::to_vec(document).unwrap();
    let files = Memory(BTreeMap::from([(name.to_owned(), bytes)]));
    let options = Options {
        unnameable: Unnameable::LeaveOut,
        ..Options::default()
    };
    generate::run(&[Input::new(name).service("zoo")], options, &files).catalog
}

/// Returns a document with all maps of properties and schemas in the reverse order.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, field)| {
                let mut field = reversed(field);
                if let (true, Value::Object(map)) = (MAPS.contains(&name.as_str()), &mut field) {
                    *map = std::mem::take(map).into_iter().rev().collect();
                }
                (name.clone(), field)
            });
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(reversed).collect(),
        other => other.clone(),
    }
}

/// Returns the public items of the emitted files, each as one line that depends on no order.
fn api_of(catalog: &CheckedCatalog) -> BTreeSet<String> {
    let mut api = BTreeSet::new();
    for service in catalog.services() {
        let tree = emit::service(service);
        for (file, text) in tree.iter().filter(|(file, _)| file.ends_with(".rs")) {
            let items = syn::parse_file(text).unwrap().items;
            collect(file, &items, &mut api);
        }
    }
    api
}

fn collect(path: &str, items: &[Item], api: &mut BTreeSet<String>) {
    for item in items {
        match item {
            Item::Struct(item) => {
                let name = &item.ident;
                api.insert(format!("{path} {name} {{{}}}", fields(&item.fields)));
            }
            Item::Enum(item) => {
                let name = &item.ident;
                for variant in &item.variants {
                    let held = fields(&variant.fields);
                    api.insert(format!("{path} {name}::{}({held})", variant.ident));
                }
            }
            Item::Type(item) => {
                let (name, ty) = (&item.ident, &item.ty);
                api.insert(format!("{path} {name} = {}", quote!(#ty)));
            }
            Item::Mod(item) => {
                let path = format!("{path} {}", item.ident);
                let items = item.content.as_ref().map(|(_, items)| items.as_slice());
                collect(&path, items.unwrap_or_default(), api);
            }
            Item::Impl(item) => {
                let ty = item.self_ty.to_token_stream();
                for function in &item.items {
                    let ImplItem::Fn(function) = function else {
                        continue;
                    };
                    if matches!(function.vis, Visibility::Public(_)) {
                        let inputs = function.sig.inputs.iter();
                        let inputs: Vec<String> = inputs.map(argument).collect();
                        let (name, inputs) = (&function.sig.ident, inputs.join(", "));
                        api.insert(format!("{path} {ty}::fn {name} ({inputs})"));
                    }
                }
            }
            _ => {}
        }
    }
}

fn argument(argument: &FnArg) -> String {
    argument.to_token_stream().to_string()
}

fn fields(fields: &Fields) -> String {
    let fields = fields.iter().map(|field| {
        let (name, ty) = (&field.ident, &field.ty);
        quote!(#name: #ty).to_string()
    });
    let fields: BTreeSet<String> = fields.collect();
    fields.into_iter().collect::<Vec<_>>().join(", ")
}
