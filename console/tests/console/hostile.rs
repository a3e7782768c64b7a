//! Texts of agents are texts, on every page.
#![cfg(test)]

use serde_json::json;
use toolwright_model::text::is_invisible;

use crate::{
    browser::Browser,
    world::{PAGES, World},
};

/// Markup, and characters that cannot be seen.
const HOSTILE: &str =
    "\"'><script>alert(1)</script><img src=x onerror=alert(1)>\u{202e}\u{200b}&lt;";

#[tokio::test]
async fn no_page_has_markup_of_an_agent_or_a_character_that_cannot_be_seen() {
    let world = World::new().await;
    let arguments = json!({HOSTILE: HOSTILE, "deep": {HOSTILE: [HOSTILE]}});
    let request = world.ask("grind-mill-grain", arguments).await;
    assert!(world.call(HOSTILE, json!({})).await.is_err());
    let ann = Browser::of(&world, "ann").await;
    let events = world.events();
    let calls = events
        .iter()
        .filter_map(|event| event["correlation_id"].as_str());
    let mut paths: Vec<String> = calls.map(|call| format!("/record/call/{call}")).collect();
    paths.push(format!("/waiting/{}", request.handle));
    let encoded: String = url::form_urlencoded::byte_serialize(HOSTILE.as_bytes()).collect();
    for name in [
        "/tools?q=",
        "/record?tool=",
        "/record/run?run=",
        "/access/clerk?q=",
        "/matrix?service=",
        "/matrix?q=",
        "/why?tool=",
    ] {
        paths.push(format!("{name}{encoded}"));
    }
    paths.push(format!(
        "/access/clerk/update-depot-item?arguments={encoded}"
    ));
    paths.push(format!("/{encoded}"));
    paths.push(format!("/tools/{encoded}"));
    paths.extend(PAGES.map(str::to_owned));
    for path in paths {
        let page = ann.get(&path).await;
        assert!(!page.text.contains("<script>"), "{path}: {}", page.text);
        assert!(!page.text.contains("<img"), "{path}: {}", page.text);
        let unseen = page.text.chars().find(|character| is_invisible(*character));
        assert_eq!(unseen, None, "{path}");
    }
    let shown = ann.get(&format!("/waiting/{}", request.handle)).await;
    assert!(shown.text.contains("class=\"unseen\""), "{}", shown.text);
    assert!(shown.text.contains("\\u{202e}"), "{}", shown.text);
}
