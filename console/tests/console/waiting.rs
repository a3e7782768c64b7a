//! The calls that wait: what a person is shown, and the decision.
#![cfg(test)]

use std::time::{Duration, Instant};

use serde_json::json;

use crate::{
    browser::Browser,
    world::{ITEMS, World},
};

#[tokio::test]
async fn a_request_is_shown_in_full_and_its_approval_lets_it_pass_once() {
    let world = World::new().await;
    let arguments = json!({"item_id": ITEMS[0], "quantity": 77});
    world
        .call("get-depot-item", json!({"item_id": ITEMS[0]}))
        .await
        .unwrap();
    let request = world.ask("update-depot-item", arguments.clone()).await;
    let bob = Browser::of(&world, "bob").await;
    let list = bob.get("/").await;
    assert!(list.text.contains("1 call waiting"), "{}", list.text);
    let path = format!("/waiting/{}", request.handle);
    assert!(list.text.contains(&path));
    let page = bob.get(&path).await;
    for shown in [
        "PATCH",
        ITEMS[0],
        "77",
        "changed",
        "role",
        "clerk",
        "stock-agent",
        "run-7",
        "cleo",
        "get-depot-item",
        "suggests",
        "the role is granted the tool",
        &request.digest(),
    ] {
        assert!(page.text.contains(shown), "{shown}: {}", page.text);
    }
    let decision = [("verdict", "approved"), ("reason", "the count\r\nis right")];
    let decided = bob.submit(&page, &path, &decision).await;
    assert_eq!(
        (decided.status, &*decided.location),
        (303, "/"),
        "{}",
        decided.text
    );
    let output = world
        .call("update-depot-item", arguments.clone())
        .await
        .unwrap();
    assert_eq!(output.value["quantity"], 77);
    assert!(
        world.call("update-depot-item", arguments).await.is_err(),
        "only once"
    );
    let events = world.events();
    let event = events
        .iter()
        .find(|event| event["event"] == "approval")
        .unwrap();
    assert_eq!(event["person"], "bob");
    assert_eq!(event["why"], "the count is right");
}

#[tokio::test]
async fn of_two_decisions_the_second_person_is_told_the_first() {
    let world = World::new().await;
    let request = world
        .ask("delete-depot-item", json!({"item_id": ITEMS[1]}))
        .await;
    let (ann, bob) = (
        Browser::of(&world, "ann").await,
        Browser::of(&world, "bob").await,
    );
    let path = format!("/waiting/{}", request.handle);
    let (of_ann, of_bob) = (ann.get(&path).await, bob.get(&path).await);
    let no_reason = bob.submit(&of_bob, &path, &[("verdict", "rejected")]).await;
    assert_eq!(no_reason.status, 400);
    assert!(
        no_reason.text.contains("Give a reason"),
        "{}",
        no_reason.text
    );
    let rejected = [("verdict", "rejected"), ("reason", "it is in use")];
    assert_eq!(bob.submit(&of_bob, &path, &rejected).await.status, 303);
    let late = ann.submit(&of_ann, &path, &[("verdict", "approved")]).await;
    assert_eq!(late.status, 409);
    for told in ["came too late", "rejected", "bob", "it is in use"] {
        assert!(late.text.contains(told), "{told}: {}", late.text);
    }
    assert!(
        world
            .call("delete-depot-item", json!({"item_id": ITEMS[1]}))
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_person_decides_about_what_the_page_showed() {
    let world = World::new().await;
    let one = world
        .ask("delete-depot-item", json!({"item_id": ITEMS[1]}))
        .await;
    let other = world
        .ask("delete-depot-item", json!({"item_id": ITEMS[2]}))
        .await;
    let ann = Browser::of(&world, "ann").await;
    let page = ann.get(&format!("/waiting/{}", one.handle)).await;
    let path = format!("/waiting/{}", other.handle);
    let refused = ann.submit(&page, &path, &[("verdict", "approved")]).await;
    assert_eq!(refused.status, 400);
    assert_eq!(world.pending().await.len(), 2);
}

#[tokio::test]
async fn a_page_is_told_of_a_call_that_begins_to_wait() {
    let world = World::new().await;
    let ann = Browser::of(&world, "ann").await;
    let request = ann.request(reqwest::Method::GET, "/live");
    let mut live = request.send().await.unwrap();
    let first = live.chunk().await.unwrap().unwrap();
    assert!(first.starts_with(b"event: change\ndata: 0"), "{first:?}");
    let begun = Instant::now();
    world
        .ask("delete-depot-item", json!({"item_id": ITEMS[1]}))
        .await;
    loop {
        let event = live.chunk().await.unwrap().unwrap();
        if event.starts_with(b"event: change\ndata: 1") {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "{event:?}");
    }
}
