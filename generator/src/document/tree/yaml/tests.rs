//! Tests of the YAML reader.

use serde_json::{Value, json};

use super::*;
use crate::document::source::Sources;

fn read_text(text: &str) -> Result<Node, String> {
    let mut sources = Sources::new();
    let id = sources.add("a.yaml", text);
    read(id, text, &mut Diagnostics::default()).map_err(|error| {
        let at = sources.line_column(error.primary.place);
        format!("{at} {}", error.message)
    })
}

fn value(text: &str) -> Value {
    read_text(text).unwrap().to_value()
}

#[test]
fn block_and_flow_style_are_equal() {
    let expected = json!({"a": {"200": [1, "x"], "c": null}, "d": "l1\nl2\n", "e": "f1 f2"});
    assert_eq!(
        value("a:\n  200:\n  - 1\n  - x\n  c:\nd: |\n  l1\n  l2\ne: >-\n  f1\n  f2\n"),
        expected
    );
    assert_eq!(
        value("{a: {200: [1, x], c: }, d: \"l1\\nl2\\n\", e: 'f1 f2'}"),
        expected
    );
}

#[test]
fn values_keep_their_places() {
    let text = "# é ✓\na:\n  'b': [1, ü]\n  c: |\n    text\nd: plain text # comment\r\ne:\n- x: 1\n  y: 2\n";
    let root = read_text(text).unwrap();
    let slice = |place: Place| text.get(place.start as usize..place.end as usize).unwrap();
    let at = |pointer| slice(root.at_pointer(pointer).unwrap().place);
    assert_eq!(at("/a/b"), "[1, ü]");
    assert_eq!(at("/a/b/1"), "ü");
    assert_eq!(at("/d"), "plain text");
    assert_eq!(at("/e/0"), "x: 1\n  y: 2");
    assert_eq!(
        slice(root.at_pointer("/a").unwrap().field("b").unwrap().key),
        "'b'"
    );
    assert!(at("/a").starts_with("'b'") && at("/a").trim_end().ends_with("text"));
    assert_eq!(
        root.pointer_to(root.at_pointer("/e/0/y").unwrap().place)
            .as_str(),
        "/e/0/y"
    );
}

#[test]
fn aliases_copy_and_merge_keys_merge() {
    let text =
        "base: &b {x: 1, y: 2}\none:\n  <<: *b\n  y: 3\ntwo:\n  <<: [{z: 0}, *b]\nthree: *b\n";
    assert_eq!(
        value(text),
        json!({
            "base": {"x": 1, "y": 2},
            "one": {"y": 3, "x": 1},
            "two": {"z": 0, "x": 1, "y": 2},
            "three": {"x": 1, "y": 2},
        })
    );
}

#[test]
fn the_expansion_of_aliases_is_limited() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..20 {
        let inner = vec![format!("*a{}", level - 1); 10].join(", ");
        text.push_str(&format!("a{level}: &a{level} [{inner}]\n"));
    }
    let error = read_text(&text).unwrap_err();
    assert!(error.contains("expand to"), "{error}");
}

#[test]
fn errors_have_a_position() {
    for (text, message) in [
        (
            "a: &a [*a]\n",
            "1:8 this alias refers to a node that contains it",
        ),
        ("a: *b\n", "1:4 while parsing node, found unknown anchor"),
        (
            "? [x]\n: 1\n",
            "1:3 a key must be a scalar, not an object or an array",
        ),
        (
            "a: 1\n---\nb: 2\n",
            "3:1 expected one YAML document, found a second one",
        ),
    ] {
        assert_eq!(read_text(text).unwrap_err(), message, "{text}");
    }
    let error = read_text("a:\n  b: 1\n c: 2\n").unwrap_err();
    assert!(error.starts_with("3:"), "{error}");
}

#[test]
fn an_empty_second_document_is_ignored() {
    assert_eq!(value("a: 1\n---\n"), json!({"a": 1}));
    assert_eq!(value("---\na: 1\n...\n"), json!({"a": 1}));
    assert_eq!(value("# nothing\n"), Value::Null);
}

