//! The governance of an overlay, from the overlay to the audit.

use serde_json::Value;
use toolwright_tests::Answer;

use crate::support::{Project, service};

const REASON: &str = "The notes are copies; the originals are elsewhere.";

/// The arguments that name the specification and its overlay.
const NOTES: [&str; 6] = [
    "--spec",
    "specs/memo/openapi.yaml",
    "--service",
    "memo",
    "--overlay",
    "specs/memo/overlay.toml",
];

fn project(overlay: &str) -> Project {
    let project = Project::with_memo();
    project.write("specs/memo/overlay.toml", overlay);
    project
}

#[test]
fn the_overlay_reason_is_shown_by_every_command() {
    let server = service(Answer::empty(204));
    let project = project(&format!(
        "[operations.deleteNote]\napproval_required = false\nreason = \"{REASON}\"\n"
    ));
    project.configure(format!(
        "[roles.writer]\ngrant = [\"*\"]\n[tools]\nenable = [\"delete-*\"]\n\
             [services.memo]\nbase_url = \"{}\"\n",
        server.url()
    ));

    let with = |arguments: &[&str]| project.run(&[arguments, &NOTES[..]].concat());
    with(&["explain", "delete-memo-note"])
        .expect(0)
        .prints(REASON);
    with(&["show", "delete-memo-note"]).expect(0).prints(REASON);
    let shown = with(&["show", "delete-memo-note", "--json"]).expect(0);
    assert_eq!(shown.json()[0]["reason"], REASON);

    project.run(&["generate", "--service", "memo"]).expect(0);
    let manifest = project.read("generated/src/memo/manifest.json");
    assert!(manifest.contains(REASON), "{manifest}");

    let call = [
        "call",
        "delete-memo-note",
        "--role",
        "writer",
        "--args",
        r#"{"id": 7}"#,
    ];
    with(&call).expect(0);
    assert_eq!(server.take_requests().len(), 1);
    let audit = project.read(".toolwright/audit.jsonl");
    let events: Vec<Value> = audit
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(events.len(), 2, "{audit}");
    for event in events {
        assert_eq!(event["governance_reason"], REASON, "{event}");
    }
}

#[test]
fn lowered_governance_without_a_reason_is_refused() {
    for said in [
        "category = \"observe\"",
        "effect = \"update\"",
        "approval_required = false",
        "enabled_by_default = true",
        "hints = { destructive = false }",
    ] {
        let lowered = format!("[operations.deleteNote]\n{said}\n");
        let list = |overlay: &str| {
            let project = project(overlay);
            project.run(&[&["list"][..], &NOTES[..]].concat())
        };
        list(&lowered).expect(100).says("without a reason");
        list(&format!("{lowered}reason = \"{REASON}\"\n")).expect(0);
    }
}
