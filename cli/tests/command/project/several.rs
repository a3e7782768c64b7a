//! Several specifications that are named on the command line.

use serde_json::json;

use super::{SHOP, listed, project};
use crate::{
    serve::process::{ask, names},
    support::{NOTES, Project},
};

const BOTH: [&str; 4] = [
    "--spec",
    "specs/memo/openapi.yaml",
    "--spec",
    "specs/shop/openapi.yaml",
];

#[test]
fn several_specifications_are_used_together() {
    let project = Project::from_elsewhere();
    project.write("notes.yaml", NOTES);
    project.write("shop/openapi.yaml", SHOP);
    let specs = ["--spec", "notes.yaml", "--spec", "shop/openapi.yaml"];
    let tools = listed(&project, &specs);
    assert!(tools.contains(&"get-shop-order".to_owned()));
    assert!(tools.contains(&"get-notes-note".to_owned()), "{tools:?}");
    let serve = [
        &["serve", "--role", "me", "--grant", "category:observe"],
        &specs[..],
    ];
    let answer = ask(&project, &serve.concat(), "tools/list", &json!({}));
    assert_eq!(names(&answer).len(), 4);
    let explain = [&["explain", "get-shop-order"], &specs[..]].concat();
    let explain = project.run(&explain).expect(0);
    explain.prints("shop/openapi.yaml:");
}

#[test]
fn the_overlay_and_the_lock_beside_a_specification_are_used() {
    let project = Project::from_elsewhere();
    let overlay = "[operations.getOrder]\nnoun = \"receipt\"\n";
    project.write("shop/openapi.yaml", SHOP);
    project.write("shop/overlay.toml", overlay);
    project.write("orders.yaml", SHOP);
    project.write("orders.overlay.toml", overlay);
    // It belongs to no file of this name.
    project.write("overlay.toml", "nonsense");
    for (spec, tool) in [
        ("shop/openapi.yaml", "get-shop-receipt"),
        ("shop", "get-shop-receipt"),
        ("orders.yaml", "get-orders-receipt"),
    ] {
        let tools = listed(&project, &["--spec", spec]);
        assert!(tools.contains(&tool.to_owned()), "{tools:?}");
        let run = project.run(&["list", "--spec", spec]);
        run.says("overlay.toml");
    }
    project.write("empty.toml", "");
    let tools = listed(
        &project,
        &["--spec", "orders.yaml", "--overlay", "empty.toml"],
    );
    assert!(tools.contains(&"get-orders-order".to_owned()), "{tools:?}");
}

#[test]
fn an_overlay_of_the_project_is_not_mentioned() {
    let project = project();
    project.write("specs/shop/overlay.toml", "");
    let run = project.run(&[&["list"], &BOTH[..]].concat()).expect(0);
    assert_eq!(run.stderr, "");
}

#[test]
fn a_name_or_an_overlay_is_of_exactly_one() {
    let project = project();
    for option in ["--service", "--overlay"] {
        let run = project.run(&[&["list", option, "shop"], &BOTH[..]].concat());
        run.expect(2)
            .says(&format!("`{option}` is for one `--spec`, and there are 2"))
            .says("overlay");
    }
}

#[test]
fn two_specifications_of_one_service_are_refused() {
    let project = project();
    project.write("other/shop/openapi.yaml", SHOP);
    let arguments = [
        "list",
        "--spec",
        "specs/shop/openapi.yaml",
        "--spec",
        "other/shop/openapi.yaml",
    ];
    let run = project.run(&arguments).expect(100);
    run.says("two specifications are of the service `shop`")
        .says("`specs/shop/openapi.yaml` and `other/shop/openapi.yaml`");
}

#[test]
fn a_broken_one_costs_itself_alone() {
    let project = project();
    project.write("bad.yaml", "openapi: [");
    let run = project.run(&[&["list", "--spec", "bad.yaml"], &BOTH[..]].concat());
    run.expect(3)
        .prints("list-shop-orders")
        .says("bad.yaml:1:")
        .says("`bad.yaml` is left out");
}
