//! Tests of the rendering.

use super::*;
use crate::document::{
    diagnostic::{Code, Diagnostics},
    tree,
};
use toolwright_model::text::has_invisible;

/// Renders a diagnostic of a document that was not read.
fn plain(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let all = std::slice::from_ref(diagnostic);
    text(all, sources, &Documents::default(), Style::Plain)
}

#[test]
fn a_diagnostic_is_rendered_like_those_of_rustc() {
    let mut sources = Sources::new();
    let overlay = sources.add("specs/a/overlay.toml", "x = 1\nroles = [\"suport\"]\n");
    let document = sources.add(
        "specs/a/openapi.json",
        "\n  \"operationId\": \"deleteItem\",\n",
    );
    let diagnostic = Diagnostic::error(
        Code::UnknownValue,
        Place::new(overlay, 15, 23),
        "no role `suport` is declared",
    )
    .label("not in the policy")
    .also(Place::new(document, 18, 30), "exposed here")
    .note("without a role nobody could call it")
    .help("a role with a similar name exists: `support`");
    let expected = r#"error[unknown-value]: no role `suport` is declared
 --> specs/a/overlay.toml:2:10
  |
2 | roles = ["suport"]
  |          ^^^^^^^^ not in the policy
  |
 ::: specs/a/openapi.json:2:18
  |
2 |   "operationId": "deleteItem",
  |                  ------------ exposed here
  |
  = note: without a role nobody could call it
  = help: a role with a similar name exists: `support`

"#;
    assert_eq!(plain(&diagnostic, &sources), expected);
}

#[test]
fn a_long_line_is_cut_around_the_place() {
    let line = format!(
        "{{{}\"é\": 12 3}}",
        "\"aaaaaaaa\": [1, 2, 3],".repeat(50_000)
    );
    let mut sources = Sources::new();
    let source = sources.add("a.json", line.as_str());
    let error = tree::json::read(source, &line, &mut Diagnostics::default()).unwrap_err();
    let rendered = plain(&error, &sources);
    let expected = r#"error[syntax]: expected `,` or `}`, found `3`
 --> a.json:1:1100010
  |
1 | … [1, 2, 3],"aaaaaaaa": [1, 2, 3],"é": 12 3}
  |                                           ^

"#;
    assert_eq!(rendered, expected);
}

#[test]
fn a_file_without_text_has_a_position() {
    let mut sources = Sources::new();
    let source = sources.add("a.json", "");
    let diagnostic = Diagnostic::error(Code::Empty, Place::start_of(source), "this file is empty");
    let rendered = plain(&diagnostic, &sources);
    assert!(rendered.contains("--> a.json:1:1"), "{rendered}");
}

#[test]
fn the_json_form_has_the_position_and_the_pointer() {
    let text = "{\"a\": {\"b/c\": 1}}";
    let mut sources = Sources::new();
    let source = sources.add("a.json", text);
    let root = tree::json::read(source, text, &mut Diagnostics::default()).unwrap();
    let place = root.at_pointer("/a/b~1c").unwrap().place;
    let mut documents = Documents::default();
    documents.add(source, "a.json", root);
    let diagnostic = Diagnostic::warning(Code::Missing, place, "x").help("y");
    assert_eq!(
        json(&diagnostic, &sources, &documents),
        serde_json::json!({
            "code": "missing", "severity": "warning", "message": "x", "file": "a.json",
            "line": 1, "column": 15, "pointer": "/a/b~1c", "help": "y", "notes": [], "also": [],
        })
    );
}

#[test]
fn the_summary_counts_errors_and_warnings() {
    let mut sources = Sources::new();
    let place = Place::start_of(sources.add("a", ""));
    let error = Diagnostic::error(Code::Empty, place, "x");
    let warning = Diagnostic::warning(Code::Empty, place, "x");
    assert_eq!(summary(&[]), "");
    assert_eq!(
        summary(&[error.clone(), warning, error]),
        "2 errors, 1 warning"
    );
}

#[test]
fn control_characters_of_a_document_are_escaped() {
    let line = "a: \"\u{1b}[31m\u{202e}x\u{7}\", b: \u{9b}2J";
    let mut sources = Sources::new();
    let source = sources.add("a.yaml", line);
    let diagnostic = Diagnostic::error(
        Code::UnknownValue,
        Place::new(source, 4, 8),
        "no `\u{1b}[31m\nerror: x`",
    )
    .label("\u{202e}")
    .note("\u{200b}")
    .help("\u{9b}2J");
    let rendered = plain(&diagnostic, &sources);
    let expected = r#"error[unknown-value]: no `\u{1b}[31m\nerror: x`
 --> a.yaml:1:5
  |
1 | a: "�[31m�x�", b: �2J
  |     ^^^^ \u{202e}
  |
  = note: \u{200b}
  = help: \u{9b}2J

"#;
    assert_eq!(rendered, expected);
    let json = json(&diagnostic, &sources, &Documents::default()).to_string();
    assert!(!has_invisible(&rendered) && !has_invisible(&json), "{json}");
}
