//! The format: every fault is reported with its place and its fix.

use std::path::Path;

use toolwright_skills::Skill;

#[test]
fn all_faults_are_reported_at_once() {
    let text = r#"name = "restock-items"
line = ""
colour = "red"

[parameters.Shelf]
description = "The shelf."

[[steps]]
id = "find"
tool = "list-depot-items"
arguments = { shelf = "{{shelve}}", note = "{{item#/id}}", x = "{{find" }

[[steps]]
id = "find"
each = "{{find#items}}"
"#;
    let error = Skill::read(Path::new("skill.toml"), text).unwrap_err();
    expect_test::expect![[r#"
        skill.toml:1:1: this table has no `owner`; add `owner = "…"`, the person or team who answers for it
        skill.toml:1:8: this name is not `<verb>-<service>-<noun>`; write a name such as `reserve-depot-items`
        skill.toml:2:8: `line` is empty; set a value, or remove the line
        skill.toml:3:1: unknown key `colour`; use one of `name`, `line`, `when_to_use`, `owner`, `alternative`, `parameters`, `steps`, `returns`
        skill.toml:5:13: `Shelf` cannot be the name of a parameter; use lower-case letters, digits and `_`, and not `item`
        skill.toml:5:13: this parameter has no type; add `type = "string"`, or another type of JSON
        skill.toml:11:23: no parameter and no earlier step is named `shelve`; declare it in `[parameters]`
        skill.toml:11:44: `item` is not in a loop; add `each` and `most` to the step, or name a parameter or a step
        skill.toml:11:64: this hole has no end: `{{` without `}}`; write `{{parameter}}`, `{{step#/json/pointer}}` or `{{item#/json/pointer}}`
        skill.toml:13:1: this table has no `tool`; add `tool = "…"`, the tool to call
        skill.toml:13:1: `find` is the name of two parameters or steps; rename it; the first is in line 8
        skill.toml:15:8: this loop has no bound; add `most = 20`, at most 100
        skill.toml:15:8: `items` is not a JSON Pointer: it does not begin with `/`; write `{{parameter}}`, `{{step#/json/pointer}}` or `{{item#/json/pointer}}`"#]].assert_eq(&error.to_string());
}
