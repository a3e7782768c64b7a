//! Tests of the loader.

use super::*;

fn memory(files: &[(&str, &[u8])]) -> Memory {
    let files = files
        .iter()
        .map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec()));
    Memory(files.collect())
}

/// Loads the first file and returns the documents and the rendered diagnostics.
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
fn references_are_followed_through_all_files() {
    let (documents, said) = load(&[
        ("a/root.yaml", b"x: {$ref: 'b/part.yaml#/y'}"),
        ("a/b/part.yaml", b"y: {$ref: ../end.json}"),
        ("a/end.json", b"{\"$ref\": \"root.yaml\"}"),
    ]);
    assert_eq!(said, [""; 0]);
    for path in ["a/root.yaml", "a/b/part.yaml", "a/end.json"] {
        assert!(documents.has_file(path), "{path}");
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
            "`../b.yaml` is outside `a`",
            "`/etc/c.yaml` is outside `a`",
            "references to other hosts are not fetched",
        ]
    );
}

#[test]
fn a_ref_within_data_is_not_a_reference() {
    let (documents, _) = load(&[
        (
            "root.yaml",
            b"example: {$ref: a.yaml}\nproperties: {example: {$ref: b.yaml}}",
        ),
        ("a.yaml", b"1"),
        ("b.yaml", b"1"),
    ]);
    assert!(!documents.has_file("a.yaml"));
    assert!(documents.has_file("b.yaml"));
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
fn invalid_utf8_has_its_position() {
    let (_, said) = load(&[("a.yaml", b"openapi: 3.0.0\ninfo: \xff\n")]);
    assert_eq!(said, ["a.yaml:2:7 this file is not valid UTF-8"]);
    let (_, said) = load(&[("a.yaml", b"\xff\xfea\0")]);
    assert_eq!(said, ["a.yaml:1:1 this file is not valid UTF-8"]);
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
fn a_byte_order_mark_is_skipped() {
    let (documents, said) = load(&[("a.json", b"\xef\xbb\xbf{\"a\": 1}")]);
    assert_eq!(said, [""; 0]);
    assert!(documents.has_file("a.json"));
}

#[test]
fn a_document_does_not_read_hidden_files() {
    let hidden = [
        ".local/h/admin-auth.json",
        "./.local/h/admin-auth.json",
        "parts/../.local/h/admin-auth.json",
        "%2elocal/h/admin-auth.json",
        ".%6cocal/h/admin-auth.json",
        "parts/.env",
        ".git/config",
        "parts\\.env",
        "/a/.env",
        "...",
    ];
    let document = format!(
        "x: [{}]",
        hidden.map(|file| format!("{{$ref: '{file}'}}")).join(", ")
    );
    let secret: &[u8] = b"{\"api_token\": SECRETTOKEN";
    let (documents, said) = load(&[
        ("/a/root.yaml", document.as_bytes()),
        ("/a/.local/h/admin-auth.json", secret),
        ("/a/parts/.env", secret),
        ("/a/parts\\.env", secret),
        ("/a/.git/config", secret),
        ("/a/.env", secret),
        ("/a/...", secret),
    ]);
    assert_eq!(said, [""; 0]);
    let notes = unresolved(&documents, "/a/root.yaml");
    assert_eq!(notes.len(), hidden.len());
    for (file, note) in hidden.iter().zip(notes) {
        assert_eq!(
            note,
            format!("`{file}` is hidden or in a hidden folder, and hidden files are not read")
        );
    }
}

#[test]
fn the_folder_that_the_caller_names_may_be_hidden() {
    let (documents, said) = load(&[
        (".specs/root.yaml", b"x: [{$ref: b.yaml}, {$ref: .c.yaml}]"),
        (".specs/b.yaml", b"1"),
        (".specs/.c.yaml", b"1"),
    ]);
    assert_eq!(said, [""; 0]);
    assert!(documents.source_of(".specs/b.yaml").is_some());
    assert!(documents.source_of(".specs/.c.yaml").is_none());
}

#[test]
fn a_wider_reach_is_limited_to_its_folder() {
    let reach = Reach::new("../a/root.yaml", Some(".."));
    let admits = |path: &str| reach.admit(path, &Memory::default()).is_ok();
    assert!(admits("../b.yaml"));
    assert!(!admits("../../etc/b.yaml"));
    assert!(!admits("/etc/b.yaml"));
    assert!(!admits("../.ssh/id"));
}

#[cfg(unix)]
mod on_disk {
    use std::{fs, os::unix::fs::symlink, path::Path};

    use super::*;

    /// Returns why each reference of a document on disk cannot be resolved.
    fn notes(folder: &Path, document: &str) -> Vec<String> {
        let root = folder.join("root.yaml");
        fs::write(&root, document).unwrap();
        let root = root.to_str().unwrap();
        let mut loader = Loader::new(&Disk);
        let mut diagnostics = Diagnostics::default();
        let (_, documents) = loader.document(root, None, &mut diagnostics).unwrap();
        assert_eq!(diagnostics.sorted(), []);
        unresolved(&documents, root)
    }

    #[test]
    fn a_symbolic_link_reaches_no_hidden_or_outside_file() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path().join("specs");
        fs::create_dir_all(folder.join(".local")).unwrap();
        fs::write(folder.join(".local/auth.json"), "{\"api_token\": 1}").unwrap();
        fs::write(temporary.path().join("outside.json"), "{}").unwrap();
        fs::write(folder.join("inside.json"), "{}").unwrap();
        symlink(".local/auth.json", folder.join("file.json")).unwrap();
        symlink(".local", folder.join("folder")).unwrap();
        symlink("../outside.json", folder.join("out.json")).unwrap();
        symlink("inside.json", folder.join("link.json")).unwrap();
        let notes = notes(
            &folder,
            "x: [{$ref: file.json}, {$ref: folder/auth.json}, {$ref: out.json}, {$ref: link.json}]",
        );
        let hidden = "is hidden or in a hidden folder, and hidden files are not read";
        assert_eq!(notes.len(), 3, "{notes:?}");
        assert_eq!(notes[0], format!("`file.json` {hidden}"));
        assert_eq!(notes[1], format!("`folder/auth.json` {hidden}"));
        assert!(notes[2].starts_with("`out.json` is outside"), "{notes:?}");
    }

    #[test]
    fn only_regular_files_of_a_bounded_size_are_read() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path();
        let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
        symlink("/dev/zero", folder.join("zero.yaml")).unwrap();
        let pipe = std::process::Command::new("mkfifo")
            .arg(path("pipe"))
            .status();
        assert!(pipe.unwrap().success());
        let large = File::create(path("large")).unwrap();
        large.set_len(LARGEST_FILE + 1).unwrap();
        let refused = |name: &str| Disk.read(&path(name)).unwrap_err().to_string();
        assert_eq!(refused("zero.yaml"), "it is not a regular file");
        assert_eq!(refused("pipe"), "it is not a regular file");
        assert_eq!(refused("."), "it is not a regular file");
        assert_eq!(refused("large"), "it is larger than 256 MiB");
    }
}

/// Returns why each reference below `x` cannot be resolved.
fn unresolved(documents: &Documents, path: &str) -> Vec<String> {
    let root = documents.source_of(path).unwrap();
    let items = documents.root(root).unwrap().get("x").unwrap().items();
    items
        .filter_map(|node| documents.resolve(node).err())
        .map(|error| error.notes.concat())
        .collect()
}
