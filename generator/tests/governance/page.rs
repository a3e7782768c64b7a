//! The page that shows what was measured.

use std::{fs, path::Path};

/// Where the measured part of the page begins and ends.
const MARKS: (&str, &str) = ("<!-- measured -->\n", "<!-- end -->");

/// Holds the page to what was measured, or rewrites it.
pub(crate) fn check(measured: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/governance.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(MARKS.0).unwrap();
    let (said, after) = rest.split_once(MARKS.1).unwrap();
    let measured = format!("\n{measured}\n");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let (begin, end) = MARKS;
        fs::write(&path, format!("{before}{begin}{measured}{end}{after}")).unwrap();
    } else {
        assert!(
            said == measured,
            "{} does not say what was measured; UPDATE_EXPECT=1 rewrites it",
            path.display()
        );
    }
}
