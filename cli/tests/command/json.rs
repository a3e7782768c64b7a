//! `--json` of every command: the data and each error are JSON on standard output.

use serde_json::Value;
use toolwright_tests::Answer;

use crate::support::{Project, Run, all_commands, service};

const SPEC: [&str; 4] = ["--spec", "specs/memo/openapi.yaml", "--service", "memo"];

/// A specification that cannot be read.
const BROKEN: &str = "info: { title: x, version: '1' }\nopenapi: 4.0.0\npaths: {}\n";

/// A failing run of each command with its code and its exit code, but for those that cannot fail
/// without a broken machine.
#[rustfmt::skip]
fn failing(command: &str) -> Option<(&'static [&'static str], &'static str, i32)> {
    Some(match command {
        "new" => (&["."], "exists", 100),
        "add" => (&["absent.yaml", "--service", "shop"], "file", 100),
        "refresh" => (&["nothing"], "unknown_service", 100),
        "generate" => (&["--service", "nothing"], "unknown_service", 100),
        "check" => (&["--config", "absent.toml"], "invalid_configuration", 100),
        "diff" => (&["absent", "absent"], "invalid_specification", 100),
        "inspect" => (&["a.yaml", "b.yaml", "--overlay", "c.toml"], "usage", 2),
        "review" => (&["--service", "nothing"], "unknown_service", 100),
        "budget" | "list" | "matrix" | "tools states" | "policy check" => (&["--service", "nothing"], "unknown_service", 100),
        "export" => (&["--target", "mcp", "--service", "nothing"], "unknown_service", 100),
        "show" | "explain" => (&["nope"], "unknown_tool", 100),
        "call" => (&["nope", "--role", "reader"], "tool_not_permitted", 5),
        "audit tail" | "audit search" | "audit export" | "audit report" | "audit verify" =>
            (&["--file", "absent.jsonl"], "file", 100),
        "audit sinks" | "audit forward" => return None,
        "audit show" => (&["x", "--file", "absent.jsonl"], "file", 100),
        "files add" => (&["absent.pdf", "--role", "reader"], "file", 100),
        "files save" | "files remove" =>
            (&["file-0123456789abcdef0123456789abcdef", "--role", "reader"], "file_not_found", 100),
        "files list" | "audit schema" => return None,
        "approvals list" => return None,
        "approvals show" => (&["0123456789ab"], "unknown_entry", 100),
        "approve" | "reject" | "approvals approve" | "approvals reject" =>
            (&["0123456789ab", "--by", "me"], "unknown_entry", 100),
        "approvals watch" => (&["--seconds", "x"], "usage", 2),
        "approvals grant" =>
            (&["reader", "nope", "--by", "me", "--why", "x", "--uses", "1", "--minutes", "5"], "unknown_tool", 100),
        "approvals grants" => return None,
        "approvals revoke" => (&["grant-0123456789ab", "--by", "me", "--why", "x"], "unknown_entry", 100),
        "approver-key" => return None,
        "console link" => (&["--by", "nobody"], "unknown_entry", 100),
        "console end" => (&["x", "--by", "me", "--why", "x"], "unknown_entry", 100),
        "console sessions" => return None,
        "policy explain" => (&["reader", "x", "{"], "usage", 2),
        "policy test" => (&["absent.toml"], "file", 100),
        "tools enable" | "tools disable" | "tools reset" =>
            (&["nope", "--by", "me", "--why", "x"], "unknown_tool", 100),
        "mount diff" => (&["nothing"], "unknown_service", 100),
        "mount accept" => (&["nothing", "--by", "me", "--why", "x"], "unknown_service", 100),
        "mount list" => return None,
        "skill list" => (&["--service", "nothing"], "unknown_service", 100),
        "skill show" | "skill check" | "skill test" | "skill stats" => (&["nope"], "unknown_skill", 100),
        "skill review" | "skill activate" | "skill rework" | "skill deprecate" | "skill retire" =>
            (&["nope", "--by", "me", "--why", "x"], "unknown_skill", 100),
        "skill new" => (&["nope"], "usage", 2),
        "skill propose" => (&["--file", "absent.jsonl"], "file", 100),
        "skill schema" => return None,
        "state migrate" | "state export" | "sandbox check" => return None,
        "tokens issue" => (&["x", "--role", "nobody", "--by", "me", "--why", "x"], "unknown_role", 100),
        "tokens revoke" => (&["x", "--by", "me", "--why", "x"], "unknown_entry", 100),
        "tokens list" => return None,
        "trust" => (&["absent.toml", "--revoke"], "unknown_entry", 100),
        "mcp-config" => (&["--role", "nobody"], "unknown_role", 100),
        "completions" => (&["tcsh"], "usage", 2),
        "man" => (&["--folder", "toolwright.toml"], "file", 100),
        "dump" => (&["--stage", "nothing"], "usage", 2),
        "eab verify" => (&["specs/memo/openapi.yaml", "--endpoint", "/x.sock"], "invalid_specification", 100),
        "eab scaffold" => (&["specs/memo/openapi.yaml", "--out", "x"], "invalid_specification", 100),
        "demo" | "doctor" => return None,
        other => panic!("`{other}` is not in the test of `--json`"),
    })
}

