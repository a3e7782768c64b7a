//! `call --dry-run`: the request of a call, which is not sent.

use std::{io::ErrorKind, net::TcpListener, process::Command};

use serde_json::{Value, json};
use toolwright_tests::Answer;

use crate::support::{NOTES, Project, Run, run, service};

const SOURCE: [&str; 4] = ["--spec", "specs/memo/openapi.yaml", "--service", "memo"];
const TOKEN: &str = "s3cret-t0ken";
const READ: [&str; 5] = [
    "get-memo-note",
    "--role",
    "reader",
    "--args",
    r#"{"id": 7}"#,
];
/// A text that a shell would change if it were not quoted, with an invisible character.
const TEXT: &str = "it's $HOME\r\n\u{202e}`id`";

/// A project whose service is at this address, with a token.
fn project(url: &str) -> Project {
    let project = Project::with_memo();
    let security = "  securitySchemes: { bearer: { type: http, scheme: bearer } }\nsecurity: [{ bearer: [] }]\n";
    project.write("specs/memo/openapi.yaml", format!("{NOTES}{security}"));
    project.configure(
        "[roles.reader]\ngrant = [\"category:observe\"]\n\
         [roles.writer]\ngrant = [\"*\"]\n[tools]\nenable = [\"*\"]\n",
    );
    let auth = json!({"base_url": url, "api_token": TOKEN});
    project.write(".local/memo/admin-auth.json", auth.to_string());
    project
}

/// An address that nobody answers at, and that a connection to would be noticed at.
fn silent() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    (listener, url)
}

#[track_caller]
fn assert_no_connection(listener: &TcpListener) {
    let accepted = listener.accept().map(|_| ());
    assert_eq!(accepted.unwrap_err().kind(), ErrorKind::WouldBlock);
}

fn call(project: &Project, arguments: &[&str]) -> Run {
    project.run(&[&["call"], arguments, &SOURCE[..]].concat())
}

fn dry_run(project: &Project, arguments: &[&str]) -> Run {
    call(project, &[arguments, &["--dry-run"]].concat())
}

fn create() -> Vec<String> {
    let arguments = json!({"text": TEXT, "tags": ["a"]}).to_string();
    let words = ["create-memo-note", "--role", "writer", "--args"];
    let words = words.into_iter().map(str::to_owned);
    words.chain([arguments]).collect()
}

#[test]
fn the_request_is_printed_in_three_forms_and_not_sent() {
    let (listener, url) = silent();
    let project = project(&url);
    let text = dry_run(&project, &READ).expect(0);
    assert_eq!(
        text.stdout,
        format!("GET {url}/notes/7\nAccept: application/json\nAuthorization: Bearer [redacted]\n")
    );
    assert_eq!(text.stderr, "");
    let json = dry_run(&project, &[&READ[..], &["--json"]].concat()).expect(0);
    assert_eq!(
        json.json(),
        [json!({
            "tool": "get-memo-note", "approval_required": false,
            "request": {
                "method": "GET", "url": format!("{url}/notes/7"),
                "headers": [["Accept", "application/json"], ["Authorization", "Bearer [redacted]"]],
            },
        })]
    );
    let curl = dry_run(&project, &[&READ[..], &["--curl"]].concat()).expect(0);
    assert_eq!(
        curl.stdout,
        format!(
            "curl --globoff --request GET --header 'Accept: application/json' \
             --header 'Authorization: Bearer [redacted]' '{url}/notes/7'\n"
        )
    );
    assert_no_connection(&listener);
    let audit = project.read(".toolwright/audit.jsonl");
    let events: Vec<Value> = audit
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(events.len(), 3, "{audit}");
    for event in &events {
        assert_eq!(event["event"], "dry_run");
        assert_eq!(event["decision"], "allow");
        assert_eq!(event["target"], url);
    }
    for seen in [text.stdout, json.stdout.clone(), curl.stdout, audit] {
        assert!(!seen.contains(TOKEN), "{seen}");
    }
}

