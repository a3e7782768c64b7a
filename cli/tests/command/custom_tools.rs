//! Custom tools: `tools/*.toml`.

use std::{fs, time::Instant};

use serde_json::json;

use super::serve::process::{Server, TOKEN, Told, ask, signal, write_token};
use crate::support::Project;

fn tool(name: &str, scope: &str) -> String {
    format!(
        "name = \"{name}\"\nline = \"Gets a report.\"\ncategory = \"observe\"\n\n[arguments.city]\ntype = \"string\"\n\
         description = \"The city.\"\n\n{scope}\n[http]\nmethod = \"GET\"\nbase_url = \"https://weather.example\"\n\
         path = \"/reports/{{city}}\"\n"
    )
}

const SCOPE: &str = "[scope.allowed_cities]\ncheck = \"pattern\"\nargument = \"city\"\n";

#[test]
fn two_of_three_are_registered_and_the_third_is_reported() {
    let project = Project::empty();
    project.configure(
        "[roles.reader]\nprofiles = [\"weather\"]\n[profiles.weather]\ntools = [\"service:weather\"]\n\
         [[profiles.weather.scopes]]\nallowed_cities = [\"Rome\"]\n",
    );
    project.write("tools/a.toml", tool("get-weather-report", SCOPE));
    project.write("tools/b.toml", tool("get-weather-history", ""));
    project.write("tools/c.toml", tool("get-weather-forecast", SCOPE));
    let listed = project.run(&["list"]).expect(0);
    let listed = listed
        .prints("get-weather-report")
        .prints("get-weather-forecast");
    let listed = listed.says("tools/b.toml:1:1").says("no `scope`");
    assert!(!listed.stdout.contains("get-weather-history"));
    let plan = |city: &str| {
        let arguments = format!("{{\"city\": \"{city}\"}}");
        let call = [
            "call",
            "get-weather-report",
            "--role",
            "reader",
            "--dry-run",
            "--args",
            &arguments,
        ];
        project.run(&call)
    };
    plan("Rome")
        .expect(0)
        .prints("https://weather.example/reports/Rome");
    plan("Paris").expect(5);
    project.run(&["matrix"]).expect(0).prints("forecast  ○get");
}

/// The policy of a clerk who has all custom tools, with these scopes.
fn clerk(scopes: &str) -> String {
    format!(
        "[roles.clerk]\nprofiles = [\"own\"]\n[profiles.own]\ntools = [\"service:notes\"]\n\
         [[profiles.own.scopes]]\n{scopes}\n"
    )
}

const COUNT: &str = r#"
name = "count-notes-words"
line = "Counts the words of a note."
category = "observe"

[arguments.note]
type = "string"
description = "The path of the note."

[scope.allowed_notes]
check = "allowed_paths"
argument = "note"

[command]
program = "/usr/bin/wc"
arguments = ["-w", "{note:path}"]
folder = "notes"
"#;

const COMPARE: &str = r#"
name = "compare-notes-lengths"
line = "Counts the words of two notes."
category = "observe"
returns = { first = "{{one#/stdout}}", second = "{{two#/stdout}}" }

[arguments.first]
type = "string"
description = "The path of a note."

[arguments.second]
type = "string"
description = "The path of another note."

[scope.allowed_first]
check = "allowed_paths"
argument = "first"

[[steps]]
id = "one"
tool = "count-notes-words"
arguments = { note = "{{first}}" }

[[steps]]
id = "two"
tool = "count-notes-words"
arguments = { note = "{{second}}" }
"#;

fn with_notes() -> Project {
    let project = Project::empty();
    project.configure(clerk(
        "allowed_notes = \"*.md\"\nallowed_first = \"*.md\"\n",
    ));
    project.write("notes/a.md", "three words here");
    project.write("notes/b.md", "one");
    project.write("tools/count.toml", COUNT);
    project.write("tools/compare.toml", COMPARE);
    project.run(&["trust"]).expect(0).prints("/usr/bin/wc");
    project
}

