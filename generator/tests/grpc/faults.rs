//! Faults of documents: each has its place, and hostile ones are bounded.

use std::time::{Duration, Instant};

use toolwright_generator::{
    diagnostic::Severity,
    generate::{self, Input},
    load::Memory,
};

use super::{OPTIONS, run, shown};

/// Returns the errors of a document `a.proto`.
fn faults(text: &str) -> Vec<String> {
    faults_of(&[("a.proto", text)])
}

fn faults_of(files: &[(&str, &str)]) -> Vec<String> {
    let outcome = run("a.proto", files);
    let errors = outcome.diagnostics.iter();
    let errors = errors.filter(|fault| fault.severity == Severity::Error);
    errors.map(|fault| shown(&outcome, fault)).collect()
}

fn assert_fault(text: &str, expected: &str) {
    let found = faults(text);
    let first = found.first().map_or("", String::as_str);
    assert!(
        first.starts_with(expected),
        "{text}\nexpected {expected}\nfound {found:#?}"
    );
}

/// A document with one method, and more.
fn with(more: &str) -> String {
    format!(
        "syntax = \"proto3\";\npackage a;\nservice S {{ rpc Get(M) returns (M); }}\nmessage M {{}}\n{more}"
    )
}

#[test]
fn each_fault_has_its_place() {
    for (more, expected) in [
        (
            "message B { string a = 1 }",
            "a.proto:5:26: invalid-proto: expected",
        ),
        ("message B { string a = 1; string b = 1; }", "a.proto:5:"),
        ("message B { string a = 1; int32 a = 2; }", "a.proto:5:"),
        (
            "message B { C c = 1; }",
            "a.proto:5:13: unresolved-reference: name `C` is not defined",
        ),
        ("message B { string a = 0; }", "a.proto:5:"),
        ("message B { string a = 19000; }", "a.proto:5:"),
        ("message B { required string a = 1; }", "a.proto:5:"),
        ("enum E { X = 1; }", "a.proto:5:"),
        ("enum E { X = 0; Y = 0; }", "a.proto:5:"),
        ("message M {}", "a.proto:5:"),
        ("service S {}", "a.proto:5:"),
        ("service T { rpc Get(Nothing) returns (M); }", "a.proto:5:"),
        (
            "service T { rpc Get(E) returns (M); } enum E { X = 0; }",
            "a.proto:5:",
        ),
        ("message B { map<float, string> a = 1; }", "a.proto:5:"),
        ("message B { option (unknown.option) = 1; }", "a.proto:5:"),
        (
            "message B { oneof o { repeated string a = 1; } }",
            "a.proto:5:",
        ),
        ("message B { reserved 1; string a = 1; }", "a.proto:5:"),
        (
            "/* not closed",
            "a.proto:5:1: invalid-proto: the comment does not end",
        ),
        (
            "message B { string a = 1 [default = \"x\"]; }",
            "a.proto:5:",
        ),
        ("}", "a.proto:5:1: invalid-proto: "),
        (
            "import \"b.proto\";",
            "a.proto:5:8: unresolved-reference: cannot import `b.proto`",
        ),
    ] {
        assert_fault(&with(more), expected);
    }
    let expected = "a.proto:1:1: unsupported-version: documents with an edition are not read";
    assert_fault("edition = \"2023\"; package a;", expected);
    assert_fault("syntax = \"proto4\";", "a.proto:1:10: invalid-proto: ");
    assert_fault("openapi: 3.1.0", "a.proto:1:1: invalid-proto: ");
}

#[test]
fn every_missing_import_is_reported_at_once() {
    let text = "syntax = \"proto3\";\nimport \"b.proto\";\nimport \"c.proto\";";
    let found = faults(text);
    assert_eq!(
        found,
        [
            "a.proto:2:8: unresolved-reference: cannot import `b.proto`",
            "a.proto:3:8: unresolved-reference: cannot import `c.proto`",
        ]
    );
}

#[test]
fn nothing_outside_of_the_folder_is_imported() {
    for import in [
        "../b.proto",
        "/etc/b.proto",
        "x/../../b.proto",
        "./b.proto",
        "C:/b.proto",
        "x\\\\b.proto",
        "b.txt",
        ".hidden/b.proto",
        "https://example.com/b.proto",
    ] {
        let text = format!("syntax = \"proto3\";\nimport \"{import}\";");
        let file = ("b.proto", "syntax = \"proto3\";");
        let found = faults_of(&[("a.proto", &text), file, ("b.txt", "")]);
        let expected = "a.proto:2:8: unresolved-reference: cannot import";
        assert!(found[0].starts_with(expected), "{import}: {found:?}");
    }
}

