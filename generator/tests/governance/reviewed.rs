//! Labels that are plainly wrong: the operation's own document says otherwise than its owner.
//!
//! A row that is here may be classed otherwise than it is labelled, be it as a read. None had to
//! be entered so far: what is labelled a write is classed as one.

use crate::truth::Row;

/// Source, method, path, and why the label is wrong.
const REVIEWED: &[(&str, &str, &str, &str)] = &[];

/// Whether the label of the row is known to be wrong.
pub(crate) fn has(row: &Row) -> bool {
    REVIEWED.iter().any(|reviewed| is(reviewed, row))
}

/// Every entry says why, and is about a row that is wrong.
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
