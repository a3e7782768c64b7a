//! The missing lines of overlays: with all of them, every operation of a document is a tool.

#![cfg(test)]

use std::collections::BTreeSet;

use rand::{RngExt, SeedableRng, rngs::StdRng, seq::IndexedRandom};
use serde_json::{Map, Value, json};
use toolwright_generator::{
    fix::{Change, Fix},
    generate::{self, Input, Options, Outcome, Unnameable},
    load::Memory,
};
use toolwright_model::MAX_TOOL_NAME;

/// A line rarely makes another one necessary, and never many.
const MOST_ROUNDS: usize = 4;

/// The segments of paths: much that is spelt alike, is too long, or contains no word.
const SEGMENTS: [&str; 14] = [
    "items",
    "item",
    "Items",
    "v1",
    "api",
    "{id}",
    "{itemId}",
    "{item_id}",
    "{item-id}",
    "refrigeratorrefrigeratorrefrigeratorrefrigeratorrefrigerator",
    "organization-configuration-management-information",
    "列表",
    "a\"b\\c",
    "get",
];

const METHODS: [&str; 4] = ["get", "put", "post", "delete"];

const IDS: [&str; 7] = [
    "listItems",
    "getItem",
    "list all items",
    "tag:items",
    "list*",
    "",
    "列表",
];

/// The entries that a person may have written.
const ENTRIES: [(&str, &str, &str); 6] = [
    ("listItems", "title", "Items"),
    ("listItems", "verb", "find"),
    ("getItem", "noun", "thing"),
    ("GET *", "noun", "things"),
    ("* *", "verb", "send"),
    ("POST *", "title", "Send"),
];

struct Case {
    documents: Vec<Value>,
    overlays: Vec<toml::Table>,
    locks: Vec<String>,
}

impl Case {
    fn random(random: &mut StdRng) -> Self {
        let services = random.random_range(1..=2);
        let documents: Vec<Value> = (0..services).map(|_| document(random)).collect();
        let overlays = documents.iter().map(|document| overlay(document, random));
        let overlays = overlays.collect();
        let locks = (0..services).map(|number| lock(SERVICES[number], random));
        let locks = locks.collect();
        Self {
            documents,
            overlays,
            locks,
        }
    }

    fn run(&self) -> Outcome {
        let mut files = Memory(std::collections::BTreeMap::new());
        let mut inputs = Vec::new();
        for (number, service) in SERVICES.iter().enumerate().take(self.documents.len()) {
            let path = |name: &str| format!("{service}/{name}");
            let texts = [
                ("openapi.json", self.documents[number].to_string()),
                ("overlay.toml", self.overlays[number].to_string()),
                ("names.lock", self.locks[number].clone()),
            ];
            for (name, text) in texts {
                files.0.insert(path(name), text.into_bytes());
            }
            let input = Input::new(path("openapi.json")).service(*service);
            inputs.push(input.overlay(path("overlay.toml")).lock(path("names.lock")));
        }
        let options = Options {
            unnameable: Unnameable::LeaveOut,
            ..Options::default()
        };
        generate::run(&inputs, options, &files)
    }

    /// Adds a line as a person would who pastes the help.
    fn paste(&mut self, fix: &Fix) {
        let service = SERVICES
            .iter()
            .position(|name| fix.service.as_str() == *name);
        let overlay = &mut self.overlays[service.unwrap()];
        let lines: toml::Table = fix.to_toml().parse().unwrap();
        if fix.change == Change::Exclude {
            let list = overlay
                .entry("exclude")
                .or_insert(toml::Value::Array(vec![]));
            let new = lines["exclude"].as_array().unwrap().clone();
            list.as_array_mut().unwrap().extend(new);
            return;
        }
        let empty = || toml::Value::Table(toml::Table::new());
        let entries = overlay.entry("operations").or_insert_with(empty);
        let entries = entries.as_table_mut().unwrap();
        for (selector, keys) in lines["operations"].as_table().unwrap() {
            assert_eq!(entries.contains_key(selector), fix.has_entry, "{fix:?}");
            let entry = entries.entry(selector).or_insert_with(empty);
            for (key, value) in keys.as_table().unwrap() {
                let before = entry
                    .as_table_mut()
                    .unwrap()
                    .insert(key.clone(), value.clone());
                assert_eq!(before, None, "{fix:?} replaces what a person wrote");
            }
        }
    }
}

const SERVICES: [&str; 2] = ["shop", "averylongservicename"];

