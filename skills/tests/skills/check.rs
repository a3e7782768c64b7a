//! The comparison with tools: a hole that cannot be filled is found when the skill is read.

use toolwright_skills::{KnownTools, check};

use crate::world::{RESERVE, World, skill};

#[tokio::test]
async fn holes_that_cannot_fit_are_found() {
    let world = World::new(&[RESERVE], "").await;
    let text = r#"
name = "order-shop-things"
line = "Orders."
owner = "warehouse team"

[parameters.amount]
type = "string"
description = "The amount."

[[steps]]
id = "find"
tool = "search-shop-items"
arguments = { query = "lamp" }

[[steps]]
id = "order"
tool = "order-shop-item"
each = "{{find#/total}}"
most = 5
arguments = { item_id = "{{find#/items/0/identity}}", quantity = "{{amount}}" }

[[steps]]
id = "note"
tool = "note-shop-itm"
arguments = { item_id = "x" }

[[steps]]
id = "more"
tool = "note-shop-item"
arguments = { item_id = 7, text = "all of {{find#/items}}" }
"#;
    let known = KnownTools::new(&world.specs);
    let problems = check(&skill(text), &known);
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    expect_test::expect![[r#"
        skill.toml:12:8: `search-shop-items` needs the argument `q`; add it to `arguments`
        skill.toml:13:23: `search-shop-items` has no argument `query`; `toolwright show search-shop-items` lists them
        skill.toml:18:8: `{{find#/total}}` is an integer, and a loop needs a list; name a list
        skill.toml:20:25: `find` has no value at `/items/0/identity`; `toolwright show TOOL` prints the result of the tool
        skill.toml:20:66: the tool expects an integer, and `{{amount}}` is a string; name another value
        skill.toml:24:8: there is no tool `note-shop-itm`; a tool with a similar name exists: `note-shop-item`
        skill.toml:30:25: the tool does not accept this value: 7 is not of type "string"; write a value that the tool accepts
        skill.toml:30:35: `{{find#/items}}` is no text, number or boolean, and stands in a text; name a single value with a JSON Pointer"#]].assert_eq(&problems.join("\n"));
}
