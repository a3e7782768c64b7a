//! The folder of the files.

use std::fs;

use toolwright_custom::read_folder;

use crate::support::TOOL;

#[test]
fn a_tool_without_scope_parameters_is_reported_and_the_others_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let (before, after) = TOOL.split_once("[scope.allowed_cities]").unwrap();
    let (_, http) = after.split_once("[http]").unwrap();
    write("a.toml", TOOL);
    write("b.toml", &format!("{before}[http]{http}"));
    write(
        "c.toml",
        &TOOL.replace("get-weather-report", "get-weather-forecast"),
    );
    write("notes.txt", "no tool");
    let custom = read_folder(folder.path()).unwrap();
    assert_eq!(custom.files.len(), 2);
    assert_eq!(custom.problems.len(), 1, "{:?}", custom.problems);
    let problem = custom.problems[0].to_string();
    assert!(
        problem.contains("b.toml:1:1") && problem.contains("no `scope`"),
        "{problem}"
    );
    assert!(
        read_folder(&folder.path().join("absent"))
            .unwrap()
            .files
            .is_empty()
    );
}
