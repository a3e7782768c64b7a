//! The tools that write, edit, create and delete.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
};

use serde_json::json;
use toolwright::testing::TestView;

use crate::folder::{Folder, code, violations};

const WRITER: [&str; 4] = [
    "create-repo-file",
    "delete-repo-file",
    "edit-repo-file",
    "write-repo-file",
];

const SCOPE: &str = "allowed_write_paths = [\"src/modules/auth/**\"]\n\
                     denied_write_paths = [\"**/fixed.rs\"]";

fn folder() -> Folder {
    Folder::new(&[
        ("src/modules/auth/a.rs", "one\ntwo\ntwo\n"),
        ("src/modules/auth/fixed.rs", "fixed"),
        ("src/modules/payment/handler.rs", "payment"),
    ])
}

/// Calls a tool that waits for a person, who approves.
async fn approved(view: &TestView, tool: &str, arguments: serde_json::Value) -> String {
    let waiting = view.call(tool, arguments.clone()).await;
    if code(waiting) != "approval_required" {
        return "no approval".to_owned();
    }
    view.approve().await.unwrap();
    code(view.call(tool, arguments).await)
}

pub(crate) async fn a_change_is_shown_as_a_diff_and_keeps_the_mode() {
    let folder = folder();
    let path = "src/modules/auth/a.rs";
    fs::set_permissions(folder.path(path), fs::Permissions::from_mode(0o750)).unwrap();
    let view = folder.view(&WRITER, SCOPE);
    let written = view
        .call(
            "write-repo-file",
            json!({"path": path, "content": "one\ntwo\nthree\n"}),
        )
        .await
        .unwrap();
    let diff = format!("--- a/{path}\n+++ b/{path}\n@@ -1,3 +1,3 @@\n one\n two\n-two\n+three\n");
    assert_eq!(
        written,
        json!({"path": path, "size_bytes": 14, "diff": diff})
    );
    let mode = fs::metadata(folder.path(path))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o7777, 0o750);
    let edited = view
        .call(
            "edit-repo-file",
            json!({"path": path, "old_text": "one\n", "new_text": ""}),
        )
        .await
        .unwrap();
    assert_eq!(edited["size_bytes"], 10);
    assert_eq!(folder.text(path), "two\nthree\n");
    let same = json!({"path": path, "content": "two\nthree\n"});
    let same = view.call("write-repo-file", same).await.unwrap();
    assert_eq!(same["diff"], "");
    let left: Vec<_> = fs::read_dir(folder.path("src/modules/auth"))
        .unwrap()
        .collect();
    assert_eq!(left.len(), 2, "no file is left behind: {left:?}");
}

pub(crate) async fn an_edit_replaces_exactly_what_was_asked_for() {
    let folder = folder();
    let path = "src/modules/auth/a.rs";
    let view = folder.view(&WRITER, SCOPE);
    let edit = async |old: &str, all: bool| {
        let arguments = json!({"path": path, "old_text": old, "new_text": "2", "replace_all": all});
        code(view.call("edit-repo-file", arguments).await)
    };
    assert_eq!(edit("three", false).await, "no_match");
    assert_eq!(edit("", true).await, "no_match");
    assert_eq!(edit("two", false).await, "several_matches");
    assert_eq!(folder.text(path), "one\ntwo\ntwo\n");
    edit("two", true).await;
    assert_eq!(folder.text(path), "one\n2\n2\n");
    folder.write(path, b"\xff\n");
    assert_eq!(edit("two", true).await, "not_text");
}

pub(crate) async fn a_file_is_created_once_with_its_folders() {
    let folder = folder();
    let view = folder.view(&WRITER, SCOPE);
    let path = "src/modules/auth/new/deep/b.sh";
    let arguments = json!({"path": path, "content": "x\n", "executable": true});
    let created = view
        .call("create-repo-file", arguments.clone())
        .await
        .unwrap();
    let diff = format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n");
    assert_eq!(created["diff"], diff);
    let mode = fs::metadata(folder.path(path))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o100, 0o100);
    let again = view.call("create-repo-file", arguments).await;
    assert_eq!(code(again), "file_exists");
    let missing = json!({"path": "src/modules/auth/none.rs", "content": ""});
    let missing = view.call("write-repo-file", missing).await;
    assert_eq!(code(missing), "file_not_found");
    let refused = json!({"path": "src/other/new/c.rs", "content": ""});
    let refused = view.call("create-repo-file", refused).await;
    assert_eq!(code(refused), "scope_violation");
    assert!(!folder.path("src/other").exists());
}

