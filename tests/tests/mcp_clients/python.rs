//! Tests with Python's `mcp`: the session of the revisions with a handshake and the newest client.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::{
    check_failure, check_list, clients,
    stage::{Stage, root},
    unknown_item,
};
use toolwright_tests::real::Real;

/// Runs a client and returns the revision, the list and the outcome of each call.
fn drive(real: &Real, stage: &Stage, style: &str, role: &str, calls: &Value) -> Value {
    let ran = Command::new(real.folder().join("venv/mcp/bin/python"))
        .arg(root().join("tests/real/mcp_client.py"))
        .args([style, &calls.to_string(), "--"])
        .args(stage.command(role))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    serde_json::from_slice(&ran.stdout).unwrap()
}

#[test]
fn python_lists_and_calls_a_readers_tools() {
    let Some(real) = clients() else { return };
    let stage = Stage::new();
    for (style, revision) in [("session", "2025-11-25"), ("client", "2026-07-28")] {
        let calls = json!([
            ["list-depot-items", {"limit": 2}],
            ["create-depot-item", {"sku": "CLOCK-060", "name": "Clock", "quantity": 1}],
            ["no-such-tool", {}],
            ["get-depot-item", unknown_item()],
            ["get-depot-item", {"item_id": 7}],
        ]);
        let seen = drive(real, &stage, style, "reader", &calls);
        assert_eq!(seen["revision"], revision);
        check_list(&seen["list"]["tools"]);
        assert_eq!(seen["list"]["cacheScope"], "private");

        let calls = &seen["calls"];
        let items = &calls[0]["result"]["structuredContent"]["items"];
        assert_eq!(items.as_array().unwrap().len(), 2, "{calls}");
        let text = calls[0]["result"]["content"][0]["text"].as_str().unwrap();
        let same: Value = serde_json::from_str(text).unwrap();
        assert_eq!(same["items"], *items);
        assert_eq!(calls[1]["error"]["code"], -32602);
        let denied = calls[1]["error"].to_string();
        let unknown = calls[2]["error"].to_string();
        assert_eq!(
            denied.replace("create-depot-item", ""),
            unknown.replace("no-such-tool", "")
        );
        check_failure(&calls[3]["result"]);
        assert_eq!(calls[4]["result"]["isError"], true, "{calls}");
    }
    let audit = stage.audit();
    let reasons: Vec<_> = audit
        .iter()
        .filter_map(|event| event["reason"].as_str())
        .collect();
    let once = [
        "granted",
        "not_granted",
        "unknown_tool",
        "granted",
        "invalid_arguments",
    ];
    assert_eq!(reasons, [once, once].concat());
    assert!(audit.iter().all(|event| event["role"] == "reader"));
}

#[test]
fn python_creates_an_item_after_approval() {
    let Some(real) = clients() else { return };
    let stage = Stage::new();
    let calls =
        json!([["create-depot-item", {"sku": "CLOCK-060", "name": "Clock", "quantity": 1}]]);
    let create = || drive(real, &stage, "client", "clerk", &calls)["calls"][0]["result"].take();

    let waits = create();
    assert_eq!(waits["isError"], true);
    let error: Value = serde_json::from_str(waits["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(error["error"]["code"], "approval_required");
    stage.approve();

    let created = create();
    assert_eq!(created["isError"], false, "{created}");
    assert_eq!(created["structuredContent"]["sku"], "CLOCK-060");
    assert_eq!(create()["isError"], true, "an approval lets one call pass");
}
