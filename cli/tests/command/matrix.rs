//! `matrix`: roles and tools, in all formats.

use serde_json::json;

use crate::{
    diff::assert_self_contained,
    support::{Project, REPOSITORY, Run},
};

const ROLES: &str = "\
[roles.reader]\ngrant = [\"category:observe\"]\n\
[roles.writer]\ngrant = [\"service:memo\"]\n\
[tools]\nenable = [\"create-*\"]\n";

fn matrix(arguments: &[&str]) -> Run {
    let project = Project::with_memo();
    project.configure(ROLES);
    let source = [
        "matrix",
        "--spec",
        "specs/memo/openapi.yaml",
        "--service",
        "memo",
    ];
    project.run(&[&source[..], arguments].concat())
}

#[test]
fn each_role_is_a_column_and_each_noun_a_row() {
    let expected = "\
        MEMO  READER     WRITER\n\
        note  ○get ○list  ○get ○list ▲create⚑ (▲delete✖⚑)\n";
    let text = matrix(&[]).expect(0).stdout;
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(squeezed(&text).starts_with(&squeezed(expected)), "{text}");
}

#[test]
fn the_json_form_contains_each_tool() {
    let run = matrix(&["--json"]).expect(0);
    let matrix = &run.json()[0];
    assert_eq!(matrix["roles"], json!(["reader", "writer"]));
    let tools = matrix["services"][0]["rows"][0]["tools"]
        .as_array()
        .unwrap();
    let delete = tools.iter().find(|tool| tool["name"] == "delete-memo-note");
    let delete = delete.unwrap();
    assert_eq!(delete["on"], false);
    assert_eq!(delete["destructive"], true);
    assert_eq!(delete["granted_to"], json!(["writer"]));
}

#[test]
fn the_pictures_are_self_contained() {
    for format in ["html", "svg"] {
        let picture = matrix(&["--format", format]).expect(0).stdout;
        assert_self_contained(&picture);
        for text in [
            "reader",
            "writer",
            "create",
            "⚑",
            "✖",
            "prefers-color-scheme: dark",
        ] {
            assert!(picture.contains(text), "no `{text}` in the {format}");
        }
        // Tools that are off differ from those that are on by more than a colour.
        assert!(picture.contains(" off\""), "{picture}");
    }
}

#[test]
fn the_legend_of_the_drawing_is_within_it() {
    let drawing = matrix(&["--format", "svg"]).expect(0).stdout;
    let number = |text: &str, key: &str| {
        let value = text.split(&format!(" {key}=\"")).nth(1).unwrap();
        value.split('"').next().unwrap().parse::<usize>().unwrap()
    };
    let width = number(&drawing, "width");
    let texts: Vec<_> = drawing.split("<text").skip(1).collect();
    assert!(texts.len() > 8, "{drawing}");
    for text in texts {
        let words = text.split('>').nth(1).unwrap().split('<').next().unwrap();
        let end = number(text, "x") + words.chars().count() * 7;
        assert!(end <= width, "`{words}` ends at {end} of {width}");
    }
}

#[test]
fn a_grant_can_be_tried() {
    let run = matrix(&[
        "--grant",
        "auditor=list-*",
        "--enable",
        "delete-*",
        "--json",
    ])
    .expect(0);
    let matrix = &run.json()[0];
    assert_eq!(matrix["roles"], json!(["auditor", "reader", "writer"]));
    matrix_fails(
        &["--grant", "auditor"],
        2,
        "write a role, `=` and a selector",
    );
    matrix_fails(&["--grant", "auditor=category:x"], 100, "is not a category");
}

#[track_caller]
fn matrix_fails(arguments: &[&str], code: i32, said: &str) {
    matrix(arguments).expect(code).says(said);
}

#[test]
fn without_roles_there_is_nothing_to_show() {
    let project = Project::with_memo();
    let run = project.run(&["matrix", "--spec", "specs/memo/openapi.yaml"]);
    run.expect(100)
        .says("no roles are declared")
        .says("--grant reader=category:observe");
}

#[test]
fn the_services_of_this_repository_are_shown() {
    let project = Project::from_elsewhere();
    let matrix = ["matrix", "--json", "--config", REPOSITORY];
    let all = project.run(&matrix).expect(0).json();
    assert!(all[0]["services"].as_array().unwrap().len() > 5);
    let depot = [&matrix[..], &["--service", "depot"]].concat();
    let one = project.run(&depot).expect(0).json();
    assert_eq!(one[0]["services"].as_array().unwrap().len(), 1);
}
