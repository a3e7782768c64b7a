//! Counts the operations of real documents that become no tools, by reason, after all stages.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    path::Path,
};

use toolwright_generator::{
    check::CheckedService,
    diagnostic::{Code, Severity},
    generate::{self, Input, Options, Outcome, Unnameable},
    internals::LeftOutBecause,
    load::Disk,
};

use crate::{document::nameless, real};

/// Errors that mean that a file is no specification. No other error may refuse a document.
const NO_SPECIFICATION: [Code; 8] = [
    Code::AliasExpansion,
    Code::Empty,
    Code::NotASpecification,
    Code::NotUtf8,
    Code::Syntax,
    Code::TooDeep,
    Code::Unreadable,
    Code::UnsupportedVersion,
];

#[test]
fn operations_are_left_out_for_a_documented_reason() {
    if env::var_os(real::DOCUMENTS).is_none() {
        println!(
            "skipped: `{}` names no documents, and the test of the corpus reads the shared ones",
            real::DOCUMENTS
        );
        return;
    }
    let mut counts = Counts::default();
    for path in real::documents() {
        counts.add(&path);
    }
    println!(
        "{} documents, {} operations, {} tools",
        counts.documents, counts.operations, counts.tools
    );
    for (why, count) in &counts.left_out {
        println!("  {count} left out: {why}");
    }
    for refused in &counts.refused {
        println!("refused: {refused}");
    }
    assert_eq!(counts.faults, Vec::<String>::new());
}

/// The operations of all documents.
#[derive(Default)]
struct Counts {
    documents: usize,
    operations: usize,
    tools: usize,
    left_out: BTreeMap<String, usize>,
    /// The files that are no specifications, with the reasons.
    refused: Vec<String>,
    /// What may not happen.
    faults: Vec<String>,
}

impl Counts {
    fn add(&mut self, path: &Path) {
        let input = Input::new(path.to_string_lossy());
        let options = Options {
            unnameable: Unnameable::LeaveOut,
            ..Options::default()
        };
        let outcome = generate::run(&[input], options, &Disk);
        self.documents += 1;
        let services = outcome.catalog.as_ref().map(|catalog| catalog.services());
        match services {
            Some(services) => {
                for service in services {
                    self.add_service(path, service);
                }
            }
            None => self.refuse(path, &outcome),
        }
    }

    fn refuse(&mut self, path: &Path, outcome: &Outcome) {
        for error in &outcome.diagnostics {
            if error.severity == Severity::Error {
                let text = format!("{}: {}", path.display(), error.message);
                if !NO_SPECIFICATION.contains(&error.code) {
                    self.faults.push(text.clone());
                }
                self.refused.push(text);
            }
        }
    }

    fn add_service(&mut self, path: &Path, checked: &CheckedService) {
        let service = checked.service();
        self.operations += service.operations_in_document;
        self.tools += checked.tools().count();
        let mut same: BTreeMap<_, Vec<&str>> = BTreeMap::new();
        for left in &service.left_out {
            if left.why == LeftOutBecause::Unnamed {
                let key = (left.method, nameless(&left.path), &left.operation_id);
                same.entry(key).or_default().push(&left.path);
            } else {
                *self.left_out.entry(left.why.word().to_owned()).or_default() += 1;
            }
        }
        for ((method, ..), paths) in same {
            if paths.len() > 1 {
                *self.left_out.entry("equal".to_owned()).or_default() += paths.len();
            } else {
                let paths: BTreeSet<_> = paths.into_iter().collect();
                let fault = format!("{}: no name for {method} {paths:?}", path.display());
                self.faults.push(fault);
            }
        }
    }
}
