//! The tools of a crate that the program depends on are there once the crate is linked.

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::{Registry, Role, audit::MemoryAudit};
// Without a reference of some kind the crate would not be linked, and its tools would be absent.
use toolwright_test_dependency as _;

#[tokio::test]
async fn the_tool_of_a_dependency_is_called() {
    let registry = Registry::builder()
        .linked_tools()
        .audit(Arc::new(MemoryAudit::new()))
        .build()
        .unwrap();
    let view = registry.for_agent(&Role::new("everything").unwrap());
    let output = view
        .call_json("list-dependency-tables", Value::Null)
        .await
        .unwrap();
    assert_eq!(output.value, json!(["orders"]));
}
