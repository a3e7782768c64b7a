//! Every diagnostic is documented and shown by a case.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the helpers of a test fail as the test does"
)]

use std::{fs, path::Path};

use toolwright_generator::diagnostic::Code;

fn read_folder(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().path().join("expected/diagnostics.txt"))
        .map(|path| fs::read_to_string(&path).unwrap_or_else(|_| panic!("no {}", path.display())))
        .collect()
}

#[test]
fn every_code_has_a_case() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let shown = read_folder(&folder).concat();
    for code in Code::ALL {
        let word = code.word();
        assert!(
            shown.contains(&format!("[{word}]: ")),
            "no case shows `{word}`"
        );
    }
}

#[test]
fn exactly_the_existing_codes_are_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/diagnostics.md");
    let text = fs::read_to_string(path).unwrap();
    let headings: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("## `")?.strip_suffix('`'))
        .collect();
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.word()).collect();
    assert_eq!(
        headings, codes,
        "one heading a code, in the order of the codes"
    );
}