/// The folders above the allowed ones are created for an allowed file, and for no other.
pub(crate) async fn a_file_is_created_in_a_scope_that_does_not_exist_yet() {
    let folder = folder();
    let view = folder.view(&WRITER, "allowed_write_paths = [\"new/deep/**\"]");
    let create = async |path: &str| {
        let arguments = json!({"path": path, "content": "x"});
        code(view.call("create-repo-file", arguments).await)
    };
    assert_eq!(create("new/other/a.rs").await, "scope_violation");
    assert!(!folder.path("new").exists());
    assert!(create("new/deep/er/a.rs").await.starts_with("it passed"));
    assert_eq!(folder.text("new/deep/er/a.rs"), "x");
}

pub(crate) async fn a_deletion_waits_for_a_person() {
    let folder = folder();
    let view = folder.view(&WRITER, SCOPE);
    let path = "src/modules/auth/a.rs";
    let deleted = approved(&view, "delete-repo-file", json!({"path": path})).await;
    assert!(deleted.starts_with("it passed"), "{deleted}");
    assert!(deleted.contains("-one"), "{deleted}");
    assert!(!folder.path(path).exists());
    // Nobody is asked for a call that is refused anyway.
    let refused = view.call(
        "delete-repo-file",
        json!({"path": "src/modules/payment/handler.rs"}),
    );
    assert_eq!(code(refused.await), "scope_violation");
}

/// Scenario P2.
pub(crate) async fn a_write_outside_of_the_scope_is_refused_with_its_rule() {
    let folder = folder();
    let view = folder.view(&WRITER, SCOPE);
    let path = "src/modules/payment/handler.rs";
    let refused = view
        .call("write-repo-file", json!({"path": path, "content": "x"}))
        .await;
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("`allowed_write_paths`"), "{message}");
    let recorded = violations(&view);
    let [(kind, rule)] = recorded.as_slice() else {
        panic!("{recorded:?}");
    };
    assert_eq!(*kind, "scope_violation");
    assert!(
        rule.starts_with("allowed_write_paths (toolwright.toml:"),
        "{rule}"
    );
    assert_eq!(folder.text(path), "payment");
}

pub(crate) async fn a_link_leads_no_change_out_of_the_scope() {
    let folder = folder();
    let inside = "src/modules/auth";
    symlink("../payment", folder.path(&format!("{inside}/folder"))).unwrap();
    symlink(
        "../payment/handler.rs",
        folder.path(&format!("{inside}/file")),
    )
    .unwrap();
    symlink(folder.outside(), folder.path(&format!("{inside}/out"))).unwrap();
    symlink(
        folder.outside().parent().unwrap(),
        folder.path(&format!("{inside}/up")),
    )
    .unwrap();
    let hard = folder.path(&format!("{inside}/hard"));
    fs::hard_link(folder.path("src/modules/payment/handler.rs"), hard).unwrap();
    let view = folder.view(&WRITER, SCOPE);
    for (path, expected) in [
        ("folder/handler.rs", "scope_violation"),
        ("file", "symbolic_link"),
        ("out", "symbolic_link"),
        ("up/outside", "scope_violation"),
        ("hard", "hard_link"),
        ("fixed.rs", "scope_violation"),
        ("FIXED.rs", "scope_violation"),
        ("nothing/a", "file_not_found"),
    ] {
        let path = format!("{inside}/{path}");
        let arguments = json!({"path": path, "content": "x"});
        assert_eq!(
            code(view.call("write-repo-file", arguments).await),
            expected,
            "{path}"
        );
        let edit = json!({"path": path, "old_text": "payment", "new_text": "x"});
        assert_eq!(
            code(view.call("edit-repo-file", edit).await),
            expected,
            "{path}"
        );
    }
    for (path, expected) in [
        ("folder/new", "scope_violation"),
        ("folder/new/deep", "scope_violation"),
        ("up/new", "scope_violation"),
        ("file", "file_exists"),
        ("out", "file_exists"),
        ("a.rs/new", "not_a_file"),
    ] {
        let path = format!("{inside}/{path}");
        let arguments = json!({"path": path, "content": "x"});
        assert_eq!(
            code(view.call("create-repo-file", arguments).await),
            expected,
            "{path}"
        );
    }
    let payment: Vec<_> = fs::read_dir(folder.path("src/modules/payment"))
        .unwrap()
        .collect();
    assert_eq!(payment.len(), 1, "{payment:?}");
    assert_eq!(folder.text("src/modules/payment/handler.rs"), "payment");
    assert_eq!(fs::read_to_string(folder.outside()).unwrap(), "outside");
}

