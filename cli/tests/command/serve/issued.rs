//! The tokens that the operator issues: each client has the role of its token, for as long as it is
//! accepted.

use std::{
    fs,
    io::Write,
    thread::sleep,
    time::{Duration, Instant},
};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use toolwright::Statement;
use toolwright_model::hex;
use toolwright_state::{Location, State, TokenGrant};

use super::process::{Client, Server};
use crate::support::Project;

/// Two roles: one reads, the calls of the other wait for a person.
const ROLES: &str = "[roles.reader]\ngrant = [\"category:observe\"]\n\
    [roles.writer]\ngrant = [\"create-memo-note\"]\n\
    [tools]\nenable = [\"create-memo-note\"]\n";

/// The arguments that serve the project to the holders of tokens.
const SERVE: [&str; 7] = [
    "serve",
    "--spec",
    "specs/memo/openapi.yaml",
    "--transport",
    "http",
    "--port",
    "0",
];

/// The time after which a test that waits for an event fails.
const PATIENCE: Duration = Duration::from_secs(60);

fn project() -> Project {
    let project = Project::with_memo();
    project.configure(ROLES);
    project
}

/// Issues a token as the operator does, and returns it.
#[track_caller]
fn issue(project: &Project, name: &str, role: &str, options: &[&str]) -> String {
    let words = ["tokens", "issue", name, "--role", role];
    let person = ["--by", "ann", "--why", "tests"];
    let run = project.run(&[&words, &person[..], options].concat());
    run.expect(0).stdout.trim().to_owned()
}

#[track_caller]
fn revoke(project: &Project, name: &str) {
    let words = ["tokens", "revoke", name, "--by", "bo", "--why", "leaked"];
    project.run(&words).expect(0).prints("is revoked");
}

/// Waits until a client that shows a token is answered with this status.
#[track_caller]
fn wait_for_status(server: &Server, token: &str, status: u16) {
    wait_until(|| {
        let mut client = server.client_with(Some(token));
        client.send("GET", "/health", "");
        client.receive().status == status
    });
}

#[track_caller]
fn wait_until(mut is_met: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_met() {
        assert!(Instant::now() < deadline, "it does not happen");
        sleep(Duration::from_millis(20));
    }
}

