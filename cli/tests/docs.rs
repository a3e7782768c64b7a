//! The examples of `docs/diff.md`, run as its reader would.
#![cfg(test)]

use std::{fs, path::Path};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

#[test]
fn the_examples_of_drift_are_true() {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(ROOT).unwrap();
    fs::write(folder.path().join("toolwright.toml"), "").unwrap();
    for file in [
        "cli/tests/docs/before.yaml",
        "cli/tests/docs/after.yaml",
        "docs/diff.md",
    ] {
        let name = Path::new(file).file_name().unwrap();
        fs::copy(root.join(file), folder.path().join(name)).unwrap();
    }
    std::env::set_current_dir(folder.path()).unwrap();
    // What the page shows is rewritten where it is asked for, and in the repository then.
    let cases = trycmd::TestCases::new();
    cases
        .register_bin("toolwright", Path::new(env!("CARGO_BIN_EXE_toolwright")))
        .case("diff.md");
    cases.run();
    if std::env::var_os("TRYCMD").is_some() {
        fs::copy(folder.path().join("diff.md"), root.join("docs/diff.md")).unwrap();
    }
}
