//! `approvals`, `approve` and `reject`: a person decides, and the call passes once or not at all.

use toolwright_tests::{Answer, Recorder};

use crate::support::{Project, Run, service};

const NOTE: &str = r#"{"id": 7, "text": "milk"}"#;

/// Creates a project with a role that may create notes.
fn project(server: &Recorder) -> Project {
    let project = Project::with_memo();
    let config = "[roles.writer]\ngrant = [\"*\"]\n[tools]\nenable = [\"create-*\"]\n";
    let service = format!("[services.memo]\nbase_url = \"{}\"\n", server.url());
    project.configure(format!("{config}{service}"));
    project
}

fn create(project: &Project) -> Run {
    let source = ["--spec", "specs/memo/openapi.yaml", "--service", "memo"];
    let call = ["call", "create-memo-note", "--role", "writer"];
    project.run(&[&call[..], &["--args", r#"{"text": "milk"}"#], &source[..]].concat())
}

/// The handle and the digest of the one request that waits.
fn waiting_call(project: &Project) -> (String, String) {
    let run = project.run(&["approvals", "--json"]).expect(0);
    let requests = run.json();
    assert_eq!(requests.len(), 1, "{requests:?}");
    assert_eq!(requests[0]["tool"], "create-memo-note");
    assert_eq!(requests[0]["role"], "writer");
    assert_eq!(requests[0]["shown"]["arguments"]["text"], "milk");
    let fact = |name: &str| requests[0][name].as_str().unwrap().to_owned();
    (fact("handle"), fact("digest"))
}

#[test]
fn an_approved_call_passes_once() {
    let server = service(Answer::json(201, NOTE));
    let project = project(&server);
    let refused = create(&project).expect(100);
    let (handle, digest) = waiting_call(&project);
    assert!(
        !refused.stderr.contains(&handle) && !refused.stdout.contains(&handle),
        "the caller is not told the handle: {}",
        refused.stderr
    );
    let told = refused.stderr.split('`').nth(1).unwrap();
    project
        .run(&["approve", told, "--by", "operator", "--digest", &digest])
        .expect(2)
        .says("is the id that the caller received");
    assert!(server.take_requests().is_empty());

    project
        .run(&["approvals"])
        .expect(0)
        .prints(&handle)
        .prints("create-memo-note")
        .prints(&format!("POST {}/notes", server.url()))
        .prints(r#""text": "milk""#)
        .prints(&digest);
    project
        .run(&["approve", &handle, "--by", "operator"])
        .expect(2)
        .says("cannot show the request without a terminal");
    project
        .run(&[
            "approve",
            &handle,
            "--by",
            "operator",
            "--digest",
            &"0".repeat(64),
        ])
        .expect(100)
        .says("the digest does not match the request");
    project
        .run(&["approve", &handle, "--by", "operator", "--digest", &digest])
        .expect(0)
        .prints("passes once");
    project
        .run(&["approvals"])
        .expect(0)
        .prints("No call is waiting for approval.");
    create(&project).expect(0).prints("milk");
    let requests = server.take_requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].ends_with(r#"{"text":"milk"}"#), "{requests:?}");

    let audit = project.read(".toolwright/audit.jsonl");
    let decided = r#""event":"approval","decision":"approved""#;
    assert_eq!(audit.matches(decided).count(), 1, "{audit}");
    assert_eq!(
        audit.matches(r#""person":"operator""#).count(),
        2,
        "{audit}"
    );
    let shown = project.run(&["approvals", "show", &handle]).expect(0);
    shown.prints("used, by operator").prints(&handle);
    create(&project)
        .expect(100)
        .says("a person must approve this call");
    let watched = project.run(&["approvals", "watch", "--seconds", "0", "--json"]);
    assert_eq!(watched.expect(0).json().len(), 1);
}

#[test]
fn a_rejected_call_is_refused() {
    let server = service(Answer::json(201, NOTE));
    let project = project(&server);
    create(&project).expect(100);
    let (handle, _) = waiting_call(&project);
    project
        .run(&["reject", &handle, "--by", "operator"])
        .expect(0)
        .prints("is refused");
    let audit = project.read(".toolwright/audit.jsonl");
    assert!(
        audit.contains(r#""event":"approval","decision":"rejected""#),
        "{audit}"
    );
    create(&project)
        .expect(100)
        .says("a person rejected this call");
    assert!(server.take_requests().is_empty());
}

#[test]
fn a_decision_needs_a_name_and_something_to_decide_on() {
    let project = Project::empty();
    project
        .run(&["approve", "0123456789ab", "--by", "operator"])
        .expect(100)
        .says("no request `0123456789ab` waits");

    let server = service(Answer::json(201, NOTE));
    let project = self::project(&server);
    create(&project).expect(100);
    let (handle, digest) = waiting_call(&project);
    project
        .run(&["approve", &handle, "--by", " ", "--digest", &digest])
        .expect(100)
        .says("must name the person");
}