#[test]
fn programs_and_sequences_are_listed_shown_called_and_served() {
    let project = with_notes();
    let listed = project.run(&["list"]).expect(0);
    listed
        .prints("count-notes-words")
        .prints("compare-notes-lengths");
    let only = project.run(&["list", "--service", "notes"]).expect(0);
    only.prints("compare-notes-lengths");
    let shown = project.run(&["show", "count-notes-words"]).expect(0);
    shown.prints("Counts the words of a note.").prints("note");
    let shown = project.run(&["show", "compare-notes-lengths"]).expect(0);
    shown.prints("Counts the words of two notes.");
    let call = |tool: &str, arguments: &str| {
        project.run(&["call", tool, "--role", "clerk", "--args", arguments])
    };
    call("count-notes-words", r#"{"note": "a.md"}"#)
        .expect(0)
        .prints("3 a.md");
    call("count-notes-words", r#"{"note": "../toolwright.toml"}"#).expect(5);
    let compared = call(
        "compare-notes-lengths",
        r#"{"first": "a.md", "second": "b.md"}"#,
    );
    compared.expect(0).prints("3 a.md").prints("1 b.md");
    let served = ask(
        &project,
        &["serve", "--role", "clerk"],
        "tools/call",
        &json!({"name": "compare-notes-lengths", "arguments": {"first": "a.md", "second": "b.md"}}),
    );
    let result = &served["result"]["structuredContent"]["result"];
    assert_eq!(
        result,
        &json!({"first": "3 a.md\n", "second": "1 b.md\n"}),
        "{served}"
    );
    project.run(&["policy", "check"]).expect(0);
    let explain = || {
        let arguments = r#"{"first": "a.md", "second": "b.md"}"#;
        project
            .run(&[
                "policy",
                "explain",
                "clerk",
                "compare-notes-lengths",
                arguments,
            ])
            .expect(0)
    };
    explain().prints("offered `count-notes-words`");
    // The role must be offered what the steps call.
    let policy = clerk("allowed_first = \"*.md\"\n");
    project.configure(policy.replace("service:notes", "compare-notes-lengths"));
    explain().prints("fail  the role is offered `count-notes-words`");
    call(
        "compare-notes-lengths",
        r#"{"first": "a.md", "second": "b.md"}"#,
    )
    .expect(5);
}

#[test]
fn a_program_runs_only_as_the_user_has_trusted_it() {
    let project = with_notes();
    let call = || {
        let arguments = r#"{"note": "a.md"}"#;
        project.run(&[
            "call",
            "count-notes-words",
            "--role",
            "clerk",
            "--args",
            arguments,
        ])
    };
    call().expect(0);
    project.write("tools/count.toml", COUNT.replace("\"-w\"", "\"-c\""));
    let refused = call();
    assert_ne!(refused.code, Some(0));
    refused
        .says("changed since it was trusted")
        .says("count.toml");
    // A description is no program.
    project.write(
        "tools/count.toml",
        COUNT.replace("Counts the", "Counts all"),
    );
    call().expect(0);
    project.write("tools/count.toml", format!("{COUNT}write = [\"notes\"]\n"));
    assert_ne!(call().code, Some(0));
    project.run(&["trust"]).expect(0);
    project.run(&["list"]).says("writes files");
}

#[test]
fn a_sequence_whose_tool_is_gone_is_left_out() {
    let project = with_notes();
    project.write("tools/count.toml", COUNT.replace("wc", "wc/"));
    let listed = project.run(&["list"]);
    let listed = listed.says("tools/count.toml:15:11");
    let listed = listed
        .says("tools/compare.toml:21:8")
        .says("no tool `count-notes-words`");
    assert!(!listed.stdout.contains("compare-notes-lengths"));
}

const SERVE: [&str; 9] = [
    "serve",
    "--role",
    "clerk",
    "--transport",
    "http",
    "--port",
    "0",
    "--token-file",
    "token.txt",
];

/// Starts a server of the notes.
fn serving(project: &Project) -> Server {
    write_token(project, TOKEN, 0o600);
    Server::run(project, &SERVE)
}

/// Trusts the project as it is, lets the server read its tools again, and waits for what it reports.
#[track_caller]
fn reload(project: &Project, server: &Server, report: &str) {
    project.run(&["trust"]).expect(0);
    server.signal("HUP");
    server.says(report);
}

#[test]
fn a_server_reads_its_tools_again() {
    let project = with_notes();
    let server = serving(&project);
    let mut client = server.session();
    assert_eq!(
        client.tools(),
        ["compare-notes-lengths", "count-notes-words"]
    );
    let lines = COUNT
        .replace("count-notes-words", "count-notes-lines")
        .replace("\"-w\"", "\"-l\"");
    project.write("tools/lines.toml", &lines);
    reload(&project, &server, "new: `count-notes-lines`");
    assert!(client.tools().contains(&"count-notes-lines".to_owned()));
    let called = client.call("count-notes-lines", &json!({"note": "a.md"}));
    assert!(called.to_string().contains("0 a.md"), "{called}");
    project.write("tools/lines.toml", lines.replace("\"-l\"", "\"-c\""));
    reload(&project, &server, "changed: `count-notes-lines`");
    let called = client.call("count-notes-lines", &json!({"note": "a.md"}));
    assert!(called.to_string().contains("16 a.md"), "{called}");
    // A broken file switches its tool off, and those that call it.
    project.write("tools/count.toml", COUNT.replace("/usr/bin/wc", "wc"));
    reload(&project, &server, "tools/count.toml:15:11");
    server.says("off: `compare-notes-lengths`, `count-notes-words`");
    assert_eq!(client.tools(), ["count-notes-lines"]);
    let refused = client.call("count-notes-words", &json!({"note": "a.md"}));
    assert!(refused["error"].is_object(), "{refused}");
    project.write("tools/count.toml", COUNT);
    reload(
        &project,
        &server,
        "new: `compare-notes-lengths`, `count-notes-words`",
    );
    assert_eq!(client.tools().len(), 3);
    fs::remove_file(project.path("tools/lines.toml")).unwrap();
    reload(&project, &server, "off: `count-notes-lines`");
    assert_eq!(client.tools().len(), 2);
    let named = project.run(&["policy", "explain", "clerk", "count-notes-lines"]);
    assert!(!named.stdout.contains("allow"), "{}", named.stdout);
}

#[test]
fn clients_are_notified_of_a_reload() {
    let project = with_notes();
    let client = Told::start(&project, &["serve", "--role", "clerk"]);
    let changed = Instant::now();
    fs::remove_file(project.path("tools/compare.toml")).unwrap();
    signal(client.id(), "HUP");
    client.after(changed);
}

#[test]
fn a_program_that_is_not_trusted_is_not_taken_over() {
    let project = with_notes();
    let server = serving(&project);
    let mut client = server.session();
    project.write("tools/count.toml", COUNT.replace("\"-w\"", "\"-c\""));
    server.signal("HUP");
    server.says("changed since it was trusted");
    server.says("off: `count-notes-words`");
    assert!(client.tools().is_empty());
    reload(&project, &server, "new: ");
    assert_eq!(client.tools().len(), 2);
}

#[test]
fn a_new_tool_waits_for_the_policy_lock() {
    let project = with_notes();
    project.run(&["policy", "check", "--accept"]).expect(0);
    let server = serving(&project);
    let mut client = server.session();
    assert_eq!(client.tools().len(), 2);
    let lines = COUNT.replace("count-notes-words", "count-notes-lines");
    project.write("tools/lines.toml", lines);
    reload(&project, &server, "new: `count-notes-lines`");
    assert_eq!(client.tools().len(), 2);
    let pending = project.run(&["policy", "check"]).expect(4);
    pending.prints("new: `count-notes-lines`");
}
