//! The target `document`: for any document, the run ends soon, its output is bounded, and every
//! tool is governed at least as strictly as its operation requires.

#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a fuzz target panics if an invariant does not hold"
)]

use std::{
    collections::BTreeMap,
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use serde_json::{Map, Value, json};
use toolwright::{
    Category, Registry, ToolSpec, audit::MemoryAudit, binding::Method, registry::RegistryProblem,
};
use toolwright_drift as drift;
use toolwright_drift::Inventory;
use toolwright_generator::{
    emit,
    generate::{self, Accept, Input, Options, Unnameable},
    inspect,
    load::Memory,
    render::{self, Style},
};

use super::Bytes;

/// The maximum length of a document in bytes.
const LONGEST: usize = 64 * 1024;

/// The time limit for a document, which usually takes a few milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// The maximum number of bytes of each output.
const MOST_BYTES: usize = 128 << 20;

const OPTIONS: Options = Options {
    unnameable: Unnameable::LeaveOut,
    accept: Accept {
        renames: false,
        lowering: false,
    },
};

/// Generates tools from the document that the bytes contain or describe, and checks them.
///
/// # Panics
/// If an invariant does not hold or the run takes too long.
pub fn document(data: &[u8]) {
    let text = match data.split_first() {
        // A built document has operations; random bytes rarely do.
        Some((0, rest)) => build_document(&mut Bytes::new(rest))
            .to_string()
            .into_bytes(),
        _ => data.to_vec(),
    };
    if text.len() > LONGEST {
        return;
    }
    let (done, wait) = mpsc::channel();
    let worker = thread::spawn(move || {
        generate_and_check(text);
        done.send(())
    });
    match wait.recv_timeout(PATIENCE) {
        Ok(()) => {}
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("the run takes more than {PATIENCE:?}"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            let panicked = worker.join().err();
            std::panic::resume_unwind(panicked.unwrap_or_else(|| Box::new("it panicked")));
        }
    }
}

fn generate_and_check(text: Vec<u8>) {
    let files = Memory(BTreeMap::from([("a.yaml".to_owned(), text)]));
    let input = [Input::new("a.yaml").service("shop")];
    let outcome = generate::run(&input, OPTIONS, &files);
    let rendered = render::text(
        &outcome.diagnostics,
        &outcome.sources,
        &outcome.documents,
        Style::Plain,
    );
    assert_bounded("diagnostics", rendered.len());
    let hidden = toolwright_model::text::has_invisible(&rendered);
    assert!(!hidden, "the diagnostics contain invisible characters");
    assert_bounded(
        "inspection",
        serde_json::to_string(&inspect::document(&outcome, 0))
            .map_or(usize::MAX, |text| text.len()),
    );
    let Some(catalog) = &outcome.catalog else {
        return;
    };
    for service in catalog.services() {
        let emitted = emit::service(service);
        assert_bounded("files", emitted.iter().map(|(_, text)| text.len()).sum());
    }
    let specs = catalog.tool_specs();
    if specs.is_empty() {
        return;
    }
    for spec in &specs {
        assert_bounded(
            "a record",
            serde_json::to_string(spec).map_or(usize::MAX, |text| text.len()),
        );
        check_tool(spec);
    }
    let inventory = Inventory::of_specs(specs.clone());
    let report = drift::compare(&Inventory::default(), &inventory);
    assert_bounded(
        "drift",
        serde_json::to_string(&report).map_or(usize::MAX, |text| text.len()),
    );
    assert_eq!(
        registry_problems(specs),
        [],
        "the schemas of the generator compile"
    );
}

fn assert_bounded(what: &str, bytes: usize) {
    assert!(bytes <= MOST_BYTES, "{bytes} bytes of {what}");
}

/// Checks that a tool's governance is at least as strict as its method and path require, and that
/// its metadata is complete.
fn check_tool(spec: &ToolSpec) {
    let safe = matches!(spec.category, Category::Observe | Category::Report);
    if let toolwright::binding::Binding::Http(http) = &spec.binding {
        let changes = matches!(http.method, Method::Put | Method::Patch | Method::Delete);
        assert!(!(safe && changes), "{} {} is safe", http.method, http.path);
        let command = http.path.ends_with("/delete-all") || http.path.ends_with("/purge");
        assert!(!(safe && command), "{} {} is safe", http.method, http.path);
        let waits = spec.approval_required && spec.hints.destructive;
        assert!(
            waits || http.method != Method::Delete,
            "{} does not wait",
            http.path
        );
    }
    assert_eq!(safe, spec.hints.read_only);
    for text in [&spec.title, &spec.short, &spec.section, &spec.description] {
        assert!(!toolwright_model::text::has_invisible(text), "{text:?}");
        assert!(text.chars().count() <= 5_000);
    }
}

/// Returns the problems of a registry of the tools, except for advisory patterns. Compiles every
/// schema.
fn registry_problems(specs: Vec<ToolSpec>) -> Vec<RegistryProblem> {
    let granted = Registry::builder()
        .audit(Arc::new(MemoryAudit::new()))
        .specs(specs)
        .partial()
        .role("fuzz")
        .grant("fuzz", "*");
    let faults = granted
        .build()
        .map_or_else(|error| error.problems, |registry| registry.schema_faults());
    let is_advice = |fault: &RegistryProblem| matches!(fault, RegistryProblem::Pattern { .. });
    faults
        .into_iter()
        .filter(|fault| !is_advice(fault))
        .collect()
}

const METHODS: &[&str] = &["get", "post", "put", "patch", "delete", "head"];
const STEPS: &[&str] = &[
    "users",
    "{id}",
    "delete-all",
    "purge",
    "reports",
    "token",
    "a\u{200b}b",
];
const WORDS: &[&str] = &[
    "Get users",
    "listUsers",
    "Deletes all.",
    "\u{1b}[31mx",
    "Also sends it to all.",
    "",
];
const PATTERNS: &[&str] = &[
    "^a$",
    "[",
    r"^[\w-\.]+$",
    "(?!x)",
    "(((a{99}){99}){99}){99}",
];

fn word(bytes: &mut Bytes<'_>, words: &[&'static str]) -> &'static str {
    bytes.one_of(words).unwrap_or_default()
}

