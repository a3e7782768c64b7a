//! Counts the operations and the vendors that each rule of names serves.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
};

use toolwright_generator::internals::{rule_ids, rules_of};

use crate::{documents, real};

/// A rule that serves fewer vendors is deleted.
const FEWEST: usize = 3;

/// Vendors of other documents, for rules that serve few of the known ones.
const OTHERS: &str = include_str!("vendors_of_rules.tsv");

/// Returns the vendors of other documents that a rule serves.
fn others(rule: &str) -> impl Iterator<Item = &'static str> {
    let rows = OTHERS.lines().filter_map(|line| line.split_once('\t'));
    let own = rows.filter(move |(id, _)| *id == rule);
    own.flat_map(|(_, vendors)| vendors.split(' '))
}

#[test]
fn every_rule_serves_several_vendors() {
    let mut served: BTreeMap<&str, (usize, BTreeSet<String>)> = BTreeMap::new();
    for document in real::documents() {
        let service = real::service_of(&document);
        for facts in documents::read(&document) {
            for rule in rules_of(&service, &facts) {
                let (operations, vendors) = served.entry(rule).or_default();
                *operations += 1;
                vendors.insert(real::vendor_of(&document));
            }
        }
    }
    let any = !served.is_empty();
    let mut few = Vec::new();
    for rule in rule_ids() {
        let (operations, mut vendors) = served.remove(rule).unwrap_or_default();
        let names: Vec<_> = vendors
            .iter()
            .take(FEWEST + 1)
            .map(String::as_str)
            .collect();
        println!(
            "{rule}: {operations} operations of {} vendors: {} …",
            vendors.len(),
            names.join(" ")
        );
        vendors.extend(others(rule).map(str::to_owned));
        if vendors.len() < FEWEST {
            few.push(rule);
        }
    }
    if env::var_os(real::DOCUMENTS).is_none() && any {
        assert!(few.is_empty(), "{few:?} serve fewer than {FEWEST} vendors");
    }
}
