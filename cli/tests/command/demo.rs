//! The demo, from its first step to its last.

use std::path::Path;

use crate::support::{Run, command, run};

fn demo(arguments: &[&str]) -> Run {
    let folder = std::env::temp_dir();
    run(&mut command(&folder, &[&["demo"], arguments].concat()))
}

/// Returns the word after another word in the output.
fn text_after<'a>(text: &'a str, word: &str) -> &'a str {
    let (_, rest) = text.split_once(word).unwrap();
    rest.split_whitespace().next().unwrap()
}

#[test]
fn every_step_is_printed_within_the_terminal_width() {
    let demo = demo(&[]).expect(0);
    let mut rest = demo.stdout.as_str();
    for told in [
        "1  What was generated",
        "create-depot-item         execute   create     needed    additive",
        "2  What a reader sees",
        "list-depot-items",
        "3  An allowed read",
        "reader calls list-depot-items",
        "\"items\": [",
        "4  A refused write",
        "tool_not_permitted",
        "the role `reader` may not call a tool named `create-depot-item`",
        "The audit contains the real reason: not_granted",
        "The audit contains the real reason: unknown_tool",
        "5  A create that waits for approval",
        "approval_required",
        "toolwright approve",
        "\"name\": \"Wall clock\"",
        "approval_required",
        "6  A call outside of its scope",
        "scope_violation",
        "The audit contains the rule: arguments.sku",
        "7  A tool that is switched off",
        "toolwright tools disable create-depot-item",
        "tool_not_permitted",
        "8  A standing grant",
        "toolwright approvals grant clerk create-depot-item",
        "\"name\": \"Desk clock\"",
        "9  A skill: several calls as one tool",
        "reader calls report-depot-shortages with {}",
        "\"shortages\": [",
        "The agent made one call in place of 6.",
        "10  The audit trail",
        "not_granted",
        "approval_required",
        "by operator",
        "HTTP 201",
        "scope_violation",
        "tool_switched",
        "standing_grant",
        "report-depot-shortages skill_moved active by operator",
        "report-depot-shortages skill_run 6 calls",
        "What to try next",
    ] {
        let words: Vec<_> = told.split_whitespace().collect();
        let found = rest.lines().position(|line| {
            let line: Vec<_> = line.split_whitespace().collect();
            line.join(" ").contains(&words.join(" "))
        });
        let line = found.unwrap_or_else(|| panic!("no `{told}` in the rest:\n{rest}"));
        rest = rest.splitn(line + 2, '\n').last().unwrap();
    }
    for line in demo.stdout.lines() {
        assert!(line.chars().count() <= 100, "too wide: {line}");
        assert!(
            !line.contains('\u{1b}'),
            "coloured without a terminal: {line:?}"
        );
    }
    assert!(!Path::new(text_after(&demo.stdout, "All other files are in")).exists());
}

#[test]
fn the_audit_trail_is_printed_as_json() {
    let events = demo(&["--json"]).expect(0).json();
    let field = |name: &'static str| {
        let text = move |event: &serde_json::Value| event[name].as_str().map(str::to_owned);
        events.iter().filter_map(text).collect::<Vec<_>>()
    };
    assert_eq!(
        field("reason"),
        [
            "granted",
            "not_granted",
            "unknown_tool",
            "approval_required",
            "approved",
            "approval_required",
            "scope_violation",
            "scope_violation",
            "disabled",
            "standing_grant",
            "granted",
            "granted",
            "granted",
            "granted",
            "granted",
            "granted",
            "granted",
        ]
    );
    assert_eq!(
        field("outcome"),
        [
            "ok", "denied", "denied", "denied", "ok", "denied", "denied", "denied", "ok", "ok",
            "ok", "ok", "ok", "ok", "ok", "ok",
        ]
    );
    assert_eq!(field("person"), ["operator"; 8]);
    assert_eq!(
        field("decision"),
        [
            "allow", "deny", "deny", "deny", "approved", "allow", "deny", "deny", "deny", "allow",
            "allow", "allow", "allow", "allow", "allow", "allow", "allow",
        ]
    );
}

#[test]
fn keep_preserves_the_folder_without_readable_secrets() {
    let demo = demo(&["--keep"]).expect(0);
    let folder = Path::new(text_after(&demo.stdout, "All other files are in"));
    let credentials = std::fs::read_to_string(folder.join(".local/depot/admin-auth.json")).unwrap();
    let credentials: serde_json::Value = serde_json::from_str(&credentials).unwrap();
    let token = credentials["api_token"].as_str().unwrap();
    let audit = std::fs::read_to_string(folder.join(".toolwright/audit.jsonl")).unwrap();
    for text in [&demo.stdout, &audit] {
        assert!(!text.contains(token), "the token is seen:\n{text}");
    }
    assert!(folder.join("generated/depot/tools.rs").is_file());
    std::fs::remove_dir_all(folder).unwrap();
}
