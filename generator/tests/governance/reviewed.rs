//! Labels that are wrong: the operation's own document contradicts its owner's label.
//!
//! A row in this list may be classified differently from its label, even as a read. It is empty so
//! far: every operation with the label write is classified as a write.

use crate::truth::Row;

/// Source, method, path, and why the label is wrong.
const REVIEWED: &[(&str, &str, &str, &str)] = &[];

/// Checks whether the label of the row is known to be wrong.
pub(crate) fn has(row: &Row) -> bool {
    REVIEWED.iter().any(|reviewed| is(reviewed, row))
}

/// Checks that every entry has a reason, and is about a wrong row.
pub(crate) fn check(rows: &[Row]) {
    for reviewed in REVIEWED {
        let (source, method, path, why) = reviewed;
        assert!(!why.is_empty(), "{source} {method} {path}: why?");
        let wrong = rows.iter().any(|row| is(reviewed, row) && row.is_wrong());
        assert!(wrong, "{source} {method} {path} is not wrong any more");
    }
}

fn is((source, method, path, _): &(&str, &str, &str, &str), row: &Row) -> bool {
    row.source == *source && row.facts.method.word() == *method && row.facts.path == *path
}
