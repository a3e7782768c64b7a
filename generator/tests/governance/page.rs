//! The page that shows what was measured.

use std::{fs, path::Path};

use expect_test::expect_file;

/// The mark before the figures of the shared operations.
pub(crate) const MEASURED: &str = "<!-- measured -->\n";

/// The mark before the figures of the published scopes.
pub(crate) const PUBLISHED: &str = "<!-- published -->\n";

/// The mark after figures.
const END: &str = "<!-- end -->";

/// Compares the page with the measured figures, or rewrites it.
pub(crate) fn check(begin: &str, measured: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/governance.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(begin).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let expected = format!("{before}{begin}\n{measured}\n{END}{after}");
    expect_file![path].assert_eq(&expected);
}
