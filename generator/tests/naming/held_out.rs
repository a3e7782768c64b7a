//! The names of operations of held-out vendors, as they were judged.

use std::collections::BTreeMap;

/// A row for each operation: document, operation, name, judgement, reason.
const READING: &str = include_str!("held_out_reading.tsv");

/// The vendors whose documents nobody reads who works on the rules.
const VENDORS: &str = include_str!("held_out_vendors.txt");

const PAGE: &str = include_str!("../../../docs/names.md");

fn rows() -> impl Iterator<Item = Vec<&'static str>> {
    let lines = READING.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split('\t').collect())
}

#[test]
fn every_judged_operation_is_of_a_held_out_vendor() {
    for row in rows() {
        let [document, ..] = row.as_slice() else {
            panic!("{row:?}");
        };
        let vendor = document.split('/').next().unwrap();
        let vendor = vendor.strip_suffix(".json").unwrap_or(vendor);
        assert!(VENDORS.lines().any(|line| line == vendor), "{document}");
    }
}

#[test]
fn the_page_has_the_counts_of_the_judgements() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows() {
        let [_, _, _, judgement, reason] = row.as_slice() else {
            panic!("{row:?}");
        };
        assert_eq!(reason.is_empty(), *judgement == "good", "{row:?}");
        *counts.entry(judgement).or_default() += 1;
    }
    let words = [
        ("good", "read well"),
        ("awkward", "are awkward"),
        ("misleading", "mislead"),
    ];
    assert_eq!(counts.len(), words.len(), "{counts:?}");
    for (judgement, words) in words {
        let line = format!("{} {words}", counts[judgement]);
        assert!(PAGE.contains(&line), "docs/names.md lacks `{line}`");
    }
}
