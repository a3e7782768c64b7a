//! The end of a server: running calls may finish, and each has an outcome in the audit.

use std::{io::Write, process::Stdio};

use serde_json::{Value, json};

use super::{
    process::{Server, session, signal},
    upstream::Upstream,
};
use crate::support::{Project, READER};

/// The outcomes in the audit.
fn outcomes(project: &Project) -> Vec<Value> {
    let audit = project.read(".toolwright/audit.jsonl");
    let events = audit
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let outcomes = events.filter(|event: &Value| event["event"] == "outcome");
    outcomes.map(|event| event["outcome"].clone()).collect()
}

#[test]
fn a_running_call_may_end_before_the_server_does() {
    let upstream = Upstream::start();
    let project = upstream.project();
    let mut server = Server::start(&project, &["--shutdown-seconds", "60"]);
    let (mut calling, mut idle) = (server.session(), server.session());
    let mut stream = server.client();
    stream.session.clone_from(&calling.session);
    stream.send("GET", "/mcp", "");
    calling.begin_call("list-memo-notes", &json!({}));
    upstream.wait_for(1);
    server.signal("TERM");
    server.says("waiting up to 60 s for 1 call in flight");
    assert_eq!(idle.rest(), "", "an idle connection is closed");
    upstream.release();
    let answer = calling.receive().message();
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert_eq!(server.ended(), Some(0));
    assert_eq!(outcomes(&project), ["ok"]);
}

#[test]
fn a_call_that_does_not_end_is_abandoned_and_recorded() {
    for name in ["TERM", "INT"] {
        let upstream = Upstream::start();
        let project = upstream.project();
        let mut server = Server::start(&project, &["--shutdown-seconds", "0"]);
        let mut session = server.session();
        session.begin_call("list-memo-notes", &json!({}));
        let mut modern = server.client();
        modern.begin_call_modern("list-memo-notes");
        upstream.wait_for(2);
        server.signal(name);
        assert_eq!(server.ended(), Some(0));
        assert_eq!(outcomes(&project), ["cancelled", "cancelled"], "{name}");
    }
}

#[test]
fn a_second_signal_ends_the_server_at_once() {
    let upstream = Upstream::start();
    let project = upstream.project();
    let mut server = Server::start(&project, &["--shutdown-seconds", "3600"]);
    let mut session = server.session();
    session.begin_call("list-memo-notes", &json!({}));
    upstream.wait_for(1);
    server.signal("TERM");
    server.says("a second signal ends this at once");
    server.signal("TERM");
    assert_eq!(server.ended(), Some(0));
    assert_eq!(outcomes(&project), ["cancelled"]);
}

#[test]
fn a_call_over_pipes_is_abandoned_and_recorded() {
    for by_signal in [true, false] {
        let upstream = Upstream::start();
        let project = upstream.project();
        let mut server = project
            .command(&[&READER[..], &["--shutdown-seconds", "0"]].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut pipe = server.stdin.take().unwrap();
        for message in session("tools/call", &json!({"name": "list-memo-notes"})) {
            writeln!(pipe, "{message}").unwrap();
        }
        upstream.wait_for(1);
        if by_signal {
            signal(server.id(), "TERM");
            assert_eq!(server.wait().unwrap().code(), Some(0));
        } else {
            drop(pipe);
            assert_eq!(server.wait().unwrap().code(), Some(0));
        }
        assert_eq!(outcomes(&project), ["cancelled"], "by signal: {by_signal}");
    }
}
