//! `generate --fix`: the missing lines of overlays.

use std::fs;

use crate::support::Project;

/// Operations that are equal but for the spelling of their parameters, some that only the names of
/// parameters tell apart, and one that is broken.
const EQUAL: &str = r##"openapi: 3.1.0
info: { title: Memo, version: "1" }
paths:
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get:
      responses: { "200": { description: A note. } }
  /notes/{key}:
    parameters: [{ name: key, in: path, required: true, schema: { type: string } }]
    get:
      responses: { "200": { description: A note. } }
  /tags/{tagId}:
    parameters: [{ name: tagId, in: path, required: true, schema: { type: string } }]
    get:
      responses: { "200": { description: A tag. } }
  /tags/{tag_id}:
    parameters: [{ name: tag_id, in: path, required: true, schema: { type: string } }]
    get:
      responses: { "200": { description: A tag. } }
"##;

const BROKEN: &str = r##"  /broken:
    get:
      operationId: getBroken
      parameters: [{ $ref: "#/components/parameters/missing" }]
      responses: { "200": { description: Nothing. } }
"##;

/// A document with an operation whose name another one had, and the lock that holds it.
const ORDERS: &str = r#"openapi: 3.1.0
info: { title: Memo, version: "2" }
paths:
  /orders:
    get:
      responses: { "200": { description: The orders. } }
"#;

const SALES: &str = r#"version = 1

[tools]
list-memo-orders = { operation = "GET /v1/sales", category = "observe", approval_required = false }
"#;

const FIXED: &str = r#"exclude = [
    # this operation sends the same requests as `GET /tags/{tagId}`
    "GET /tags/{tag_id}",
]

[operations."GET /notes/{id}"]
# 2 operations map to the tool name `get-memo-note`
noun = "note-by-id"

[operations."GET /notes/{key}"]
# 2 operations map to the tool name `get-memo-note`
noun = "note-by-key"
"#;

const OVERLAY: &str = "specs/memo/overlay.toml";

fn project(document: &str) -> Project {
    let project = Project::empty();
    project.write("specs/memo/openapi.yaml", document);
    project
}

#[test]
fn missing_lines_are_added_with_their_reasons() {
    let project = project(EQUAL);
    let before = project.run(&["generate"]).expect(3);
    before
        .says("4 operations left out: 4 unnamed")
        .says("`toolwright generate --fix` adds 3 missing lines to the overlays");
    assert!(!project.path(OVERLAY).exists());

    let fixed = project.run(&["generate", "--fix"]).expect(0);
    fixed
        .prints("noun = \"note-by-key\"")
        .prints("this operation sends the same requests as `GET /tags/{tagId}`");
    let overlay = project.read(OVERLAY);
    let lines: toml::Table = overlay.parse().unwrap();
    assert_eq!(lines, FIXED.parse().unwrap(), "{overlay}");
    for line in FIXED.lines() {
        assert!(overlay.contains(line), "no `{line}` in:\n{overlay}");
    }
    let lock = project.read("specs/memo/names.lock");
    for name in [
        "get-memo-note-by-id",
        "get-memo-note-by-key",
        "get-memo-tag",
    ] {
        assert!(lock.contains(&format!("{name} =")), "{lock}");
    }
    project.run(&["generate", "--strict"]).expect(0);
    project.run(&["check"]).expect(0);

    let before = (overlay, project.files("generated"));
    let again = project.run(&["generate", "--fix", "--json"]).expect(0);
    assert_eq!(again.json()[0]["fixed"].to_string(), "[]");
    assert_eq!((project.read(OVERLAY), project.files("generated")), before);
}

#[test]
fn what_a_person_wrote_stays() {
    let project = project(&format!("{EQUAL}{BROKEN}"));
    let own = "#:schema ../overlay.schema.json\nservice = 'memo' # ours\n\n[operations.\"GET /notes/{id}\"] # the old one\ntitle   = 'A note'\n\n# The end.\n";
    project.write(OVERLAY, own);
    let run = project.run(&["generate", "--fix", "--json"]).expect(3);
    let summary = &run.json()[0];
    let fixed = summary["fixed"].as_array().unwrap();
    assert_eq!(fixed.len(), 3);
    assert_eq!(fixed[0]["overlay"], OVERLAY);
    assert_eq!(fixed[0]["selector"], "GET /notes/{id}");
    assert_eq!(fixed[0]["set"]["noun"], "note-by-id");
    assert_eq!(
        summary["services"][0]["left_out"].to_string(),
        r#"{"broken":1}"#
    );
    assert_eq!(summary["services"][0]["missing_lines"], 0);
    let overlay = project.read(OVERLAY);
    let mut lines = overlay.lines();
    for line in own.lines() {
        assert!(
            lines.any(|other| other == line),
            "no `{line}` in:\n{overlay}"
        );
    }
    let entry = "[operations.\"GET /notes/{id}\"] # the old one\ntitle   = 'A note'\n# 2 operations map to the tool name `get-memo-note`\nnoun = \"note-by-id\"\n";
    assert!(overlay.contains(entry), "{overlay}");

    project.run(&["generate", "--fix"]).expect(3);
    assert_eq!(project.read(OVERLAY), overlay);
}

