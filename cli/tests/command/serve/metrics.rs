//! The metrics of a server, and its sink that is away.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

use serde_json::json;
use toolwright_tests::Answer;

use super::process::Server;
use crate::support::{Project, service};

/// Returns the metrics at the address that a server printed.
fn metrics(server: &Server) -> String {
    let printed = server.says("/metrics");
    let (_, address) = printed.split_once("metrics at http://").unwrap();
    let (address, _) = address.split_once('/').unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    answer
}

#[test]
fn a_server_that_ends_delivers_its_last_events() {
    let (memo, receiver) = (
        service(Answer::json(200, "[]")),
        service(Answer::empty(200)),
    );
    let project = Project::with_memo();
    project.configure(format!(
        "[services.memo]\nbase_url = \"{}\"\n[audit.otlp]\nurl = \"{}\"\n",
        memo.url(),
        receiver.url()
    ));
    let mut server = Server::start(&project, &[]);
    let mut session = server.session();
    for _ in 0..20 {
        session.call("list-memo-notes", &json!({}));
    }
    server.signal("TERM");
    assert_eq!(server.ended(), Some(0));
    let events = project.read(".toolwright/audit.jsonl");
    let sent = receiver.take_requests().concat();
    for line in events.lines() {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        let mac = event["mac"].as_str().unwrap();
        assert!(sent.contains(mac), "{line}");
    }
    assert!(events.lines().count() >= 40);
    project
        .run(&["audit", "forward"])
        .expect(0)
        .prints("otlp: 0 events");
}

#[test]
fn a_server_that_ends_does_not_wait_for_a_sink_that_is_away() {
    let project = Project::with_memo();
    project.configure("[audit.otlp]\nurl = \"http://127.0.0.1:1\"\n");
    let mut server = Server::start(&project, &[]);
    let mut session = server.session();
    session.call("secret-of-the-caller", &json!({}));
    server.says("cannot forward the audit to the sink `otlp`");
    server.signal("TERM");
    server.says("1 events wait for the sink `otlp`");
    assert_eq!(server.ended(), Some(0));
}

#[test]
fn the_metrics_count_calls_and_what_waits_for_a_sink() {
    let memo = service(Answer::json(200, "[]"));
    let project = Project::with_memo();
    project.configure(format!(
        "[services.memo]\nbase_url = \"{}\"\n[metrics]\nlisten = \"127.0.0.1:0\"\n\
         [audit.nats]\nurl = \"nats://127.0.0.1:1\"\nmost_waiting = 3\n",
        memo.url()
    ));
    let server = Server::start(&project, &[]);
    let mut session = server.session();
    for tool in ["list-memo-notes", "secret-of-the-caller"] {
        session.call(tool, &json!({}));
    }
    server.says("cannot forward the audit to the sink `nats`");
    let text = metrics(&server);
    for line in [
        "toolwright_decisions_total{tool=\"list-memo-notes\",decision=\"allow\",reason=\"granted\"} 1",
        "toolwright_decisions_total{tool=\"unknown\",decision=\"deny\",reason=\"unknown_tool\"} 1",
        "toolwright_calls_total{tool=\"list-memo-notes\",outcome=\"ok\"} 1",
        "toolwright_call_duration_seconds_count{tool=\"list-memo-notes\"} 1",
        "toolwright_audit_unrecorded_total 0",
        "toolwright_audit_sink_waiting_events{sink=\"nats\"} 3",
        "toolwright_audit_sink_most_waiting_events{sink=\"nats\"} 3",
        "toolwright_audit_sink_failing{sink=\"nats\"} 1",
        "toolwright_approvals_waiting 0",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    assert!(!text.contains("secret-of-the-caller"), "{text}");
    project
        .run(&["audit", "sinks"])
        .expect(0)
        .prints("nats  0         3        3        refused");
    project
        .run(&["audit", "forward"])
        .expect(0)
        .prints("nats: another process forwards");
}
