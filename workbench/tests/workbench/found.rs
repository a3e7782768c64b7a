//! The tools that list, find and search.

use std::{fs, os::unix::fs::symlink};

use serde_json::{Value, json};
use toolwright::testing::TestView;

use crate::folder::{Folder, code, violations};

const READER: [&str; 5] = [
    "find-repo-files",
    "list-repo-files",
    "read-repo-file",
    "search-repo-code",
    "search-repo-text",
];

const SCOPE: &str = "allowed_read_paths = [\"src/**\", \"*.md\"]\n\
                     denied_read_paths = [\"src/secrets/**\"]";

fn folder() -> Folder {
    let folder = Folder::new(&[
        ("README.md", "needle in the readme\n"),
        (".gitignore", "generated/\n"),
        (".git/config", "needle\n"),
        ("src/a.rs", "fn one() {}\nfn needle() {}\nfn two() {}\n"),
        ("src/deep/b.rs", "// needles, Needle\n"),
        ("src/generated/c.rs", "needle\n"),
        ("src/secrets/key", "needle\n"),
        ("lib/d.rs", "needle\n"),
    ]);
    folder.write("src/binary", b"needle\0needle\n");
    symlink("secrets", folder.path("src/link")).unwrap();
    symlink(folder.outside(), folder.path("src/out")).unwrap();
    fs::hard_link(folder.path("src/secrets/key"), folder.path("src/hard")).unwrap();
    folder
}

async fn call(view: &TestView, tool: &str, arguments: Value) -> Value {
    view.call(tool, arguments).await.unwrap()
}

/// Returns the lines of a search as `path:line content`, with `-` before lines of context.
fn lines(result: &Value) -> Vec<String> {
    let files = result["files"].as_array().unwrap().iter();
    let lines = files.flat_map(|file| {
        let path = file["path"].as_str().unwrap();
        let lines = file["lines"].as_array().unwrap().iter();
        lines.map(move |line| {
            let mark = if line["context"] == true { "-" } else { " " };
            let text = line["text"].as_str().unwrap();
            format!("{path}:{}{mark}{text}", line["line"])
        })
    });
    lines.collect()
}

pub(crate) async fn a_listing_shows_what_may_be_read_and_what_leads_to_it() {
    let folder = folder();
    let view = folder.view(&READER, SCOPE);
    let paths = |listing: &Value| -> Vec<String> {
        let entries = listing["entries"].as_array().unwrap().iter();
        entries
            .map(|entry| {
                format!(
                    "{} {}",
                    entry["path"].as_str().unwrap(),
                    entry["kind"].as_str().unwrap()
                )
            })
            .collect()
    };
    let root = call(&view, "list-repo-files", json!({})).await;
    assert_eq!(paths(&root), ["README.md file", "src folder"]);
    assert_eq!(root["entries"][0]["size_bytes"], 21);
    let source = call(&view, "list-repo-files", json!({"path": "src", "depth": 2})).await;
    let expected = [
        "src/a.rs file",
        "src/binary file",
        "src/deep folder",
        "src/deep/b.rs file",
        "src/hard file",
        "src/link symbolic_link",
        "src/out symbolic_link",
        "src/secrets folder",
    ];
    assert_eq!(paths(&source), expected);
    let first = call(&view, "list-repo-files", json!({"path": "src", "limit": 1})).await;
    assert_eq!(first["left_out"], json!({"beyond_limit": 6}));
    let ignored = json!({"path": "src/generated", "with_ignored": true});
    let ignored = call(&view, "list-repo-files", ignored).await;
    assert_eq!(paths(&ignored), ["src/generated/c.rs file"]);
}

/// Returns the paths and the kinds of a listing that are not of the crowd.
async fn listed(view: &TestView, start: Option<&str>, ignored: bool, depth: usize) -> Vec<Value> {
    let mut arguments = json!({"with_ignored": ignored, "depth": depth, "limit": 5_000});
    if let Some(start) = start {
        arguments["path"] = json!(start);
    }
    let mut listing = call(view, "list-repo-files", arguments).await;
    let Value::Array(mut entries) = listing["entries"].take() else {
        panic!("{listing}");
    };
    let is_of_crowd = |entry: &Value| entry["path"].as_str().unwrap().contains("crowd");
    entries.retain(|entry| !is_of_crowd(entry));
    entries
}

