//! From the call of an agent to its end, through a person at a browser.
#![cfg(test)]

use serde_json::json;

use crate::{
    agent::Agent,
    chromium::Chromium,
    installed,
    world::{ITEMS, World},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_over_mcp_waits_is_approved_in_a_browser_and_ends() {
    if installed().is_none() {
        return;
    }
    let mut world = World::new().await;
    let ann = Chromium::of(&world, "ann").await;
    ann.shows("#waiting", "No call is waiting").await;
    let agent = Agent::connect(&world).await;
    let call = agent.call(
        "update-depot-item",
        json!({"item_id": ITEMS[0], "quantity": 77}),
    );
    // The list shows the call without being read again by the person.
    ann.shows("#waiting", "update-depot-item").await;
    ann.shows("[data-count]", "1").await;
    // The server is replaced while the page is open, and the session goes on.
    world.restart().await;
    // With the keyboard alone: the first row, its page, the reason, the button.
    ann.write("body", "j").await;
    ann.client
        .active_element()
        .await
        .unwrap()
        .click()
        .await
        .unwrap();
    ann.shows("#decision", "Approve").await;
    assert!(ann.text("main").await.contains("PATCH"));
    assert!(ann.text(".arguments .changed").await.contains("77"));
    ann.write("#reason", "the count is right").await;
    ann.run("document.activeElement.blur()").await;
    ann.write("body", "a").await;
    let approve = ann.client.active_element().await.unwrap();
    assert_eq!(
        approve.attr("value").await.unwrap().as_deref(),
        Some("approved")
    );
    approve.send_keys("\u{e007}").await.unwrap();
    ann.shows("#waiting", "No call is waiting").await;
    let result = call.await.unwrap();
    assert_ne!(result["isError"], true, "{result}");
    assert!(result.to_string().contains("77"), "{result}");
    let events = world.events();
    let approval = events
        .iter()
        .find(|event| event["event"] == "approval")
        .unwrap();
    assert_eq!(
        (&approval["person"], &approval["why"]),
        (&json!("ann"), &json!("the count is right"))
    );
    let outcome = events
        .iter()
        .rfind(|event| event["event"] == "outcome")
        .unwrap();
    assert_eq!(outcome["outcome"], "ok");
    ann.go("/record").await;
    ann.shows("#events", "the count is right").await;
    agent.end().await;
    ann.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_persons_at_once_one_decides_and_the_other_is_told() {
    if installed().is_none() {
        return;
    }
    let world = World::new().await;
    let (ann, bob) = tokio::join!(Chromium::of(&world, "ann"), Chromium::of(&world, "bob"));
    let request = world
        .ask("delete-depot-item", json!({"item_id": ITEMS[1]}))
        .await;
    let path = format!("/waiting/{}", request.handle);
    ann.go(&path).await;
    bob.go(&path).await;
    bob.write("#reason", "it is in use").await;
    // What ann types stays while nothing is decided, although her page is told of other changes.
    ann.write("#reason", "looks").await;
    world
        .ask("delete-depot-item", json!({"item_id": ITEMS[2]}))
        .await;
    ann.shows("[data-count]", "2").await;
    ann.write("#reason", " right").await;
    let typed = ann
        .run("return document.getElementById('reason').value")
        .await;
    assert_eq!(typed, "looks right");
    bob.press("button[value=rejected]").await;
    bob.shows("main", "1 call waiting").await;
    // The page of ann tells what bob decided, and has no form any more.
    ann.shows("#decision", "rejected").await;
    ann.shows("#decision", "it is in use").await;
    assert_eq!(ann.text("#reason").await, "");
    ann.close().await;
    bob.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_javascript_everything_but_the_live_parts_works() {
    if installed().is_none() {
        return;
    }
    let world = World::new().await;
    let ann = Chromium::open(&world).await;
    let off = json!({"value": true});
    ann.protocol("Emulation.setScriptExecutionDisabled", off)
        .await;
    ann.client.goto(&world.link("ann").await).await.unwrap();
    ann.press("main button").await;
    let request = world
        .ask("delete-depot-item", json!({"item_id": ITEMS[1]}))
        .await;
    ann.go("/").await;
    ann.press(".rows a").await;
    ann.write("#reason", "it is in use").await;
    ann.press("button[value=rejected]").await;
    ann.go("/tools?q=update").await;
    ann.press("table a").await;
    ann.write("#reason", "incident 7").await;
    ann.press("button[value=off]").await;
    ann.shows("#switch", "incident 7").await;
    assert!(!world.registry.switch("update-depot-item").unwrap().is_on());
    let stored = world
        .state
        .approval(&request.handle)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(stored.standing, "rejected");
    ann.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_tools_are_searched_while_typing() {
    if installed().is_none() {
        return;
    }
    let world = World::with_tools(10_000).await;
    let ann = Chromium::of(&world, "ann").await;
    ann.go("/tools").await;
    ann.shows("#results", "10014 tools").await;
    ann.write("input[name=q]", "sacks-9999").await;
    let took = ann.shows("#results", "1 tool\n").await;
    assert!(ann.text("#results").await.contains("list-mill-sacks-9999"));
    eprintln!(
        "a search of 10,000 tools: {} ms after the last key",
        took.as_millis()
    );
    ann.close().await;
}
