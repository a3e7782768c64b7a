//! `mcp-config`: the printed configuration starts the server, wherever the client runs.

use std::{
    fs,
    io::Write,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use super::serve::process::session;
use crate::support::Project;

const CLIENTS: [(&str, &str); 7] = [
    ("generic", "mcpServers"),
    ("claude-code", "mcpServers"),
    ("claude-desktop", "mcpServers"),
    ("cursor", "mcpServers"),
    ("vscode", "servers"),
    ("windsurf", "mcpServers"),
    ("zed", "context_servers"),
];

fn project() -> Project {
    let project = Project::with_memo();
    project.configure("[roles.reader]\ngrant = [\"category:observe\"]\n");
    project
}

#[test]
fn the_printed_command_serves_the_role_from_any_folder() {
    let project = project();
    for (client, key) in CLIENTS {
        let run = project.run(&["mcp-config", "--role", "reader", "--client", client]);
        let run = run.expect(0).says("add this to");
        let printed: Value = serde_json::from_str(&run.stdout).unwrap();
        let server = &printed[key]["toolwright-reader"];
        let names_transport = ["claude-code", "vscode"].contains(&client);
        assert_eq!(server["type"] == "stdio", names_transport, "{client}");
        let answer = list_tools(server);
        let tools = answer["result"]["tools"].as_array().unwrap();
        assert!(!tools.is_empty(), "{client}");
        for tool in tools {
            assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
        }
    }
    // The state of the project is the only one.
    assert!(!project.path("specs/memo/.local").exists());
}

#[test]
fn the_name_and_the_wait_are_chosen() {
    let project = project();
    let arguments = [
        "mcp-config",
        "--role",
        "reader",
        "--name",
        "notes",
        "--wait",
        "30",
    ];
    let run = project.run(&arguments).expect(0);
    let printed: Value = serde_json::from_str(&run.stdout).unwrap();
    let words = printed["mcpServers"]["notes"]["args"].as_array().unwrap();
    assert!(
        words.ends_with(&["--wait".into(), "30".into()]),
        "{words:?}"
    );
}

#[test]
fn a_server_that_could_not_start_is_not_printed() {
    let project = project();
    let run = project.run(&["mcp-config", "--role", "raeder"]).expect(100);
    assert_eq!(run.stdout, "");
    run.says("a role with a similar name exists: `reader`");
    project.write(
        "toolwright.toml",
        "[roles.reader]\ngrant = [\"category:execute\"]\n",
    );
    let run = project.run(&["mcp-config", "--role", "reader"]).expect(100);
    run.says("toolwright trust");
    let elsewhere = Project::from_elsewhere();
    let run = elsewhere.run(&["mcp-config", "--role", "reader"]);
    run.expect(100).says("no `toolwright.toml`");
}

/// Starts the server as a client does, in a folder of its own and with an almost empty environment.
fn list_tools(server: &Value) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let words = server["args"].as_array().unwrap().iter();
    let variables = server["env"].as_object().unwrap().iter();
    let mut child = Command::new(server["command"].as_str().unwrap())
        .args(words.map(|word| word.as_str().unwrap()))
        .env_clear()
        .env("HOME", folder.path())
        .envs(variables.map(|(name, value)| (name, value.as_str().unwrap())))
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    for message in session("tools/list", &json!({})) {
        writeln!(pipe, "{message}").unwrap();
    }
    drop(pipe);
    let ended = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&ended.stdout);
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{said}");
    let answer = text.lines().nth(1).unwrap_or_else(|| panic!("{said}"));
    serde_json::from_str(answer).unwrap()
}
