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
        skill.toml:3:1: unknown key `colour`; use one of `name`, `line`, `when_to_use`, `owner`, `alternative`, `parameters`, `steps`, `returns`, `tools`, `seconds`
        skill.toml:5:13: this parameter has no type; add `type = "string"`, or another type of JSON
        skill.toml:5:13: `Shelf` cannot be the name of a parameter; use lower-case letters, digits and `_`, and not `item`
        skill.toml:11:23: no parameter and no earlier step is named `shelve`; declare it in `[parameters]`
        skill.toml:11:44: `item` is not in a loop; add `each` and `most` to the step, or name a parameter or a step
        skill.toml:11:64: this hole has no end: `{{` without `}}`; write `{{parameter}}`, `{{step#/json/pointer}}` or `{{item#/json/pointer}}`
        skill.toml:13:1: this table has no `tool`; add `tool = "…"`, the tool to call
        skill.toml:13:1: `find` is the name of two parameters or steps; rename it; the first is in line 8
        skill.toml:15:8: this loop has no bound; add `most = 20`, at most 100
        skill.toml:15:8: `items` is not a JSON Pointer: it does not begin with `/`; write `{{parameter}}`, `{{step#/json/pointer}}` or `{{item#/json/pointer}}`"#]].assert_eq(&error.to_string());
}

#[test]
fn the_faults_of_a_script_are_reported() {
    let path = Path::new("skill.toml");
    let text = r#"name = "restock-depot-items"
line = "Restocks."
owner = "warehouse team"
tools = ["list-depot-items", "List", "list-depot-items"]
seconds = 9999
returns = "{{find}}"

[[steps]]
id = "find"
tool = "list-depot-items"
"#;
    let error = Skill::read_with(path, text, Some("echo 1 # \u{202e}\n")).unwrap_err();
    let error = error.to_string();
    for fault in [
        "`List`",
        "`list-depot-items` is listed twice",
        "`seconds`",
        "a skill with a script has no `returns`",
        "a skill with a script has no `steps`",
        "`run.sh` has an invisible character in line 1",
    ] {
        assert!(error.contains(fault), "no {fault} in {error}");
    }
    let whole = "name = \"restock-depot-items\"\nline = \"x\"\nowner = \"x\"\n";
    let with_tools = format!("{whole}tools = [\"list-depot-items\"]\n");
    for (text, script, fault) in [
        (whole, Some("echo 1"), "this table has no `tools`"),
        (whole, None, "this table has no `steps`"),
        (&with_tools, None, "there is no `run.sh` next to the file"),
        (&with_tools, Some(" \n"), "`run.sh` is empty"),
        (&with_tools, Some("echo 1\r\necho 2\r\n"), "in line 1"),
        (
            &format!("{whole}seconds = 3\n"),
            None,
            "`seconds` has no script",
        ),
        (
            &format!("{whole}tools = []\n"),
            Some("echo 1"),
            "this lists 0",
        ),
    ] {
        let error = Skill::read_with(path, text, script)
            .unwrap_err()
            .to_string();
        assert!(error.contains(fault), "{error}");
    }
}

#[test]
fn the_digest_covers_the_file_and_the_script() {
    let path = Path::new("skill.toml");
    let text = "name = \"restock-depot-items\"\nline = \"x\"\nowner = \"x\"\ntools = [\"list-depot-items\"]\n";
    let digest = |text: &str, script| Skill::read_with(path, text, Some(script)).unwrap().digest;
    let first = digest(text, "echo 1");
    assert_eq!(first, digest(text, "echo 1"));
    assert_ne!(first, digest(text, "echo 1\n"));
    assert_ne!(first, digest(&format!("{text}\n"), "echo 1"));
}

#[test]
fn a_folder_with_a_script_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("restock-depot-items");
    std::fs::create_dir(&skill).unwrap();
    let text = "name = \"restock-depot-items\"\nline = \"x\"\nowner = \"x\"\ntools = [\"list-depot-items\"]\n";
    std::fs::write(skill.join("skill.toml"), text).unwrap();
    std::fs::write(skill.join("run.sh"), "echo 1\n").unwrap();
    let found = toolwright_skills::find(folder.path()).unwrap();
    let read = found[0].skill.as_ref().unwrap();
    assert_eq!(read.script.as_ref().unwrap().text, "echo 1\n");
    std::fs::remove_file(skill.join("run.sh")).unwrap();
    std::fs::create_dir(skill.join("run.sh")).unwrap();
    let found = toolwright_skills::find(folder.path()).unwrap();
    assert!(found[0].skill.is_err());
}
