//! `read-repo-file`.

use std::{fs, os::unix::fs::symlink};

use serde_json::json;

use crate::folder::{Folder, code, violations};

const SCOPE: &str = "allowed_read_paths = [\"src/**\"]\ndenied_read_paths = [\"src/secrets/**\"]";

fn folder() -> Folder {
    Folder::new(&[
        ("src/a.rs", "one\ntwo\nthree\n"),
        ("src/secrets/key", "secret"),
        ("docs/b.md", "docs"),
    ])
}

pub(crate) async fn a_file_is_read_as_a_whole_by_lines_and_by_bytes() {
    let folder = folder();
    let view = folder.view(&["read-repo-file"], SCOPE);
    let read = async |arguments| view.call("read-repo-file", arguments).await.unwrap();
    let whole = read(json!({"path": "src/a.rs"})).await;
    let expected = json!({"path": "src/a.rs", "size_bytes": 14, "text": "one\ntwo\nthree\n",
        "encoding": "UTF-8", "first_line": 1, "line_count": 3});
    assert_eq!(whole, expected);
    let line = read(json!({"path": "src/a.rs", "first_line": 2, "last_line": 2})).await;
    assert_eq!(line["text"], "two\n");
    let bytes = read(json!({"path": "src/a.rs", "first_byte": 4, "byte_count": 3})).await;
    assert_eq!(bytes["base64"], "dHdv");
}

pub(crate) async fn a_denied_file_is_not_read_in_any_spelling() {
    let folder = folder();
    symlink("secrets/key", folder.path("src/link")).unwrap();
    symlink("secrets", folder.path("src/folder")).unwrap();
    symlink(folder.outside(), folder.path("src/out")).unwrap();
    symlink("/proc/self/root", folder.path("src/magic")).unwrap();
    fs::hard_link(folder.path("src/secrets/key"), folder.path("src/hard")).unwrap();
    fs::hard_link(folder.outside(), folder.path("src/outer")).unwrap();
    let view = folder.view(&["read-repo-file"], SCOPE);
    for (path, expected) in [
        ("src/secrets/key", "scope_violation"),
        ("src/SECRETS/key", "scope_violation"),
        ("src/./secrets/key", "scope_violation"),
        ("src/x/../secrets/key", "scope_violation"),
        ("src/secrets%2fkey", "scope_violation"),
        ("src//secrets/key", "scope_violation"),
        ("src\\secrets\\key", "scope_violation"),
        ("../outside", "scope_violation"),
        ("/etc/passwd", "scope_violation"),
        ("docs/b.md", "scope_violation"),
        ("src/a.rs\0", "scope_violation"),
        ("src/link", "scope_violation"),
        ("src/folder/key", "scope_violation"),
        ("src/out", "scope_violation"),
        ("src/magic/etc/passwd", "scope_violation"),
        ("src/hard", "hard_link"),
        ("src/outer", "hard_link"),
        ("src", "scope_violation"),
        ("src/nothing", "file_not_found"),
    ] {
        let before = violations(&view).len();
        let result = view.call("read-repo-file", json!({"path": path})).await;
        assert_eq!(code(result), expected, "{path}");
        let recorded = violations(&view).len() - before;
        assert_eq!(
            recorded,
            usize::from(expected == "scope_violation"),
            "{path}"
        );
    }
}
