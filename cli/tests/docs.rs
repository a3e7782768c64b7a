//! The examples of `docs/diff.md` and `docs/eab.md`, run as their reader would.
#![cfg(test)]

use std::{fs, path::Path};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The pages whose examples are run.
const PAGES: [&str; 2] = ["diff.md", "eab.md"];

#[test]
fn the_examples_are_true() {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(ROOT).unwrap();
    fs::write(folder.path().join("toolwright.toml"), "").unwrap();
    for file in ["before.yaml", "after.yaml"] {
        let from = root.join("cli/tests/docs").join(file);
        fs::copy(from, folder.path().join(file)).unwrap();
    }
    for page in PAGES {
        fs::copy(root.join("docs").join(page), folder.path().join(page)).unwrap();
    }
    // The document that the page of domain services shows is the one that its examples are about.
    let page = fs::read_to_string(root.join("docs/eab.md")).unwrap();
    let (_, document) = page.split_once("\n```yaml\n").unwrap();
    let (document, _) = document.split_once("\n```").unwrap();
    fs::write(folder.path().join("kicad.yaml"), document).unwrap();
    std::env::set_current_dir(folder.path()).unwrap();
    // What a page shows is rewritten where it is asked for, and in the repository then.
    let cases = trycmd::TestCases::new();
    cases.register_bin("toolwright", Path::new(env!("CARGO_BIN_EXE_toolwright")));
    for page in PAGES {
        cases.case(page);
    }
    cases.run();
    if std::env::var_os("TRYCMD").is_some() {
        for page in PAGES {
            fs::copy(folder.path().join(page), root.join("docs").join(page)).unwrap();
        }
    }
}
