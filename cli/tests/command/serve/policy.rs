//! The operator's word counts while a server runs.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::Stdio,
};

use serde_json::{Value, json};

use super::process::Server;
use crate::support::{Project, READER};

const OFF: &str = "[tools]\ndisable = [\"*\"]\n";

/// Checks that the tools are gone, or are there.
#[track_caller]
fn check(server: &Server, is_on: bool) {
    let mut client = server.session();
    assert_eq!(client.tools().is_empty(), !is_on);
    let answer = client.call("get-memo-note", &json!({"id": "x"}));
    assert_eq!(answer["error"].is_object(), !is_on, "{answer}");
}

#[test]
fn a_disabled_tool_disappears_at_once() {
    let project = Project::with_memo();
    let server = Server::start(&project, &[]);
    let mut before = server.session();
    assert!(!before.tools().is_empty());
    project.write("toolwright.toml", OFF);
    server.says("policy reloaded");
    check(&server, false);
    assert!(before.tools().is_empty());
    assert!(before.call("get-memo-note", &json!({"id": 1}))["error"].is_object());
    project.write("toolwright.toml", "");
    server.signal("HUP");
    server.wait_for_health("/policy/digest", &json!(SHA256_OF_NOTHING));
    check(&server, true);
}

const SHA256_OF_NOTHING: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

#[test]
fn a_broken_policy_leaves_the_old_one_in_force() {
    let project = Project::with_memo();
    project.configure(OFF);
    let server = Server::start(&project, &[]);
    let good = server.health()["policy"]["digest"].clone();
    check(&server, false);
    for (broken, problem) in [
        ("[tools", "toolwright.toml:1"),
        ("[tools]\ndisable = [\"*\", \"zap-*\"]\n", "zap-*"),
    ] {
        project.write("toolwright.toml", broken);
        let said = server.says(problem);
        assert!(said.contains("policy not reloaded"), "{said}");
        server.wait_for_health("/status", &json!("policy_not_reloaded"));
        let policy = server.health()["policy"].clone();
        assert_eq!(policy["digest"], good);
        assert!(
            policy["error"].as_str().unwrap().contains(problem),
            "{policy}"
        );
        check(&server, false);
    }
    fs::remove_file(project.path("toolwright.toml")).unwrap();
    server.says("toolwright.toml is gone");
    check(&server, false);

    project.write("toolwright.toml", OFF);
    server.wait_for_health("/status", &json!("ok"));
    assert_eq!(server.health()["policy"]["error"], Value::Null);
    check(&server, false);
    project.configure("");
    server.wait_for_health("/policy/digest", &json!(SHA256_OF_NOTHING));
    check(&server, true);

    let audit = project.read(".toolwright/audit.jsonl");
    let events = audit
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let events: Vec<Value> = events
        .filter(|event: &Value| event.get("policy").is_some())
        .collect();
    let refused = events
        .iter()
        .filter(|event| event["event"] == "policy_refused");
    assert!(refused.count() >= 3, "{events:?}");
    let last = events.last().unwrap();
    assert_eq!(
        (&last["event"], &last["policy"]),
        (&json!("policy_loaded"), &json!(SHA256_OF_NOTHING))
    );
}

#[test]
fn new_rights_apply_only_after_trust() {
    let project = Project::with_memo();
    project.configure(OFF);
    let server = Server::start(&project, &[]);
    project.write("toolwright.toml", "");
    server.says("has changed since it was trusted");
    check(&server, false);
    project.run(&["trust"]).expect(0);
    server.wait_for_health("/status", &json!("ok"));
    check(&server, true);
}

#[test]
fn a_client_over_pipes_is_notified_of_changed_tools() {
    let project = Project::with_memo();
    let mut server = project
        .command(&READER)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = server.stdin.take().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        list.clone(),
    ] {
        writeln!(pipe, "{message}").unwrap();
    }
    let can = next()["result"]["capabilities"]["tools"].clone();
    assert_eq!(can["listChanged"], true);
    assert_ne!(next()["result"]["tools"], json!([]));
    project.write("toolwright.toml", OFF);
    assert_eq!(next()["method"], "notifications/tools/list_changed");
    writeln!(pipe, "{list}").unwrap();
    assert_eq!(next()["result"]["tools"], json!([]));
    drop(pipe);
    assert_eq!(server.wait().unwrap().code(), Some(0));
}
