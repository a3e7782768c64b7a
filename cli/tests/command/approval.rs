//! `approvals`, `approve` and `reject`: a person decides, and the call passes once or not at all.

use toolwright_tests::{Answer, Recorder};

use crate::support::{Project, READER, Run, service};

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

#[test]
fn a_list_cuts_long_values_and_one_request_is_shown_whole() {
    let server = service(Answer::json(201, NOTE));
    let project = project(&server);
    let text = format!("{}end", "milk ".repeat(1000));
    let arguments = serde_json::json!({ "text": text }).to_string();
    let source = ["--spec", "specs/memo/openapi.yaml", "--service", "memo"];
    let call = ["call", "create-memo-note", "--role", "writer"];
    project
        .run(&[&call[..], &["--args", &arguments], &source[..]].concat())
        .expect(6);
    let run = project.run(&["approvals", "--json"]).expect(0);
    let handle = run.json()[0]["handle"].as_str().unwrap().to_owned();
    let listed = project.run(&["approvals"]).expect(0);
    let listed = listed.prints(&format!(
        "… `toolwright approvals show {handle}` shows the rest"
    ));
    assert!(listed.stdout.len() < 4000, "{}", listed.stdout);
    project
        .run(&["approvals", "show", &handle])
        .expect(0)
        .prints(&text);
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
    let refused = create(&project).expect(6);
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
        .expect(6)
        .says("a person must approve this call");
    let watched = project.run(&["approvals", "watch", "--seconds", "0", "--json"]);
    assert_eq!(watched.expect(0).json().len(), 1);
}

#[test]
fn a_rejected_call_is_refused() {
    let server = service(Answer::json(201, NOTE));
    let project = project(&server);
    create(&project).expect(6);
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
        .expect(5)
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
    create(&project).expect(6);
    let (handle, digest) = waiting_call(&project);
    project
        .run(&["approve", &handle, "--by", " ", "--digest", &digest])
        .expect(100)
        .says("the name of the person must be");
}