/// Checks the shape that all errors have, and returns the error.
#[track_caller]
fn error(run: &Run) -> Value {
    let mut lines = run.json();
    assert_eq!(lines.len(), 1, "{}", run.stdout);
    let error = lines.remove(0)["error"].take();
    for (key, is_right) in [
        ("code", error["code"].is_string()),
        ("message", error["message"].is_string()),
        ("retryable", error["retryable"].is_boolean()),
        ("notes", error["notes"].is_array()),
        ("help", error["help"].is_array()),
    ] {
        assert!(is_right, "`{key}` of {error}");
    }
    assert_eq!(
        error["exit_code"].as_i64(),
        run.code.map(i64::from),
        "{error}"
    );
    error
}

fn project() -> Project {
    let project = Project::with_memo();
    project.configure("[roles.reader]\ngrant = [\"category:observe\"]\n");
    project
}

#[test]
fn every_command_reports_wrong_arguments_as_json() {
    let project = project();
    for command in all_commands() {
        let mut line: Vec<&str> = command.split(' ').collect();
        line.extend(["--json", "--no-such-option"]);
        let run = project.run(&line).expect(2);
        if command == "serve" {
            assert_eq!(run.stdout, "", "standard output is the protocol");
            assert!(
                run.stderr.contains(r#"{"error":{"code":"usage""#),
                "{}",
                run.stderr
            );
            continue;
        }
        let error = error(&run);
        assert_eq!(error["code"], "usage", "{command}");
        // An option that the command has is not what is wrong.
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("--no-such-option"), "{command}: {message}");
    }
}

#[test]
fn every_command_reports_its_failure_as_json() {
    let project = project();
    for command in all_commands() {
        if command == "serve" {
            continue;
        }
        let Some((arguments, code, exit)) = failing(command) else {
            continue;
        };
        let mut line: Vec<&str> = command.split(' ').collect();
        line.extend(arguments);
        line.push("--json");
        let run = project.run(&line);
        let error = error(&run);
        assert_eq!(
            (error["code"].as_str(), run.code),
            (Some(code), Some(exit)),
            "{command}: {error}"
        );
    }
}

