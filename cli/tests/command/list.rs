//! `list`, `show` and `explain`, on linked adapters and on a specification.

use serde_json::json;

use crate::support::{NOTES as NOTES_DOCUMENT, Project, REPOSITORY};

const NOTES: [&str; 4] = ["--spec", "specs/memo/openapi.yaml", "--service", "memo"];

#[test]
fn a_specification_is_listed_with_its_governance() {
    let project = Project::with_memo();
    let run = project.run(&[&["list"], &NOTES[..]].concat()).expect(0);
    let expected = "\
        TOOL              CATEGORY  APPROVAL  HINTS        DESCRIPTION\n\
        create-memo-note  execute   needed    additive     Create a note\n\
        delete-memo-note  execute   needed    destructive  Delete a note\n\
        get-memo-note     observe   no        read-only    Get a note\n\
        list-memo-notes   observe   no        read-only    List notes\n";
    assert_eq!(run.stdout, expected);
}

#[test]
fn the_services_of_this_repository_are_listed() {
    let project = Project::from_elsewhere();
    let list = ["list", "--json", "--config", REPOSITORY];
    let depot = [&list[..], &["--service", "depot"]].concat();
    let depot = project.run(&depot).expect(0);
    assert!(!depot.json().is_empty());
    for spec in depot.json() {
        assert_eq!(spec["service"], "depot");
    }
    let all = project.run(&list).expect(0);
    let names: Vec<_> = all
        .json()
        .iter()
        .map(|spec| spec["name"].to_string())
        .collect();
    assert!(names.is_sorted(), "{names:?}");
}

#[test]
fn a_tool_is_shown_with_its_arguments() {
    let project = Project::with_memo();
    let show = |name: &str, more: &[&str]| {
        project
            .run(&[&["show", name], &NOTES[..], more].concat())
            .expect(0)
    };
    show("list-memo-notes", &[])
        .prints("List notes")
        .prints("category observe, effect read, no approval, on by default")
        .prints("GET /notes below http://127.0.0.1:9")
        .prints("tag       text            Only notes with this tag.")
        .prints("It returns list of Note.\n\nNote\nFIELD")
        .prints("text   text");
    show("create-memo-note", &[]).prints("text      text          yes");
    let spec = &show("get-memo-note", &["--json"]).json()[0];
    assert_eq!(spec["input_schema"]["required"], json!(["id"]));
}

#[test]
fn a_call_of_a_role_that_is_declared_nowhere_says_so() {
    let project = Project::with_memo();
    let call = ["call", "list-memo-notes", "--role", "readr"];
    let refused = project.run(&[&call, &NOTES[..]].concat()).expect(5);
    refused.says("no role `readr` is declared");
}

#[test]
fn what_is_not_a_file_leads_to_what_to_do() {
    let project = Project::from_elsewhere();
    for (command, path, help) in [
        (
            ["list", "--spec"].as_slice(),
            "https://example.com/api.yaml",
            "`toolwright add`",
        ),
        (
            ["inspect"].as_slice(),
            "http://127.0.0.1:9/api.yaml",
            "download the file yourself",
        ),
        (["inspect"].as_slice(), "-", "use `/dev/stdin`"),
    ] {
        let run = project.run(&[command, &[path]].concat());
        run.expect(100).says(help);
    }
    project.configure("");
    let generate = project.run(&["generate"]).expect(100);
    generate.says("add a service with `toolwright add SPEC`");
}

#[test]
fn a_place_in_a_minified_document_has_a_pointer() {
    let project = Project::from_elsewhere();
    let paths = json!({"/notes": {"get": {"parameters": [{"$ref": "#/parameters/none"}], "responses": {}}}});
    let document = json!({"swagger": "2.0", "info": {"title": "n".repeat(200), "version": "1"}, "paths": paths});
    project.write("minified.json", document.to_string());
    let inspected = project.run(&["inspect", "minified.json"]).expect(0);
    inspected.says("its JSON Pointer is `/paths/~1notes/get/parameters/0/$ref`");
}

#[test]
fn a_tool_is_explained_by_its_evidence() {
    let project = Project::with_memo();
    let explain = |more: &[&str]| {
        let arguments = [&["explain", "delete-memo-note"], &NOTES[..], more].concat();
        project.run(&arguments).expect(0)
    };
    explain(&[])
        .prints("openapi.yaml#/paths/~1notes~1{id}/delete (deleteNote)")
        .prints("specs/memo/openapi.yaml:35:5")
        .prints("DELETE")
        .prints("The row `delete` of the governance table");
    let record = &explain(&["--json"]).json()[0];
    assert_eq!(record["row"], "delete");
    assert_eq!(record["governance"]["approval_required"], true);
    assert!(!record["name_derivation"].as_array().unwrap().is_empty());
}

