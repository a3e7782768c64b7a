//! Names of documents: they are unique, do not depend on an order, and stay once they are pinned.

use std::collections::{BTreeMap, BTreeSet};

use rand::{RngExt, SeedableRng, rngs::StdRng, seq::SliceRandom};
use toolwright_generator::internals::{Naming, OperationFacts, names_of};
use toolwright_model::{MAX_TOOL_NAME, Method, ServiceName, ToolName};

use crate::{documents, real};

/// Segments of made paths. Many paths have the same words, and some segments are long.
const SEGMENTS: &[&str] = &[
    "items",
    "item",
    "{id}",
    "{item_id}",
    "{name}",
    "v1",
    "v2",
    "api",
    "groups",
    "users",
    "me",
    "search",
    "archive",
    "termStore",
    "termStores",
    "configurations",
    "singleValueExtendedProperties",
    "device-management-configuration-policies",
    "lists",
];

/// Operations of a made document. Each has another method or path.
fn made(random: &mut StdRng) -> Vec<OperationFacts> {
    let mut known = BTreeSet::new();
    let mut operations = Vec::new();
    for _ in 0..random.random_range(2..60) {
        let segments = random.random_range(1..9);
        let segments = (0..segments).map(|_| SEGMENTS[random.random_range(0..SEGMENTS.len())]);
        let path: String = segments.map(|segment| format!("/{segment}")).collect();
        let method = Method::ALL[random.random_range(0..5)];
        if known.insert((method, nameless(&path))) {
            operations.push(OperationFacts::new(method, path));
        }
    }
    operations
}

/// Returns the path without the names of its parameters.
pub(crate) fn nameless(path: &str) -> String {
    let nameless = |segment: &str| {
        if segment.starts_with('{') {
            "{}"
        } else {
            segment
        }
        .to_owned()
    };
    path.split('/').map(nameless).collect::<Vec<_>>().join("/")
}

type Key = (Method, String);

fn key(facts: &OperationFacts) -> Key {
    (facts.method, facts.path.clone())
}

fn names(
    service: &ServiceName,
    operations: &[OperationFacts],
    pinned: &BTreeMap<Key, ToolName>,
) -> BTreeMap<Key, Naming> {
    let given: Vec<_> = operations
        .iter()
        .map(|facts| (facts.clone(), pinned.get(&key(facts)).cloned()))
        .collect();
    let named = names_of(service, &given).into_iter();
    operations.iter().map(key).zip(named).collect()
}

/// Returns the names that operations have and no other has.
fn pin(named: &BTreeMap<Key, Naming>) -> BTreeMap<Key, ToolName> {
    let names = named
        .values()
        .filter_map(|naming| naming.name.as_ref().ok());
    let mut counts: BTreeMap<&ToolName, usize> = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    let own = named.iter().filter_map(|(key, naming)| {
        let name = naming.name.as_ref().ok()?;
        (counts[name] == 1).then(|| (key.clone(), name.clone()))
    });
    own.collect()
}

/// Checks the three properties of a document.
fn check(service: &ServiceName, operations: &[OperationFacts], random: &mut StdRng) -> usize {
    let whole = names(service, operations, &BTreeMap::new());
    let mut turned = operations.to_vec();
    turned.shuffle(random);
    assert_eq!(
        names(service, &turned, &BTreeMap::new()),
        whole,
        "{service}: order"
    );

    // What a part of the document pinned stays, and what is new does not take it.
    let part: Vec<_> = operations
        .iter()
        .filter(|_| random.random())
        .cloned()
        .collect();
    let pinned = pin(&names(service, &part, &BTreeMap::new()));
    let later = names(service, &turned, &pinned);
    for (key, name) in &pinned {
        assert_eq!(later[key].name.as_ref(), Ok(name), "{service}: {key:?}");
    }
    let base = real::names(service, operations);
    for (key, naming) in &later {
        if let Ok(name) = &naming.name {
            assert!(name.as_str().len() <= MAX_TOOL_NAME);
            let taken = pinned
                .iter()
                .find(|(other, taken)| *other != key && *taken == name);
            // An operation without words of its own keeps its base name, and the check reports it.
            let reported = |_| base[&(key.1.clone(), key.0)].name.as_ref() == Ok(name);
            assert!(
                taken.is_none_or(reported),
                "{service}: {key:?} takes {taken:?}"
            );
        }
    }
    // Without the others, those that were pinned stay too.
    let fewer = names(service, &part, &pinned);
    for (key, name) in &pinned {
        assert_eq!(fewer[key].name.as_ref(), Ok(name), "{service}: {key:?}");
    }
    pinned.len()
}

#[test]
fn names_of_made_documents_do_not_depend_on_an_order_and_stay() {
    let service = ServiceName::new("svc").unwrap();
    let mut random = StdRng::seed_from_u64(11);
    let (mut all, mut unnamed) = (0, 0);
    for _ in 0..300 {
        let operations = made(&mut random);
        check(&service, &operations, &mut random);
        let named = names(&service, &operations, &BTreeMap::new());
        all += named.len();
        unnamed += named.len() - pin(&named).len();
    }
    println!("{unnamed} of {all} operations of made documents have no name of their own");
    assert_eq!(unnamed, 0);
}

#[test]
fn names_of_real_documents_do_not_depend_on_an_order_and_stay() {
    let mut random = StdRng::seed_from_u64(13);
    let mut pinned = 0;
    for path in real::documents() {
        let operations = documents::read(&path);
        pinned += check(&real::service_of(&path), &operations, &mut random);
    }
    println!("{pinned} pinned names stay");
}
