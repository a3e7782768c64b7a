//! `inspect`: one line for each document, valid or not.

use serde_json::Value;

use crate::support::{NOTES, Project};

#[test]
fn a_line_contains_every_documented_field() {
    let project = Project::with_memo();
    let run = project
        .run(&["inspect", "specs/memo/openapi.yaml", "--json"])
        .expect(0);
    let line = &run.json()[0];
    assert_eq!(line["file"], "specs/memo/openapi.yaml");
    assert_eq!(line["service"], "memo");
    assert_eq!(line["format"], "openapi 3.1.0");
    assert_eq!(line["operations"], 4);
    assert_eq!(line["diagnostics"], Value::Array(Vec::new()));
    assert!(line["types"]["nodes"].as_u64().unwrap() > 0);
    assert_eq!(line["types"]["untyped"], 0);
    assert!(line["seconds"].as_f64().unwrap() >= 0.0);

    let tools = line["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 4);
    let delete = tools
        .iter()
        .find(|tool| tool["name"] == "delete-memo-note")
        .unwrap();
    assert_eq!(delete["method"], "DELETE");
    assert_eq!(delete["path"], "/notes/{id}");
    assert_eq!(delete["operation_id"], "deleteNote");
    assert_eq!(delete["effect"], "delete");
    assert_eq!(delete["category"], "execute");
    assert_eq!(delete["approval_required"], true);
    assert_eq!(delete["enabled_by_default"], false);
    for hint in [
        "readOnlyHint",
        "destructiveHint",
        "idempotentHint",
        "openWorldHint",
    ] {
        assert!(delete["annotations"][hint].is_boolean(), "{hint}");
    }
    assert!(!delete["evidence"].as_array().unwrap().is_empty());
    assert_eq!(delete["input_schema"]["type"], "object");
    assert!(delete.get("output_schema").is_some());
}

#[test]
fn a_diagnostic_has_its_position() {
    let project = Project::with_memo();
    project.write(
        "bad.yaml",
        NOTES.replace("schemas/NewNote", "schemas/NoNote"),
    );
    let run = project.run(&["inspect", "bad.yaml", "--service", "memo", "--json"]);
    let line = &run.json()[0];
    let mut diagnostics = line["diagnostics"].as_array().unwrap().iter();
    let diagnostic = diagnostics
        .find(|found| found["code"] == "unresolved-reference")
        .unwrap();
    assert_eq!(diagnostic["file"], "bad.yaml");
    assert_eq!(diagnostic["line"], 20);
    assert!(diagnostic["column"].as_u64().unwrap() > 0);
    assert!(
        diagnostic["pointer"]
            .as_str()
            .unwrap()
            .starts_with("/paths/~1notes/post")
    );
    assert!(diagnostic["message"].is_string());
    assert!(diagnostic["severity"].is_string());
    assert!(diagnostic.get("help").is_some());
}

#[test]
fn every_document_has_a_row_even_if_it_is_broken() {
    let project = Project::with_memo();
    project.write("broken.yaml", "a: [\n");
    let documents = [
        "inspect",
        "broken.yaml",
        "specs/memo/openapi.yaml",
        "absent.yaml",
        "--json",
    ];
    let run = project.run(&documents).expect(100);
    let lines = run.json();
    let files: Vec<_> = lines
        .iter()
        .map(|line| line["file"].as_str().unwrap())
        .collect();
    assert_eq!(
        files,
        ["broken.yaml", "specs/memo/openapi.yaml", "absent.yaml"]
    );
    assert_eq!(lines[0]["diagnostics"][0]["severity"], "error");
    assert_eq!(lines[0]["tools"], Value::Array(Vec::new()));
    assert_eq!(lines[1]["tools"].as_array().unwrap().len(), 4);
    assert_eq!(lines[2]["diagnostics"][0]["code"], "unreadable");
}

#[test]
fn people_get_tables() {
    let project = Project::with_memo();
    let one = project
        .run(&["inspect", "specs/memo/openapi.yaml"])
        .expect(0);
    one.prints("delete-memo-note  execute   needed")
        .prints("OPERATIONS  TOOLS");
    let two = [
        "inspect",
        "specs/memo/openapi.yaml",
        "specs/memo/openapi.yaml",
    ];
    let two = project.run(&two).expect(0);
    assert!(!two.stdout.contains("delete-memo-note"));
    assert_eq!(two.stdout.lines().count(), 3, "{}", two.stdout);
}

#[test]
fn an_overlay_belongs_to_one_specification() {
    let project = Project::with_memo();
    project
        .run(&["inspect", "a.yaml", "b.yaml", "--overlay", "o.toml"])
        .expect(2)
        .says("an overlay applies to a single specification");
}

#[test]
fn operations_of_one_path_are_distinguished() {
    let project = Project::empty();
    let operation = |id: &str| {
        format!(
            "  /#Action={id}:\n    get: {{operationId: {id}, responses: {{'200': {{description: Done.}}}}}}\n"
        )
    };
    let document = format!(
        "openapi: 3.1.0\ninfo: {{title: Mail, version: '1'}}\npaths:\n{}{}",
        operation("ListMails"),
        operation("SendMail"),
    );
    project.write("mail.yaml", document);
    let run = project
        .run(&["inspect", "mail.yaml", "--service", "mail", "--json"])
        .expect(0);
    let tools = &run.json()[0]["tools"];
    assert_eq!(tools[0]["path"], "/#Action=ListMails");
    assert_eq!(tools[0]["category"], "observe");
    assert_eq!(tools[1]["path"], "/#Action=SendMail");
    assert_eq!(tools[1]["category"], "execute");
}
