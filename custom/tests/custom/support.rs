//! Files of tools, and how they are read.

use std::path::Path;

use toolwright::{Tool, config::ConfigProblem};
use toolwright_custom::{CustomTool, parse};
use toolwright_skills::KnownTools;

/// A tool that sends a request.
pub(crate) const TOOL: &str = r#"
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

/// A tool that runs a command.
pub(crate) const COMMAND: &str = r#"
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

/// A tool of several steps.
pub(crate) const STEPS: &str = r#"
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

pub(crate) fn described(text: &str) -> Result<CustomTool, String> {
    parse(Path::new("tools/a.toml"), text).map_err(|problems| joined(&problems))
}

fn joined(problems: &[ConfigProblem]) -> String {
    let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
    problems.join("\n")
}

/// Returns the tool of a file, whose steps may call these tools.
pub(crate) fn read_with(text: &str, tools: &[Tool]) -> Result<Tool, String> {
    let specs = tools.iter().map(|tool| tool.spec().as_ref());
    let completed = described(text)?.complete(&KnownTools::new(specs));
    completed.map_err(|problems| joined(&problems))
}

pub(crate) fn read(text: &str) -> Result<Tool, String> {
    read_with(text, &[])
}

/// Checks that each file with a part replaced has a fault at a place, with a message.
pub(crate) fn check_faults(tool: &str, tools: &[Tool], replaced: &[(&str, &str, &str, &str)]) {
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
