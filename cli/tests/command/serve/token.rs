//! Who may use a server over HTTP.

use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::{Value, json};

use super::process::{Server, TOKEN, write_token};
use crate::support::{Project, READER};

/// The events in the audit.
fn events(project: &Project) -> Vec<Value> {
    let audit = project.read(".toolwright/audit.jsonl");
    let events = audit
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    events.collect()
}

const HTTP: [&str; 4] = ["--transport", "http", "--port", "0"];

#[test]
fn http_is_not_served_without_a_token() {
    let project = Project::with_memo();
    project
        .run(&[&READER[..], &HTTP].concat())
        .expect(2)
        .says("`--transport http` with a role needs a token")
        .says("--token-file")
        .says("toolwright tokens");
}

#[test]
fn a_token_is_required_unless_the_operator_disables_it() {
    let project = Project::with_memo();
    let server = Server::with_options(&project, &["--insecure-no-token"]);
    server.says("warning: no token is asked for");
    assert_eq!(server.client_with(None).initialize().status, 200);
    let both = ["--insecure-no-token", "--token-file", "token.txt"];
    project.run(&[&READER[..], &HTTP, &both].concat()).expect(2);
}

#[test]
fn a_token_that_others_can_read_is_refused() {
    let project = Project::with_memo();
    let file = ["--token-file", "token.txt"];
    for mode in [0o644, 0o640, 0o606] {
        write_token(&project, TOKEN, mode);
        project
            .run(&[&READER[..], &HTTP, &file].concat())
            .expect(100)
            .says("token.txt")
            .says("lets other users read or change it");
    }
}

#[test]
fn an_absent_token_is_created_and_never_shown() {
    let project = Project::with_memo();
    let options = ["--token-file", ".local/mcp-token.txt"];
    let server = Server::with_options(&project, &options);
    let said = server.says("created `.local/mcp-token.txt`");
    let token = project.read(".local/mcp-token.txt");
    let token = token.trim();
    assert!(!said.contains(token), "{said}");
    let mode = fs::metadata(project.path(".local/mcp-token.txt")).unwrap();
    assert_eq!(mode.permissions().mode() & 0o777, 0o600);
    assert_eq!(server.client_with(Some(token)).initialize().status, 200);
    drop(server);
    let again = Server::with_options(&project, &options);
    assert_eq!(again.client_with(Some(token)).initialize().status, 200);
}

#[test]
fn only_the_token_opens_the_server() {
    let project = Project::with_memo();
    let server = Server::start(&project, &[]);
    assert_eq!(server.client().initialize().status, 200);
    for wrong in [
        None,
        Some(""),
        Some("a-token-of-the-testz"),
        Some("a-token"),
    ] {
        let reply = server.client_with(wrong).initialize();
        assert_eq!(reply.status, 401, "{wrong:?}");
        assert_eq!(reply.header("www-authenticate"), Some("bearer"));
    }
    let mut thief = server.client_with(None);
    thief.session = server.session().session;
    assert_eq!(thief.ask("tools/list", &json!({})).status, 401);
    assert_eq!(server.health()["logins_refused"], 5);
}

#[test]
fn two_authorization_headers_are_refused() {
    let project = Project::with_memo();
    let server = Server::start(&project, &[]);
    let mut client = server.client();
    client.session = Some(format!("x\r\nAuthorization: Bearer {TOKEN}"));
    assert_eq!(client.ask("tools/list", &json!({})).status, 401);
}

#[test]
fn a_new_token_applies_at_once_and_an_unusable_one_refuses_all() {
    let project = Project::with_memo();
    let server = Server::start(&project, &[]);
    let mut client = server.session();
    let mut stream = server.client();
    stream.session.clone_from(&client.session);
    stream.send("GET", "/mcp", "");
    assert!(!client.tools().is_empty());

    write_token(&project, "another-token-of-the-tests", 0o600);
    server.says("the token has changed");
    assert_eq!(client.ask("tools/list", &json!({})).status, 401);
    // The stream that the old token opened ends by itself.
    assert!(stream.rest().starts_with("HTTP/1.1 200"));
    let mut new = server.client_with(Some("another-token-of-the-tests"));
    assert_eq!(new.initialize().status, 200);

    write_token(&project, "another-token-of-the-tests", 0o644);
    server.says("all requests are refused");
    assert_eq!(new.ask("tools/list", &json!({})).status, 503);
    for token in [None, Some(TOKEN), Some("another-token-of-the-tests")] {
        assert_eq!(server.client_with(token).initialize().status, 503);
    }

    write_token(&project, TOKEN, 0o600);
    server.signal("HUP");
    server.says("policy reloaded");
    assert_eq!(server.client().initialize().status, 200);
}

#[test]
fn liveness_requires_no_token() {
    let project = Project::with_memo();
    let server = Server::start(&project, &[]);
    for token in [None, Some(TOKEN)] {
        let mut client = server.client_with(token);
        client.send("GET", "/health", "");
        let reply = client.receive();
        let health: Value = serde_json::from_str(&reply.body).unwrap();
        assert_eq!((reply.status, &health["status"]), (200, &json!("ok")));
        assert_eq!(health.get("policy").is_some(), token.is_some(), "{health}");
    }
    let mut guess = server.client_with(Some("a-token-of-the-testz"));
    guess.send("GET", "/health", "");
    assert_eq!(guess.receive().status, 401);
}

#[test]
fn refused_logins_are_recorded_and_a_flood_is_summarised() {
    let project = Project::with_memo();
    let mut server = Server::start(&project, &[]);
    for token in [
        None,
        Some("a-token-of-the-testz"),
        Some("another-wrong-token"),
    ] {
        assert_eq!(server.client_with(token).initialize().status, 401);
    }
    server.signal("TERM");
    assert_eq!(server.ended(), Some(0));
    let events = events(&project);
    let counts = |reason: &str| {
        let of_reason = events.iter().filter(|event| event["reason"] == reason);
        of_reason
            .map(|event| event["count"].as_u64().unwrap())
            .sum::<u64>()
    };
    assert_eq!((counts("no_token"), counts("wrong_token")), (1, 2));
    for event in &events {
        assert_eq!(event["event"], "login_refused");
        assert!(
            event["peer"].as_str().unwrap().starts_with("127.0.0.1:"),
            "{event}"
        );
        assert!(!event.to_string().contains("wrong-token"), "{event}");
    }
}

#[test]
fn a_call_is_recorded_with_its_client() {
    let project = Project::with_memo();
    let server = Server::start(&project, &[]);
    let mut client = server.session();
    client.call("no-such-tool", &json!({}));
    let mut modern = server.client();
    modern.begin_call_modern("no-such-tool");
    modern.receive();
    let events = events(&project);
    assert_eq!(events.len(), 2);
    for event in &events {
        assert_eq!(
            (&event["client"], &event["client_version"]),
            (&json!("test"), &json!("1"))
        );
        assert!(
            event["peer"].as_str().unwrap().starts_with("127.0.0.1:"),
            "{event}"
        );
    }
    let session = events[0]["session"].as_str().unwrap();
    assert_eq!(session.len(), 16);
    assert!(
        !client.session.unwrap().contains(session),
        "the id itself is not recorded"
    );
    assert!(events[1].get("session").is_none(), "{}", events[1]);
}
