//! The tools of six crates are there, in the order of their names. A thousand of them are in five crates
//! that the program names and calls nowhere; two are in a crate of another edition, and are called on
//! the state that the crate exports.
#![cfg(test)]

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::{Registry, Role, testing::TestView};
use toolwright_test_many_five as _;
use toolwright_test_many_four as _;
use toolwright_test_many_one as _;
use toolwright_test_many_three as _;
use toolwright_test_many_two as _;

fn view(role: &str) -> TestView {
    let warehouse = Arc::new(toolwright_test_dependency::Warehouse);
    let registry = Registry::builder().linked_tools().state(warehouse);
    TestView::new(registry, Role::new(role).unwrap())
}

#[tokio::test]
async fn a_thousand_tools_of_five_crates_are_registered() {
    let view = view("reader");
    let mut expected: Vec<String> = ["one", "two", "three", "four", "five"]
        .iter()
        .flat_map(|service| (0..200).map(move |at| format!("list-{service}-rows-{at:03}")))
        .collect();
    expected.sort();
    assert_eq!(expected.len(), 1000);
    assert_eq!(view.names(), expected);

    let rows = view.call("list-three-rows-017", json!({})).await;
    assert_eq!(rows.unwrap().as_array().map(Vec::len), Some(17));
}

#[tokio::test]
async fn the_tools_of_a_dependency_are_called() {
    let view = view("everything");
    let tables = view.call("list-dependency-tables", Value::Null).await;
    assert_eq!(tables.unwrap(), json!(["orders"]));
    let arguments = json!({"table": "orders", "gen": 1});
    let rows = view.call("count-dependency-rows", arguments).await;
    assert_eq!(rows.unwrap(), 7);
}