#[test]
fn a_call_that_needs_an_approval_is_shown_and_does_not_wait() {
    let (listener, url) = silent();
    let project = project(&url);
    let create = create();
    let create: Vec<_> = create.iter().map(String::as_str).collect();
    let shown = dry_run(&project, &create).expect(0);
    assert!(shown.stdout.starts_with(&format!("POST {url}/notes\n")));
    assert!(
        shown
            .stdout
            .contains("\n\n{\n  \"text\": \"it's $HOME\\r\\n\\u202e`id`\",\n")
    );
    let shown = shown.says("note: a person must approve this call");
    assert!(!shown.stdout.contains('\u{202e}'), "{}", shown.stdout);
    let json = dry_run(&project, &[&create[..], &["--json"]].concat()).expect(0);
    assert_eq!(json.json()[0]["approval_required"], true);
    assert_eq!(json.json()[0]["request"]["body"]["json"]["text"], TEXT);
    assert_eq!(json.stderr, "");
    let waiting = project.run(&["approvals", "--json"]).expect(0);
    assert_eq!(waiting.stdout, "");
    assert_no_connection(&listener);
}

#[test]
fn the_curl_command_sends_the_request() {
    let server = service(Answer::json(200, "{}"));
    let project = project(&server.url());
    let create = create();
    let create: Vec<_> = create.iter().map(String::as_str).collect();
    let probe = Command::new("curl").arg("--version").output();
    if probe.is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return;
    }
    let curl = |words: &[&str]| {
        let command = dry_run(&project, &[words, &["--curl"]].concat()).expect(0);
        let command = command.stdout.replace("[redacted]", TOKEN);
        let command = command.replacen("curl", "curl --silent --fail", 1);
        run(Command::new("bash").args(["-c", &command])).expect(0);
        let sent = server.take_requests();
        assert_eq!(sent.len(), 1, "{sent:?}");
        sent.into_iter().next().unwrap()
    };
    /// The parts that the two clients must have in common.
    fn parts(request: &str) -> (String, Vec<String>, String) {
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        let mut lines = head.lines();
        let first = lines.next().unwrap().to_owned();
        let headers = lines.map(|line| {
            let (name, value) = line.split_once(':').unwrap();
            format!("{}:{value}", name.to_lowercase())
        });
        // The headers in which each client describes itself.
        let own = ["accept-encoding:", "host:", "user-agent:"];
        let common = |line: &String| !own.iter().any(|name| line.starts_with(name));
        let mut headers: Vec<_> = headers.filter(common).collect();
        headers.sort();
        (first, headers, body.to_owned())
    }
    let by_curl = curl(&READ);
    call(&project, &READ).expect(0);
    let by_call = server.take_requests().remove(0);
    assert_eq!(parts(&by_curl), parts(&by_call));

    let (first, headers, body) = parts(&curl(&create));
    assert_eq!(first, "POST /notes HTTP/1.1");
    assert!(headers.contains(&"content-type: application/json".to_owned()));
    assert!(headers.contains(&format!("authorization: Bearer {TOKEN}")));
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body, json!({"text": TEXT, "tags": ["a"]}));
}

#[test]
fn refusals_are_those_of_the_call() {
    let (listener, url) = silent();
    let project = project(&url);
    for words in [
        [
            "delete-memo-note",
            "--role",
            "reader",
            "--args",
            r#"{"id": 7}"#,
        ],
        ["get-memo-nothing", "--role", "reader", "--args", "{}"],
        [
            "get-memo-note",
            "--role",
            "stranger",
            "--args",
            r#"{"id": 7}"#,
        ],
        [
            "get-memo-note",
            "--role",
            "reader",
            "--args",
            r#"{"id": "seven"}"#,
        ],
        ["get-memo-note", "--role", "reader", "--args", "{"],
    ] {
        for form in [&["--format", "text"], &["--format", "json"]] {
            let words = [&words[..], form].concat();
            let called = call(&project, &words);
            let planned = dry_run(&project, &words).expect(called.code.unwrap());
            assert_ne!(planned.code, Some(0));
            assert_eq!(planned.stdout, called.stdout);
            assert_eq!(planned.stderr, called.stderr);
        }
    }
    let audit = project.read(".toolwright/audit.jsonl");
    let of = |kind: &str| audit.matches(&format!(r#""event":"{kind}""#)).count();
    assert_eq!((of("decision"), of("dry_run")), (8, 8), "{audit}");
    assert!(!audit.contains(r#""decision":"allow""#), "{audit}");
    assert_no_connection(&listener);
}
