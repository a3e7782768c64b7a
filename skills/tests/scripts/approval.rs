//! The calls of a script that need an approval: each waits for itself.

use serde_json::{Value, json};
use toolwright::ToolError;

use crate::calls::{NAME, failed, run, short_world, world};

const ORDER: &str = r#"
set -e
toolwright call search-shop-items q=lamp >found
toolwright call order-shop-item item_id=item-1 quantity:=2
echo >&2
toolwright call order-shop-item item_id="$(toolwright get /items/1/id <found)" quantity:=1 >second
"#;

pub(crate) async fn each_call_waits_for_itself() {
    let script = ORDER.replace("quantity:=2", "quantity:=2 >first");
    let world = world(&format!("{script}\ncat second")).await;
    let running = run(&world);
    let deciding = async {
        let mut shown: Vec<Value> = Vec::new();
        while shown.len() < 2 {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            shown.extend(world.approve().await);
        }
        shown
    };
    let (output, shown) = tokio::join!(running, deciding);
    let output = output.unwrap();
    assert_eq!(output["result"]["id"], "item-2");
    // A person saw each request by itself, and whole.
    let asked: Vec<_> = shown.iter().map(|shown| &shown["arguments"]).collect();
    assert_eq!(
        json!(asked),
        json!([
            {"item_id": "item-1", "quantity": 2},
            {"item_id": "item-2", "quantity": 1}
        ])
    );
    assert!(
        shown.iter().all(|shown| shown["steps"].is_null()),
        "{shown:?}"
    );
    assert_eq!(world.calls().len(), 3, "{:?}", world.calls());
}

pub(crate) async fn a_rejected_call_ends_the_run() {
    let world = world(ORDER).await;
    let rejecting = async {
        loop {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            world.reject().await;
        }
    };
    let error = tokio::select! {
        ended = run(&world) => ended.unwrap_err(),
        () = rejecting => panic!("the loop has ended"),
    };
    assert!(
        matches!(error, ToolError::ApprovalRejected { .. }),
        "{error}"
    );
    assert_eq!(world.calls().len(), 1, "only the search");
}

pub(crate) async fn nobody_decides() {
    let world = short_world(ORDER, 3).await;
    let (code, text, is_failure) = failed(&world).await;
    assert_eq!(code, "run_approval_not_given", "{text}");
    assert!(text.contains("order-shop-item") && !is_failure, "{text}");
    assert_eq!(world.calls().len(), 1, "only the search");
    assert!(world.view("clerk").spec(NAME).is_some());
}
