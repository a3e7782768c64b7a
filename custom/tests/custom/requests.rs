//! Tools that send a request.

use std::path::Path;

use serde_json::json;
use toolwright::{
    Category, Effect, Registry, Role, ScopedToolView, Tool, ToolError, audit::MemoryAudit,
    config::Config,
};

use crate::support::{TOOL, check_faults, read};

fn view(tool: Tool, cities: &str) -> ScopedToolView {
    let policy = format!(
        "[roles.reader]\nprofiles = [\"weather\"]\n[profiles.weather]\ntools = [\"service:weather\"]\n\
         [[profiles.weather.scopes]]\n{cities}\n"
    );
    let config = Config::parse(Path::new("toolwright.toml"), &policy).unwrap();
    let registry = Registry::builder()
        .tool(tool)
        .config(config)
        .audit(MemoryAudit::new());
    registry
        .build()
        .unwrap()
        .for_agent(&Role::new("reader").unwrap())
}

/// Returns the URL that a call would request.
fn url(view: &ScopedToolView, arguments: serde_json::Value) -> Result<String, ToolError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let planned = runtime.block_on(view.plan("get-weather-report", arguments))?;
    Ok(planned.request.unwrap().url)
}

#[test]
fn a_file_is_a_tool_whose_values_are_encoded() {
    let tool = read(TOOL).unwrap();
    let spec = tool.spec();
    assert_eq!(
        (spec.category, spec.effect),
        (Category::Observe, Effect::Read)
    );
    assert!(spec.enabled_by_default && !spec.approval_required);
    let view = view(tool, "allowed_cities = [\".*\"]");
    let planned = url(&view, json!({"city": "San José", "days": 3})).unwrap();
    assert_eq!(
        planned,
        "https://weather.example/api/reports/San%20Jos%C3%A9?days=3&lang=en"
    );
    // Nothing of an agent is a part of the URL's structure.
    for hostile in ["../admin", "a/b", "a?lang=de", "a#b", "..", "a%2fb", "a\\b"] {
        match url(&view, json!({"city": hostile})) {
            Err(error) => assert_eq!(error.code(), "invalid_arguments", "{hostile}: {error}"),
            Ok(url) => {
                let rest = url
                    .strip_prefix("https://weather.example/api/reports/")
                    .unwrap();
                let (segment, query) = rest.split_once('?').unwrap();
                assert!(
                    !segment.contains(['/', '#', '\\']) && query == "lang=en",
                    "{url}"
                );
            }
        }
    }
    let more = url(&view, json!({"city": "a", "lang": "de"})).unwrap_err();
    assert_eq!(more.code(), "invalid_arguments");
}

#[test]
fn a_scope_parameter_that_is_not_set_refuses() {
    let limited = view(read(TOOL).unwrap(), "allowed_cities = [\"Bonn|Rome\"]");
    assert!(url(&limited, json!({"city": "Rome"})).is_ok());
    assert_eq!(
        url(&limited, json!({"city": "Paris"})).unwrap_err().code(),
        "scope_violation"
    );
    let unset = view(read(TOOL).unwrap(), "rate = \"9/minute\"");
    assert_eq!(
        url(&unset, json!({"city": "Rome"})).unwrap_err().code(),
        "scope_missing"
    );
}

#[test]
fn every_fault_has_a_place_and_a_fix() {
    let replaced = [
        (
            "name = \"get-weather-report\"",
            "name = \"weather\"",
            "2:8",
            "`<verb>-<service>-<noun>`",
        ),
        (
            "get-weather-report",
            "frob-weather-report",
            "2:8",
            "not a verb",
        ),
        (
            "get-weather-report",
            "delete-weather-report",
            "4:12",
            "contradicts the effect",
        ),
        (
            "line = \"Gets",
            "line = \"\\u200bGets",
            "3:8",
            "invisible character",
        ),
        ("\"observe\"", "\"approve\"", "4:12", "no approval"),
        ("\"observe\"", "\"watch\"", "4:12", "observe"),
        (
            "\"observe\"",
            "\"observe\"\neffect = \"delete\"",
            "5:10",
            "contradicts the category",
        ),
        (
            "[arguments.city]\ntype = \"string\"",
            "[arguments.city]",
            "6:",
            "has no type",
        ),
        (
            "[arguments.days]",
            "[arguments.Days]",
            "10:",
            "not a name of an argument",
        ),
        ("\"pattern\"", "\"patern\"", "16:9", "pattern"),
        (
            "argument = \"city\"",
            "argument = \"town\"",
            "17:12",
            "no argument `town`",
        ),
        ("\"GET\"", "\"TRACE\"", "20:10", "not a method"),
        ("\"GET\"", "\"get\"", "20:10", "not a method"),
        (
            "https://weather.example/api",
            "https://u:p@weather.example",
            "21:12",
            "not the URL",
        ),
        (
            "https://weather.example/api",
            "https://{city}.example",
            "21:12",
            "not the URL",
        ),
        (
            "https://weather.example/api",
            "file:///etc",
            "21:12",
            "not the URL",
        ),
        (
            "/reports/{city}",
            "reports/{city}",
            "22:8",
            "does not begin with `/`",
        ),
        (
            "/reports/{city}",
            "/reports/x-{city}",
            "22:8",
            "not a segment",
        ),
        (
            "/reports/{city}",
            "/reports/../{city}",
            "22:8",
            "not a segment",
        ),
        (
            "/reports/{city}",
            "/reports/{city}?a=b",
            "22:8",
            "not a segment",
        ),
        (
            "/reports/{city}",
            "/reports/{town}",
            "22:8",
            "no argument `town`",
        ),
        ("/reports/{city}", "/reports/{days}", "22:8", "is optional"),
        (
            "days = \"{days}\"",
            "days = \"{days} days\"",
            "23:11",
            "one argument as a whole",
        ),
        ("days = \"{days}\"", "days = 3", "23:18", "a string"),
        (
            "days = \"{days}\", ",
            "",
            "",
            "no part of the request contains the argument `days`",
        ),
        (
            "X-Mode = \"fast\"",
            "X-Mode = \"{city}\"",
            "24:13",
            "cannot be a header",
        ),
        (
            "X-Mode = \"fast\"",
            "Host = \"evil.example\"",
            "24:13",
            "decides about the request",
        ),
        (
            "X-Mode = \"fast\"",
            "X-Mode = \"a\\r\\nb\"",
            "24:13",
            "not visible ASCII",
        ),
        (
            "headers = {",
            "body = { a = \"{city}\" }\nheaders = {",
            "24:8",
            "has no body",
        ),
        ("headers = {", "heders = {", "24:1", "headers"),
        ("[http]", "[http", "19:", ""),
    ];
    check_faults(TOOL, &[], &replaced);
}
