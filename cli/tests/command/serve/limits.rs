//! The bounds of a server over HTTP: what is beyond them is refused, and the rest is served.

use std::{io::Write, thread::available_parallelism};

use serde_json::{Value, json};

use super::{process::Server, upstream::Upstream};
use crate::support::{Project, READER};

/// The code of the error that a call was answered with.
fn code(answer: &Value) -> String {
    let text = answer["result"]["content"][0]["text"].as_str();
    let error: Value = serde_json::from_str(text.unwrap_or("null")).unwrap();
    assert_eq!(answer["result"]["isError"], !error.is_null(), "{answer}");
    error["error"]["code"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn slow_headers_and_idle_connections_are_cut() {
    let project = Project::with_memo();
    let server = Server::start(&project, &["--header-seconds", "1"]);
    let mut slow = server.client();
    let head = slow.head("POST", "/mcp", 2);
    slow.stream
        .get_mut()
        .write_all(&head.as_bytes()[..40])
        .unwrap();
    let mut silent = server.client();
    let mut idle = server.client();
    assert_eq!(idle.initialize().status, 200);
    for client in [&mut slow, &mut silent, &mut idle] {
        assert_eq!(client.rest(), "");
    }
    server.wait_for_health("/connections/open", &json!(1));
    assert!(!server.session().tools().is_empty());
}

#[test]
fn slow_bodies_are_cut() {
    let project = Project::with_memo();
    let server = Server::start(&project, &["--body-seconds", "1"]);
    let mut slow = server.session();
    let head = slow.head("POST", "/mcp", 100);
    slow.stream.get_mut().write_all(head.as_bytes()).unwrap();
    slow.stream.get_mut().write_all(b"{").unwrap();
    let answer = slow.rest();
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(!server.session().tools().is_empty());
}

#[test]
fn connections_beyond_the_limit_are_refused() {
    let project = Project::with_memo();
    let server = Server::start(&project, &["--max-connections", "2"]);
    let (mut first, second) = (server.session(), server.session());
    let refused = server.client().rest();
    assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
    assert!(refused.contains("Retry-After: 1"), "{refused}");
    assert!(!first.tools().is_empty());
    drop(second);
    server.wait_for_health("/connections/open", &json!(2));
    assert!(server.health()["connections"]["refused"].as_u64() > Some(0));
}

#[test]
fn connections_without_a_token_do_not_block_others() {
    let project = Project::with_memo();
    let server = Server::start(&project, &["--max-connections", "4"]);
    let mut known = server.session();
    let mut silent: Vec<_> = (0..20).map(|_| server.client_with(None)).collect();
    for client in &mut silent[..10] {
        let head = client.head("POST", "/mcp", 2);
        // It may have been closed already.
        let _ = client.stream.get_mut().write_all(&head.as_bytes()[..20]);
    }
    assert!(!server.session().tools().is_empty());
    assert!(!known.tools().is_empty());
}

#[test]
fn sessions_beyond_the_limit_are_refused() {
    let project = Project::with_memo();
    let server = Server::start(&project, &["--max-sessions", "2"]);
    let (mut first, mut second) = (server.session(), server.session());
    let refused = server.client().initialize();
    assert_eq!(refused.status, 503, "{refused:?}");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert!(refused.body.contains("server_busy"), "{refused:?}");
    assert!(!first.tools().is_empty());
    assert_eq!(server.health()["sessions"], json!({"open": 2, "limit": 2}));
    second.send("DELETE", "/mcp", "");
    assert_eq!(second.receive().status, 202);
    assert!(!server.session().tools().is_empty());
}

#[test]
fn sessions_without_messages_end() {
    let project = Project::with_memo();
    let options = ["--max-sessions", "1", "--session-seconds", "1"];
    let server = Server::start(&project, &options);
    let mut idle = server.session();
    server.wait_for_health("/sessions/open", &json!(0));
    assert_eq!(idle.ask("tools/list", &json!({})).status, 404);
    assert!(!server.session().tools().is_empty());
}

#[test]
fn calls_beyond_the_limit_are_refused() {
    let upstream = Upstream::start();
    let options = ["--max-calls", "2", "--max-session-calls", "1"];
    let project = upstream.project();
    let server = Server::start(&project, &options);
    let (mut first, mut second) = (server.session(), server.session());
    let mut third = server.session();
    let mut first_again = server.client();
    first_again.session.clone_from(&first.session);

    first.begin_call("list-memo-notes", &json!({}));
    upstream.wait_for(1);
    let refused = first_again.call("list-memo-notes", &json!({}));
    assert_eq!(code(&refused), "server_busy");
    second.begin_call("list-memo-notes", &json!({}));
    upstream.wait_for(2);
    let refused = third.call("list-memo-notes", &json!({}));
    assert_eq!(code(&refused), "server_busy");
    assert!(!third.tools().is_empty());
    let calls = json!({"in_flight": 2, "limit": 2, "refused": 2});
    assert_eq!(server.health()["calls"], calls);

    upstream.release();
    for client in [&mut first, &mut second] {
        assert_eq!(client.receive().message()["result"]["isError"], false);
    }
    let answer = third.call("list-memo-notes", &json!({}));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
}

#[test]
fn calls_of_clients_without_a_session_are_bounded() {
    let upstream = Upstream::start();
    let project = upstream.project();
    let server = Server::start(&project, &["--max-calls", "1"]);
    let mut first = server.client();
    first.begin_call_modern("list-memo-notes");
    upstream.wait_for(1);
    let mut second = server.client();
    second.begin_call_modern("list-memo-notes");
    assert_eq!(code(&second.receive().message()), "server_busy");
    // A client that goes away cancels its call.
    drop(first);
    server.wait_for_health("/calls/in_flight", &json!(0));
    upstream.release();
    second.begin_call_modern("list-memo-notes");
    assert_eq!(second.receive().message()["result"]["isError"], false);
}

#[test]
fn bodies_that_are_too_long_or_have_too_many_values_are_refused() {
    let project = Project::with_memo();
    let server = Server::start(&project, &["--max-memory", "64"]);
    let mut other = server.session();
    let mut client = server.session();
    let head = client.head("POST", "/mcp", 5 << 20);
    client.stream.get_mut().write_all(head.as_bytes()).unwrap();
    let answer = client.rest();
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    let mut client = server.session();
    client.begin_call("list-memo-notes", &json!({"tag": vec![0; 1_000_000]}));
    let reply = client.receive();
    assert_eq!(reply.status, 413);
    assert!(reply.body.contains("too_many_values"), "{reply:?}");
    assert!(!other.tools().is_empty());
}

#[test]
fn the_memory_of_requests_in_flight_is_bounded() {
    let upstream = Upstream::start();
    let project = upstream.project();
    let server = Server::start(&project, &["--max-memory", "1"]);
    let (mut first, mut second) = (server.session(), server.session());
    first.begin_call("list-memo-notes", &json!({"tag": "x".repeat(60_000)}));
    upstream.wait_for(1);
    let large = json!({"tag": "x".repeat(75_000)});
    second.begin_call("list-memo-notes", &large);
    let reply = second.receive();
    assert_eq!(
        (reply.status, reply.header("retry-after")),
        (503, Some("1"))
    );
    assert!(!second.tools().is_empty());
    upstream.release();
    assert_eq!(first.receive().message()["result"]["isError"], false);
    server.wait_for_health("/memory_kib/reserved", &json!(0));
    assert!(second.call("list-memo-notes", &large)["result"].is_object());
}

#[test]
fn unfinished_bodies_hold_bounded_memory() {
    let project = Project::with_memo();
    let server = Server::start(&project, &["--max-memory", "4"]);
    let mut slow = server.session();
    let head = slow.head("POST", "/mcp", 3 << 20);
    slow.stream.get_mut().write_all(head.as_bytes()).unwrap();
    server.wait_for_health("/memory_kib/reserved", &json!(3 << 10));
    let mut second = server.session();
    second.stream.get_mut().write_all(head.as_bytes()).unwrap();
    assert_eq!(second.receive().status, 503);
    drop(slow);
    server.wait_for_health("/memory_kib/reserved", &json!(0));
}

/// A service with a tool whose argument is a list of unique items.
const UNIQUE: &str = r#"
openapi: 3.1.0
info: { title: Notes, version: "1" }
servers: [{ url: http://127.0.0.1:9 }]
paths:
  /notes:
    get:
      operationId: listNotes
      summary: List notes
      parameters:
        - { name: ids, in: query, schema: { type: array, uniqueItems: true, items: { type: string } } }
      responses: { "200": { description: The notes. } }
"#;

/// Sends large calls of a tool, then a small request. Returns how many of the large calls were
/// answered before the small one.
fn answered_before_a_small_one(tool: &str, calls: usize) -> usize {
    let project = Project::empty();
    project.write("specs/memo/openapi.yaml", UNIQUE);
    let server = Server::start(&project, &["--max-memory", "1024"]);
    let unique: Vec<_> = (0..400_000).map(|number| number.to_string()).collect();
    let params = json!({"name": tool, "arguments": {"ids": unique, "limit": "x"}});
    let message = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params});
    let message = message.to_string();
    let mut small = server.session();
    let mut large: Vec<_> = (0..calls).map(|_| server.session()).collect();
    for client in &mut large {
        client.send("POST", "/mcp", &message);
    }
    assert!(!small.tools().is_empty());
    let answered = large.iter().filter(|client| client.is_answered()).count();
    for client in &mut large {
        let answer = client.receive().message();
        assert!(answer["error"].is_object() || answer["result"]["isError"] == true);
    }
    answered
}

#[test]
fn a_large_call_does_not_stall_other_sessions() {
    // One for each thread of the server.
    let calls = available_parallelism().map_or(2, |number| number.get().clamp(2, 4));
    assert_eq!(answered_before_a_small_one("list-memo-notes", calls), 0);
}

#[test]
fn a_large_call_of_an_unknown_tool_does_not_stall_other_sessions() {
    assert!(answered_before_a_small_one("no-such-tool", 4) < 4);
}

#[test]
fn http_limits_are_refused_over_pipes() {
    let project = Project::with_memo();
    for option in ["--max-connections", "--max-sessions", "--header-seconds"] {
        let arguments = [&READER[..], &[option, "1"]].concat();
        let run = project.run(&arguments).expect(2);
        run.says("add `--transport http`");
    }
}
