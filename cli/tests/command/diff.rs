//! `diff`: the kinds of sides, the formats, and the exit codes.

use std::{fs, path::Path};

use serde_json::Value;

use crate::support::{NOTES, Project};

const OLD: &str = "specs/memo/openapi.yaml";

/// Creates a project with the service `memo` and its changed specification in `new.yaml`.
fn project(change: impl Fn(&str) -> String) -> Project {
    let project = Project::with_memo();
    project.write("new.yaml", change(NOTES));
    project
}

fn with_new_server(text: &str) -> String {
    text.replace("http://127.0.0.1:9", "http://127.0.0.1:9090")
}

fn kinds(report: &Value) -> Vec<String> {
    let changes = report["changes"].as_array().unwrap().iter();
    changes
        .map(|change| change["kind"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_document_does_not_differ_from_itself() {
    let project = project(str::to_owned);
    let run = project.run(&["diff", OLD, "new.yaml", "--service", "memo"]);
    run.expect(0)
        .prints("4 tools before, 4 now: nothing changed");
}

#[test]
fn widening_and_breaking_changes_exit_with_4_and_harmless_ones_with_0() {
    let widened = project(with_new_server);
    widened
        .run(&["diff", OLD, "new.yaml"])
        .expect(4)
        .prints("host-changed (1)")
        .prints("the host changed from `http://127.0.0.1:9` to `http://127.0.0.1:9090`");
    let broken = project(|text| text.replace("name: tag", "name: label"));
    broken
        .run(&["diff", OLD, "new.yaml"])
        .expect(4)
        .prints("argument `tag` (text) was removed");
    let harmless =
        project(|text| text.replace("Only notes with this tag.", "Only notes of this tag."));
    harmless
        .run(&["diff", OLD, "new.yaml"])
        .expect(0)
        .prints("Only notes [-with-]{+of+} this tag.");
}

#[test]
fn a_side_is_a_specification_a_table_or_a_folder_of_them() {
    let project = project(with_new_server);
    project.run(&["generate"]).expect(0);
    fs::create_dir_all(project.path("next/memo")).unwrap();
    project.write("next/memo/openapi.yaml", with_new_server(NOTES));
    for (old, new) in [
        (OLD, "next/memo/openapi.yaml"),
        ("specs", "next"),
        ("specs/memo", "next/memo"),
        ("generated", "next"),
        ("generated/src/memo", "next/memo/openapi.yaml"),
        ("generated/src/memo/tools.json", "next"),
    ] {
        let run = project.run(&["diff", old, new, "--json"]).expect(4);
        assert_eq!(kinds(&run.json()[0]), ["host-changed"], "{old} {new}");
    }
    project.run(&["diff", "specs", "generated"]).expect(0);
}

#[test]
fn a_manifest_shows_fewer_details_and_no_fewer_changes() {
    let project = project(|text| {
        let text = text.replace("name: tag", "name: label");
        text.replace("summary: Get a note", "summary: Read a note")
    });
    project.run(&["generate"]).expect(0);
    let manifest = "generated/src/memo/manifest.json";
    project.run(&["diff", manifest, OLD]).expect(0);
    let run = project
        .run(&["diff", manifest, "new.yaml", "--json"])
        .expect(4);
    assert_eq!(
        kinds(&run.json()[0]),
        ["arguments-changed", "description-changed"]
    );
}

#[test]
fn changes_that_the_lock_refuses_are_reported() {
    let project = Project::with_memo();
    project.run(&["generate"]).expect(0);
    let lowered = "[operations.createNote]\napproval_required = false\nreason = \"A draft.\"\n";
    for file in ["openapi.yaml", "names.lock"] {
        project.write(
            &format!("next/memo/{file}"),
            project.read(&format!("specs/memo/{file}")),
        );
    }
    project.write("next/memo/overlay.toml", lowered);
    let run = project.run(&["diff", "specs", "next", "--json"]).expect(4);
    assert_eq!(kinds(&run.json()[0]), ["approval-lost", "reason-changed"]);
    // The overlay applies to both sides unless OLD has one of its own.
    project.write("empty.toml", "");
    let overlay = ["--overlay", "next/memo/overlay.toml"];
    project
        .run(&[&["diff", OLD, OLD], &overlay[..]].concat())
        .expect(0);
    let own = ["--old-overlay", "empty.toml"];
    project
        .run(&[&["diff", OLD, OLD], &overlay[..], &own[..]].concat())
        .expect(4)
        .prints("approval-lost");
}

#[test]
fn the_roles_of_the_project_gain_and_lose() {
    let project =
        project(|text| text.replace("operationId: listNotes", "operationId: rotateNotes"));
    project.configure("[roles.reader]\ngrant = [\"category:observe\"]\n");
    let run = project
        .run(&["diff", OLD, "new.yaml", "--service", "memo", "--json"])
        .expect(4);
    let roles = &run.json()[0]["roles"];
    assert_eq!(roles[0]["role"], "reader");
    assert_eq!(
        (&roles[0]["before"], &roles[0]["after"]),
        (&2.into(), &1.into())
    );
    assert_eq!(roles[0]["loses"].as_array().unwrap().len(), 1);
}

#[test]
fn a_broken_schema_does_not_suppress_the_report() {
    let project = project(|text| {
        text.replace(
            "{ name: tag, in: query, schema: { type: string }",
            "{ name: tag, in: query, schema: { type: object, oneOf: [] }",
        )
    });
    project.configure("[roles.reader]\ngrant = [\"category:observe\"]\n");
    let run = project.run(&["diff", OLD, "new.yaml", "--service", "memo", "--json"]);
    let report = &run.expect(4).json()[0];
    assert_eq!(kinds(report)[0], "argument-type-changed");
    assert_eq!(report["roles"][0]["after"], 2);
}

#[test]
fn markup_in_vendor_descriptions_is_escaped() {
    let evil = "List \\u200bnotes <script>alert(1)</script> @everyone \\u001b[31m";
    let project =
        project(|text| text.replace("summary: List notes", &format!("summary: \"{evil}\"")));
    let run = |format: &str| {
        let arguments = [
            "diff",
            OLD,
            "new.yaml",
            "--service",
            "memo",
            "--format",
            format,
        ];
        project.run(&arguments).expect(0).stdout
    };
    let html = run("html");
    assert!(
        html.contains("&lt;script&gt;") && !html.contains("<script"),
        "{html}"
    );
    assert!(html.contains("List notes<ins> &lt;script&gt;"), "{html}");
    for format in ["text", "markdown", "html"] {
        let out = run(format);
        assert!(!out.contains(['\u{1b}', '\u{200b}']), "{format}: {out}");
    }
    assert!(run("markdown").contains("```diff"));
}

#[test]
fn the_page_is_self_contained() {
    let project = project(with_new_server);
    let run = project
        .run(&["diff", OLD, "new.yaml", "--format", "html"])
        .expect(4);
    assert_self_contained(&run.stdout);
}

/// Asserts that a page has no scripts and fetches nothing.
#[track_caller]
pub(crate) fn assert_self_contained(page: &str) {
    for part in [
        "<script",
        "src=",
        "@import",
        "url(",
        "<link",
        "http-equiv=\"refresh\"",
    ] {
        assert!(!page.contains(part), "`{part}` in the page");
    }
    assert!(page.contains("charset=\"utf-8\"") || page.contains("encoding=\"UTF-8\""));
}

#[test]
fn problems_of_both_sides_are_reported_in_one_run() {
    let project = Project::empty();
    project.write("old.yaml", "a: 1\n");
    project.write("new.yaml", "b: 1\n");
    project
        .run(&["diff", "old.yaml", "new.yaml"])
        .expect(100)
        .says("old.yaml")
        .says("new.yaml");
    project
        .run(&["diff", "specs", "new.yaml"])
        .expect(100)
        .says("there are no tools in `specs`");
    project.write(
        "tools.json",
        "{\"service\": \"memo\", \"tools\": [{\"input_schema\": {}}]}",
    );
    project
        .run(&["diff", "tools.json", "new.yaml"])
        .expect(100)
        .says("cannot read `tools.json`");
    assert!(!Path::new(&project.path("generated")).exists());
}
