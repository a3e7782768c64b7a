//! The tools of a crate of another edition are there, and are called on the state that the crate
//! exports.

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::{Registry, Role, testing::TestView};

#[tokio::test]
async fn the_tools_of_a_dependency_are_called() {
    let warehouse = Arc::new(toolwright_test_dependency::Warehouse);
    let registry = Registry::builder().linked_tools().state(warehouse);
    let view = TestView::new(registry, Role::new("everything").unwrap());
    let tables = view.call("list-dependency-tables", Value::Null).await;
    assert_eq!(tables.unwrap(), json!(["orders"]));
    let arguments = json!({"table": "orders", "gen": 1});
    let rows = view.call("count-dependency-rows", arguments).await;
    assert_eq!(rows.unwrap(), 7);
}