pub(crate) async fn a_listing_of_many_files_shows_the_same_others() {
    let patterns = "*.log\n!important.log\nbuild/\n/top\n# x\na/b/*.tmp\n**/deep/x\n";
    let folder = Folder::new(&[
        (".gitignore", patterns),
        (".ignore", "!kept.log\nnotes\n"),
        (".git/config", ""),
        ("top", ""),
        ("a/top", ""),
        ("a.rs", "x"),
        ("a/one.log", ""),
        ("a/two.log", ""),
        ("a/important.log", ""),
        ("a/kept.log", ""),
        ("a/.gitignore", "!one.log\nsecret*\n"),
        ("a/secret.txt", ""),
        ("a/b/.ignore", "!secret.md\n"),
        ("a/b/secret.md", ""),
        ("a/b/x.tmp", ""),
        ("a/b/c/x.tmp", ""),
        ("a/b/build/out", ""),
        ("a/deep/x/y", ""),
        ("a/notes", ""),
        ("a-b/x", ""),
        ("c/build", "a file"),
        ("denied/x", ""),
    ]);
    symlink("a", folder.path("link")).unwrap();
    let scope = "allowed_read_paths = [\"**\"]\ndenied_read_paths = [\"denied/**\"]";
    let view = folder.view(&READER, scope);
    let mut all = Vec::new();
    for start in [None, Some("a"), Some("a/b")] {
        for ignored in [false, true] {
            for depth in [1, 2, 20] {
                let found = listed(&view, start, ignored, depth).await;
                all.push((start, ignored, depth, found));
            }
        }
    }
    let (.., shown) = &all[6];
    let shown: Vec<_> = shown.iter().map(|entry| &entry["path"]).collect();
    let expected = [
        "a/.gitignore",
        "a/b",
        "a/deep",
        "a/important.log",
        "a/kept.log",
        "a/one.log",
        "a/top",
    ];
    assert_eq!(shown, expected);
    // So many that they are walked by names, on all cores.
    for file in 0..2_001 {
        folder.write(&format!("a/b/crowd/{file}"), "");
    }
    for (start, ignored, depth, found) in all {
        let again = listed(&view, start, ignored, depth).await;
        assert_eq!(again, found, "{start:?} {ignored} {depth}");
    }
}

pub(crate) async fn a_folder_that_leads_to_nothing_allowed_is_refused() {
    let folder = folder();
    let view = folder.view(&READER, SCOPE);
    for (path, expected) in [
        ("lib", "scope_violation"),
        ("..", "scope_violation"),
        ("src/../lib", "scope_violation"),
        ("/etc", "scope_violation"),
        (".git", "scope_violation"),
        ("src/out", "scope_violation"),
        ("nothing", "file_not_found"),
    ] {
        for (tool, arguments) in [
            ("list-repo-files", json!({"path": path})),
            ("find-repo-files", json!({"path": path, "pattern": "*"})),
            ("search-repo-text", json!({"path": path, "text": "needle"})),
            (
                "search-repo-code",
                json!({"path": path, "pattern": "needle"}),
            ),
        ] {
            let before = violations(&view).len();
            assert_eq!(
                code(view.call(tool, arguments).await),
                expected,
                "{tool} {path}"
            );
            let recorded = violations(&view).len() - before;
            let is_violation = usize::from(expected == "scope_violation");
            assert_eq!(recorded, is_violation, "{tool} {path}");
        }
    }
}

