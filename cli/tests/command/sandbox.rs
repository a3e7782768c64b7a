//! `sandbox check`: what this machine supports.

use serde_json::Value;

use crate::support::Project;

#[test]
fn the_check_lists_layers_and_features_and_ends_by_them() {
    let project = Project::with_memo();
    let run = project.run(&["sandbox", "check", "--json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let layers = report["layers"].as_object().unwrap();
    let names: Vec<_> = layers.keys().map(String::as_str).collect();
    assert_eq!(names, ["files", "network", "processes", "system_calls"]);
    let has_all = layers.values().all(|has| has == true);
    for feature in report["features"].as_array().unwrap() {
        // A feature that is missing has the step that provides it.
        assert_eq!(feature["supported"] == false, feature["help"].is_string());
    }
    let exit = if has_all { 0 } else { 4 };
    run.expect(exit);
    let text = project.run(&["sandbox", "check"]).expect(exit);
    text.prints("landlock").prints("layer processes");
}

#[test]
fn the_child_of_a_sandbox_takes_orders_alone() {
    let project = Project::with_memo();
    // Without an order on standard input it ends, and runs no command.
    let run = project.run(&["--toolwright-sandbox-child", "list"]);
    run.expect(1);
}
