//! Custom tools: what a file becomes, and each fault with its place.
#![cfg(test)]

use std::{fs, path::Path};

use serde_json::json;
use toolwright::{
    Category, Effect, Registry, Role, ScopedToolView, Tool, ToolError,
    audit::MemoryAudit,
    config::{
        Config, ConfigProblem,
        reader::{ConfigReader, File},
    },
};
use toolwright_custom::{CustomTool, json_schema, parse, read_folder};
use toolwright_skills::KnownTools;

const TOOL: &str = r#"
name = "get-weather-report"
line = "Gets the report of a city."
category = "observe"

[arguments.city]
type = "string"
description = "The city."

[arguments.days]
type = "integer"
description = "The number of days."
optional = true

[scope.allowed_cities]
check = "pattern"
argument = "city"

[http]
method = "GET"
base_url = "https://weather.example/api"
path = "/reports/{city}"
query = { days = "{days}", lang = "en" }
headers = { X-Mode = "fast" }
"#;

fn described(text: &str) -> Result<CustomTool, String> {
    parse(Path::new("tools/a.toml"), text).map_err(|problems| joined(&problems))
}

fn joined(problems: &[ConfigProblem]) -> String {
    let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
    problems.join("\n")
}

/// Returns the tool of a file, whose steps may call these tools.
fn read_with(text: &str, tools: &[Tool]) -> Result<Tool, String> {
    let specs = tools.iter().map(|tool| tool.spec().as_ref());
    let completed = described(text)?.complete(&KnownTools::new(specs));
    completed.map_err(|problems| joined(&problems))
}

fn read(text: &str) -> Result<Tool, String> {
    read_with(text, &[])
}

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

/// Checks that each file with a part replaced has a fault at a place, with a message.
fn check_faults(tool: &str, tools: &[Tool], replaced: &[(&str, &str, &str, &str)]) {
    read_with(tool, tools).unwrap();
    for (from, to, place, message) in replaced {
        assert!(tool.contains(from), "{from}");
        let problems = read_with(&tool.replacen(from, to, 1), tools);
        let problems = problems.expect_err(to);
        let place = format!("tools/a.toml:{place}");
        let found = problems
            .lines()
            .any(|line| line.starts_with(&place) && line.contains(message));
        assert!(
            found,
            "{to}: expected {place} {message}, found:\n{problems}"
        );
    }
}

const COMMAND: &str = r#"
name = "count-notes-words"
line = "Counts the words of a note."
category = "observe"

[arguments.note]
type = "string"
description = "The note."

[arguments.lines]
type = "integer"
description = "A number."

[scope.allowed_notes]
check = "allowed_paths"
argument = "note"

[scope.seconds]
check = "limit"

[command]
program = "/usr/bin/wc"
arguments = ["-w", "{note:path}", "{lines}"]
folder = "notes"
environment = { COLOUR = "blue" }
credentials = { TOKEN = "token" }
ports = [443]
seconds = 10
"#;

#[test]
fn every_fault_of_a_command_has_a_place_and_a_fix() {
    let replaced = [
        ("[command]", "[comand]", "1:1", "nothing says how calls"),
        ("[command]", "[comand]", "21:2", "command"),
        ("[command]", "[http]\n[command]", "22:1", "has one of"),
        ("folder = \"notes\"", "returns = 1", "24:1", "unknown key"),
        (
            "category =",
            "returns = 1\ncategory =",
            "4:11",
            "only a tool of steps",
        ),
        ("program = \"/usr/bin/wc\"\n", "", "21:1", "no `program`"),
        (
            "\"/usr/bin/wc\"",
            "\"wc\"",
            "22:11",
            "not the absolute path",
        ),
        (
            "\"/usr/bin/wc\"",
            "\"/usr/../bin/wc\"",
            "22:11",
            "not the absolute path",
        ),
        (
            "\"/usr/bin/wc\"",
            "\"/usr/bin/{note}\"",
            "22:11",
            "not fixed",
        ),
        (
            "\"/usr/bin/wc\"",
            "\"/usr/bin/\\u200bwc\"",
            "22:11",
            "not the absolute path",
        ),
        ("\"/usr/bin/wc\"", "[\"wc\"]", "22:11", "a string"),
        ("[\"-w\"", "[7", "23:14", "a string"),
        ("\"-w\"", "\"-w\\n\"", "23:14", "control character"),
        (
            "{note:path}",
            "--file={note:path}",
            "23:20",
            "one value as a whole",
        ),
        (
            "{note:path}",
            "{note:path} {lines}",
            "23:20",
            "one value as a whole",
        ),
        ("{note:path}", "{no", "23:20", "one value as a whole"),
        ("{note:path}", "{town:path}", "23:20", "no argument `town`"),
        ("{note:path}", "{note:file}", "23:20", "unknown type `file`"),
        ("{note:path}", "{note:a|-b}", "23:20", "not a word"),
        ("{lines}", "{lines:path}", "23:35", "of the type `number`"),
        (
            ", \"{lines}\"",
            "",
            "10:12",
            "no part of the command contains the argument `lines`",
        ),
        (
            "\"A number.\"",
            "\"A number.\"\noptional = true",
            "24:35",
            "is optional",
        ),
        (
            "type = \"integer\"",
            "type = \"boolean\"",
            "23:35",
            "a string or an integer",
        ),
        (
            "folder = \"notes\"",
            "folder = \"../notes\"",
            "24:10",
            "not a folder",
        ),
        (
            "folder = \"notes\"",
            "folder = \"/notes\"",
            "24:10",
            "not a folder",
        ),
        (
            "folder = \"notes\"",
            "folder = \".local\"",
            "24:10",
            "not a folder",
        ),
        (
            "folder = \"notes\"",
            "read = [\"notes\"]",
            "24:9",
            "not an absolute path",
        ),
        (
            "folder = \"notes\"",
            "execute = [\"/opt/../x\"]",
            "24:12",
            "not an absolute path",
        ),
        (
            "folder = \"notes\"",
            "write = [\"out\"]",
            "24:9",
            "`observe` writes files",
        ),
        (
            "folder = \"notes\"",
            "write = [\"tools\"]",
            "24:10",
            "cannot write `tools`",
        ),
        (
            "folder = \"notes\"",
            "write = [\".git\"]",
            "24:10",
            "cannot write `.git`",
        ),
        ("COLOUR =", "\"CO LOUR\" =", "25:17", "not a variable"),
        ("\"token\"", "\"tokens\"", "26:25", "token"),
        ("{ TOKEN =", "{ COLOUR =", "26:26", "in `environment` too"),
        ("[443]", "[0]", "27:10", "from 1 to 65535"),
        ("seconds = 10", "seconds = 0", "28:11", "1"),
        ("seconds = 10", "seconds = 9999", "28:11", "3600"),
        (
            "[scope.seconds]",
            "[scope.hours]",
            "19:9",
            "not a limit of a command",
        ),
        (
            "check = \"limit\"",
            "check = \"limit\"\nargument = \"note\"",
            "20:12",
            "checks no argument",
        ),
        ("argument = \"note\"", "", "14:1", "no `argument`"),
    ];
    check_faults(COMMAND, &[], &replaced);
    let limit_of_request = TOOL.replace("[http]", "[scope.seconds]\ncheck = \"limit\"\n[http]");
    let problem = read(&limit_of_request).unwrap_err();
    assert!(problem.contains("only a command has limits"), "{problem}");
}

