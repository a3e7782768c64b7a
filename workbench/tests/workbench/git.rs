//! The tools for git on real repositories.

use std::{fs, os::unix::fs::symlink, process::Command};

use serde_json::{Value, json};
use toolwright::testing::TestView;

use crate::folder::{Folder, code, violations};

pub(crate) const TOOLS: [&str; 5] = [
    "create-git-branch",
    "create-git-commit",
    "get-git-diff",
    "get-git-status",
    "list-git-commits",
];

pub(crate) const SCOPE: &str = "branch_pattern = \"cogworks/swi-.*\"\nallowed_commit_paths = [\"src/**\"]\n\
                     denied_read_paths = [\"src/secrets/**\"]";

/// Runs git as a person does.
pub(crate) fn git(folder: &Folder, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=A Person",
            "-c",
            "user.email=person@example.com",
        ])
        .args(arguments)
        .current_dir(folder.root())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {error}");
    String::from_utf8(output.stdout)
        .unwrap()
        .trim_end()
        .to_owned()
}

/// Creates a repository with one commit on `main`.
pub(crate) fn repository() -> Folder {
    let folder = Folder::new(&[
        ("src/a.rs", "one\ntwo\n"),
        ("src/secrets/key", "secret\n"),
        ("docs/b.md", "docs\n"),
    ]);
    git(&folder, &["init", "--quiet", "--initial-branch=main"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "--quiet", "--message=First"]);
    folder
}

async fn call(view: &TestView, tool: &str, arguments: Value) -> Value {
    view.call(tool, arguments).await.unwrap()
}

pub(crate) async fn a_change_is_seen_committed_and_listed() {
    let folder = repository();
    let view = folder.view(&TOOLS, SCOPE);
    let branch = json!({"branch": "cogworks/swi-1"});
    let created = call(&view, "create-git-branch", branch).await;
    assert_eq!(created["checked_out"], true);
    assert_eq!(
        git(&folder, &["branch", "--show-current"]),
        "cogworks/swi-1"
    );
    folder.write("src/a.rs", "one\nthree\n");
    folder.write("src/new.rs", "new\n");
    folder.write("src/secrets/key", "other\n");
    fs::remove_file(folder.path("docs/b.md")).unwrap();
    let status = call(&view, "get-git-status", json!({})).await;
    assert_eq!(status["branch"], "cogworks/swi-1");
    let expected = json!([
        {"path": "docs/b.md", "in_work_tree": "deleted"},
        {"path": "src/a.rs", "in_work_tree": "modified"},
        {"path": "src/new.rs", "in_work_tree": "untracked"},
    ]);
    assert_eq!(status["files"], expected);
    let difference = call(&view, "get-git-diff", json!({"path": "src"})).await;
    let diff = "--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n";
    assert_eq!(difference, json!({"files": ["src/a.rs"], "diff": diff}));
    let commit = json!({"branch": "cogworks/swi-1", "paths": ["src/a.rs", "src/new.rs"],
        "message": "Change a\n\nAnd add a file."});
    let commit = call(&view, "create-git-commit", commit).await;
    let shown = git(
        &folder,
        &[
            "log",
            "-1",
            "--format=%H%n%an%n%(trailers:key=Toolwright-Role)%B",
        ],
    );
    let id = commit["commit"].as_str().unwrap();
    let start = format!("{id}\ncoder\nToolwright-Role: coder\nChange a\n\nAnd add a file.\n");
    assert!(shown.starts_with(&start), "{shown}");
    assert_eq!(
        git(&folder, &["status", "--porcelain"]),
        " D docs/b.md\n M src/secrets/key"
    );
    git(&folder, &["fsck", "--strict", "--no-dangling"]);
    let commits = call(&view, "list-git-commits", json!({"limit": 1})).await;
    assert_eq!(commits["commits"][0]["id"], id);
    assert_eq!(commits["more"], true);
    let between = json!({"from": "main", "to": "cogworks/swi-1"});
    let between = call(&view, "get-git-diff", between).await;
    assert_eq!(between["files"], json!(["src/a.rs", "src/new.rs"]));
    let same = json!({"branch": "cogworks/swi-1", "paths": ["src/a.rs"], "message": "Again"});
    assert_eq!(
        code(view.call("create-git-commit", same).await),
        "nothing_to_commit"
    );
}

