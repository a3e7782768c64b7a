//! The examples of `docs/custom-tools.md`.

use std::fs;

use serde_json::json;

use crate::world::{World, code, scoped};

pub(crate) async fn the_documented_tools_run() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/custom-tools.md");
    let page = fs::read_to_string(page).unwrap();
    let blocks = page.split("```toml\n").skip(1);
    let blocks: Vec<_> = blocks.filter_map(|rest| rest.split("```").next()).collect();
    let [request, program, sequence] = blocks.as_slice() else {
        panic!("the page has {} examples", blocks.len());
    };
    let world = World::new(&[("notes/a.md", "three words here")]);
    let tools = [*request, *program, *sequence];
    let scope =
        "allowed_cities = [\"Rome\"]\nallowed_first = [\".*\"]\nallowed_second = [\".*\"]\n";
    let policy = scoped(&format!("allowed_notes = \"*.md\"\n{scope}"));
    let view = world.view(&tools, &policy);
    let names = [
        "compare-weather-reports",
        "count-notes-words",
        "get-weather-report",
    ];
    assert_eq!(view.names(), names);
    let counted = view.call("count-notes-words", json!({"note": "a.md"}));
    assert_eq!(counted.await.unwrap()["stdout"], "3 a.md\n");
    let other = view.call("count-notes-words", json!({"note": "a.txt"}));
    assert_eq!(code(&other.await), "scope_violation");
    // The first step of the sequence is refused by the scope of the tool that it calls.
    let cities = json!({"first": "Paris", "second": "Rome"});
    let compared = view.call("compare-weather-reports", cities).await;
    assert_eq!(code(&compared), "scope_violation");
}
