//! Every document is understood, and every operation becomes a tool or is accounted for.

use std::collections::BTreeSet;

use toolwright_generator::{generate::Outcome, inspect, ir::LeftOut};

use crate::documents::{self, count, run, size, value};

#[test]
fn every_operation_of_real_documents_is_accounted_for() {
    let Some(documents) = documents::all() else {
        return;
    };
    let mut operations = 0;
    for path in &documents {
        let expected = count(&value(path));
        let outcome = run(path);
        let overview = &outcome.overviews[0];
        assert!(
            outcome.catalog.is_some(),
            "{}: {:?}",
            path.display(),
            outcome.diagnostics
        );
        assert_eq!(overview.operations, expected, "{}", path.display());
        let service = &outcome.catalog.as_ref().unwrap().services()[0];
        let left_out = &service.service().left_out;
        let names: BTreeSet<_> = service.tools().map(|(name, _)| name).collect();
        assert_eq!(names.len() + left_out.len(), expected, "{}", path.display());
        for operation in left_out {
            assert!(
                is_diagnosed(operation, &outcome),
                "{}: {operation:?}",
                path.display()
            );
        }
        operations += expected;
    }
    println!("{} documents, {operations} operations", documents.len());
}

#[test]
fn a_second_run_says_the_same() {
    let Some(documents) = documents::all() else {
        return;
    };
    for path in documents.iter().filter(|path| size(path) < 60_000) {
        let [first, second] = [run(path), run(path)].map(|outcome| {
            let text = format!("{:?}", outcome.diagnostics);
            (text, inspect::document(&outcome, 0).to_string())
        });
        assert_eq!(first, second, "{}", path.display());
    }
}

/// An operation that is left out is spoken of: a diagnostic has its place as one of its own.
fn is_diagnosed(operation: &LeftOut, outcome: &Outcome) -> bool {
    outcome.diagnostics.iter().any(|said| {
        let also = said.secondary.iter();
        let mut places = also.chain([&said.primary]).map(|label| label.place);
        places.any(|place| place == operation.place)
    })
}
