//! EAB documents: the example of the documentation, the meta-schema, and what is refused.

#![cfg(test)]

use std::{fs, path::Path};

use jsonschema::Validator;
use serde_json::{Value, json};
use toolwright_generator::{
    diagnostic::{Diagnostic, Severity},
    generate::{self, Input, Options, Outcome},
    internals,
    load::Memory,
    source::Sources,
};

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    fs::read_to_string(path).unwrap()
}

fn meta_schema() -> Validator {
    let schema: Value = serde_json::from_str(&read("specs/eab.schema.json")).unwrap();
    assert!(jsonschema::draft202012::meta::is_valid(&schema));
    jsonschema::draft202012::new(&schema).unwrap()
}

/// The blocks of a language in the documentation.
fn blocks(language: &str) -> Vec<String> {
    let page = read("docs/eab.md");
    let fence = format!("\n```{language}\n");
    let rest = page.split(&fence).skip(1);
    rest.map(|rest| rest.split("\n```").next().unwrap().to_owned())
        .collect()
}

fn example() -> Value {
    let text = blocks("yaml").swap_remove(0);
    let source = Sources::new().add("eab.yaml", text.as_str());
    internals::read_tree(source, "eab.yaml", &text, &mut Default::default())
        .unwrap()
        .to_value()
}

fn run(document: &str, overlay: Option<&str>) -> Outcome {
    let mut files = vec![("eab.yaml".to_owned(), document.as_bytes().to_vec())];
    let mut input = Input::new("eab.yaml");
    if let Some(overlay) = overlay {
        files.push(("overlay.toml".to_owned(), overlay.as_bytes().to_vec()));
        input = input.overlay("overlay.toml");
    }
    let files = Memory(files.into_iter().collect());
    generate::run(&[input], Options::default(), &files)
}

fn errors(document: &Value) -> Vec<Diagnostic> {
    let all = run(&document.to_string(), None).diagnostics;
    let errors = all.into_iter();
    errors
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .collect()
}

#[test]
fn the_documented_example_generates_the_documented_tools() {
    let outcome = run(&blocks("yaml")[0], None);
    assert_eq!(outcome.diagnostics, []);
    let specs = outcome.catalog.unwrap().tool_specs();
    let said = blocks("console").swap_remove(0);
    let rows: Vec<Vec<&str>> = said
        .lines()
        .skip_while(|line| !line.starts_with("TOOL"))
        .skip(1)
        .take_while(|line| *line != "...")
        .map(|line| line.split_whitespace().take(3).collect())
        .collect();
    let found: Vec<_> = specs
        .iter()
        .map(|spec| {
            let approval = if spec.approval_required {
                "needed"
            } else {
                "no"
            };
            vec![spec.name.as_str(), spec.category.word(), approval]
        })
        .collect();
    assert_eq!(found, rows);
    let binding = specs[3].eab().unwrap();
    assert_eq!(
        (binding.service.as_str(), binding.timeout_seconds),
        ("kicad", 300)
    );
    assert_eq!(specs[2].eab().unwrap().timeout_seconds, 900);
    assert_eq!(
        specs[3].input_schema.whole()["properties"]["rules"]["$ref"],
        "#/$defs/RuleSet"
    );
    let output = specs[0].output_schema.as_ref().unwrap().whole();
    assert_eq!(output["required"], json!(["diagnostics", "status"]));
}

#[test]
fn an_effect_of_the_document_is_trusted_by_the_overlay_with_a_reason() {
    let outcome = run(&blocks("yaml")[0], Some(&blocks("toml")[0]));
    assert_eq!(outcome.diagnostics, []);
    let specs = outcome.catalog.unwrap().tool_specs();
    assert_eq!(specs[0].effect.word(), "create");
    assert!(!specs[0].hints.destructive);
    assert!(specs[0].reason.is_some());
}

#[test]
fn a_trusted_document_may_set_its_own_governance() {
    let mut document = example();
    let said = json!({"effect": "create", "reason": "It overwrites nothing."});
    document["methods"]["export_gerber_files"]["x-toolwright"] = said;
    let document = document.to_string();
    for (overlay, destructive) in [("trust_document = true", false), ("", true)] {
        let outcome = run(&document, Some(overlay));
        let specs = outcome.catalog.unwrap().tool_specs();
        assert_eq!(specs[0].hints.destructive, destructive, "{overlay}");
    }
}

#[test]
fn the_meta_schema_accepts_what_the_reader_accepts() {
    let meta = meta_schema();
    let example = example();
    let problems: Vec<_> = meta.iter_errors(&example).map(|e| e.to_string()).collect();
    assert_eq!(problems, Vec::<String>::new());
    for (pointer, value) in [
        ("/x-anything", json!([1])),
        ("/eab", json!("1.7")),
        ("/methods/validate/x-owner", json!({"a": 1})),
        ("/methods/validate/params", json!(true)),
        ("/service/transports", json!([])),
        ("/$defs", json!({})),
        ("/methods", json!({})),
    ] {
        let mut document = example.clone();
        put(&mut document, pointer, Some(value));
        if pointer == "/$defs" {
            document["methods"] = json!({});
        }
        assert!(meta.is_valid(&document), "{pointer}");
        assert_eq!(errors(&document), [], "{pointer}");
    }
}

