//! Tests of the lock over several runs.

use super::*;
use crate::{
    check::CheckedCatalog,
    document::{diagnostic::Code, load::Memory},
    generate::{self, Accept, Input, Options, Outcome},
};

const ITEMS: &str = "
  /items:
    get: {operationId: listItems, responses: {'204': {description: Nothing.}}}";

const ORDERS: &str = "
  /orders:
    get: {operationId: listOrders, responses: {'204': {description: Nothing.}}}
    post: {operationId: createOrder, responses: {'204': {description: Nothing.}}}";

fn document(paths: &[&str]) -> String {
    let head = "openapi: 3.1.0\ninfo: {title: Shop, version: '1'}\npaths:";
    format!("{head}{}\n", paths.concat())
}

fn run(document: &str, overlay: &str, lock: Option<&str>, accept: Accept) -> Outcome {
    let mut input = Input::new("shop.yaml").overlay("overlay.toml");
    let mut files = BTreeMap::from([
        ("shop.yaml".to_owned(), document.into()),
        ("overlay.toml".to_owned(), overlay.into()),
    ]);
    if let Some(lock) = lock {
        files.insert("names.lock".to_owned(), lock.into());
        input = input.lock("names.lock");
    }
    let options = Options {
        accept,
        ..Options::default()
    };
    generate::run(&[input], options, &Memory(files))
}

/// Returns the lock after a run without errors.
fn lock_of(outcome: &Outcome) -> String {
    let catalog = outcome.catalog.as_ref();
    let services = catalog.map_or(&[][..], CheckedCatalog::services);
    services.iter().map(crate::emit::lock).collect()
}

fn codes(outcome: &Outcome) -> Vec<Code> {
    let all = outcome.diagnostics.iter();
    all.map(|diagnostic| diagnostic.code).collect()
}

const NOTHING: Accept = Accept {
    renames: false,
    lowering: false,
};

#[test]
fn a_lock_depends_on_no_order_and_is_as_it_was_after_a_second_run() {
    let lock = lock_of(&run(&document(&[ITEMS, ORDERS]), "", None, NOTHING));
    assert_eq!(lock.matches("operation = ").count(), 3, "{lock}");
    let turned = document(&[ORDERS, ITEMS]);
    assert_eq!(lock_of(&run(&turned, "", None, NOTHING)), lock);
    assert_eq!(lock_of(&run(&turned, "", Some(&lock), NOTHING)), lock);
}

#[test]
fn what_leaves_the_document_stays_in_the_lock() {
    let lock = lock_of(&run(&document(&[ITEMS, ORDERS]), "", None, NOTHING));
    let after = lock_of(&run(&document(&[ITEMS]), "", Some(&lock), NOTHING));
    assert_eq!(after, lock);
}

#[test]
fn an_accepted_rename_keeps_the_former_name_for_its_operation() {
    let document = document(&[ITEMS, ORDERS]);
    let first = lock_of(&run(&document, "", None, NOTHING));
    let overlay = "[operations.listItems]\nname = \"list-shop-goods\"\n";

    let refused = run(&document, overlay, Some(&first), NOTHING);
    assert_eq!(codes(&refused), [Code::RenamedTool]);
    let renames = Accept {
        renames: true,
        ..NOTHING
    };
    let second = lock_of(&run(&document, overlay, Some(&first), renames));
    let line = |name: &str| {
        let mut lines = second.lines();
        lines.find(|line| line.starts_with(&format!("{name} =")))
    };
    assert!(line("list-shop-items").unwrap().contains("former = true"));
    assert!(!line("list-shop-goods").unwrap().contains("former"));

    // The next run needs no acceptance, and the new name remains if the overlay is removed.
    assert_eq!(
        lock_of(&run(&document, overlay, Some(&second), NOTHING)),
        second
    );
    assert_eq!(lock_of(&run(&document, "", Some(&second), NOTHING)), second);

    // Rename back.
    let back = overlay.replace("goods", "items");
    let third = lock_of(&run(&document, &back, Some(&second), renames));
    assert!(
        third.contains("list-shop-goods = {") && third.contains("former = true"),
        "{third}"
    );
}

#[test]
fn an_accepted_lowering_is_written_down() {
    let document = document(&[ORDERS]);
    let first = lock_of(&run(&document, "", None, NOTHING));
    let overlay = "[operations.createOrder]\napproval_required = false\nreason = \"Drafts.\"\n";
    let refused = run(&document, overlay, Some(&first), NOTHING);
    assert_eq!(codes(&refused), [Code::LoweredGovernance]);
    let lowering = Accept {
        lowering: true,
        ..NOTHING
    };
    let second = lock_of(&run(&document, overlay, Some(&first), lowering));
    assert!(
        run(&document, overlay, Some(&second), NOTHING)
            .catalog
            .is_some()
    );
    // Stricter governance needs no acceptance.
    assert_eq!(lock_of(&run(&document, "", Some(&second), NOTHING)), first);
}

#[test]
fn a_lock_lies_beside_its_overlay() {
    for (overlay, lock) in [
        ("specs/shop/overlay.toml", Some("specs/shop/names.lock")),
        ("shop.overlay.toml", Some("shop.names.lock")),
        ("shop.toml", None),
    ] {
        let beside = lock_path(Path::new(overlay));
        assert_eq!(beside.as_deref(), lock.map(Path::new), "{overlay}");
    }
}

#[test]
fn what_is_only_looked_at_leaves_out_what_differs() {
    let document = document(&[ITEMS, ORDERS]);
    let lock = lock_of(&run(&document, "", None, NOTHING)).replace("\"observe\"", "\"execute\"");
    let files = Memory(BTreeMap::from([
        ("shop.yaml".to_owned(), document.into()),
        ("names.lock".to_owned(), lock.into()),
    ]));
    let options = Options {
        unnameable: generate::Unnameable::LeaveOutLocked,
        ..Options::default()
    };
    let outcome = generate::run(
        &[Input::new("shop.yaml").lock("names.lock")],
        options,
        &files,
    );
    assert_eq!(codes(&outcome), [Code::LoweredGovernance; 2]);
    let specs = outcome.catalog.unwrap().tool_specs();
    let names: Vec<_> = specs.iter().map(|spec| spec.name.as_str()).collect();
    assert_eq!(names, ["create-shop-order"]);
}
