//! The MCP server as a process: its pipes, its port and its end.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::Stdio,
};

use serde_json::{Value, json};

use crate::support::Project;

/// The arguments that serve the service `memo` to a role that may look.
const READER: [&str; 7] = [
    "serve",
    "--spec",
    "specs/memo/openapi.yaml",
    "--role",
    "reader",
    "--grant",
    "category:observe",
];

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
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
    ] {
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
fn a_client_that_never_comes_is_no_fault() {
    let project = Project::with_memo();
    let run = project.run(&READER).expect(0);
    assert_eq!(run.stdout, "");
}

#[test]
fn http_is_served_at_the_address_that_is_told() {
    let project = Project::with_memo();
    let arguments = [&READER[..], &["--transport", "http", "--port", "0"]].concat();
    let mut server = project
        .command(&arguments)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(server.stderr.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let (_, address) = line.split_once("http://").unwrap();
    let (address, _) = address.split_once("/mcp").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let request = "POST /mcp HTTP/1.1\r\nHost: attacker.example\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
}

#[test]
fn a_role_that_nobody_declared_is_a_mistake() {
    let project = Project::with_memo();
    project.write(
        "toolwright.toml",
        "[roles.reader]\ngrant = [\"category:observe\"]\n",
    );
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
fn what_is_of_http_alone_is_wrong_over_pipes() {
    let project = Project::with_memo();
    let arguments = [&READER[..], &["--port", "1"]].concat();
    project
        .run(&arguments)
        .expect(2)
        .says("add `--transport http`");
}