/// Scenario P3.
pub(crate) async fn a_protected_path_is_refused_whatever_the_profile_grants() {
    let folder = Folder::new(&[
        ("toolwright.toml", "policy"),
        (".git/config", "git"),
        (".git/hooks/sample", "hook"),
        ("specs/depot/names.lock", "lock"),
        (".toolwright/skills/s.toml", "skill"),
        ("src/a.rs", "a"),
    ]);
    symlink("../toolwright.toml", folder.path("src/link")).unwrap();
    symlink("../.git", folder.path("src/folder")).unwrap();
    let view = folder.view(&WRITER, "allowed_write_paths = [\"**\"]");
    for path in [
        "toolwright.toml",
        "Toolwright.TOML",
        ".git/config",
        ".GIT/config",
        ".git/hooks/sample",
        "specs/depot/names.lock",
        ".toolwright/skills/s.toml",
        "src/folder/config",
    ] {
        let before = violations(&view).len();
        let arguments = json!({"path": path, "content": "x"});
        let refused = view.call("write-repo-file", arguments).await;
        assert_eq!(code(refused), "protected_path", "{path}");
        let recorded = violations(&view);
        let kinds: Vec<_> = recorded
            .iter()
            .skip(before)
            .map(|(kind, _)| *kind)
            .collect();
        assert_eq!(kinds, ["protected_path"], "{path}");
    }
    for path in [
        ".git/hooks/post-commit",
        "src/folder/hooks/post-commit",
        ".git/new/x",
    ] {
        let arguments = json!({"path": path, "content": "x"});
        let refused = view.call("create-repo-file", arguments).await;
        assert_eq!(code(refused), "protected_path", "{path}");
    }
    let link = view.call(
        "write-repo-file",
        json!({"path": "src/link", "content": "x"}),
    );
    assert_eq!(code(link.await), "symbolic_link");
    assert_eq!(folder.text("toolwright.toml"), "policy");
    assert!(!folder.path(".git/hooks/post-commit").exists());
    assert!(!folder.path(".git/new").exists());
}

pub(crate) async fn a_denied_file_is_not_shown_by_a_change_of_it() {
    let folder = Folder::new(&[("src/secrets/key", "secret")]);
    let scope = "allowed_write_paths = [\"src/**\"]\ndenied_read_paths = [\"src/secrets/**\"]";
    let view = folder.view(&WRITER, scope);
    let arguments = json!({"path": "src/secrets/key", "content": "x"});
    assert_eq!(
        code(view.call("write-repo-file", arguments).await),
        "scope_violation"
    );
    assert_eq!(folder.text("src/secrets/key"), "secret");
}

pub(crate) async fn a_file_has_at_most_the_size_that_the_operator_allows() {
    let folder = folder();
    let scope = format!("{SCOPE}\nmax_file_size_bytes = \"12\"");
    let view = folder.view(&WRITER, &scope);
    let path = "src/modules/auth/a.rs";
    let write = async |content: &str| {
        let arguments = json!({"path": path, "content": content});
        code(view.call("write-repo-file", arguments).await)
    };
    assert_eq!(write("0123456789012").await, "file_too_large");
    assert!(write("012345678901").await.starts_with("it passed"));
    folder.write(path, "0123456789012");
    assert_eq!(write("small").await, "file_too_large");
}
