//! Tests of the loader.

use super::*;

fn memory(files: &[(&str, &[u8])]) -> Memory {
    let files = files
        .iter()
        .map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec()));
    Memory(files.collect())
}

/// The outcome of loading the first file: the diagnostics as text.
fn load(files: &[(&str, &[u8])]) -> (Documents, Vec<String>) {
    let memory = memory(files);
    let mut loader = Loader::new(&memory);
    let mut diagnostics = Diagnostics::default();
    let loaded = loader.document(files[0].0, None, &mut diagnostics);
    let documents = loaded.map(|(_, documents)| documents).unwrap_or_default();
    let sources = loader.finish();
    let said = diagnostics.sorted().into_iter().map(|diagnostic| {
        let place = diagnostic.primary.place;
        let at = sources.line_column(place);
        format!("{}:{at} {}", sources.path(place.source), diagnostic.message)
    });
    (documents, said.collect())
}

#[test]
fn files_are_followed_to_the_end() {
    let (documents, said) = load(&[
        ("a/root.yaml", b"x: {$ref: 'b/part.yaml#/y'}"),
        ("a/b/part.yaml", b"y: {$ref: ../end.json}"),
        ("a/end.json", b"{\"$ref\": \"root.yaml\"}"),
    ]);
    assert_eq!(said, [""; 0]);
    for path in ["a/root.yaml", "a/b/part.yaml", "a/end.json"] {
        assert!(documents.knows(path), "{path}");
    }
}

#[test]
fn only_files_below_the_folder_are_followed() {
    let (documents, said) = load(&[
        (
            "a/root.yaml",
            b"x: [{$ref: ../b.yaml}, {$ref: /etc/c.yaml}, {$ref: 'https://x/d.yaml'}]",
        ),
        ("b.yaml", b"1"),
        ("/etc/c.yaml", b"1"),
    ]);
    assert_eq!(said, [""; 0]);
    let root = documents.source_of("a/root.yaml").unwrap();
    let reasons: Vec<String> = documents
        .root(root)
        .unwrap()
        .get("x")
        .unwrap()
        .items()
        .map(|node| documents.resolve(node).unwrap_err().notes.concat())
        .collect();
    assert_eq!(
        reasons,
        [
            "`../b.yaml` is outside of `a`",
            "`/etc/c.yaml` is outside of `a`",
            "nothing is fetched over a network",
        ]
    );
}

#[test]
fn data_refers_to_nothing() {
    let (documents, _) = load(&[
        (
            "root.yaml",
            b"example: {$ref: a.yaml}\nproperties: {example: {$ref: b.yaml}}",
        ),
        ("a.yaml", b"1"),
        ("b.yaml", b"1"),
    ]);
    assert!(!documents.knows("a.yaml"));
    assert!(documents.knows("b.yaml"));
}

#[test]
fn a_malformed_referenced_file_is_reported_if_it_should_be_a_document() {
    let (_, said) = load(&[("root.yaml", b"$ref: b.json"), ("b.json", b"{")]);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("b.json:1:2 expected a key"), "{said:?}");
    let (documents, said) = load(&[("root.yaml", b"$ref: b.md"), ("b.md", b"a: b: c")]);
    assert_eq!(said, [""; 0]);
    assert!(documents.source_of("b.md").is_none());
}

#[test]
fn what_is_no_text_is_placed() {
    let (_, said) = load(&[("a.yaml", b"openapi: 3.0.0\ninfo: \xff\n")]);
    assert_eq!(said, ["a.yaml:2:7 this file is not UTF-8 text"]);
    let (_, said) = load(&[("a.yaml", b"\xff\xfea\0")]);
    assert_eq!(said, ["a.yaml:1:1 this file is not UTF-8 text"]);
    let (_, said) = load(&[("a.yaml", b"\xef\xbb\xbf# nothing\n")]);
    assert_eq!(said, ["a.yaml:1:1 this file is empty"]);
    let memory = Memory::default();
    let mut diagnostics = Diagnostics::default();
    assert!(
        Loader::new(&memory)
            .document("a.yaml", None, &mut diagnostics)
            .is_none()
    );
    assert_eq!(diagnostics.sorted()[0].code, Code::Unreadable);
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let (documents, said) = load(&[("a.json", b"\xef\xbb\xbf{\"a\": 1}")]);
    assert_eq!(said, [""; 0]);
    assert!(documents.knows("a.json"));
}