#[test]
fn a_standing_grant_lets_calls_pass_until_it_is_revoked() {
    let server = service(Answer::json(201, NOTE));
    let project = project(&server);
    let source = ["--spec", "specs/memo/openapi.yaml", "--service", "memo"];
    let grant = [
        "approvals",
        "grant",
        "writer",
        "create-memo-note",
        "--uses",
        "5",
        "--minutes",
        "9",
        "--by",
        "operator",
        "--why",
        "imports",
        "--args",
        r#"{"text": "milk"}"#,
    ];
    let granted = project.run(&[&grant[..], &source[..]].concat()).expect(0);
    let id = granted.stdout.split(':').next().unwrap().to_owned();
    create(&project).expect(0).prints("milk");
    project
        .run(&["approvals", "grants"])
        .expect(0)
        .prints("4/5")
        .prints("imports");
    let revoke = [
        "approvals",
        "revoke",
        &id,
        "--by",
        "operator",
        "--why",
        "done",
    ];
    project.run(&revoke).expect(0).prints("is revoked");
    project.run(&revoke).expect(100).says("no standing grant");
    create(&project).expect(6).says("a person must approve");
    let grants = project
        .run(&["approvals", "grants", "--json"])
        .expect(0)
        .json();
    assert_eq!(grants[0]["revocation"], "operator: done");
    let audit = project.read(".toolwright/audit.jsonl");
    assert_eq!(
        audit.matches(r#""event":"standing_grant""#).count(),
        2,
        "{audit}"
    );
    assert!(audit.contains(r#""reason":"standing_grant""#), "{audit}");
    for (uses, minutes) in [("0", "9"), ("5", "0")] {
        let grant = [
            "approvals",
            "grant",
            "writer",
            "create-memo-note",
            "--uses",
            uses,
            "--minutes",
            minutes,
            "--by",
            "operator",
            "--why",
            "imports",
        ];
        let refused = project.run(&[&grant[..], &source[..]].concat());
        refused
            .expect(100)
            .says("a standing grant ends in the future");
    }
}

#[test]
fn a_call_waits_for_the_decision_if_it_is_told_to() {
    let server = service(Answer::json(201, NOTE));
    let project = project(&server);
    let call = [
        "call",
        "create-memo-note",
        "--role",
        "writer",
        "--args",
        r#"{"text": "milk"}"#,
    ];
    let source = ["--spec", "specs/memo/openapi.yaml", "--service", "memo"];
    let wait =
        |seconds: &str| project.run(&[&call[..], &source[..], &["--wait", seconds][..]].concat());
    wait("1").expect(6).says("a person must approve this call");
    let called = std::thread::scope(|scope| {
        let called = scope.spawn(|| wait("60"));
        let (handle, digest) = waiting_call(&project);
        let approve = ["approve", &handle, "--by", "operator", "--digest", &digest];
        project.run(&approve).expect(0);
        called.join().unwrap()
    });
    called.expect(0).prints("milk");
    assert_eq!(server.take_requests().len(), 1);
}

#[test]
fn only_a_named_approver_of_another_run_approves() {
    let server = service(Answer::json(201, NOTE));
    let project = project(&server);
    let key = project.run(&["approver-key"]).expect(0).stdout;
    let config = project.read("toolwright.toml");
    let approvers = format!(
        "[approvals]\nfour_eyes = true\n[approvals.approvers.ann]\nkey = \"{}\"\napprove = [\"create-*\"]\n",
        key.trim()
    );
    project.configure(format!("{config}{approvers}"));
    create(&project)
        .expect(100)
        .says("nobody may approve this call");
    let call = [
        "call",
        "create-memo-note",
        "--role",
        "writer",
        "--args",
        r#"{"text": "milk"}"#,
    ];
    let source = [
        "--spec",
        "specs/memo/openapi.yaml",
        "--service",
        "memo",
        "--started-by",
        "carol",
    ];
    let create = || project.run(&[&call[..], &source[..]].concat());
    create().expect(6).says("a person must approve");
    let (handle, digest) = waiting_call(&project);
    let approve = |name: &str| {
        project.run(&[
            "approvals",
            "approve",
            &handle,
            "--by",
            name,
            "--digest",
            &digest,
        ])
    };
    approve("bob")
        .expect(100)
        .says("the person may not approve this call");
    approve("ann").expect(0);
    create().expect(0).prints("milk");
}

/// A document with an update that a person must approve, and with its read.
const VAULT: &str = include_str!("vault.yaml");

#[test]
fn an_approver_reads_the_current_values_of_an_update() {
    let current = r#"{"note": "old \u001b[31m\u202e", "value": "hunter2-before", "count": 3}"#;
    let server = service(Answer::json(200, current));
    let project = Project::empty();
    project.write("specs/vault/openapi.yaml", VAULT);
    let config = |grant: &str| {
        format!(
            "[roles.writer]\ngrant = [\"{grant}\"]\n[tools]\nenable = [\"update-*\"]\n\
             [services.vault]\nbase_url = \"{}\"\n",
            server.url()
        )
    };
    project.configure(config("*"));
    let update = |note: &str| {
        let arguments =
            format!(r#"{{"id": 7, "note": "{note}", "value": "hunter2-after", "count": 3}}"#);
        let call = [
            "call",
            "update-vault-secret",
            "--role",
            "writer",
            "--args",
            &arguments,
        ];
        let source = ["--spec", "specs/vault/openapi.yaml", "--service", "vault"];
        project.run(&[&call[..], &source[..]].concat())
    };
    update("new").expect(6).says("a person must approve");
    let request = project
        .run(&["approvals", "--json"])
        .expect(0)
        .json()
        .remove(0);
    let handle = request["handle"].as_str().unwrap();
    let fields = &request["changes"]["read"]["fields"];
    assert_eq!(fields[0]["field"], "/note", "{request}");
    assert_eq!(fields[0]["after"], "new");
    for command in [&["approvals"][..], &["approvals", "show", handle]] {
        let shown = project.run(command).expect(0);
        let shown = shown
            .prints("as `get-vault-secret` read at ")
            .prints(r#"/note: "old \u001b[31m\u202e" → "new""#)
            .prints("/count: 3 → 3 (unchanged)")
            .prints("/value: \"(masked: 14 characters");
        assert!(!shown.stdout.contains("hunter2") && !shown.stdout.contains('\u{1b}'));
    }
    let requests = server.take_requests();
    assert_eq!(requests.len(), 1, "{requests:?}");
    assert!(requests[0].starts_with("GET /secrets/7 "), "{requests:?}");

    project.configure(config("update-*"));
    update("newer").expect(6).says("a person must approve");
    project
        .run(&["approvals"])
        .expect(0)
        .prints("current values unknown: the role may not call the tool");
    assert_eq!(server.take_requests().len(), 0);
}

#[test]
fn commands_tell_a_webhook_before_they_end() {
    let server = service(Answer::json(201, NOTE));
    let receiver = service(Answer::json(204, ""));
    let project = project(&server);
    let config = project.read("toolwright.toml");
    let webhook = format!(
        "[approvals.webhook]\nurl = \"{}/hook\"\nsecret_env = \"HOOK_SECRET\"\n",
        receiver.url()
    );
    project.configure(format!("{config}{webhook}"));
    let secret = format!("whsec_{}", "QUJD".repeat(8));
    let run = |arguments: &[&str]| {
        let mut command = project.command(arguments);
        crate::support::run(command.env("HOOK_SECRET", &secret))
    };
    let source = ["--spec", "specs/memo/openapi.yaml", "--service", "memo"];
    let call = [
        "call",
        "create-memo-note",
        "--role",
        "writer",
        "--args",
        r#"{"text": "milk"}"#,
    ];
    run(&[&call[..], &source[..]].concat()).expect(6);
    let (handle, digest) = waiting_call(&project);
    run(&["approve", &handle, "--by", "operator", "--digest", &digest]).expect(0);
    let received = receiver.take_requests();
    assert_eq!(received.len(), 2, "{received:?}");
    for (message, kind) in received.iter().zip(["waiting", "approved"]) {
        assert!(message.starts_with("POST /hook "), "{message}");
        assert!(
            message.contains(&format!(r#""type":"approval.{kind}""#)),
            "{message}"
        );
        assert!(
            message.contains(&handle) && message.contains("webhook-signature: v1,"),
            "{message}"
        );
        assert!(!message.contains("QUJD"), "{message}");
    }
    // Without the secret nothing is sent, and the decision counts.
    project.run(&[&call[..], &source[..]].concat()).expect(0);
    project.run(&[&call[..], &source[..]].concat()).expect(6);
    assert_eq!(receiver.take_requests().len(), 0);
    let audit = project.read(".toolwright/audit.jsonl");
    assert!(
        audit.contains(r#""event":"notification_failed""#),
        "{audit}"
    );
    assert!(audit.contains("`secret_env` is not set"), "{audit}");
}

#[test]
fn a_server_warns_if_nobody_can_be_told() {
    let project = Project::with_memo();
    project.configure(
        "[roles.reader]\n[approvals.webhook]\nurl = \"https://hooks.example\"\n\
         secret_file = \"nothing\"\n[approvals.command]\nargv = [\"/nowhere/at/all\"]\n",
    );
    project
        .run(&READER)
        .expect(0)
        .says("warning: nobody will be told of waiting calls: the webhook cannot be used")
        .says("the command `/nowhere/at/all` does not exist");
}
