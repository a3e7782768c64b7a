//! Tests of whole runs.

use super::*;
use crate::document::{diagnostic::Severity, load::Memory};

const SHOP: &str = "openapi: 3.1.0\ninfo: {title: Shop, version: '1'}\npaths:\n  /items:\n    get:\n      operationId: listItems\n      responses: {'204': {description: Nothing.}}\n";

fn memory(files: &[(&str, &str)]) -> Memory {
    let files = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    Memory(files.collect())
}

fn errors(outcome: &Outcome) -> Vec<&str> {
    let errors = outcome.diagnostics.iter();
    errors
        .filter(|said| said.severity == Severity::Error)
        .map(|said| said.message.as_str())
        .collect()
}

#[test]
fn the_service_name_comes_from_the_caller_the_overlay_or_the_file() {
    let files = memory(&[("shop.yaml", SHOP), ("a.toml", "service = \"market\"\n")]);
    let name = |input: Input| {
        let outcome = run(&[input], Options::default(), &files);
        outcome.overviews[0].service.clone().unwrap().to_string()
    };
    assert_eq!(name(Input::new("shop.yaml")), "shop");
    assert_eq!(name(Input::new("shop.yaml").overlay("a.toml")), "market");
    let both = Input::new("shop.yaml").overlay("a.toml").service("store");
    assert_eq!(name(both), "store");
}

#[test]
fn several_documents_make_one_catalogue() {
    let files = memory(&[("a.yaml", SHOP), ("b.yaml", SHOP)]);
    let inputs = [
        Input::new("a.yaml").service("a"),
        Input::new("b.yaml").service("b"),
    ];
    let outcome = run(&inputs, Options::default(), &files);
    assert_eq!(errors(&outcome), [""; 0]);
    assert_eq!(outcome.catalog.unwrap().tool_specs().len(), 2);
}

#[test]
fn a_service_has_one_document() {
    let files = memory(&[("a.yaml", SHOP), ("b.yaml", SHOP)]);
    let inputs = ["a.yaml", "b.yaml"].map(|path| Input::new(path).service("shop"));
    let outcome = run(&inputs, Options::default(), &files);
    assert!(outcome.catalog.is_none());
    let message = "two documents have the service name `shop`";
    assert!(
        errors(&outcome).contains(&message),
        "{:?}",
        outcome.diagnostics
    );
}

#[test]
fn one_faulty_document_prevents_the_catalogue() {
    let files = memory(&[("a.yaml", SHOP), ("b.yaml", "openapi: 9.0.0\n")]);
    let inputs = [
        Input::new("a.yaml").service("a"),
        Input::new("b.yaml").service("b"),
    ];
    let outcome = run(&inputs, Options::default(), &files);
    assert!(outcome.catalog.is_none());
    assert_eq!(outcome.overviews[0].operations, 1);
    assert_eq!(
        outcome.overviews[1],
        Overview {
            document: "b.yaml".to_owned(),
            ..Overview::default()
        }
    );
}

#[test]
fn a_missing_overlay_is_an_error() {
    let files = memory(&[("a.yaml", SHOP)]);
    let input = Input::new("a.yaml").overlay("b.toml");
    let outcome = run(&[input], Options::default(), &files);
    assert!(outcome.catalog.is_none());
    assert_eq!(errors(&outcome), ["cannot read this file"]);
    assert_eq!(outcome.files().collect::<Vec<_>>(), ["a.yaml", "b.toml"]);
}

#[test]
fn an_operation_without_a_name_is_refused_or_left_out() {
    let text = SHOP
        .replace("/items", &format!("/{}", "refrigerator".repeat(5)))
        .replace("operationId: listItems", "deprecated: true");
    let files = memory(&[("shop.yaml", &text)]);
    let outcome = |unnameable| {
        run(
            &[Input::new("shop.yaml")],
            Options {
                unnameable,
                ..Options::default()
            },
            &files,
        )
    };
    assert!(outcome(Unnameable::Refuse).catalog.is_none());
    let catalog = outcome(Unnameable::LeaveOut).catalog.unwrap();
    let service = &catalog.services()[0];
    assert_eq!(service.tools().count(), 0);
    assert_eq!(service.service().left_out.len(), 1);
}

#[test]
fn an_invalid_noun_of_the_overlay_is_always_an_error() {
    let overlay = "[operations.listItems]\nnoun = \"Not A Noun\"\n";
    let files = memory(&[("shop.yaml", SHOP), ("a.toml", overlay)]);
    let options = Options {
        unnameable: Unnameable::LeaveOut,
        ..Options::default()
    };
    let outcome = run(
        &[Input::new("shop.yaml").overlay("a.toml")],
        options,
        &files,
    );
    assert_eq!(errors(&outcome).len(), 1);
    let place = outcome.diagnostics[0].primary.place;
    assert_eq!(outcome.sources.path(place.source), "a.toml");
}

#[test]
fn tools_that_share_a_name_are_all_left_out() {
    let text = format!(
        "{SHOP}  /goods:\n    get: {{operationId: listGoods, responses: {{}}}}\n  /carts:\n    get: {{operationId: listCarts, responses: {{}}}}\n"
    );
    let overlay = "[operations.listItems]\nname = \"list-shop-things\"\n[operations.listGoods]\nname = \"list-shop-things\"\n";
    let files = memory(&[("shop.yaml", &text), ("a.toml", overlay)]);
    let options = Options {
        unnameable: Unnameable::LeaveOut,
        ..Options::default()
    };
    let outcome = run(
        &[Input::new("shop.yaml").overlay("a.toml")],
        options,
        &files,
    );
    let catalog = outcome.catalog.unwrap();
    let service = &catalog.services()[0];
    let names: Vec<_> = service
        .tools()
        .map(|(_, operation)| operation.path.as_str())
        .collect();
    assert_eq!(names, ["/carts"]);
    assert_eq!(service.service().left_out.len(), 2);
}
