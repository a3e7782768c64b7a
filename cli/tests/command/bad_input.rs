//! Invalid specifications: a diagnostic with its place, never a panic, nothing written.

use std::fmt::Write;

use crate::support::{NOTES, Project, Run};

/// Generates from these bytes, in a project that has been generated before.
fn generate(bytes: impl AsRef<[u8]>) -> Run {
    let project = Project::with_memo();
    project.run(&["generate"]).expect(0);
    let before = project.files("generated");
    project.write("specs/memo/openapi.yaml", bytes);
    let run = project.run(&["generate"]);
    if run.code != Some(0) {
        assert_eq!(project.files("generated"), before, "something was written");
    }
    run
}

/// The codes of the diagnostics of the first line.
fn codes(run: &Run) -> Vec<String> {
    let line = &run.json()[0];
    let diagnostics = line["diagnostics"].as_array().unwrap().iter();
    diagnostics
        .map(|found| found["code"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_file_that_is_not_a_specification_is_refused() {
    let deep = format!(
        "openapi: 3.1.0\na: {}{}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let cases: [(&str, &[u8], &str, &str); 9] = [
        ("empty", b"", ":1:1", "this file is empty"),
        ("blank", b"\n\n# nothing\n", ":1:1", "this file is empty"),
        ("not YAML", b"a: [1,\n  b", "", "syntax"),
        ("a text", b"just words\n", ":1:1", "not-a-specification"),
        (
            "not OpenAPI",
            b"name: x\nversion: 1\n",
            ":1:1",
            "not-a-specification",
        ),
        (
            "a version to come",
            b"openapi: 4.0.0\npaths: {}\n",
            ":1:10",
            "unsupported-version",
        ),
        (
            "not UTF-8",
            b"openapi: 3.1.0\ninfo: \xff\n",
            ":2:7",
            "not-utf-8",
        ),
        (
            "UTF-16",
            b"\xff\xfeo\0p\0",
            ":1:1",
            "byte order mark of UTF-16",
        ),
        ("too deep", deep.as_bytes(), ":2:", "too-deep"),
    ];
    for (case, bytes, place, said) in cases {
        let run = generate(bytes).expect(100);
        let file = format!("specs/memo/openapi.yaml{place}");
        assert!(run.stderr.contains(&file), "{case}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{case}: {}", run.stderr);
    }
}

#[test]
fn a_duplicate_key_is_reported_with_both_positions() {
    let run = generate(format!("{NOTES}  schemas: {{}}\n"));
    run.says("duplicate-key")
        .says("specs/memo/openapi.yaml:53:3");
}

#[test]
fn an_unresolved_reference_excludes_only_its_operation() {
    for (reference, said) in [
        ("#/components/schemas/Absent", "unresolved-reference"),
        ("other.yaml#/Note", "unresolved-reference"),
        ("https://example.com/a.yaml#/Note", "unresolved-reference"),
        ("../../../etc/passwd", "unresolved-reference"),
    ] {
        let document = NOTES.replace("#/components/schemas/NewNote", reference);
        let project = Project::empty();
        project.write("notes.yaml", document);
        let run = project.run(&["inspect", "notes.yaml", "--json"]).expect(0);
        assert!(
            codes(&run).contains(&said.to_owned()),
            "{reference}: {:?}",
            codes(&run)
        );
        let line = &run.json()[0];
        assert!(line["tools"].as_array().unwrap().len() >= 3, "{reference}");
    }
}

#[test]
fn a_circular_reference_terminates() {
    let itself = "    Loop: { $ref: '#/components/schemas/Loop' }\n";
    let document = format!("{NOTES}{itself}").replace("schemas/NewNote", "schemas/Loop");
    let project = Project::empty();
    project.write("notes.yaml", document);
    let run = project.run(&["inspect", "notes.yaml", "--json"]).expect(0);
    let message = run.json()[0]["diagnostics"][0]["message"].to_string();
    assert!(message.contains("is part of a cycle"), "{message}");
}

#[test]
fn a_byte_order_mark_is_accepted() {
    generate(format!("\u{feff}{NOTES}")).expect(0);
    let project = Project::empty();
    project.write("notes.json", "\u{feff}{\"openapi\": \"3.1.0\", \"info\": {\"title\": \"\", \"version\": \"\"}, \"paths\": {}}");
    let run = project.run(&["inspect", "notes.json", "--json"]).expect(0);
    assert_eq!(run.json()[0]["operations"], 0);
}

#[test]
fn fifty_thousand_operations_are_read() {
    let mut document = "openapi: 3.0.3\ninfo: { title: Many, version: '1' }\npaths:\n".to_owned();
    for number in 0..50_000 {
        let word: String = format!("{number:05}")
            .bytes()
            .map(|digit| (digit + 49) as char)
            .collect();
        let _ = writeln!(
            document,
            "  /{word}: {{ get: {{ responses: {{ '200': {{ description: ok }} }} }} }}"
        );
    }
    let project = Project::empty();
    project.write("many.yaml", document);
    let run = project.run(&["inspect", "many.yaml", "--json"]).expect(0);
    assert_eq!(run.json()[0]["operations"], 50_000);
}

#[test]
fn an_overlay_that_matches_nothing_is_an_error_with_its_place() {
    let project = Project::with_memo();
    project.write(
        "specs/memo/overlay.toml",
        "[operations.lstNotes]\nnoun = \"memos\"\n",
    );
    project
        .run(&["generate"])
        .expect(100)
        .says("unmatched-overlay")
        .says("specs/memo/overlay.toml:1:13")
        .says("listNotes");
}
