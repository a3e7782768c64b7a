//! The inspector's command line, over standard input and output and over HTTP.

use std::{
    env,
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use toolwright_tests::real::Real;

use crate::{
    check_failure, check_list, clients, nowhere,
    stage::{Stage, TOKEN},
};

/// The two ways in which the inspector speaks.
const ERAS: [&str; 2] = ["legacy", "modern"];

/// How a run of the inspector ended: 0 for good, 5 for a tool's failure or an unknown tool, 6 for
/// a schema that some client refuses.
struct Run {
    code: i32,
    answer: Value,
    stderr: String,
}

/// The command of the inspector.
fn inspector(real: &Real) -> Command {
    let node = real.folder().join("npm/node22/node_modules/.bin");
    let paths = env::var_os("PATH").unwrap_or_default();
    let paths = [node]
        .into_iter()
        .chain(env::split_paths(&paths).collect::<Vec<PathBuf>>());
    let program = "npm/inspector2/node_modules/.bin/mcp-inspector";
    let mut command = Command::new(real.folder().join(program));
    command
        .env("PATH", env::join_paths(paths).unwrap())
        .args(["--cli", "--format", "json", "-q"])
        .stdin(Stdio::null());
    command
}

fn run(command: &mut Command) -> Run {
    let ran = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&ran.stderr).into_owned();
    let stdout = String::from_utf8_lossy(&ran.stdout);
    Run {
        code: ran.status.code().unwrap(),
        answer: serde_json::from_str(&stdout).unwrap_or_default(),
        stderr,
    }
}

/// Calls a tool over standard input and output.
fn call(real: &Real, stage: &Stage, era: &str, tool: &str, arguments: &Value) -> Run {
    run(inspector(real)
        .args([
            "--transport",
            "stdio",
            "--protocol-era",
            era,
            "--method",
            "tools/call",
        ])
        .args([
            "--tool-name",
            tool,
            "--tool-args-json",
            &arguments.to_string(),
            "--",
        ])
        .args(stage.command("reader")))
}

#[test]
fn the_inspector_finds_no_error_in_the_list() {
    let Some(real) = clients() else { return };
    let stage = Stage::new();
    for era in ERAS {
        let list = run(inspector(real)
            .args(["--transport", "stdio", "--protocol-era", era])
            .args(["--method", "tools/list", "--strict", "--"])
            .args(stage.command("reader")));
        assert_eq!(list.code, 0, "{era}: {}", list.stderr);
        check_list(&list.answer["result"]["tools"]);
    }
}

#[test]
fn the_inspector_calls_a_readers_tools() {
    let Some(real) = clients() else { return };
    let stage = Stage::new();
    for era in ERAS {
        let list = call(real, &stage, era, "list-depot-items", &json!({"limit": 2}));
        assert_eq!(list.code, 0, "{era}: {}", list.stderr);
        let items = &list.answer["result"]["structuredContent"]["items"];
        assert_eq!(items.as_array().unwrap().len(), 2, "{}", list.answer);

        let failed = call(real, &stage, era, "get-depot-item", &nowhere());
        assert_eq!(failed.code, 5, "{era}: {}", failed.stderr);
        check_failure(&failed.answer["result"]);

        let denied = call(real, &stage, era, "create-depot-item", &json!({}));
        assert_eq!(denied.code, 5, "{era}: {}", denied.stderr);
        assert!(
            denied.stderr.contains("tool_not_found"),
            "{}",
            denied.stderr
        );
    }
}

#[test]
fn the_inspector_is_served_over_http_when_it_shows_the_token() {
    let Some(real) = clients() else { return };
    let stage = Stage::new();
    let server = stage.serve_http("reader");
    for era in ERAS {
        let ask = |header: &str| {
            run(inspector(real)
                .arg(&server.url)
                .args([
                    "--transport",
                    "http",
                    "--protocol-era",
                    era,
                    "--header",
                    header,
                ])
                .args(["--method", "tools/list", "--strict"]))
        };
        let list = ask(&format!("Authorization: Bearer {TOKEN}"));
        assert_eq!(list.code, 0, "{era}: {}", list.stderr);
        check_list(&list.answer["result"]["tools"]);
        assert_ne!(
            ask("Authorization: Bearer another-token-of-the-tests").code,
            0,
            "{era}"
        );
    }
}