#[test]
fn tools_are_exported_as_mcp_lists_them() {
    let project = Project::with_memo();
    let arguments = [&["export", "--target", "mcp"], &NOTES[..]].concat();
    let pretty = project.run(&arguments).expect(0);
    let line = project
        .run(&[&arguments[..], &["--json"]].concat())
        .expect(0);
    let exported: serde_json::Value = serde_json::from_str(&pretty.stdout).unwrap();
    assert_eq!(line.json(), std::slice::from_ref(&exported));
    assert_eq!(exported["tools"][0]["name"], "create-memo-note");
    assert_eq!(exported["tools"][0]["annotations"]["readOnlyHint"], false);
    assert_eq!(exported["tools"][0]["inputSchema"]["type"], "object");
}

#[test]
fn every_target_exports_every_tool() {
    let project = Project::with_memo();
    let listed = project
        .run(&[&["list", "--json"], &NOTES[..]].concat())
        .expect(0);
    let names: Vec<String> = listed
        .json()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect();
    assert!(names.len() > 3, "{names:?}");
    for target in [
        "anthropic",
        "openai",
        "openai-strict",
        "gemini",
        "bedrock",
        "prompt",
    ] {
        let run = project
            .run(&[&["export", "--target", target], &NOTES[..]].concat())
            .expect(0);
        for name in &names {
            let name = if target == "bedrock" {
                name.replace('-', "_")
            } else {
                name.clone()
            };
            let (quoted, span) = (format!("\"{name}\""), format!("`{name}`"));
            assert!(
                run.stdout.contains(&quoted) || run.stdout.contains(&span),
                "{target}: {name}"
            );
        }
    }
}

#[test]
fn a_role_exports_the_tools_that_it_sees() {
    let project = Project::with_memo();
    project.configure("[roles.reader]\ngrant = [\"effect:read\"]\n");
    let line = [
        "export",
        "--target",
        "anthropic",
        "--role",
        "reader",
        "--json",
    ];
    let exported = project.run(&line).expect(0).json().remove(0);
    let names: Vec<&str> = exported["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"get-memo-note"), "{names:?}");
    assert!(!names.contains(&"delete-memo-note"), "{names:?}");
    let block = project
        .run(&["export", "--target", "prompt-cli", "--role", "reader"])
        .expect(0);
    assert!(
        block
            .stdout
            .contains(" Command: `toolwright call get-memo-note --role reader --args JSON`"),
        "{}",
        block.stdout
    );
    let of_file = [
        &["export", "--target", "prompt-cli", "--role", "reader"],
        &NOTES[..],
    ]
    .concat();
    let block = project.run(&of_file).expect(0);
    assert!(block.stdout.contains(" Command: none"), "{}", block.stdout);
    project
        .run(&["export", "--target", "prompt-cli"])
        .expect(2)
        .says("--role");
    project
        .run(&["export", "--target", "mcp", "--role", "nobody"])
        .expect(100)
        .says("no role `nobody` is declared");
}

#[test]
fn an_unknown_tool_is_an_error_with_a_similar_name() {
    let project = Project::with_memo();
    for command in ["show", "explain"] {
        let run = project.run(&[&[command, "get-memo-nte"], &NOTES[..]].concat());
        run.expect(100)
            .says("error: there is no tool `get-memo-nte`")
            .says("a tool with a similar name exists: `get-memo-note`");
    }
    let run = project.run(&["list", "--service", "memmo"]);
    run.expect(100)
        .says("a service with a similar name exists: `memo`");
}

#[test]
fn a_missing_specification_is_an_error() {
    let project = Project::empty();
    let run = project.run(&["list", "--spec", "absent.yaml", "--service", "memo"]);
    run.expect(100)
        .says("absent.yaml")
        .says("cannot read this file");
}

#[test]
fn a_deprecated_tool_is_marked_and_in_no_view() {
    let project = Project::empty();
    let deprecated = NOTES_DOCUMENT.replace(
        "operationId: listNotes",
        "operationId: listNotes\n      deprecated: true",
    );
    project.write("specs/memo/openapi.yaml", deprecated);
    let list = project.run(&[&["list"], &NOTES[..]].concat()).expect(0);
    list.prints("deprecated: List notes");
    let show = project.run(&[&["show", "list-memo-notes"], &NOTES[..]].concat());
    show.expect(0)
        .prints("Deprecated: the service's owner advises against it.")
        .prints("off by default");
    let inspected = project
        .run(&["inspect", "specs/memo/openapi.yaml", "--json"])
        .expect(0);
    let tools = &inspected.json()[0]["tools"];
    let said: Vec<_> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| {
            (
                tool["name"].as_str().unwrap().to_owned(),
                tool["deprecated"] == true,
                tool["enabled_by_default"] == true,
            )
        })
        .collect();
    for (name, deprecated, enabled) in said {
        assert_eq!(deprecated, name == "list-memo-notes");
        assert_eq!(enabled, name == "get-memo-note", "{name}");
    }
}
