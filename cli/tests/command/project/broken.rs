//! A broken service of a project costs itself alone, and its calls are denied.

use serde_json::json;
use toolwright_tests::Answer;

use super::project;
use crate::{
    serve::process::{ask, names},
    support::{Project, service},
};

/// Breaks the overlay of `shop`. Without it, its tools could have other classes.
fn broken() -> Project {
    let project = project();
    project.write(
        "specs/shop/overlay.toml",
        "[operations.getOrder]\nnuon = \"receipt\"\n",
    );
    project
}

#[test]
fn the_other_services_are_listed() {
    let run = broken().run(&["list"]).expect(3);
    run.prints("list-memo-notes")
        .says("specs/shop/overlay.toml:2:1")
        .says("the service `shop` is left out")
        .says("every call of its tools is denied");
    let run = broken().run(&["list"]);
    assert!(!run.stdout.contains("shop"), "{}", run.stdout);
    broken().run(&["matrix"]).expect(3).prints("MEMO");
    broken().run(&["show", "get-memo-note"]).expect(0);
}

#[test]
fn a_service_that_is_asked_for_must_be_right() {
    let run = broken().run(&["list", "--service", "shop"]).expect(100);
    run.says("specs/shop/overlay.toml:2:1");
    let run = broken().run(&["list", "--service", "memo"]).expect(0);
    assert_eq!(run.stderr, "");
}

#[test]
fn a_folder_with_another_name_is_none_of_the_service() {
    let project = project();
    project.write("specs/No-Service/openapi.yaml", "");
    let run = project.run(&["list", "--service", "memo"]).expect(0);
    assert_eq!(run.stderr, "");
    let run = project.run(&["list"]).expect(3);
    run.says("`specs/No-Service` is not a service name");
    let run = project.run(&["matrix", "--service", "memo"]).expect(0);
    assert_eq!(run.stderr.matches("No-Service").count(), 1);
}

#[test]
fn the_others_are_called_and_served_and_the_broken_one_is_denied() {
    let project = broken();
    let server = service(Answer::json(200, "[]"));
    let auth = json!({"base_url": server.url()}).to_string();
    project.write(".local/memo/admin-auth.json", &auth);
    project.write(".local/shop/admin-auth.json", &auth);
    let run = project.run(&["call", "list-memo-notes", "--role", "reader"]);
    run.expect(0);
    assert_eq!(server.take_requests().len(), 1);
    let run = project.run(&["call", "list-shop-orders", "--role", "reader"]);
    run.expect(5)
        .says("may not call a tool named `list-shop-orders`")
        .says("specs/shop/overlay.toml:2:1");
    assert!(server.take_requests().is_empty());
    let answer = ask(
        &project,
        &["serve", "--role", "reader"],
        "tools/list",
        &json!({}),
    );
    assert_eq!(names(&answer), ["get-memo-note", "list-memo-notes"]);
}

#[test]
fn what_judges_the_whole_policy_refuses() {
    let project = broken();
    let run = project.run(&["policy", "check"]).expect(100);
    run.says("the tools of the project are not all known");
    project.write(
        "t.toml",
        "[[expect]]\nrole = \"reader\"\ntool = \"get-shop-order\"\nallowed = false\n",
    );
    let run = project.run(&["policy", "test", "t.toml"]).expect(100);
    run.says("the tools of the project are not all known");
}

#[test]
fn a_limit_that_matches_nothing_stays_an_error() {
    let project = broken();
    project.configure(
        "[roles.reader]\ngrant = [\"category:observe\"]\n[tools]\ndisable = [\"*-shop-*\"]\n",
    );
    let run = project.run(&["call", "list-memo-notes", "--role", "reader"]);
    run.expect(100).says("*-shop-*");
}

#[test]
fn a_folder_without_a_specification_is_reported() {
    let project = project();
    project.write("specs/empty/overlay.toml", "");
    let run = project.run(&["list"]).expect(3);
    run.prints("list-shop-orders")
        .says("`specs/empty` has no specification")
        .says("it may be named openapi.yaml");
}

#[test]
fn two_specifications_of_a_service_are_reported() {
    let project = project();
    project.write("specs/shop/openapi.json", "{}");
    let run = project.run(&["list"]).expect(3);
    run.prints("list-memo-notes")
        .says("`specs/shop` has two specifications");
}

#[test]
fn if_all_are_broken_nothing_is_done() {
    let project = broken();
    project.write("specs/memo/openapi.yaml", "openapi: [");
    let run = project.run(&["list"]).expect(100);
    run.says("specs/memo/openapi.yaml:1:")
        .says("2 errors, so nothing was done");
}
