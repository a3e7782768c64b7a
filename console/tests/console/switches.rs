//! Switches of tools.
#![cfg(test)]

use serde_json::json;

use crate::{
    browser::Browser,
    world::{ITEMS, World},
};

#[tokio::test]
async fn a_tool_is_searched_switched_off_with_a_reason_and_on_again() {
    let world = World::with_tools(200).await;
    let ann = Browser::of(&world, "ann").await;
    let all = ann.get("/tools").await;
    assert!(all.text.contains("214 tools"), "{}", all.text);
    let found = ann.get("/tools?q=update+item&service=depot").await;
    assert!(found.text.contains("update-depot-item"));
    assert!(
        !found.text.contains("list-mill-sacks-7\""),
        "{}",
        found.text
    );
    world
        .ask(
            "update-depot-item",
            json!({"item_id": ITEMS[0], "quantity": 5}),
        )
        .await;
    let path = "/tools/update-depot-item";
    let page = ann.get(path).await;
    assert!(page.text.contains("1 call waiting"), "{}", page.text);
    let no_reason = ann.submit(&page, path, &[("change", "off")]).await;
    assert_eq!(no_reason.status, 400);
    let off = [("change", "off"), ("reason", "incident 7")];
    assert_eq!(ann.submit(&page, path, &off).await.status, 303);
    assert!(!world.registry.switch("update-depot-item").unwrap().is_on());
    let listed = ann.get("/tools?state=switched").await;
    for shown in ["1 tool<", "update-depot-item", "incident 7", "ann"] {
        assert!(listed.text.contains(shown), "{shown}: {}", listed.text);
    }
    let page = ann.get(path).await;
    let reset = [("change", "reset"), ("reason", "it is over")];
    assert_eq!(ann.submit(&page, path, &reset).await.status, 303);
    assert!(world.registry.switch("update-depot-item").unwrap().is_on());
    let events = world.events();
    let switched = events
        .iter()
        .filter(|event| event["event"] == "tool_switched");
    assert_eq!(switched.count(), 2);
}

#[tokio::test]
async fn a_service_a_category_and_everything_are_switched_off_at_once() {
    let world = World::with_tools(50).await;
    let ann = Browser::of(&world, "ann").await;
    let on = || world.registry.tools().filter(|(_, on)| *on).count();
    let before = on();
    for (query, service, category) in [
        ("?service=mill", "mill", ""),
        ("?category=execute", "", "execute"),
        ("", "", ""),
    ] {
        let path = format!("/tools/switch{query}");
        let page = ann.get(&path).await;
        let off = [("change", "off"), ("reason", "incident 8")];
        let switched = ann.submit(&page, "/tools/switch", &off).await;
        assert_eq!(switched.status, 303, "{}", switched.text);
        let left = world.registry.tools().filter(|(spec, on)| {
            *on && (service.is_empty() || spec.service.as_str() == service)
                && (category.is_empty() || spec.category.word() == category)
        });
        assert_eq!(left.count(), 0, "{query}");
    }
    assert_eq!(on(), 0);
    assert_eq!(
        ann.get("/tools?state=on")
            .await
            .text
            .matches("data-row")
            .count(),
        0
    );
    let page = ann.get("/tools/switch").await;
    let reset = [("change", "reset"), ("reason", "it is over")];
    assert_eq!(ann.submit(&page, "/tools/switch", &reset).await.status, 303);
    assert_eq!(on(), before);
}