#[test]
fn serve_leaves_standard_output_to_the_protocol() {
    let project = project();
    let run = project
        .run(&["serve", "--role", "nobody", "--json"])
        .expect(100);
    assert_eq!(run.stdout, "");
    run.says(r#"{"error":{"code":"unknown_role""#);
}

#[test]
fn a_broken_specification_is_reported_with_its_diagnostics() {
    let project = project();
    project.write("specs/memo/openapi.yaml", BROKEN);
    for line in [
        &["generate", "--json"][..],
        &["list", "--json"],
        &["show", "nope", "--json"],
        &["check", "--json"],
        &["diff", "specs", "specs", "--json"],
    ] {
        let run = project.run(line).expect(100);
        let error = error(&run);
        assert_eq!(error["code"], "invalid_specification", "{line:?}");
        let first = &error["diagnostics"][0];
        assert_eq!(first["severity"], "error", "{line:?}: {error}");
        assert_eq!(first["line"], 2, "{line:?}: {error}");
    }
}

#[test]
fn each_problem_of_the_configuration_is_a_line() {
    let project = project();
    project.write(
        "toolwright.toml",
        "[roles.reader]\ngrant = [\"efect:read\", \"x:y\"]\n",
    );
    let run = project.run(&["list", "--json"]).expect(100);
    let lines = run.json();
    assert_eq!(lines.len(), 2, "{}", run.stdout);
    for line in lines {
        assert_eq!(line["error"]["code"], "invalid_configuration");
    }
}

#[test]
fn a_failed_call_names_its_request_without_secrets() {
    let server = service(Answer::json(404, r#"{"message": "gone"}"#));
    let project = project();
    let url = server.url();
    project.write(
        ".local/memo/admin-auth.json",
        format!(r#"{{"base_url": "{url}", "api_token": "s3cret-t0ken"}}"#),
    );
    let line = [
        "call",
        "get-memo-note",
        "--role",
        "reader",
        "--args",
        r#"{"id": 7}"#,
    ];
    let shown = format!("GET {url}/notes/7");
    project
        .run(&[&line[..], &SPEC].concat())
        .expect(7)
        .says(&shown);
    let run = project
        .run(&[&line[..], &SPEC, &["--json"]].concat())
        .expect(7);
    let error = error(&run);
    assert_eq!(error["code"], "service_error");
    assert_eq!(error["status"], 404);
    assert_eq!(error["request"]["method"], "GET");
    assert_eq!(error["request"]["url"], format!("{url}/notes/7"));
    assert!(!run.stdout.contains("s3cret") && !run.stderr.contains("s3cret"));
}

#[test]
fn a_call_that_waits_has_the_id_of_its_approval() {
    let project = project();
    let line = [
        "call",
        "delete-memo-note",
        "--role",
        "clerk",
        "--grant",
        "*",
        "--enable",
        "*",
        "--args",
        r#"{"id": 7}"#,
        "--json",
    ];
    let auth = r#"{"base_url": "http://127.0.0.1:9", "api_token": "s3cret-t0ken"}"#;
    project.write(".local/memo/admin-auth.json", auth);
    let run = project.run(&[&line[..], &SPEC].concat()).expect(6);
    let error = error(&run);
    assert_eq!(error["code"], "approval_required");
    assert!(
        error["approval_id"].as_str().unwrap().starts_with("wait-"),
        "{error}"
    );
    assert!(error["expires"].is_string(), "{error}");
}

#[test]
fn what_has_no_data_of_its_own_says_what_was_done() {
    let project = project();
    let run = |line: &[&str]| {
        project
            .run(&[line, &["--json"]].concat())
            .expect(0)
            .json()
            .remove(0)
    };
    let switched = run(&[
        "tools",
        "disable",
        "get-memo-note",
        "--by",
        "me",
        "--why",
        "x",
    ]);
    assert_eq!(
        switched,
        serde_json::json!({"tool": "get-memo-note", "override": false})
    );
    assert!(run(&["approver-key"])["key"].is_string());
    assert!(run(&["man"])["page"].is_string());
    assert_eq!(run(&["man", "--folder", "pages"])["folder"], "pages");
    assert_eq!(run(&["completions", "bash"])["shell"], "bash");
    assert!(run(&["mcp-config", "--role", "reader"])["mcpServers"].is_object());
}