#[test]
fn all_faults_of_a_file_are_reported_at_once() {
    let broken = COMMAND
        .replace("\"/usr/bin/wc\"", "\"wc\"")
        .replace("[443]", "[0]")
        .replace("\"observe\"", "\"approve\"")
        .replace("{note:path}", "{town}");
    let problems = read(&broken).unwrap_err();
    for part in ["approval", "`wc`", "65535", "`town`"] {
        assert!(problems.contains(part), "{part}:\n{problems}");
    }
}

const STEPS: &str = r#"
name = "compare-weather-reports"
line = "Gets two reports."
category = "observe"
returns = { first = "{{one}}", second = "{{two}}" }

[arguments.city]
type = "string"
description = "A city."

[arguments.cities]
type = "array"
items = { type = "string" }
description = "Other cities."

[scope.allowed_cities]
check = "pattern"
argument = "city"

[[steps]]
id = "one"
tool = "get-weather-report"
arguments = { city = "{{city}}", days = 3 }

[[steps]]
id = "two"
tool = "get-weather-report"
each = "{{cities}}"
most = 5
arguments = { city = "{{item}}" }
"#;

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

const PUBLISHED: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../docs/custom-tool.schema.json"
);

#[test]
fn the_published_schema_is_the_schema() {
    let schema = format!("{:#}\n", json_schema());
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(PUBLISHED, &schema).unwrap();
    }
    assert_eq!(fs::read_to_string(PUBLISHED).unwrap(), schema);
    assert!(jsonschema::draft202012::meta::is_valid(&json_schema()));
}

#[test]
fn the_schema_agrees_with_the_reader() {
    let validator = jsonschema::draft202012::new(&json_schema()).unwrap();
    let is_valid = |text: &str| {
        let path = Path::new("tools/a.toml");
        let mut reader = ConfigReader::default();
        let file = File { path, text };
        let document = file.parse(&mut reader).unwrap();
        validator.is_valid(&file.node(&document).to_json().unwrap())
    };
    for tool in [TOOL, COMMAND, STEPS] {
        assert!(is_valid(tool) && described(tool).is_ok(), "{tool}");
    }
    for (tool, from, to) in [
        (TOOL, "line =", "lne ="),
        (TOOL, "[scope.allowed_cities]", "[scopes.allowed_cities]"),
        (TOOL, "argument = \"city\"", ""),
        (TOOL, "\"GET\"", "\"TRACE\""),
        (TOOL, "path = ", "paths = "),
        (TOOL, "[http]", "[command]\nprogram = \"/bin/a\"\n[http]"),
        (TOOL, "category", "returns = 1\ncategory"),
        (COMMAND, "program = \"/usr/bin/wc\"", ""),
        (COMMAND, "folder =", "folders ="),
        (COMMAND, "seconds = 10", "seconds = 0"),
        (COMMAND, "\"token\"", "\"tokens\""),
        (COMMAND, "[443]", "[0]"),
        (COMMAND, "COLOUR =", "\"CO LOUR\" ="),
        (
            COMMAND,
            "check = \"limit\"",
            "check = \"limit\"\nargument = \"note\"",
        ),
        (STEPS, "most = 5\n", ""),
        (STEPS, "tool = \"get-weather-report\"\n", ""),
    ] {
        let broken = tool.replacen(from, to, 1);
        assert!(tool.contains(from), "{from}");
        assert!(!is_valid(&broken), "the schema accepts {to}");
        assert!(described(&broken).is_err(), "the reader accepts {to}");
    }
}