fn document(random: &mut StdRng) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for _ in 0..random.random_range(1..12) {
        let mut segments: Vec<&str> = Vec::new();
        for _ in 0..random.random_range(1..5) {
            let segment = *SEGMENTS.choose(random).unwrap();
            if !segment.starts_with('{') || !segments.contains(&segment) {
                segments.push(segment);
            }
        }
        let parameters: Vec<Value> = segments
            .iter()
            .filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
            .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
            .collect();
        let mut item = Map::from_iter([("parameters".to_owned(), parameters.into())]);
        for _ in 0..random.random_range(1..4) {
            let mut operation = json!({"responses": {"204": {"description": "Nothing."}}});
            if random.random_bool(0.6) {
                operation["operationId"] = json!(IDS.choose(random).unwrap());
            }
            item.insert((*METHODS.choose(random).unwrap()).to_owned(), operation);
        }
        paths.insert(format!("/{}", segments.join("/")), item.into());
    }
    json!({"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "paths": paths})
}

/// Returns an overlay whose entries all match something.
fn overlay(document: &Value, random: &mut StdRng) -> toml::Table {
    let text = document["paths"].to_string();
    let matches = |selector: &str| match selector.strip_suffix(" *") {
        Some("*") => true,
        Some(method) => text.contains(&format!("\"{}\":{{", method.to_lowercase())),
        None => text.contains(&format!("\"{selector}\"")),
    };
    let mut entries = toml::Table::new();
    for (selector, key, value) in ENTRIES {
        if matches(selector) && random.random_bool(0.15) {
            let entry = toml::Table::from_iter([(key.to_owned(), value.into())]);
            entries.insert(selector.to_owned(), entry.into());
        }
    }
    toml::Table::from_iter([("operations".to_owned(), entries.into())])
}

/// Returns a lock that holds names of operations that have left the document.
fn lock(service: &str, random: &mut StdRng) -> String {
    let mut text = "version = 1\n\n[tools]\n".to_owned();
    for name in [
        "list-S-items",
        "get-S-item",
        "send-S-items",
        "get-S-item-by-id",
    ] {
        if random.random_bool(0.2) {
            let name = name.replace('S', service);
            text.push_str(&format!(
                "{name} = {{ operation = \"GET /left/{name}\", category = \"observe\", approval_required = false }}\n"
            ));
        }
    }
    text
}

fn fixes(outcome: &Outcome) -> Vec<Fix> {
    let all = outcome.diagnostics.iter();
    all.filter_map(|diagnostic| diagnostic.fix.clone())
        .collect()
}

/// Returns the reasons why a document cannot be whole: what only a person can do.
fn is_for_a_person(help: &str) -> bool {
    [
        "change the line of the overlay",
        "no line of the overlay can",
    ]
    .iter()
    .any(|text| help.starts_with(text))
}

/// Adds all missing lines, and again as long as a line makes another one necessary.
fn settle(case: &mut Case) -> (Vec<Vec<Fix>>, Outcome) {
    let mut rounds = Vec::new();
    loop {
        let outcome = case.run();
        let missing = fixes(&outcome);
        if missing.is_empty() || rounds.len() == MOST_ROUNDS {
            return (rounds, outcome);
        }
        missing.iter().for_each(|fix| case.paste(fix));
        rounds.push(missing);
    }
}

#[test]
fn all_lines_together_make_every_operation_a_tool() {
    let (mut whole, mut again) = (0, 0);
    let mut pasted = Vec::new();
    for seed in 0..800 {
        let mut case = Case::random(&mut StdRng::seed_from_u64(seed));
        let (rounds, after) = settle(&mut case);
        again += usize::from(rounds.len() > 1);
        pasted.extend(rounds.into_iter().flatten());
        let mut helps = after.diagnostics.iter().flat_map(|one| &one.help);
        if helps.any(|help| is_for_a_person(help)) {
            continue;
        }
        let messages = after.diagnostics.iter().map(|one| one.message.as_str());
        let messages: Vec<&str> = messages.collect();
        assert_eq!(messages, [""; 0], "seed {seed}");
        let specs = after.catalog.unwrap().tool_specs();
        let names: BTreeSet<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
        assert_eq!(names.len(), specs.len(), "seed {seed}");
        let fits = |name: &&str| name.len() <= MAX_TOOL_NAME;
        assert!(names.iter().all(fits), "seed {seed}");
        whole += 1;
    }
    let is_exclusion = |fix: &&Fix| fix.change == Change::Exclude;
    let excluded = pasted.iter().filter(is_exclusion).count();
    let counts = format!(
        "{whole} whole, {again} of them after another round, {} lines, {excluded} exclusions",
        pasted.len()
    );
    println!("{counts}");
    assert!(
        whole > 700 && pasted.len() > 500 && excluded > 5,
        "{counts}"
    );
    assert!(again * 100 < whole, "{counts}");
}

#[test]
fn no_help_contains_a_placeholder() {
    for seed in 0..300 {
        let outcome = Case::random(&mut StdRng::seed_from_u64(seed)).run();
        for help in outcome.diagnostics.iter().flat_map(|one| &one.help) {
            assert!(!help.contains('…'), "{help}");
        }
    }
}

#[test]
fn suggestions_do_not_depend_on_the_order_of_the_document() {
    for seed in 0..300 {
        let mut case = Case::random(&mut StdRng::seed_from_u64(seed));
        let sorted = |outcome: &Outcome| {
            let lines: BTreeSet<String> = fixes(outcome).iter().map(Fix::to_toml).collect();
            lines
        };
        let before = sorted(&case.run());
        for document in &mut case.documents {
            let paths = document["paths"].as_object().unwrap().clone();
            document["paths"] = paths.into_iter().rev().collect::<Map<_, _>>().into();
        }
        assert_eq!(sorted(&case.run()), before, "seed {seed}");
    }
}
