//! Files that are not ordinary ones: devices, pipes, sockets, the files of `/proc`.

use std::{
    fs,
    os::unix::{fs::symlink, net::UnixListener},
    process::Command,
};

use serde_json::json;

use crate::folder::{Folder, code};

const TOOLS: [&str; 4] = [
    "create-repo-file",
    "read-repo-file",
    "search-repo-text",
    "write-repo-file",
];

const SCOPE: &str = "allowed_read_paths = [\"**\"]\nallowed_write_paths = [\"**\"]";

pub(crate) async fn only_ordinary_files_are_opened() {
    let folder = Folder::new(&[("src/a.rs", "needle")]);
    let pipe = folder.path("src/pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let _socket = UnixListener::bind(folder.path("src/socket")).unwrap();
    // Only the administrator may create a device.
    let device = folder.path("src/device");
    let made = Command::new("mknod")
        .arg(&device)
        .args(["c", "1", "5"])
        .status();
    let has_device = made.is_ok_and(|status| status.success());
    symlink("/dev/zero", folder.path("src/zero")).unwrap();
    symlink("/proc/self/environ", folder.path("src/environment")).unwrap();
    symlink("/proc/self/fd/0", folder.path("src/descriptor")).unwrap();
    symlink("loop", folder.path("src/loop")).unwrap();
    let view = folder.view(&TOOLS, SCOPE);
    for (path, read, write) in [
        ("src/pipe", "not_a_file", "not_a_file"),
        ("src/socket", "not_a_file", "not_a_file"),
        ("src/device", "not_a_file", "not_a_file"),
        ("src/zero", "scope_violation", "symbolic_link"),
        ("src/environment", "scope_violation", "symbolic_link"),
        ("src/descriptor", "scope_violation", "symbolic_link"),
        ("src/loop", "symbolic_link", "symbolic_link"),
        ("src", "not_a_file", "not_a_file"),
        ("src/a.rs/b", "not_a_file", "not_a_file"),
    ] {
        if path == "src/device" && !has_device {
            continue;
        }
        let result = view.call("read-repo-file", json!({"path": path})).await;
        assert_eq!(code(result), read, "read {path}");
        let arguments = json!({"path": path, "content": "x"});
        let result = view.call("write-repo-file", arguments.clone()).await;
        assert_eq!(code(result), write, "write {path}");
    }
    let found = view
        .call("search-repo-text", json!({"text": "needle"}))
        .await
        .unwrap();
    assert_eq!(found["file_count"], 1);
    assert!(fs::symlink_metadata(&pipe).is_ok());
}

pub(crate) async fn an_encoded_or_foreign_path_names_nothing() {
    let folder = Folder::new(&[("src/a.rs", "a")]);
    let view = folder.view(&TOOLS, SCOPE);
    let long = "a/".repeat(5_000);
    for path in [
        "src%2fa.rs",
        "src%252fa.rs",
        "src\\a.rs",
        "C:\\src\\a.rs",
        "file:///etc/passwd",
        "src/a.rs\n",
        "src/a.rs\0.txt",
        "\u{2025}/outside",
        "src/\u{ff0e}\u{ff0e}/\u{ff0e}\u{ff0e}/outside",
        "~/.ssh/id_rsa",
        "/proc/self/root/etc/passwd",
        "",
        ".",
        "./src/a.rs",
        "src/a.rs/",
        &long,
    ] {
        let result = view.call("read-repo-file", json!({"path": path})).await;
        result.expect_err(path);
        let arguments = json!({"path": path, "content": "x"});
        view.call("write-repo-file", arguments)
            .await
            .expect_err(path);
    }
    assert_eq!(folder.text("src/a.rs"), "a");
}

/// The repository itself may be reached by a link, and have a name that ends like a deleted file.
pub(crate) async fn the_root_may_be_a_link_and_a_file_may_have_any_name() {
    let folder = Folder::new(&[("src/a (deleted)", "a"), ("src/ä ö.txt", "b")]);
    symlink("a (deleted)", folder.path("src/link")).unwrap();
    let view = folder.view(&TOOLS, SCOPE);
    for (path, text) in [
        ("src/a (deleted)", "a"),
        ("src/link", "a"),
        ("src/ä ö.txt", "b"),
    ] {
        let read = view
            .call("read-repo-file", json!({"path": path}))
            .await
            .unwrap();
        assert_eq!(read["text"], text, "{path}");
    }
}