/// Builds the document that the bytes describe.
fn build_document(bytes: &mut Bytes<'_>) -> Value {
    let mut paths = Map::new();
    for _ in 0..=bytes.below(4) {
        let steps: Vec<&str> = (0..=bytes.below(3)).map(|_| word(bytes, STEPS)).collect();
        let mut item = Map::new();
        for _ in 0..=bytes.below(2) {
            item.insert(word(bytes, METHODS).to_owned(), operation(bytes));
        }
        paths.insert(format!("/{}", steps.join("/")), item.into());
    }
    let schemas: Map<String, Value> = (0..8)
        .map(|number| (format!("L{number}"), schema(bytes, 4)))
        .collect();
    json!({
        "openapi": "3.1.0",
        "info": {"title": word(bytes, WORDS), "version": "1"},
        "paths": paths,
        "components": {"schemas": schemas},
    })
}

fn operation(bytes: &mut Bytes<'_>) -> Value {
    let content = json!({"application/json": {"schema": schema(bytes, 3)}});
    let mut operation = json!({
        "operationId": word(bytes, WORDS),
        "summary": word(bytes, WORDS),
        "description": word(bytes, WORDS),
        "parameters": [
            {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
            {"name": word(bytes, STEPS), "in": "query", "schema": schema(bytes, 3)},
        ],
        "responses": {"200": {"description": word(bytes, WORDS), "content": content}},
    });
    if bytes.below(2) == 1 {
        operation["requestBody"] = json!({"content": content});
    }
    operation
}

/// Builds a schema with references, at most `deep` levels deep.
fn schema(bytes: &mut Bytes<'_>, deep: usize) -> Value {
    let kind = if deep == 0 {
        bytes.below(4)
    } else {
        bytes.below(18)
    };
    let one = |bytes: &mut Bytes<'_>| schema(bytes, deep.saturating_sub(1));
    let two = |bytes: &mut Bytes<'_>| {
        let first = schema(bytes, deep.saturating_sub(1));
        json!([first, schema(bytes, deep.saturating_sub(1))])
    };
    match kind {
        0 | 1 => json!({"$ref": format!("#/components/schemas/L{}", bytes.below(9))}),
        2 => {
            json!({"type": "string", "pattern": word(bytes, PATTERNS), "description": word(bytes, WORDS)})
        }
        3 => json!({"enum": [word(bytes, WORDS), 1e300, null]}),
        4 | 5 => json!({"allOf": two(bytes)}),
        6 | 7 => json!({"oneOf": two(bytes)}),
        8 => json!({"anyOf": two(bytes), "properties": {"a": one(bytes)}}),
        9 => json!({"not": one(bytes)}),
        10 => json!({"if": one(bytes), "then": one(bytes), "else": one(bytes)}),
        11 => json!({"properties": {"a": one(bytes), "b": one(bytes)}, "required": ["a", "c"]}),
        12 => {
            json!({"patternProperties": {word(bytes, PATTERNS): one(bytes)}, "additionalProperties": false})
        }
        13 => json!({"type": "array", "items": one(bytes), "contains": one(bytes)}),
        14 => json!({"prefixItems": two(bytes), "minItems": 2, "maxItems": 2}),
        15 => json!({"dependentSchemas": {"a": one(bytes)}, "dependentRequired": {"a": 1}}),
        16 => json!({"additionalProperties": one(bytes), "propertyNames": one(bytes)}),
        _ => {
            let target = format!("#/components/schemas/L{}", bytes.below(8));
            json!({"discriminator": {"propertyName": "a", "mapping": {"x": target}}, "oneOf": two(bytes)})
        }
    }
}