#[test]
fn an_import_may_begin_above_the_folder_of_the_package() {
    let text = "syntax = \"proto3\";\npackage shop.v9;\nimport \"acme/shop/v1/types.proto\";\n\
        service S { rpc Get(types.M) returns (types.M); }";
    let types = "syntax = \"proto3\";\npackage types;\nmessage M {}";
    let (document, import) = (
        "specs/acme/shop/v1/a.proto",
        "specs/acme/shop/v1/types.proto",
    );
    let outcome = run(document, &[(document, text), (import, types)]);
    assert!(outcome.catalog.is_some(), "{:#?}", outcome.diagnostics);
    // Folders that are not above the document are none of it.
    let elsewhere = "other/acme/shop/v1/types.proto";
    let outcome = run(document, &[(document, text), (elsewhere, types)]);
    assert!(outcome.catalog.is_none());
}

#[test]
fn faults_of_imported_files_have_their_places_there() {
    let text = "syntax = \"proto3\";\nimport \"b.proto\";";
    let found = faults_of(&[
        ("a.proto", text),
        ("b.proto", "syntax = \"proto3\";\nmessage {}"),
    ]);
    assert!(
        found
            .iter()
            .any(|fault| fault.starts_with("b.proto:2:9: invalid-proto")),
        "{found:?}"
    );
    let cycle = "syntax = \"proto3\"; import \"a.proto\";";
    let found = faults_of(&[("a.proto", text), ("b.proto", cycle)]);
    assert!(
        found[0].starts_with("b.proto:1:27: circular-reference"),
        "{found:?}"
    );
}

#[test]
fn hostile_documents_are_bounded() {
    let messages = "message A {".repeat(100_000);
    let options = format!("option x = {}", "{a: ".repeat(100_000));
    let arrays = format!("option x = {}", "[".repeat(100_000));
    let brackets = format!("message A {{ {}", "map<".repeat(100_000));
    let chain: Vec<(String, String)> = (0..2_000)
        .map(|at| {
            let text = format!("syntax = \"proto3\"; import \"f{}.proto\";", at + 1);
            (format!("f{at}.proto"), text)
        })
        .collect();
    let wide = (1..20_000).fold(String::new(), |text, at| {
        text + &format!("message M{at} {{ M{} m = 1; }}\n", at + 1)
    });
    let wide = with(&format!(
        "message B {{ M1 m = 1; }}\n{wide}message M20000 {{}}"
    ));
    for text in [&messages, &options, &arrays, &brackets, &wide] {
        let begun = Instant::now();
        let found = faults(text);
        assert!(begun.elapsed() < Duration::from_secs(60));
        assert!(text == &wide || !found.is_empty());
    }
    let files: Vec<(&str, &str)> = chain
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .chain([("a.proto", "syntax = \"proto3\"; import \"f0.proto\";")])
        .collect();
    let found = faults_of(&files);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("f1999.proto:1:27: unresolved-reference"),
        "{found:?}"
    );
}

#[test]
fn no_change_of_a_document_makes_the_reader_panic() {
    let text = with(
        "// x\nmessage B { map<string, M> a = 1; oneof o { int32 b = 2; } }\nextend M { int32 x = 9; }",
    );
    for at in 0..text.len() {
        if let (Some(before), Some(after)) = (text.get(..at), text.get(at + 1..)) {
            for between in ["", "{", "\"", "}", ";", "/*", "é"] {
                let _ = faults(&format!("{before}{between}{after}"));
            }
        }
    }
}

#[test]
fn what_is_no_descriptor_set_is_refused() {
    for bytes in [vec![], vec![0xff; 64], b"openapi: 3.1.0".to_vec()] {
        let empty = bytes.is_empty();
        let files = Memory([("a.binpb".to_owned(), bytes)].into());
        let outcome = generate::run(&[Input::new("a.binpb")], OPTIONS, &files);
        let found: Vec<String> = outcome
            .diagnostics
            .iter()
            .map(|one| shown(&outcome, one))
            .collect();
        assert_eq!(
            found.iter().any(|fault| fault.contains("invalid-proto")),
            !empty,
            "{found:?}"
        );
    }
}
