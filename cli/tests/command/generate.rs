//! `generate` for a project and for a single specification.

use std::{fs, time::SystemTime};

use crate::support::{NOTES, Project};

#[test]
fn a_project_is_generated_and_a_second_run_writes_nothing() {
    let project = Project::with_memo();
    let first = project.run(&["generate", "--json"]).expect(0);
    assert!(!first.json()[0]["written"].as_array().unwrap().is_empty());
    assert_eq!(first.json()[0]["services"][0]["tools"], 4);

    let times = || -> Vec<SystemTime> {
        let files = project.files("generated");
        let modified = |path| fs::metadata(path).unwrap().modified().unwrap();
        files.iter().map(|(path, _)| modified(path)).collect()
    };
    let before = times();
    let second = project.run(&["generate", "--json"]).expect(0);
    assert_eq!(second.json()[0]["written"].as_array().unwrap().len(), 0);
    assert_eq!(times(), before);
}

#[test]
fn only_changed_files_are_written_and_orphans_are_removed() {
    let project = Project::with_memo();
    project.write("specs/other/openapi.yaml", NOTES);
    project.run(&["generate"]).expect(0).prints("memo");
    fs::remove_dir_all(project.path("specs/other")).unwrap();
    let run = project.run(&["generate", "--json"]).expect(0);
    let summary = &run.json()[0];
    let paths = |key: &str| -> Vec<String> {
        let paths = summary[key].as_array().unwrap().iter();
        paths
            .map(|path| path.as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(paths("written"), ["src/lib.rs"]);
    assert!(!paths("removed").is_empty());
    assert!(
        paths("removed")
            .iter()
            .all(|path| path.starts_with("src/other/"))
    );
    assert!(!project.path("generated/src/other").exists());
}

#[test]
fn one_service_is_generated_and_the_others_are_left_alone() {
    let project = Project::with_memo();
    project.write("specs/other/openapi.yaml", NOTES);
    project.run(&["generate"]).expect(0);
    project.write("specs/other/openapi.yaml", "broken: [");
    project.write(
        "specs/memo/openapi.yaml",
        NOTES.replace("Get a note", "Read a note"),
    );
    let run = project
        .run(&["generate", "--service", "memo", "--json"])
        .expect(0);
    let written = run.json()[0]["written"].to_string();
    assert!(written.contains("src/memo/"), "{written}");
    assert!(!written.contains("src/other/"), "{written}");
    assert!(project.path("generated/src/other").exists());

    let run = project.run(&["generate", "--service", "mem"]);
    run.expect(100)
        .says("there is no service `mem`")
        .says("a service with a similar name exists: `memo`");
}

#[test]
fn an_error_writes_nothing_and_all_errors_are_reported() {
    let project = Project::with_memo();
    project.run(&["generate"]).expect(0);
    let before = project.files("generated");
    project.write("specs/memo/openapi.yaml", NOTES.replace("3.1.0", "4.0.0"));
    project.write("specs/other/openapi.yaml", "a: [\n");
    let run = project.run(&["generate"]).expect(100);
    run.says("specs/memo/openapi.yaml:1:10")
        .says("specs/other/openapi.yaml:")
        .says("2 errors, so nothing was done");
    assert_eq!(project.files("generated"), before);
}

#[test]
fn a_crate_of_one_specification_compiles_alone() {
    let project = Project::with_memo();
    let checkout = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let arguments = [
        "generate",
        "specs/memo/openapi.yaml",
        "--service",
        "memo",
        "--out",
        "memo-tools",
        "--crate",
        "--toolwright-path",
        checkout,
    ];
    project.run(&arguments).expect(0);
    let manifest: toml::Table = project.read("memo-tools/Cargo.toml").parse().unwrap();
    assert!(
        manifest["dependencies"]["toolwright-adapter"]["path"]
            .as_str()
            .unwrap()
            .ends_with("adapter")
    );
    assert!(project.path("memo-tools/src/lib.rs").exists());
}

#[test]
fn the_manifest_is_the_users_once_it_exists() {
    let project = Project::with_memo();
    project.run(&["generate"]).expect(0);
    let manifest = "generated/Cargo.toml";
    let first = project.read(manifest);
    assert!(!first.contains("[workspace]"), "{first}");
    let own = first.replace("toolwright-generated", "my-adapters # My choice.");
    project.write(manifest, &own);
    project.run(&["generate"]).expect(0);
    project.run(&["check"]).expect(0);
    assert_eq!(project.read(manifest), own);

    project.write("specs/other/openapi.yaml", NOTES);
    project
        .run(&["check"])
        .expect(4)
        .prints("stale  Cargo.toml");
    project.run(&["generate"]).expect(0);
    let with_other = own
        .replace("default = [\"memo\"]", "default = [\"memo\", \"other\"]")
        .replace("memo = []\n", "memo = []\nother = []\n");
    assert_eq!(project.read(manifest), with_other);

    project.write(manifest, "[features]\nmemo = [\n");
    let run = project.run(&["generate"]).expect(100);
    run.says("generated/Cargo.toml` is not a manifest");
}

#[test]
fn options_of_a_new_crate_need_one() {
    let project = Project::with_memo();
    let module = [
        "generate",
        "specs/memo/openapi.yaml",
        "--service",
        "memo",
        "--out",
        "memo",
    ];
    let run = |more: &[&str]| project.run(&[&module, more].concat());
    run(&["--own-workspace"]).expect(2).says("add `--crate`");
    run(&["--crate", "--toolwright-path", "specs"])
        .expect(100)
        .says("must be the folder of a checkout of Toolwright");
    run(&["--crate", "--own-workspace"]).expect(0);
    assert!(project.read("memo/Cargo.toml").ends_with("[workspace]\n"));
}

#[test]
fn a_module_of_one_specification_needs_no_project() {
    let project = Project::with_memo();
    fs::remove_file(project.path("toolwright.toml")).unwrap();
    let arguments = [
        "generate",
        "specs/memo/openapi.yaml",
        "--service",
        "memo",
        "--out",
        "src/memo",
    ];
    project.write("src/main.rs", "// @generated by something else\n");
    project.run(&arguments).expect(0);
    assert!(!project.files("src/memo").is_empty());
    assert!(project.path("src/main.rs").exists());
}

#[test]
fn without_a_project_there_is_nothing_to_generate() {
    let project = Project::empty();
    fs::remove_file(project.path("toolwright.toml")).unwrap();
    let run = project.run(&["generate"]);
    run.expect(100)
        .says("no `toolwright.toml` in this folder or any parent folder");
}

#[test]
fn a_project_is_found_from_a_folder_below() {
    let project = Project::with_memo();
    let mut below = project.command(&["generate"]);
    below.current_dir(project.path("specs/memo"));
    crate::support::run(&mut below).expect(0);
    assert!(project.path("generated/src/lib.rs").exists());
}

#[test]
fn project_errors_are_reported_with_help() {
    let project = Project::empty();
    project.write(
        "toolwright.toml",
        "[workspace]\nspec = \"x\"\n[roles.a]\ngrnt = []\n",
    );
    project
        .run(&["generate"])
        .expect(100)
        .says("toolwright.toml:2:1")
        .says("toolwright.toml:4:1");

    project.write("toolwright.toml", "");
    project.write("specs/no-word/openapi.yaml", NOTES);
    project
        .run(&["generate"])
        .expect(100)
        .says("specs/no-word")
        .says("rename the folder");

    fs::rename(project.path("specs/no-word"), project.path("specs/memo")).unwrap();
    project.write("specs/memo/openapi.json", "{}");
    project
        .run(&["generate"])
        .expect(100)
        .says("has two specifications");
}

/// A document with one good operation, one whose parameter is broken, and two with one name.
const PARTLY_BROKEN: &str = r##"openapi: 3.1.0
info: { title: Memo, version: "1" }
paths:
  /notes:
    get:
      operationId: listNotes
      responses: { "200": { description: The notes. } }
  /memos:
    get:
      operationId: listMemos
      responses: { "200": { description: The memos. } }
  /tags:
    get:
      operationId: listTags
      responses: { "200": { description: The tags. } }
  /broken:
    get:
      operationId: getBroken
      parameters: [{ $ref: "#/components/parameters/missing" }]
      responses: { "200": { description: Nothing. } }
"##;

/// Gives two operations one name.
const TWINS: &str =
    "[operations.listMemos]\nnoun = \"twins\"\n\n[operations.listTags]\nnoun = \"twins\"\n";

#[test]
fn operations_that_cannot_be_tools_do_not_stop_the_others() {
    let project = Project::with_memo();
    project.write("specs/memo/openapi.yaml", PARTLY_BROKEN);
    project.write("specs/memo/overlay.toml", TWINS);

    let strict = project.run(&["generate", "--strict"]).expect(100);
    strict.says("so nothing was done");
    let check = project.run(&["check"]).expect(100);
    check.says("so nothing was done");
    assert!(!project.path("specs/memo/names.lock").exists());

    let run = project.run(&["generate"]).expect(3);
    run.says("3 operations left out: 1 broken, 2 unnamed")
        .says("warning[name-collision]");
    let lock = project.read("specs/memo/names.lock");
    assert!(lock.contains("list-memo-notes ="), "{lock}");
    assert!(!lock.contains("twins"), "{lock}");

    let again = project.run(&["generate"]).expect(3);
    again
        .says("3 operations left out: 1 broken, 2 unnamed")
        .says("exclude 1 operation with `toolwright generate --fix --exclude-broken`");
    let json = project.run(&["generate", "--json"]).expect(3);
    let left_out = &json.json()[0]["services"][0]["left_out"];
    assert_eq!(left_out.to_string(), r#"{"broken":1,"unnamed":2}"#);

    let excluded = "exclude = [\"getBroken\", \"listMemos\", \"listTags\"]\n";
    project.write("specs/memo/overlay.toml", excluded);
    project.run(&["generate", "--strict"]).expect(0);
    project.run(&["check"]).expect(0);
}

#[test]
fn a_difference_from_the_lock_stops_a_run_that_leaves_operations_out() {
    let project = Project::with_memo();
    project.write("specs/memo/openapi.yaml", PARTLY_BROKEN);
    project.run(&["generate"]).expect(3);
    let before = project.files("generated");
    let renamed = "[operations.listNotes]\nnoun = \"papers\"\n";
    project.write("specs/memo/overlay.toml", renamed);
    let run = project.run(&["generate"]).expect(100);
    run.says("error[renamed-tool]");
    assert_eq!(project.files("generated"), before);
}
