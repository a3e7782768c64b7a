//! A project: the tools of the services below `specs/`, without compiling anything.

mod broken;
mod several;

use serde_json::{Value, json};
use toolwright_tests::Answer;

use crate::{
    serve::process::{ask, names},
    support::{Project, service},
};

/// A second small service.
pub(crate) const SHOP: &str = include_str!("shop.yaml");

const POLICY: &str = "[roles.reader]\ngrant = [\"category:observe\"]\n";

/// A project with the services `memo` and `shop`.
pub(crate) fn project() -> Project {
    let project = Project::with_memo();
    project.write("specs/shop/openapi.yaml", SHOP);
    project.configure(POLICY);
    project
}

/// Returns the names of the tools that `list` prints.
pub(crate) fn listed(project: &Project, arguments: &[&str]) -> Vec<String> {
    let list = project.run(&[&["list", "--json"], arguments].concat());
    let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
    list.expect(0).json().iter().map(name).collect()
}

#[test]
fn the_tools_of_a_project_are_those_of_its_specifications() {
    let project = project();
    let all = [
        "create-memo-note",
        "delete-memo-note",
        "get-memo-note",
        "get-shop-order",
        "list-memo-notes",
        "list-shop-orders",
    ];
    assert_eq!(listed(&project, &[]), all);
    assert_eq!(
        listed(&project, &["--service", "shop"]),
        ["get-shop-order", "list-shop-orders"]
    );
    let show = project.run(&["show", "get-shop-order"]).expect(0);
    show.prints("Get an order");
    let explain = project.run(&["explain", "get-shop-order"]).expect(0);
    explain.prints("specs/shop/openapi.yaml:");
    let export = project
        .run(&["export", "--target", "mcp", "--json"])
        .expect(0);
    assert_eq!(export.json()[0]["tools"].as_array().unwrap().len(), 6);
    let matrix = project.run(&["matrix"]).expect(0);
    matrix.prints("MEMO").prints("SHOP");
    project.run(&["policy", "check"]).expect(0);
    let explained = ["policy", "explain", "reader", "list-shop-orders", "{}"];
    project.run(&explained).expect(0).prints("allowed");
    let states = project.run(&["tools", "states"]).expect(0);
    states.prints("get-shop-order").prints("delete-memo-note");
}

#[test]
fn the_folder_is_found_from_below_and_may_have_another_name() {
    let project = Project::empty();
    project.write("apis/shop/openapi.yaml", SHOP);
    project.configure("[workspace]\nspecs = \"apis\"\n");
    assert_eq!(listed(&project, &[]).len(), 2);
    let mut below = project.command(&["list", "--json"]);
    below.current_dir(project.path("apis/shop"));
    assert_eq!(crate::support::run(&mut below).expect(0).json().len(), 2);
}

#[test]
fn tools_of_two_services_are_called() {
    let project = project();
    for (name, answer, tool) in [
        ("memo", r#"[{"id": 7, "text": "milk"}]"#, "list-memo-notes"),
        ("shop", r#"[{"id": 3, "total": 12}]"#, "list-shop-orders"),
    ] {
        let server = service(Answer::json(200, answer));
        let auth = json!({"base_url": server.url()}).to_string();
        project.write(&format!(".local/{name}/admin-auth.json"), auth);
        let run = project.run(&["call", tool, "--role", "reader", "--json"]);
        let expected: Value = serde_json::from_str(answer).unwrap();
        assert_eq!(run.expect(0).json(), [expected]);
        assert_eq!(server.take_requests().len(), 1);
    }
    let refused = project.run(&["call", "delete-memo-note", "--role", "reader"]);
    refused.expect(5).says("may not call a tool");
}

#[test]
fn tools_of_two_services_are_served() {
    let project = project();
    let server = service(Answer::json(200, r#"{"id": 3, "total": 12}"#));
    let auth = json!({"base_url": server.url()}).to_string();
    project.write(".local/shop/admin-auth.json", auth);
    let serve = ["serve", "--role", "reader"];
    let answer = ask(&project, &serve, "tools/list", &json!({}));
    let reads = [
        "get-memo-note",
        "get-shop-order",
        "list-memo-notes",
        "list-shop-orders",
    ];
    assert_eq!(names(&answer), reads);
    let call = json!({"name": "get-shop-order", "arguments": {"id": 3}});
    let answer = ask(&project, &serve, "tools/call", &call);
    assert_eq!(answer["result"]["structuredContent"]["total"], 12);
    assert!(server.take_requests()[0].starts_with("GET /orders/3 "));
}

#[test]
fn overlays_and_locks_are_used_as_generate_uses_them() {
    let project = project();
    project.write(
        "specs/shop/overlay.toml",
        "[operations.getOrder]\nnoun = \"receipt\"\n",
    );
    project.write(
        "specs/memo/names.lock",
        "version = 1\n\n[tools]\nlist-memo-entries = { operation = \"GET /notes\", id = \"listNotes\", category = \"observe\", approval_required = false }\n",
    );
    let at_run_time = listed(&project, &[]);
    assert!(at_run_time.contains(&"get-shop-receipt".to_owned()));
    assert!(at_run_time.contains(&"list-memo-entries".to_owned()));
    project.run(&["generate"]).expect(0);
    let manifest: Value =
        serde_json::from_str(&project.read("generated/src/memo/manifest.json")).unwrap();
    assert!(manifest.to_string().contains("list-memo-entries"));
    assert_eq!(listed(&project, &[]), at_run_time);
}

#[test]
fn a_project_without_services_says_how_to_get_one() {
    let project = Project::empty();
    let run = project.run(&["list"]).expect(100);
    run.says("this project has no services").says("specs");
    std::fs::remove_dir(project.path("specs")).unwrap();
    let run = project.run(&["list"]).expect(100);
    run.says("this project has no services");
    let run = self::project().run(&["list", "--service", "shp"]);
    run.expect(100)
        .says("there is no service `shp`")
        .says("a service with a similar name exists: `shop`");
}

#[test]
fn outside_of_a_project_a_specification_must_be_named() {
    let folder = Project::from_elsewhere();
    folder.write("specs/shop/openapi.yaml", SHOP);
    let run = folder.run(&["list"]).expect(100);
    run.says("there are no tools").says("--spec");
}

#[test]
fn an_untrusted_project_calls_nothing() {
    let project = Project::from_elsewhere();
    project.write("toolwright.toml", POLICY);
    project.write("specs/shop/openapi.yaml", SHOP);
    let run = project.run(&["call", "list-shop-orders", "--role", "reader"]);
    run.expect(100).says("is not trusted");
    let run = project.run(&["serve", "--role", "reader"]);
    run.expect(100).says("is not trusted");
    assert_eq!(listed(&project, &[]).len(), 2);
}
