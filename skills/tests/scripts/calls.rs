//! The calls of a script.

use std::path::Path;

use serde_json::{Value, json};
use toolwright::ToolError;
use toolwright_skills::Skill;
use toolwright_state::testing::TestPlace;

use crate::world::World;

const POLICY: &str = "[roles.clerk]\ngrant = [\"service:shop\"]\n";

pub(crate) const NAME: &str = "reserve-shop-stock";

/// A skill with a script that may search, reserve and order.
const MANIFEST: &str = r#"
name = "reserve-shop-stock"
line = "Reserves the first item that a search finds."
owner = "warehouse team"
tools = ["search-shop-items", "reserve-shop-item", "order-shop-item"]
seconds = 20

[parameters.words]
type = "string"
description = "The words to search for."
"#;

/// A world in which a skill with this script is active.
pub(crate) async fn world(script: &str) -> World {
    world_of(MANIFEST, script).await
}

/// The same, where a run has less time.
pub(crate) async fn short_world(script: &str, seconds: u64) -> World {
    let manifest = MANIFEST.replace("seconds = 20", &format!("seconds = {seconds}"));
    world_of(&manifest, script).await
}

async fn world_of(manifest: &str, script: &str) -> World {
    let skill = Skill::read_with(Path::new("skill.toml"), manifest, Some(script)).unwrap();
    let world = World::of(TestPlace::sqlite(), vec![skill], POLICY).await;
    world.activate(NAME).await;
    world
}

/// Runs the skill.
pub(crate) async fn run(world: &World) -> Result<Value, ToolError> {
    world.call(NAME, json!({"words": "lamp"})).await
}

/// Returns the code and the text of a failed run, and whether it counts as a failure of the skill.
pub(crate) async fn failed(world: &World) -> (String, String, bool) {
    let error = run(world).await.unwrap_err();
    let events = world.events();
    let mut runs = events.iter().filter(|event| event["event"] == "skill_run");
    let last = runs.next_back().unwrap();
    (
        error.code().to_owned(),
        error.to_string(),
        last["failed"] == true,
    )
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
    let words = "a \"lamp\"; $(touch /tmp/x) `id` \\";
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
    let events = world.events();
    let run = events
        .iter()
        .find(|event| event["event"] == "skill_run")
        .unwrap();
    let decided: Vec<_> = events
        .iter()
        .filter(|event| event["event"] == "decision" && event["parent"] == run["correlation_id"])
        .map(|event| (&event["tool"], &event["role"], &event["decision"]))
        .collect();
    assert_eq!(
        json!(decided),
        json!([
            ["search-shop-items", "clerk", "allow"],
            ["reserve-shop-item", "clerk", "allow"],
        ])
    );
    assert_eq!((&run["calls"], &run["failed"]), (&json!(2), &json!(false)));
}

pub(crate) async fn a_failed_call_is_an_exit_code() {
    let script = r#"
if toolwright call search-shop-items 2>error; then exit 9; fi
printf '"%s"' "$(cut -d: -f1-2 error)"
"#;
    let world = world(script).await;
    let output = run(&world).await.unwrap();
    assert_eq!(output["result"], "toolwright: invalid_arguments");
    assert_eq!(world.calls(), Vec::<String>::new());
}

pub(crate) async fn a_tool_that_is_not_listed_is_refused() {
    for (tool, arguments) in [
        ("note-shop-item", r#"{"item_id": "item-1", "text": "x"}"#),
        (NAME, r#"{"words": "x"}"#),
        (
            "run-toolwright-skill",
            r#"{"skill": "reserve-shop-stock", "parameters": {"words": "x"}}"#,
        ),
        ("list-toolwright-skills", "{}"),
        ("no-such-tool", "{}"),
    ] {
        let world = world(&format!("toolwright call {tool} '{arguments}'")).await;
        let (code, text, is_failure) = failed(&world).await;
        assert_eq!(code, "run_tool_not_declared", "{text}");
        assert!(text.contains(tool) && is_failure, "{text}");
        assert_eq!(world.calls(), Vec::<String>::new());
        let events = world.events();
        let denied: Vec<_> = events
            .iter()
            .filter(|event| event["decision"] == "deny" && event["parent"].is_string())
            .collect();
        assert_eq!(denied.len(), 1, "{tool}: {events:?}");
    }
}
