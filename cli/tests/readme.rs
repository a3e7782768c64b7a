//! The tour of the README, run as its reader would.
#![cfg(test)]

use std::{fs, os::unix::fs::symlink, path::Path};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A checkout in which a tour may leave its audit and its requests for approval.
fn checkout() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(ROOT).unwrap();
    for part in ["specs", "generated", "cli"] {
        symlink(root.join(part), folder.path().join(part)).unwrap();
    }
    for file in ["README.md", "toolwright.toml"] {
        let text = fs::read(root.join(file)).unwrap();
        toolwright::private::write(&folder.path().join(file), text).unwrap();
    }
    // Nobody is asked to approve a call that lacks credentials.
    let auth = folder.path().join(".local/depot/admin-auth.json");
    toolwright::private::write(&auth, r#"{"api_token": "of-the-tour"}"#).unwrap();
    folder
}

#[test]
fn the_tour_is_true() {
    let checkout = checkout();
    std::env::set_current_dir(checkout.path()).unwrap();
    // What the tour shows is rewritten where it is asked for, and in the repository then.
    let state = tempfile::tempdir().unwrap();
    let cases = trycmd::TestCases::new();
    cases
        .env("XDG_CONFIG_HOME", state.path().display().to_string())
        .register_bin("toolwright", Path::new(env!("CARGO_BIN_EXE_toolwright")))
        .case("README.md");
    cases.run();
    if std::env::var_os("TRYCMD").is_some() {
        fs::copy(
            checkout.path().join("README.md"),
            Path::new(ROOT).join("README.md"),
        )
        .unwrap();
    }
}