#[test]
fn broken_operations_are_excluded_on_request() {
    let project = project(&format!("{EQUAL}{BROKEN}"));
    let run = project.run(&["generate", "--fix", "--exclude-broken", "--strict"]);
    run.expect(0);
    let overlay = project.read(OVERLAY);
    let line = "    # cannot resolve the reference `#/components/parameters/missing`";
    assert!(overlay.contains(line), "{overlay}");
    let silent = project.run(&["generate"]).expect(0);
    assert!(!silent.stderr.contains("warning["), "{}", silent.stderr);
    project.run(&["check"]).expect(0);
}

#[test]
fn nothing_is_written_if_operations_are_left_out_of_a_strict_run() {
    let project = project(&format!("{EQUAL}{BROKEN}"));
    let run = project.run(&["generate", "--fix", "--strict"]).expect(100);
    run.says("1 operation left out: 1 broken, so nothing was done");
    assert!(!project.path(OVERLAY).exists());
    assert!(!project.path("generated").exists());
}

#[test]
fn several_services_are_read_first_and_written_at_once() {
    let project = project(EQUAL);
    project.write("specs/other/openapi.yaml", EQUAL);
    project.write("specs/wrong/openapi.yaml", "openapi: 4.0.0\n");
    let run = project.run(&["generate", "--fix"]).expect(100);
    run.says("1 error, so nothing was done");
    assert!(!project.path(OVERLAY).exists());

    fs::remove_dir_all(project.path("specs/wrong")).unwrap();
    project.run(&["generate", "--fix"]).expect(0);
    let other = project.read("specs/other/overlay.toml");
    assert_eq!(other, project.read(OVERLAY).replace("-memo-", "-other-"));
    assert!(project.path("specs/other/names.lock").exists());
}

#[test]
fn a_name_that_the_lock_holds_for_another_operation_does_not_stop_the_rest() {
    let project = project(ORDERS);
    project.write("specs/memo/names.lock", SALES);
    let run = project.run(&["generate"]).expect(3);
    run.says("warning[name-collision]: the name `list-memo-orders` belongs to another operation")
        .says("1 operation left out: 1 locked")
        .says("noun = \"orders-using-get\"");
    project.run(&["check"]).expect(100);
    project.run(&["generate", "--fix"]).expect(0);
    project.run(&["check"]).expect(0);
}

#[test]
fn a_specification_names_its_overlay() {
    let project = project(EQUAL);
    let mut arguments = vec![
        "generate",
        "specs/memo/openapi.yaml",
        "--service",
        "memo",
        "--out",
        "src/memo",
        "--fix",
    ];
    let run = project.run(&arguments).expect(2);
    run.says("`--fix` requires `--overlay`");
    arguments.extend(["--overlay", "src/memo.overlay.toml"]);
    project.run(&arguments).expect(0);
    assert!(project.path("src/memo.overlay.toml").exists());
    assert!(project.path("src/memo.names.lock").exists());
}

#[test]
fn an_openapi_overlay_is_applied_and_gets_no_lines() {
    let project = Project::empty();
    project.write("equal.yaml", EQUAL);
    let remove = "overlay: 1.0.0\ninfo: { title: Ours, version: '1' }\nactions:\n  - { target: \"$.paths['/notes/{key}','/tags/{tag_id}']\", remove: true }\n";
    project.write("fixes.yaml", remove);
    let inspect = ["inspect", "equal.yaml", "--service", "memo", "--overlay"];
    let run = project.run(&[inspect.as_slice(), &["fixes.yaml"]].concat());
    run.expect(0).prints("get-memo-note").prints("get-memo-tag");

    project.write("overlay.toml", "openapi_overlays = [\"fixes.yaml\"]\n");
    let run = project.run(&[inspect.as_slice(), &["overlay.toml"]].concat());
    run.expect(0).prints("get-memo-note");

    project.write(
        "fixes.yaml",
        "overlay: 1.0.0\ninfo: { title: Ours, version: '1' }\nactions: []\n",
    );
    let generate = [
        "generate",
        "equal.yaml",
        "--service",
        "memo",
        "--fix",
        "--lock",
        "a.names.lock",
    ];
    let refused = project.run(&[generate.as_slice(), &["--overlay", "fixes.yaml"]].concat());
    refused
        .expect(100)
        .says("no line can be added to the OpenAPI Overlay `fixes.yaml`")
        .says("openapi_overlays = [\"fixes.yaml\"]");
}
