//! Tests of names that the document decides.

use toolwright_model::{Method, ServiceName};

use super::names_of;
use crate::{language::facts::OperationFacts, naming::Naming};

/// Reads an operation: `GET /items listItems`, with the operation id if there is one.
fn operation(line: &str) -> OperationFacts {
    let mut parts = line.split(' ');
    let method = parts.next().and_then(Method::from_word).unwrap();
    let mut facts = OperationFacts::new(method, parts.next().unwrap());
    facts.operation_id = parts.next().map(str::to_owned);
    facts
}

fn named(lines: &[&str]) -> Vec<Naming> {
    let operations = lines.iter().map(|line| (operation(line), None));
    let operations: Vec<_> = operations.collect();
    names_of(&ServiceName::new("svc").unwrap(), &operations)
}

fn names(lines: &[&str]) -> Vec<String> {
    let name = |naming: Naming| naming.name.map_or_else(|error| error.to_string(), String::from);
    named(lines).into_iter().map(name).collect()
}

#[test]
fn debug() {
    for line in named(&[
        "GET /metrics/edited-pages/top-by-absolute-bytes-difference/{project}/{editor-type}/{page-type}/{year}/{month}/{day}",
        "GET /metrics/editors/top-by-absolute-bytes-difference/{project}/{editor-type}/{page-type}/{year}/{month}/{day}",
        "GET /metrics/editors/top-by-edits/{project}/{editor-type}/{page-type}/{year}/{month}/{day}",
        "GET /metrics/editors/top-by-net-bytes-difference/{project}/{editor-type}/{page-type}/{year}/{month}/{day}",
    ]) {
        println!("{line:#?}");
    }
}