fn events(project: &Project) -> Vec<Value> {
    let audit = project.read(".toolwright/audit.jsonl");
    let lines = audit.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn list(client: &mut Client) -> u16 {
    client.ask("tools/list", &json!({})).status
}

#[test]
fn each_client_has_the_role_and_the_workspace_of_its_token() {
    let project = project();
    let reader = issue(&project, "ci-report", "reader", &["--workspace", "north"]);
    let writer = issue(&project, "editor", "writer", &[]);
    let server = Server::run(&project, &SERVE);
    server.says("the tools of 2 roles, by the token of the client, at http://");
    let mut client = server.session_with(&reader);
    assert_eq!(client.tools(), ["get-memo-note", "list-memo-notes"]);
    assert_eq!(server.session_with(&writer).tools(), ["create-memo-note"]);
    let answer = client.call("create-memo-note", &json!({"text": "x"}));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    // The revision without sessions, too.
    let mut modern = server.client_with(Some(&writer));
    modern.begin_call_modern("get-memo-note");
    assert!(modern.receive().body.contains("-32602"));

    let events = events(&project);
    let calls: Vec<_> = events
        .iter()
        .filter(|event| event["event"] == "decision")
        .collect();
    let fact = |name: &str| {
        calls
            .iter()
            .map(|call| call[name].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(fact("principal"), ["token:ci-report", "token:editor"]);
    assert_eq!(fact("role"), ["reader", "writer"]);
    assert_eq!(calls[0]["workspace"], "north");
    assert_ne!(calls[1]["workspace"], "north");
}

#[test]
fn without_a_token_there_are_no_tools() {
    let project = project();
    let token = issue(&project, "ci-report", "reader", &[]);
    let server = Server::run(&project, &SERVE);
    let digest = hex(Sha256::digest(token.as_bytes()));
    let spaced = format!("{token} {token}");
    let wrong = [
        "",
        "toolwright_",
        &digest,
        token.split_at(40).0,
        &token.to_uppercase(),
        &spaced,
    ];
    for wrong in wrong {
        let reply = server.client_with(Some(wrong)).initialize();
        assert_eq!(reply.status, 401, "{wrong}");
        assert_eq!(reply.header("www-authenticate"), Some("bearer"));
    }
    assert_eq!(server.client_with(None).initialize().status, 401);
    // A token in the address or the body, or with another scheme, is none.
    for (path, header) in [
        (format!("/mcp?access_token={token}"), String::new()),
        (format!("/mcp?token={token}"), String::new()),
        (
            "/mcp".to_owned(),
            format!("Authorization: Basic {token}\r\n"),
        ),
        ("/mcp".to_owned(), format!("Authorization: {token}\r\n")),
        (
            "/mcp".to_owned(),
            format!("Authorization: DPoP {token}\r\n"),
        ),
        ("/mcp".to_owned(), format!("X-Api-Key: {token}\r\n")),
        (
            "/mcp".to_owned(),
            format!("Cookie: access_token={token}\r\n"),
        ),
    ] {
        let mut client = server.client_with(None);
        let body = format!("access_token={token}");
        let head = client.head("POST", &path, body.len());
        let head = head.replacen("\r\n", &format!("\r\n{header}"), 1);
        client
            .stream
            .get_mut()
            .write_all((head + &body).as_bytes())
            .unwrap();
        assert_eq!(client.receive().status, 401, "{path} {header}");
    }
    assert!(
        events(&project)
            .iter()
            .all(|event| !event.to_string().contains(&token))
    );
}

#[test]
fn a_revoked_token_is_refused_by_all_instances_and_its_streams_end() {
    let project = project();
    let token = issue(&project, "ci-report", "reader", &[]);
    let other = issue(&project, "night", "reader", &[]);
    let servers = [Server::run(&project, &SERVE), Server::run(&project, &SERVE)];
    let mut sessions = servers.each_ref().map(|server| server.session_with(&token));
    let mut stream = servers[0].client_with(Some(&token));
    stream.session.clone_from(&sessions[0].session);
    stream.send("GET", "/mcp", "");
    let mut kept = servers[0].session_with(&other);
    let mut kept_stream = servers[0].client_with(Some(&other));
    kept_stream.session.clone_from(&kept.session);
    kept_stream.send("GET", "/mcp", "");

    revoke(&project, "ci-report");
    for server in &servers {
        wait_for_status(server, &token, 401);
    }
    for session in &mut sessions {
        assert_eq!(list(session), 401);
    }
    assert!(stream.rest().starts_with("HTTP/1.1 200"));
    assert_eq!(list(&mut kept), 200);
    assert!(
        !kept_stream.is_answered(),
        "the stream of another client goes on"
    );

    let again = ["tokens", "revoke", "ci-report", "--by", "bo", "--why", "x"];
    project
        .run(&again)
        .expect(100)
        .says("no token `ci-report` is in force");
    drop(servers);
    let refused = |event: &Value| event["reason"] == "token_revoked";
    assert!(events(&project).iter().any(refused));
}

#[test]
fn a_call_that_waits_for_a_person_does_not_outlive_its_token() {
    let project = project();
    let token = issue(&project, "editor", "writer", &[]);
    let server = Server::run(&project, &[&SERVE[..], &["--wait", "60"]].concat());
    let mut client = server.session_with(&token);
    client.begin_call("create-memo-note", &json!({"text": "x"}));
    let waiting = || project.run(&["approvals", "--json"]).expect(0).json();
    wait_until(|| !waiting().is_empty());
    let request = waiting().remove(0);
    let fact = |name: &str| request[name].as_str().unwrap().to_owned();
    revoke(&project, "editor");
    wait_for_status(&server, &token, 401);
    let (handle, digest) = (fact("handle"), fact("digest"));
    project
        .run(&["approve", &handle, "--by", "ann", "--digest", &digest])
        .expect(0);
    let answer = client.receive().message();
    assert!(answer.to_string().contains("approval_required"), "{answer}");
    let allowed = |event: &Value| event["decision"] == "allow" && event["event"] == "decision";
    assert!(!events(&project).iter().any(allowed));
}

#[test]
fn a_session_belongs_to_the_token_that_began_it() {
    let project = project();
    let reader = issue(&project, "ci-report", "reader", &[]);
    let same_role = issue(&project, "night", "reader", &[]);
    let writer = issue(&project, "editor", "writer", &[]);
    let server = Server::run(&project, &SERVE);
    let session = server.session_with(&reader).session;
    for thief in [&same_role, &writer] {
        let mut client = server.client_with(Some(thief));
        client.session.clone_from(&session);
        let refused = client.ask("tools/list", &json!({}));
        let mut unknown = server.client_with(Some(thief));
        unknown.session = Some("00000000-0000-4000-8000-000000000000".to_owned());
        let none = unknown.ask("tools/list", &json!({}));
        assert_eq!((refused.status, &refused.body), (404, &none.body));
        for method in ["GET", "DELETE"] {
            let mut client = server.client_with(Some(thief));
            client.session.clone_from(&session);
            client.send(method, "/mcp", "");
            assert_eq!(client.receive().status, 404, "{method}");
        }
    }
    let mut owner = server.client_with(Some(&reader));
    owner.session = session;
    assert_eq!(list(&mut owner), 200);
    drop(server);
    let stolen = |event: &&Value| event["reason"] == "other_session";
    assert!(events(&project).iter().filter(stolen).count() > 0);
}

#[test]
fn a_token_without_a_role_or_after_its_time_opens_nothing() {
    let project = project();
    let token = issue(&project, "ci-report", "reader", &[]);
    let short = issue_for(&project, "short", SignedDuration::from_secs(3));
    let server = Server::run(&project, &SERVE);
    let mut client = server.session_with(&token);
    let mut stream = server.client_with(Some(&short));
    stream.session = server.session_with(&short).session;
    stream.send("GET", "/mcp", "");
    // The stream ends with the time of its token.
    assert!(stream.rest().starts_with("HTTP/1.1 200"));
    assert_eq!(server.client_with(Some(&short)).initialize().status, 401);

    project.write(
        "toolwright.toml",
        ROLES.replace("roles.reader", "roles.clerk"),
    );
    project.run(&["trust"]).expect(0);
    wait_for_status(&server, &token, 403);
    assert_eq!(list(&mut client), 403);
    project.configure(ROLES);
    wait_for_status(&server, &token, 200);
}

/// Issues a token with the library, for this long.
fn issue_for(project: &Project, name: &str, lifetime: SignedDuration) -> String {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let file = project.path(".toolwright/state/state.db");
        let state = State::at(Location::sqlite(file)).unwrap();
        let now = Timestamp::now();
        let grant = TokenGrant {
            name: name.parse().unwrap(),
            role: "reader".parse().unwrap(),
            workspace: None,
            until: now + lifetime,
            issued: Statement::new("ann", "tests").unwrap(),
        };
        let issued = state.issue_token(&grant, now).await.unwrap();
        issued.unwrap().expose().to_owned()
    })
}

#[test]
fn without_its_state_a_server_lets_nobody_in() {
    let project = project();
    project.configure(format!("[state]\ngrace_seconds = 3\n{ROLES}"));
    let token = issue(&project, "ci-report", "reader", &[]);
    let server = Server::run(&project, &SERVE);
    assert_eq!(server.client_with(Some(&token)).initialize().status, 200);
    fs::rename(project.path(".toolwright/state"), project.path("gone")).unwrap();
    wait_for_status(&server, &token, 503);
    fs::rename(project.path("gone"), project.path(".toolwright/state")).unwrap();
    wait_for_status(&server, &token, 200);
}

#[test]
fn the_last_use_of_a_token_is_stored() {
    let project = project();
    let token = issue(&project, "ci-report", "reader", &[]);
    let server = Server::run(&project, &SERVE);
    server.session_with(&token);
    let listed = || {
        project
            .run(&["tokens", "list", "--json"])
            .expect(0)
            .json()
            .remove(0)
    };
    wait_until(|| listed()["used_at"].is_string());
}

#[test]
fn a_token_is_printed_once_and_kept_nowhere() {
    let project = project();
    let person = ["--by", "ann", "--why", "reports"];
    let words = ["tokens", "issue", "ci-report", "--role", "reader", "--json"];
    let issued = project.run(&[&words, &person[..]].concat()).expect(0);
    let issued = issued.json().remove(0);
    let token = issued["token"].as_str().unwrap();
    assert!(
        token.starts_with("toolwright_") && token.len() > 70,
        "{token}"
    );
    let again = project.run(&[&words, &person[..]].concat()).expect(100);
    assert_eq!(again.json()[0]["error"]["code"], "exists");
    let unknown = ["tokens", "issue", "x", "--role", "raeder"];
    project
        .run(&[&unknown, &person[..]].concat())
        .expect(100)
        .says("a role with a similar name exists: `reader`");

    let listed = project.run(&["tokens", "list"]).expect(0);
    listed.prints("ci-report").prints("ann: reports");
    let exported = project.run(&["state", "export"]).expect(0);
    let exported = exported.prints("\"ci-report\"").stdout;
    assert!(!exported.contains(token));
    let mut folders = vec![project.path("")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                let found = bytes
                    .windows(token.len())
                    .any(|part| part == token.as_bytes());
                assert!(!found, "{}", path.display());
            }
        }
    }
    let change = events(&project).remove(0);
    assert_eq!(change["event"], "token_changed");
    assert_eq!(
        (&change["token"], &change["role"]),
        (&json!("ci-report"), &json!("reader"))
    );
    assert_eq!(
        (&change["person"], &change["why"]),
        (&json!("ann"), &json!("reports"))
    );
}

#[test]
fn the_options_of_one_role_need_it() {
    let project = project();
    let stdio = ["serve", "--spec", "specs/memo/openapi.yaml"];
    project
        .run(&stdio)
        .expect(2)
        .says("over standard input the server needs a role");
    for options in [
        &["--token-file", "token.txt"][..],
        &["--insecure-no-token"],
        &["--grant", "category:observe"],
    ] {
        let run = project.run(&[&SERVE[..], options].concat());
        run.expect(2).says("need a role");
    }
}
