//! The MCP server as a process: its pipes, its port and its end.

mod changes;
mod ending;
mod health;
mod issued;
mod limits;
mod metrics;
mod policy;
pub(crate) mod process;
mod starting;
mod token;
mod upstream;

use std::{
    io::{Read, Write},
    process::Stdio,
};

use serde_json::{Value, json};

use crate::support::{Project, READER};
use process::{Server, session};

#[test]
fn a_client_is_answered_over_pipes_until_it_closes_them() {
    let project = Project::with_memo();
    let mut server = project
        .command(&READER)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = server.stdin.take().unwrap();
    for message in session("tools/list", &json!({})) {
        writeln!(pipe, "{message}").unwrap();
    }
    drop(pipe);
    let mut text = String::new();
    server
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(server.wait().unwrap().code(), Some(0));
    let answers: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), 2, "{text}");
    let tools = answers[1]["result"]["tools"].as_array().unwrap();
    assert!(!tools.is_empty());
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
    }
}

#[test]
fn a_client_that_never_connects_is_not_an_error() {
    let project = Project::with_memo();
    let run = project.run(&READER).expect(0);
    assert_eq!(run.stdout, "");
}

#[test]
fn requests_that_are_addressed_elsewhere_are_refused() {
    let project = Project::with_memo();
    let server = Server::start(&project, &[]);
    let mut client = server.client();
    let head = client.head("POST", "/mcp", 0);
    let head = head.replace(&server.address, "attacker.example");
    client.stream.get_mut().write_all(head.as_bytes()).unwrap();
    assert_eq!(client.receive().status, 403);
}

#[test]
fn an_undeclared_role_is_an_error() {
    let project = Project::with_memo();
    project.configure("[roles.reader]\ngrant = [\"category:observe\"]\n");
    let arguments = [
        "serve",
        "--spec",
        "specs/memo/openapi.yaml",
        "--role",
        "raeder",
    ];
    project
        .run(&arguments)
        .expect(100)
        .says("no role `raeder` is declared")
        .says("a role with a similar name exists: `reader`");
}

#[test]
fn http_options_are_refused_over_pipes() {
    let project = Project::with_memo();
    let arguments = [&READER[..], &["--port", "1"]].concat();
    project
        .run(&arguments)
        .expect(2)
        .says("add `--transport http`");
}