#[test]
fn the_last_of_two_equal_keys_wins() {
    let mut diagnostics = Diagnostics::default();
    let mut sources = Sources::new();
    let text = "a: 1\nb: 2\na: 3\n";
    let id = sources.add("a.yaml", text);
    let root = read(id, text, &mut diagnostics).unwrap();
    assert_eq!(root.to_value(), json!({"a": 3, "b": 2}));
    let reported = diagnostics.sorted();
    assert_eq!(
        sources.line_column(reported[0].primary.place).to_string(),
        "3:1"
    );
    assert_eq!(
        sources
            .line_column(reported[0].secondary[0].place)
            .to_string(),
        "1:1"
    );
}

#[test]
fn deep_nesting_is_refused_without_a_deep_stack() {
    for text in [
        "[".repeat(100_000),
        "- ".repeat(100_000),
        "{a: ".repeat(100_000),
    ] {
        let error = read_text(&text).unwrap_err();
        assert!(error.contains("more than 256"), "{error}");
    }
    let chain: String = (1..600)
        .map(|n| format!("- &a{n} [*a{}]\n", n - 1))
        .collect();
    let error = read_text(&format!("- &a0 x\n{chain}")).unwrap_err();
    assert!(error.contains("more than 256"), "{error}");
}

/// Reads a text, and returns its value with the messages of its warnings.
fn with_warnings(text: &str) -> (Value, Vec<String>) {
    let mut sources = Sources::new();
    let id = sources.add("a.yaml", text);
    let mut diagnostics = Diagnostics::default();
    let root = read(id, text, &mut diagnostics).unwrap();
    let at = |found: &Diagnostic| sources.line_column(found.primary.place).to_string();
    (
        root.to_value(),
        diagnostics.sorted().iter().map(at).collect(),
    )
}

#[test]
fn flow_collections_may_be_indented_less_than_their_block() {
    let text = "a:\n  b:\n    c: [\n    x, # é is [not] here\n 'y,\n      z', {k: [\n1\n]}\n  ]\n  d: {\ne: 1}\nf: [1\n]\n";
    assert!(
        read_text(text).is_err(),
        "a comment with other characters stays an error"
    );
    let text = text.replace('é', "e");
    let expected = json!({"a": {"b": {"c": ["x", "y, z", {"k": [1]}]}, "d": {"e": 1}}, "f": [1]});
    let (value, warned) = with_warnings(&text);
    assert_eq!(value, expected);
    assert_eq!(warned, ["3:8", "10:6"]);
}

#[test]
fn places_after_an_outdented_collection_stay() {
    let text = "é: 1\na:\n  b: [ x,\ny ]\n  c: plain\n";
    let root = read_text(text).unwrap();
    let place = root.at_pointer("/a/c").unwrap().place;
    assert_eq!(
        text.get(place.start as usize..place.end as usize),
        Some("plain")
    );
    let place = root.at_pointer("/a/b/1").unwrap().place;
    assert_eq!(
        text.get(place.start as usize..place.end as usize),
        Some("y")
    );
}

#[test]
fn other_faults_of_indentation_stay_errors() {
    for text in [
        "a:\n  b: [\n 'x\ny'\n",
        "a:\n  b: [\nx\n",
        "a:\n  b: [x,\n]]\n",
        "a:\n    b: 1\n  c: 2\n",
        "a:\n  b: # [\n c: 1\nx]\n",
    ] {
        assert!(read_text(text).is_err(), "{text:?}");
    }
}

#[test]
fn many_outdented_collections_are_read() {
    let text = "a:\n".to_owned()
        + &(0..200)
            .map(|n| format!("  k{n}: [\n1\n]\n"))
            .collect::<String>();
    let (value, warned) = with_warnings(&text);
    assert_eq!(value["a"]["k199"], json!([1]));
    assert_eq!(warned.len(), 200);
}