#[test]
fn the_meta_schema_refuses_what_the_reader_refuses() {
    let meta = meta_schema();
    for (pointer, value, said) in faults() {
        let mut document = example();
        put(&mut document, pointer, value.clone());
        let errors = errors(&document);
        let words: Vec<String> = errors.iter().map(words).collect();
        let words = words.join("\n");
        assert!(words.contains(said), "{pointer} {value:?}: {words}");
        assert!(!meta.is_valid(&document), "{pointer} {value:?}");
    }
}

/// Returns all parts of a diagnostic as one string.
fn words(diagnostic: &Diagnostic) -> String {
    let notes = diagnostic.notes.join(" ");
    let help = diagnostic.help.join(" ");
    format!(
        "{}: {} {notes} {help}",
        diagnostic.code.word(),
        diagnostic.message
    )
}

/// Returns the planted faults with the reader's messages. A fault adds to the document and removes
/// nothing.
fn faults() -> Vec<(&'static str, Option<Value>, &'static str)> {
    vec![
        ("/eab", Some(json!("2.0")), "unsupported-version"),
        ("/eab", Some(json!("1")), "unsupported-version"),
        ("/info", None, "this document has no `info`"),
        ("/service", None, "has no `service`"),
        ("/methods", None, "has no `methods`"),
        ("/method", Some(json!({})), "a similar key is `methods`"),
        ("/info/title", None, "`info` has no `title`"),
        ("/info/version", None, "`info` has no `version`"),
        ("/info/title", Some(json!("  ")), "`title` is empty"),
        ("/info/titles", Some(json!("x")), "a similar key is `title`"),
        ("/info", Some(json!([])), "expected `info` to be an object"),
        ("/service/name", None, "`service` has no `name`"),
        ("/service/name", Some(json!("Ki-Cad")), "unknown-value"),
        ("/service/domain", None, "`service` has no `domain`"),
        (
            "/service/api_version",
            None,
            "`service` has no `api_version`",
        ),
        (
            "/service/api_version",
            Some(json!("1")),
            "`1` is not a version",
        ),
        (
            "/service/api_version",
            Some(json!("v1.0")),
            "is not a version",
        ),
        (
            "/service/domains",
            Some(json!([])),
            "a similar key is `domain`",
        ),
        (
            "/service/artifact_types",
            Some(json!("x")),
            "an array of strings",
        ),
        (
            "/service/interface_types",
            Some(json!([1])),
            "to be a string",
        ),
        ("/service/transports", Some(json!({})), "to be an array"),
        (
            "/service/transports/0",
            Some(json!({"path": "/x"})),
            "this transport has no `kind`",
        ),
        (
            "/service/transports/0/kind",
            Some(json!("Unix")),
            "unknown kind `Unix`",
        ),
        (
            "/service/transports/0/path",
            None,
            "this transport has no `path`",
        ),
        (
            "/service/transports/0/path",
            Some(json!("run/x")),
            "is not a valid path of a transport",
        ),
        (
            "/service/transports/0/base_url",
            Some(json!("http://x")),
            "unknown key `base_url`",
        ),
        (
            "/service/transports/1/base_url",
            Some(json!("ftp://x")),
            "is not a valid base_url of a transport",
        ),
        (
            "/methods",
            Some(json!([])),
            "expected `methods` to be an object",
        ),
        ("/methods/validate", Some(json!(null)), "to be an object"),
        (
            "/methods/handshake",
            Some(json!({})),
            "a document cannot declare the method `handshake`",
        ),
        (
            "/methods/Validate",
            Some(json!({})),
            "is not a valid method name",
        ),
        (
            "/methods/a__b",
            Some(json!({})),
            "is not a valid method name",
        ),
        ("/methods/1a", Some(json!({})), "is not a valid method name"),
        (
            "/methods/validate/sumary",
            Some(json!("x")),
            "a similar key is `summary`",
        ),
        (
            "/methods/validate/summary",
            Some(json!(7)),
            "expected `summary` to be a string",
        ),
        (
            "/methods/validate/effect",
            Some(json!("reads")),
            "a similar effect is `read`",
        ),
        (
            "/methods/validate/noun",
            Some(json!("Two Words")),
            "is not a valid noun",
        ),
        (
            "/methods/validate/timeout_seconds",
            Some(json!(0)),
            "from 1 to 86400",
        ),
        (
            "/methods/validate/timeout_seconds",
            Some(json!(1.5)),
            "from 1 to 86400",
        ),
        (
            "/methods/validate/timeout_seconds",
            Some(json!(100_000)),
            "from 1 to 86400",
        ),
        (
            "/methods/validate/params",
            Some(json!("object")),
            "expected `params` to be a schema",
        ),
        (
            "/methods/validate/result",
            Some(json!([])),
            "expected `result` to be a schema",
        ),
        (
            "/$defs",
            Some(json!([])),
            "expected `$defs` to be an object",
        ),
        ("/$defs/Rail", Some(json!(3)), "to be a schema"),
    ]
}

/// Puts a value at a place, or takes away what is there.
fn put(document: &mut Value, pointer: &str, value: Option<Value>) {
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = document.pointer_mut(parent).unwrap();
    match (parent, value) {
        (Value::Object(fields), Some(value)) => drop(fields.insert(key.to_owned(), value)),
        (Value::Object(fields), None) => drop(fields.shift_remove(key)),
        (Value::Array(items), Some(value)) => items[key.parse::<usize>().unwrap()] = value,
        _ => panic!("nothing stands at {pointer}"),
    }
}