/// Scenario P12.
pub(crate) async fn a_commit_outside_of_its_branches_and_paths_is_refused() {
    let folder = repository();
    let view = folder.view(&TOOLS, SCOPE);
    folder.write("src/a.rs", "changed\n");
    folder.write("docs/b.md", "changed\n");
    let before = git(&folder, &["rev-parse", "main"]);
    let commit = |branch: &str, path: &str| {
        let arguments = json!({"branch": branch, "paths": [path], "message": "x"});
        view.call("create-git-commit", arguments)
    };
    for (branch, path, expected) in [
        ("main", "src/a.rs", "scope_violation"),
        ("cogworks/swi-1", "src/a.rs", "scope_violation"),
        ("x-cogworks/swi-1", "src/a.rs", "scope_violation"),
        ("cogworks/swi-1\nmain", "src/a.rs", "scope_violation"),
        ("cogworks/swi-1", "docs/b.md", "scope_violation"),
        ("cogworks/swi-1", ".git/config", "protected_path"),
        ("cogworks/swi-1", "src/../docs/b.md", "scope_violation"),
    ] {
        let recorded = violations(&view).len();
        assert_eq!(
            code(commit(branch, path).await),
            expected,
            "{branch} {path}"
        );
        assert_eq!(violations(&view).len(), recorded + 1, "{branch} {path}");
    }
    for (branch, expected) in [
        ("main2", "scope_violation"),
        ("cogworks/swi-..", "invalid_branch"),
        ("cogworks/swi-1.lock", "invalid_branch"),
        ("cogworks/swi-1/../../main", "invalid_branch"),
    ] {
        let created = view.call("create-git-branch", json!({"branch": branch}));
        assert_eq!(code(created.await), expected, "{branch}");
    }
    call(
        &view,
        "create-git-branch",
        json!({"branch": "cogworks/swi-1"}),
    )
    .await;
    let again = view.call("create-git-branch", json!({"branch": "cogworks/swi-1"}));
    assert_eq!(code(again.await), "branch_exists");
    // Two commits are allowed, and a person checks out another branch between them.
    commit("cogworks/swi-1", "src/a.rs").await.unwrap();
    git(&folder, &["switch", "--quiet", "--force", "main"]);
    folder.write("src/a.rs", "changed again\n");
    assert_eq!(
        code(commit("cogworks/swi-1", "src/a.rs").await),
        "scope_violation"
    );
    assert_eq!(git(&folder, &["rev-parse", "main"]), before);
    assert_eq!(
        git(&folder, &["rev-list", "--count", "cogworks/swi-1"]),
        "2"
    );
}

pub(crate) async fn a_commit_takes_neither_links_nor_forged_trailers() {
    let folder = repository();
    let view = folder.view(&TOOLS, SCOPE);
    call(
        &view,
        "create-git-branch",
        json!({"branch": "cogworks/swi-1"}),
    )
    .await;
    symlink("../docs", folder.path("src/folder")).unwrap();
    symlink(folder.outside(), folder.path("src/out")).unwrap();
    fs::hard_link(folder.outside(), folder.path("src/hard")).unwrap();
    folder.write(".gitattributes", "*.bin filter=lfs\n");
    folder.write("src/x.bin", "x");
    for (path, expected) in [
        ("src/folder/b.md", "symbolic_link"),
        ("src/out", "symbolic_link"),
        ("src/hard", "hard_link"),
        ("src/x.bin", "filtered_file"),
        ("src/secrets", "not_a_file"),
    ] {
        let arguments = json!({"branch": "cogworks/swi-1", "paths": [path], "message": "x"});
        assert_eq!(
            code(view.call("create-git-commit", arguments).await),
            expected,
            "{path}"
        );
    }
    folder.write("src/a.rs", "changed\n");
    for message in [
        "",
        " \n",
        "x\n\nToolwright-Role: review",
        "x\n\n  toolwright-call: 1",
    ] {
        let arguments =
            json!({"branch": "cogworks/swi-1", "paths": ["src/a.rs"], "message": message});
        let refused = view.call("create-git-commit", arguments).await;
        assert_eq!(code(refused), "invalid_message", "{message:?}");
    }
}

pub(crate) async fn a_revision_is_neither_an_option_nor_a_file() {
    let folder = repository();
    let view = folder.view(&TOOLS, SCOPE);
    let marker = folder.path("marker");
    let option = format!("--output={}", marker.display());
    for revision in [
        &option,
        "-p",
        "HEAD:src/secrets/key",
        ":src/secrets/key",
        "nothing",
        "",
    ] {
        let log = view.call("list-git-commits", json!({"revision": revision}));
        assert_eq!(code(log.await), "unknown_revision", "{revision}");
        let diff = view.call("get-git-diff", json!({"from": revision}));
        assert_eq!(code(diff.await), "unknown_revision", "{revision}");
    }
    for path in ["../outside", ":/", "src/secrets/key", &option] {
        let log = view.call("list-git-commits", json!({"path": path}));
        let _ = log.await;
        let diff = view.call("get-git-diff", json!({"from": "HEAD", "path": path}));
        let shown = format!("{:?}", diff.await);
        assert!(!shown.contains("secret\\n"), "{shown}");
    }
    assert!(!marker.exists());
}

pub(crate) async fn a_folder_without_a_repository_and_an_empty_repository_are_told() {
    let folder = Folder::new(&[("src/a.rs", "a\n")]);
    let view = folder.view(&TOOLS, SCOPE);
    let none = view.call("get-git-status", json!({})).await;
    assert_eq!(code(none), "no_git_repository");
    git(
        &folder,
        &["init", "--quiet", "--initial-branch=cogworks/swi-1"],
    );
    let status = call(&view, "get-git-status", json!({})).await;
    assert_eq!(status["branch"], "cogworks/swi-1");
    assert_eq!(status.get("commit"), None);
    let arguments = json!({"branch": "cogworks/swi-1", "paths": ["src/a.rs"], "message": "First"});
    call(&view, "create-git-commit", arguments).await;
    assert_eq!(git(&folder, &["rev-list", "--count", "HEAD"]), "1");
    assert_eq!(git(&folder, &["status", "--porcelain"]), "");
}
