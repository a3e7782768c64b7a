//! The lock: `generate` writes it, and gives nothing up that it holds without a word.

use std::fs;

use crate::support::Project;

const LOCK: &str = "specs/memo/names.lock";

const RENAME: &str = "[operations.listNotes]\nname = \"list-memo-slips\"\n";

#[test]
fn generate_writes_the_lock_and_check_detects_an_old_one() {
    let project = Project::with_memo();
    project.run(&["generate"]).expect(0).prints(LOCK);
    let lock = project.read(LOCK);
    let names = [
        "create-memo-note",
        "delete-memo-note",
        "get-memo-note",
        "list-memo-notes",
    ];
    for name in names {
        assert!(
            lock.contains(&format!("\n{name} = {{ operation = ")),
            "{lock}"
        );
    }
    project
        .run(&["check"])
        .expect(0)
        .prints(&format!("fresh  {LOCK}"));
    let again = project.run(&["generate", "--json"]).expect(0);
    assert_eq!(again.json()[0]["locks"].as_array().unwrap().len(), 0);

    let behind: String = lock
        .lines()
        .filter(|line| !line.starts_with("get-memo-note"))
        .map(|line| format!("{line}\n"))
        .collect();
    project.write(LOCK, &behind);
    project
        .run(&["check"])
        .expect(4)
        .prints(&format!("stale  {LOCK}"));
    assert_eq!(project.read(LOCK), behind);
    let written = project.run(&["generate", "--json"]).expect(0);
    assert_eq!(written.json()[0]["locks"][0], LOCK);
    assert_eq!(project.read(LOCK), lock);
}

#[test]
fn a_rename_requires_consent() {
    let project = Project::with_memo();
    project.run(&["generate"]).expect(0);
    project.write("specs/memo/overlay.toml", RENAME);
    let before = (project.read(LOCK), project.files("generated"));
    for command in ["generate", "check"] {
        project
            .run(&[command])
            .expect(100)
            .says("error[renamed-tool]: `list-memo-notes` would be renamed to `list-memo-slips`")
            .says("toolwright generate --accept renames");
    }
    assert_eq!((project.read(LOCK), project.files("generated")), before);

    project.run(&["generate", "--accept", "renames"]).expect(0);
    project.run(&["check"]).expect(0);
    assert!(project.read(LOCK).contains("former = true"));
    // The name stays after the overlay is removed.
    fs::remove_file(project.path("specs/memo/overlay.toml")).unwrap();
    project.run(&["check"]).expect(0);
}

#[test]
fn the_lock_is_next_to_the_overlay_or_given_as_an_option() {
    let project = Project::with_memo();
    project.write("memo.overlay.toml", RENAME);
    let generate = |more: &[&str]| {
        let spec = ["generate", "specs/memo/openapi.yaml", "--service", "memo"];
        project.run(&[&spec, more].concat())
    };
    generate(&["--overlay", "memo.overlay.toml", "--out", "out"]).expect(0);
    let lock = project.read("memo.names.lock");
    assert!(lock.contains("list-memo-slips"), "{lock}");

    // Without a folder for adapters, the lock is all that is written.
    generate(&["--lock", "other.lock"])
        .expect(0)
        .prints("written  other.lock");
    assert!(project.read("other.lock").contains("list-memo-notes"));
    generate(&["--overlay", "memo.overlay.toml", "--lock", "other.lock"])
        .expect(100)
        .says("--accept renames");
    generate(&[]).expect(2).says("--lock <FILE>");

    // Commands that only read use the names of the lock, and do not write it.
    project.write("memo.overlay.toml", "");
    let listed = project.run(&[
        "list",
        "--spec",
        "specs/memo/openapi.yaml",
        "--service",
        "memo",
        "--overlay",
        "memo.overlay.toml",
    ]);
    listed.expect(0).prints("list-memo-slips");
    assert_eq!(project.read("memo.names.lock"), lock);
}

/// Two operations with the same base name.
const VERSIONS: &str = "
openapi: 3.1.0
info: {title: Shop, version: '1'}
paths:
  /v1/items:
    get: {responses: {'204': {description: Nothing.}}}
  /v2/items:
    get: {responses: {'204': {description: Nothing.}}}
  /orders:
    get: {responses: {'204': {description: Nothing.}}}
";

#[test]
fn names_that_the_document_decides_are_listed_once_and_pinned() {
    let project = Project::empty();
    project.write("shop.yaml", VERSIONS);
    let generate = |more: &[&str]| {
        let run = [
            "generate",
            "shop.yaml",
            "--service",
            "shop",
            "--lock",
            "shop.names.lock",
        ];
        project.run(&[&run, more].concat())
    };
    generate(&["--review"])
        .expect(0)
        .prints("list-shop-items-v1              GET /v1/items")
        .prints("list-shop-items-v2              GET /v2/items");
    assert!(!project.path("shop.names.lock").exists());
    let listed = generate(&["--review", "--json"]).expect(0).json();
    assert_eq!(listed[0].as_array().unwrap().len(), 2);
    generate(&[])
        .expect(0)
        .prints("decided by the document: 2 new names");
    generate(&["--review"])
        .expect(0)
        .prints("the document decides no new name");
    // A newcomer does not change them.
    project.write("shop.yaml", VERSIONS.replace("/orders", "/v3/items"));
    generate(&["--review"])
        .expect(0)
        .prints("list-shop-items-v3              GET /v3/items");
}

#[test]
fn commands_that_read_report_names_that_are_not_pinned() {
    let project = Project::empty();
    project.write("shop.yaml", VERSIONS);
    let spec = ["--spec", "shop.yaml", "--service", "shop"];
    project
        .run(&[&["list"][..], &spec].concat())
        .expect(0)
        .says("2 names depend on the whole document and are not pinned: list-shop-items-v1, list-shop-items-v2");
    let inspect = ["inspect", "shop.yaml", "--service", "shop"];
    project
        .run(&inspect)
        .expect(0)
        .prints("list-shop-items-v1              GET /v1/items")
        .prints("No name is pinned");
    let record = project
        .run(&[&inspect[..], &["--json"]].concat())
        .expect(0)
        .json();
    let tools = record[0]["tools"].as_array().unwrap();
    let sources: Vec<_> = tools.iter().map(|tool| &tool["named_by"]).collect();
    assert_eq!(sources, ["document", "document", "operation"]);
    assert!(tools.iter().all(|tool| tool["pinned"] == false));
    project
        .run(&[&["explain", "list-shop-items-v2"][..], &spec].concat())
        .expect(0)
        .prints("the document decides: `list-shop-items` is also the name of `GET /v1/items`")
        .prints("`v2` is added: the version");

    project.write("shop.overlay.toml", "");
    let overlay = ["--overlay", "shop.overlay.toml"];
    let generate = ["generate", "shop.yaml", "--service", "shop", "--out", "out"];
    project.run(&[&generate[..], &overlay].concat()).expect(0);
    let record = project
        .run(&[&inspect[..], &overlay, &["--json"]].concat())
        .expect(0)
        .json();
    let tools = record[0]["tools"].as_array().unwrap();
    assert!(
        tools
            .iter()
            .all(|tool| tool["pinned"] == true && tool["named_by"] == "lock")
    );
}
