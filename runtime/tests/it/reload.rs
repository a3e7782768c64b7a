//! The operator's word counts at once: reloaded policies, revoked views, calls that wait.

use std::{path::Path, sync::Arc};

use serde_json::json;
use toolwright::{
    Registry, ScopedToolView, Tool, ToolError,
    approval::{Decision, Verdict},
    audit::{MemoryAudit, Reason, RefusalReason},
    config::Config,
};

use crate::support::{HandClock, builder, create_item, get_item, last_reason, role};

/// A registry of two native tools with this policy.
fn registry(audit: &Arc<MemoryAudit>, policy: &str) -> Registry {
    let native = |spec| Tool::native(spec, |_, _| async { Ok(json!("done")) });
    builder(audit)
        .tools([native(get_item()), native(create_item())])
        .config(config(policy))
        .approvals(Arc::new(toolwright::approval::MemoryApprovals::new()))
        .clock(HandClock::new().as_clock())
        .build()
        .unwrap()
}

fn config(policy: &str) -> Config {
    Config::parse(Path::new("toolwright.toml"), policy).unwrap()
}

const READER: &str = "[roles.reader]\ngrant = [\"get-depot-item\"]\n";

async fn get(view: &ScopedToolView) -> Result<(), ToolError> {
    let arguments = json!({"id": "7"});
    let called = view.call_json("get-depot-item", arguments).await;
    called.map(|_| ())
}

#[tokio::test]
async fn a_new_policy_applies_at_once_to_existing_views() {
    let audit = Arc::new(MemoryAudit::new());
    let registry = registry(&audit, READER);
    let view = registry.for_agent(&role("reader"));
    get(&view).await.unwrap();

    let off = format!("{READER}[tools]\ndisable = [\"*\"]\n");
    registry.reload(&config(&off)).unwrap();
    assert!(get(&view).await.is_err());
    assert_eq!(last_reason(&audit), Reason::Policy(RefusalReason::Disabled));
    assert!(view.specs().is_empty());

    registry
        .reload(&config("[roles.other]\ngrant = [\"*\"]\n"))
        .unwrap();
    assert!(get(&view).await.is_err());
    assert_eq!(
        last_reason(&audit),
        Reason::Policy(RefusalReason::NotGranted)
    );

    registry.reload(&config(READER)).unwrap();
    get(&view).await.unwrap();
}

#[tokio::test]
async fn a_broken_policy_leaves_the_old_one_in_force() {
    let audit = Arc::new(MemoryAudit::new());
    let registry = registry(&audit, READER);
    let view = registry.for_agent(&role("reader"));
    let slips = "[roles.reader]\ngrant = [\"get-depot-itm\"]\n[tools]\ndisable = [\"remove-*\"]\n";
    let problems = registry.reload(&config(slips)).unwrap_err().problems;
    assert_eq!(problems.len(), 2, "{problems:?}");
    get(&view).await.unwrap();
}

#[tokio::test]
async fn a_running_program_keeps_its_record_and_its_open_requests_in_place() {
    let audit = Arc::new(MemoryAudit::new());
    let registry = registry(&audit, READER);
    let moved = format!("{READER}[audit]\nfile = \"other.jsonl\"\n[state]\nfile = \"other\"\n");
    let error = registry.reload(&config(&moved)).unwrap_err().to_string();
    assert!(
        error.contains("the audit file cannot move to `other.jsonl`"),
        "{error}"
    );
    assert!(
        error.contains("the state cannot move to `other`"),
        "{error}"
    );
}

#[tokio::test]
async fn a_revoked_view_lists_and_calls_nothing() {
    let audit = Arc::new(MemoryAudit::new());
    let registry = registry(&audit, READER);
    let view = registry.for_agent(&role("reader"));
    let copy = view.clone().narrowed_to(["get-depot-item"]);
    registry.revoke(&role("reader"));
    for view in [&view, &copy] {
        assert!(get(view).await.is_err());
        assert_eq!(last_reason(&audit), Reason::Revoked);
        assert!(view.specs().is_empty());
    }
    get(&registry.for_agent(&role("reader"))).await.unwrap();
}

#[tokio::test]
async fn a_call_that_waits_for_a_person_is_checked_again() {
    let policy = |more: &str| {
        format!("[roles.keeper]\ngrant = [\"*\"]\n[tools]\nenable = [\"create-*\"]\n{more}")
    };
    let audit = Arc::new(MemoryAudit::new());
    let registry = registry(&audit, &policy(""));
    let view = registry.for_agent(&role("keeper"));
    let create = || view.call_json("create-depot-item", json!({"name": "bolt"}));
    let Err(ToolError::ApprovalRequired { .. }) = create().await else {
        panic!("it waits");
    };
    let now = HandClock::new().now();
    let request = registry.approvals().pending(now).await.unwrap().remove(0);
    let decision = Decision::new(Verdict::Approved, "operator", now).unwrap();
    registry.decide(request.handle, decision).await.unwrap();

    registry
        .reload(&config(&policy("disable = [\"create-*\"]\n")))
        .unwrap();
    assert_eq!(create().await.unwrap_err().code(), "tool_not_permitted");
    assert_eq!(last_reason(&audit), Reason::Policy(RefusalReason::Disabled));

    registry.reload(&config(&policy(""))).unwrap();
    assert!(
        create().await.is_ok(),
        "the refused call did not use the approval up"
    );
}
