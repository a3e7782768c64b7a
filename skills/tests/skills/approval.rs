//! One approval for a run: a person sees every call, and nothing else is covered.

use serde_json::{Value, json};
use toolwright::ToolError;

use crate::world::World;

const POLICY: &str = "[roles.clerk]\ngrant = [\"service:shop\"]\n";

const NAME: &str = "order-shop-stock";

const ORDER: &str = r#"
name = "order-shop-stock"
line = "Orders what a search finds."
owner = "warehouse team"

[parameters.words]
type = "string"
description = "The words to search for."

[parameters.quantity]
type = "integer"
description = "The quantity of each."

[[steps]]
id = "find"
tool = "search-shop-items"
arguments = { q = "{{words}}" }

[[steps]]
id = "order"
tool = "order-shop-item"
each = "{{find#/items}}"
most = 5
arguments = { item_id = "{{item#/id}}", quantity = "{{quantity}}" }

[[steps]]
id = "again"
tool = "order-shop-item"
arguments = { item_id = "{{order#/0/id}}", quantity = 1 }
"#;

async fn run(world: &World, quantity: u64) -> Result<Value, ToolError> {
    let arguments = json!({"words": "lamp", "quantity": quantity});
    world.call(NAME, arguments).await
}

#[tokio::test]
async fn one_approval_covers_the_calls_that_the_person_saw() {
    let world = World::new(&[ORDER], POLICY).await;
    world.activate(NAME).await;
    let error = run(&world, 2).await.unwrap_err();
    assert!(
        matches!(error, ToolError::ApprovalRequired { .. }),
        "{error}"
    );
    assert_eq!(
        world.calls(),
        [r#"search-shop-items {"q":"lamp"}"#],
        "only the read"
    );
    let shown = world.approve().await;
    assert_eq!(shown.len(), 1);
    let steps: Vec<_> = shown[0]["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| (&step["tool"], &step["arguments"], &step["from_results"]))
        .collect();
    assert_eq!(
        json!(steps),
        json!([
            ["order-shop-item", {"item_id": "item-1", "quantity": 2}, null],
            ["order-shop-item", {"item_id": "item-2", "quantity": 2}, null],
            [
                "order-shop-item",
                {"item_id": "{{order#/0/id}}", "quantity": 1},
                {"/item_id": "{{order#/0/id}}"}
            ]
        ])
    );
    let output = run(&world, 2).await.unwrap();
    assert_eq!(output["calls"], 4);
    let events = world.events();
    let approved: Vec<_> = events
        .iter()
        .filter(|event| event["reason"] == "approved" && event["event"] == "decision")
        .map(|event| (&event["tool"], &event["person"]))
        .collect();
    assert_eq!(approved.len(), 3);
    assert!(approved.iter().all(|(_, person)| **person == "Bob"));
    // It is used up.
    let error = run(&world, 2).await.unwrap_err();
    assert!(
        matches!(error, ToolError::ApprovalRequired { .. }),
        "{error}"
    );
}

#[tokio::test]
async fn an_approval_covers_no_other_parameters() {
    let world = World::new(&[ORDER], POLICY).await;
    world.activate(NAME).await;
    run(&world, 2).await.unwrap_err();
    world.approve().await;
    let error = run(&world, 200).await.unwrap_err();
    assert!(
        matches!(error, ToolError::ApprovalRequired { .. }),
        "{error}"
    );
    assert!(!world.calls().iter().any(|call| call.starts_with("order")));
    // Nor does it cover the call outside of the run.
    let alone = json!({"item_id": "item-1", "quantity": 2});
    let error = world.call("order-shop-item", alone).await.unwrap_err();
    assert!(
        matches!(error, ToolError::ApprovalRequired { .. }),
        "{error}"
    );
}

#[tokio::test]
async fn an_approval_does_not_fit_if_what_was_read_has_changed() {
    let world = World::new(&[ORDER], POLICY).await;
    world.activate(NAME).await;
    run(&world, 2).await.unwrap_err();
    world.approve().await;
    world.restock(7);
    let error = run(&world, 2).await.unwrap_err();
    assert!(
        matches!(error, ToolError::ApprovalRequired { .. }),
        "{error}"
    );
    let shown = world.approve().await;
    assert_eq!(shown[0]["steps"][1]["arguments"]["item_id"], "item-7");
    assert_eq!(run(&world, 2).await.unwrap()["calls"], 4);
}

#[tokio::test]
async fn a_rejected_run_changes_nothing() {
    let world = World::new(&[ORDER], POLICY).await;
    world.activate(NAME).await;
    run(&world, 2).await.unwrap_err();
    world.reject().await;
    let error = run(&world, 2).await.unwrap_err();
    assert!(
        matches!(error, ToolError::ApprovalRejected { .. }),
        "{error}"
    );
    assert!(!world.calls().iter().any(|call| call.starts_with("order")));
}