pub(crate) async fn files_are_found_by_a_pattern() {
    let folder = folder();
    let view = folder.view(&READER, SCOPE);
    for (pattern, expected) in [
        ("*.rs", json!(["src/a.rs", "src/deep/b.rs"])),
        ("src/*.rs", json!(["src/a.rs"])),
        ("**/key", json!([])),
        (
            "*",
            json!([
                "README.md",
                "src/a.rs",
                "src/binary",
                "src/deep/b.rs",
                "src/hard"
            ]),
        ),
    ] {
        let found = call(&view, "find-repo-files", json!({"pattern": pattern})).await;
        assert_eq!(found["paths"], expected, "{pattern}");
    }
    let cut = call(
        &view,
        "find-repo-files",
        json!({"pattern": "*.rs", "limit": 1}),
    )
    .await;
    assert_eq!(
        cut,
        json!({"paths": ["src/a.rs"], "left_out": {"beyond_limit": 1}})
    );
    let bad = view.call("find-repo-files", json!({"pattern": "["})).await;
    assert_eq!(code(bad), "invalid_pattern");
}

pub(crate) async fn text_is_searched_in_the_files_of_the_scope_alone() {
    let folder = folder();
    let view = folder.view(&READER, SCOPE);
    let found = call(&view, "search-repo-text", json!({"text": "needle"})).await;
    let expected = [
        "README.md:1 needle in the readme",
        "src/a.rs:2 fn needle() {}",
        "src/deep/b.rs:1 // needles, Needle",
    ];
    assert_eq!(lines(&found), expected);
    assert_eq!(found["match_count"], 3);
    assert_eq!(
        found["left_out"],
        json!({"binary_files": 1, "closed_files": 1})
    );
    let all = json!({"text": "(NEEDLE", "ignore_case": true});
    assert_eq!(lines(&call(&view, "search-repo-text", all).await), [""; 0]);
    let ignored = json!({"text": "needle", "with_ignored": true, "path": "src/generated"});
    let ignored = call(&view, "search-repo-text", ignored).await;
    assert_eq!(lines(&ignored), ["src/generated/c.rs:1 needle"]);
}

pub(crate) async fn code_is_searched_with_context_words_and_languages() {
    let folder = folder();
    let view = folder.view(&READER, SCOPE);
    let arguments = json!({"pattern": "fn need\\w+", "context_lines": 1, "language": "rust"});
    let found = call(&view, "search-repo-code", arguments).await;
    let expected = [
        "src/a.rs:1-fn one() {}",
        "src/a.rs:2 fn needle() {}",
        "src/a.rs:3-fn two() {}",
    ];
    assert_eq!(lines(&found), expected);
    let word = json!({"pattern": "needle", "whole_word": true, "files": "src/**"});
    let word = call(&view, "search-repo-code", word).await;
    assert_eq!(lines(&word), ["src/a.rs:2 fn needle() {}"]);
    let one = call(
        &view,
        "search-repo-code",
        json!({"pattern": "needle", "limit": 1}),
    )
    .await;
    assert_eq!(lines(&one), ["README.md:1 needle in the readme"]);
    assert_eq!(one["left_out"]["beyond_limit"], 2);
    for (arguments, expected) in [
        (json!({"pattern": "("}), "invalid_pattern"),
        (json!({"pattern": "a\nb"}), "invalid_pattern"),
        (json!({"pattern": "a{1000}{1000}"}), "invalid_pattern"),
        (
            json!({"pattern": "a", "language": "klingon"}),
            "unknown_language",
        ),
    ] {
        assert_eq!(
            code(view.call("search-repo-code", arguments).await),
            expected
        );
    }
}

pub(crate) async fn the_first_matches_by_path_are_shown_whatever_thread_is_first() {
    let folder = Folder::new(&[]);
    for file in 0..200 {
        folder.write(
            &format!("src/{file:03}.txt"),
            "x needle\nneedle\n".repeat(3),
        );
    }
    let view = folder.view(&READER, SCOPE);
    let found = call(
        &view,
        "search-repo-text",
        json!({"text": "needle", "limit": 7}),
    )
    .await;
    let shown = lines(&found);
    assert_eq!(shown.len(), 7);
    assert_eq!(shown.first().unwrap(), "src/000.txt:1 x needle");
    assert_eq!(shown.last().unwrap(), "src/001.txt:1 x needle");
    assert_eq!(found["match_count"], 1_200);
    assert_eq!(found["file_count"], 200);
    assert_eq!(found["left_out"]["beyond_limit"], 1_193);
}
