//! Tools of several steps.

use toolwright::{Category, Effect};

use crate::support::{STEPS, TOOL, check_faults, read, read_with};

#[test]
fn every_fault_of_a_sequence_has_a_place_and_a_fix() {
    let report = read(TOOL).unwrap();
    let order = TOOL
        .replace("get-weather-report", "delete-weather-report")
        .replace("\"observe\"", "\"execute\"\neffect = \"delete\"")
        .replace("\"GET\"", "\"DELETE\"");
    let tools = [report, read(&order).unwrap()];
    let replaced = [
        ("[[steps]]\nid = \"one\"", "[steps]\nid = \"one\"", "", ""),
        ("id = \"one\"\n", "", "20:1", "no `id`"),
        ("tool = \"get-weather-report\"\n", "", "20:1", "no `tool`"),
        ("id = \"two\"", "id = \"one\"", "25:1", "the name of two"),
        ("id = \"two\"", "id = \"city\"", "25:1", "the name of two"),
        ("id = \"two\"", "id = \"Two\"", "25:1", "cannot be the name"),
        (
            "id = \"two\"",
            "id = \"two\"\nif = 1",
            "27:1",
            "unknown key",
        ),
        (
            "\"get-weather-report\"",
            "\"get-wether-report\"",
            "22:8",
            "no tool `get-wether-report`",
        ),
        ("\"get-weather-report\"", "\"weather\"", "22:8", ""),
        (
            "\"get-weather-report\"",
            "\"delete-weather-report\"",
            "1:1",
            "below that of the steps",
        ),
        (
            "city = \"{{city}}\"",
            "town = \"{{city}}\"",
            "23:22",
            "no argument `town`",
        ),
        (
            "city = \"{{city}}\"",
            "days = 3, city = \"{{city}}\"",
            "23:",
            "",
        ),
        (
            "city = \"{{item}}\"",
            "days = 2",
            "27:8",
            "needs the argument `city`",
        ),
        ("days = 3", "days = \"{{cities}}\"", "23:41", "is an array"),
        (
            "city = \"{{city}}\"",
            "city = \"{{town}}\"",
            "23:22",
            "named `town`",
        ),
        (
            "city = \"{{city}}\"",
            "city = \"{{two}}\"",
            "23:22",
            "named `two`",
        ),
        (
            "city = \"{{city}}\"",
            "city = \"{{city\"",
            "23:22",
            "no end",
        ),
        (
            "city = \"{{city}}\"",
            "city = \"{{item}}\"",
            "23:22",
            "not in a loop",
        ),
        ("days = 3", "days = \"three\"", "23:41", ""),
        (
            "type = \"array\"",
            "type = \"string\"",
            "28:8",
            "needs a list",
        ),
        ("most = 5\n", "", "28:8", "no bound"),
        ("most = 5", "most = 500", "29:8", "100"),
        (
            "second = \"{{two}}\"",
            "second = \"{{three}}\"",
            "5:41",
            "named `three`",
        ),
        (
            "argument = \"city\"",
            "argument = \"town\"",
            "18:12",
            "no argument `town`",
        ),
        (
            "items = { type = \"string\" }",
            "optional = 3",
            "13:12",
            "`true` or `false`",
        ),
        (
            "[arguments.city]",
            "[arguments.more]\ntype = \"string\"\ndescription = \"x\"\n[arguments.city]",
            "7:12",
            "contains the argument `more`",
        ),
        (
            "[scope.allowed_cities]",
            "[http]\n[scope.allowed_cities]",
            "",
            "has one of",
        ),
    ];
    check_faults(STEPS, &tools, &replaced);
}

#[test]
fn the_class_of_a_sequence_is_not_below_its_steps() {
    let delete = TOOL
        .replace("get-weather-report", "delete-weather-report")
        .replace("\"observe\"", "\"execute\"\neffect = \"delete\"")
        .replace("\"GET\"", "\"DELETE\"");
    let tools = [read(TOOL).unwrap(), read(&delete).unwrap()];
    let spec = read_with(STEPS, &tools).unwrap().spec().clone();
    assert_eq!(
        (spec.category, spec.approval_required),
        (Category::Observe, false)
    );
    assert!(spec.hints.read_only && spec.enabled_by_default);
    let deleting = STEPS
        .replace("compare-weather", "clear-weather")
        .replace(
            "tool = \"get-weather-report\"\neach",
            "tool = \"delete-weather-report\"\neach",
        )
        .replace("\"observe\"", "\"execute\"\neffect = \"delete\"");
    let spec = read_with(&deleting, &tools).unwrap().spec().clone();
    assert_eq!(
        (spec.category, spec.effect),
        (Category::Execute, Effect::Delete)
    );
    assert!(spec.approval_required && spec.hints.destructive && !spec.enabled_by_default);
    let lower = deleting.replace("effect = \"delete\"", "effect = \"update\"");
    let problem = read_with(&lower, &tools).unwrap_err();
    assert!(
        problem.contains("write `category = \"execute\"` and `effect = \"delete\"`"),
        "{problem}"
    );
}
