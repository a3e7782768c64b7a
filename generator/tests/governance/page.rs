//! The page that shows what was measured.

use std::{fs, path::Path};

use expect_test::expect_file;

/// The marks before and after the measured part of the page.
const MARKS: (&str, &str) = ("<!-- measured -->\n", "<!-- end -->");

/// Compares the page with the measured figures, or rewrites it.
pub(crate) fn check(measured: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/governance.md");
    let page = fs::read_to_string(&path).unwrap();
    let (begin, end) = MARKS;
    let (before, rest) = page.split_once(begin).unwrap();
    let (_, after) = rest.split_once(end).unwrap();
    let expected = format!("{before}{begin}\n{measured}\n{end}{after}");
    expect_file![path].assert_eq(&expected);
}
