//! The calls of a script.

use std::path::Path;

use serde_json::json;
use toolwright_skills::Skill;
use toolwright_state::testing::TestPlace;

use crate::world::World;

pub(crate) const POLICY: &str = "[roles.clerk]\ngrant = [\"service:shop\"]\n";

pub(crate) const NAME: &str = "reserve-shop-stock";

/// Returns a skill with a script that may search and reserve.
pub(crate) fn manifest() -> &'static str {
    r#"
name = "reserve-shop-stock"
line = "Reserves the first item that a search finds."
owner = "warehouse team"
tools = ["search-shop-items", "reserve-shop-item", "order-shop-item"]
seconds = 20

[parameters.words]
type = "string"
description = "The words to search for."
"#
}

/// A world in which a skill with this script is active.
pub(crate) async fn world(script: &str) -> World {
    let skill = Skill::read_with(Path::new("skill.toml"), manifest(), Some(script)).unwrap();
    let world = World::of(TestPlace::sqlite(), vec![skill], POLICY).await;
    world.activate(NAME).await;
    world
}

pub(crate) async fn a_script_makes_its_calls_as_its_caller() {
    let script = r#"
set -eu
parameters=$(cat)
words=$(printf %s "$parameters" | toolwright get /words)
found=$(toolwright call search-shop-items q="$words")
id=$(printf %s "$found" | toolwright get /items/0/id)
printf '{"item_id": "%s"}' "$id" | toolwright call reserve-shop-item - >reserved.json
cat reserved.json
"#;
    let world = world(script).await;
    let words = "a \"lamp\"; $(touch /tmp/x) `id`";
    let output = world.call(NAME, json!({"words": words})).await.unwrap();
    assert_eq!(
        output,
        json!({"result": {"id": "item-1", "quantity": 3}, "calls": 2})
    );
    let search = format!("search-shop-items {}", json!({"q": words}));
    assert_eq!(
        world.calls(),
        [search.as_str(), r#"reserve-shop-item {"item_id":"item-1"}"#]
    );
}
