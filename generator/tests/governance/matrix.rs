//! The confusion matrix: how many rows of each source and case were given each kind.

use std::{collections::BTreeMap, fmt::Write as _};

use toolwright_model::Kind;

use crate::truth::{Case, Row};

/// The matrix, as a table of Markdown.
pub(crate) fn render(rows: &[Row]) -> String {
    let mut counts: BTreeMap<(&str, Case), BTreeMap<Kind, usize>> = BTreeMap::new();
    for row in rows {
        let kinds = counts.entry((&row.source, row.case())).or_default();
        *kinds.entry(row.found.kind).or_default() += 1;
    }
    let mut table = String::from("| source | labelled | rows |");
    for kind in Kind::ALL {
        write!(table, " {kind} |").unwrap();
    }
    table.push_str("\n|---|---|--:|");
    table.push_str(&"--:|".repeat(Kind::ALL.len()));
    for ((source, case), kinds) in counts {
        let all: usize = kinds.values().sum();
        write!(table, "\n| {source} | {case} | {all} |").unwrap();
        for kind in Kind::ALL {
            write!(table, " {} |", kinds.get(kind).copied().unwrap_or_default()).unwrap();
        }
    }
    table.push('\n');
    table
}
