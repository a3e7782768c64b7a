//! The examples of `docs/boundary.md`, run as their reader would.
#![cfg(test)]

use std::{fs, path::Path};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

const TOOLWRIGHT: &str = env!("CARGO_BIN_EXE_toolwright");

/// Returns the TOML blocks of the page.
fn blocks(page: &str) -> Vec<&str> {
    let blocks = page.split("```toml\n").skip(1);
    blocks
        .map(|block| block.split("```").next().unwrap())
        .collect()
}

#[test]
fn the_documented_examples_are_correct() {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(ROOT).unwrap();
    let page = fs::read_to_string(root.join("docs/boundary.md")).unwrap();
    let blocks = blocks(&page);
    let expectations = blocks
        .iter()
        .find(|block| block.contains("[[expect]]"))
        .unwrap();
    fs::write(folder.path().join("toolwright.toml"), blocks[0]).unwrap();
    fs::write(folder.path().join("expectations.toml"), expectations).unwrap();
    for file in ["before.yaml", "old.toml"] {
        let from = root.join("cli/tests/docs").join(file);
        fs::copy(from, folder.path().join(file)).unwrap();
    }
    fs::write(folder.path().join("boundary.md"), &page).unwrap();
    std::env::set_current_dir(folder.path()).unwrap();
    // `TRYCMD=overwrite` rewrites the page in the repository.
    let cases = trycmd::TestCases::new();
    cases.register_bin("toolwright", Path::new(TOOLWRIGHT));
    cases.case("boundary.md");
    cases.run();
    if std::env::var_os("TRYCMD").is_some() {
        fs::copy("boundary.md", root.join("docs/boundary.md")).unwrap();
    }
}
