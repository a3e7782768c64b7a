//! Known, granted, enabled, in the allow-list: the permissions of a role, and the messages that it
//! sees.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::json;
use toolwright::{
    Registry, Tool, ToolError,
    audit::{MemoryAudit, Permission, Reason, RefusalReason},
    config::Config,
    policy::SandboxLayer,
};

use crate::support::{
    Service, at, builder, call_of, create_item, decisions, delete_item, get_item, last_reason, role,
};

async fn depot(audit: &Arc<MemoryAudit>) -> (Service, Registry) {
    let service = Service::json(200, json!({"ok": true})).await;
    let specs = [get_item(), create_item(), delete_item()];
    let registry = builder(audit)
        .specs(specs.map(|spec| at(spec, &service.url)))
        .grant("reader", "category:observe")
        .grant("keeper", "*")
        .enable("create-*")
        .build()
        .unwrap();
    (service, registry)
}

#[tokio::test]
async fn a_role_calls_what_it_was_granted() {
    let audit = Arc::new(MemoryAudit::new());
    let (service, registry) = depot(&audit).await;
    let view = registry.for_agent(&role("reader"));
    let output = view
        .call_json("get-depot-item", json!({"id": "7"}))
        .await
        .unwrap();
    assert_eq!(output.value, json!({"ok": true}));
    assert_eq!(output.status, Some(200));
    assert_eq!(service.one().target, "/items/7");
    assert_eq!(last_reason(&audit), Reason::Granted);
}

#[tokio::test]
async fn the_four_refusals_read_the_same_and_the_audit_distinguishes_them() {
    let audit = Arc::new(MemoryAudit::new());
    let (service, registry) = depot(&audit).await;
    let reader = registry.for_agent(&role("reader"));
    let keeper = registry.for_agent(&role("keeper"));
    let narrowed = keeper.clone().narrowed_to(["create-depot-item"]);
    let stranger = registry.for_agent(&role("stranger"));
    for (view, tool, reason) in [
        (
            &reader,
            "drop-depot-tables",
            Reason::Policy(RefusalReason::UnknownTool),
        ),
        (
            &reader,
            "create-depot-item",
            Reason::Policy(RefusalReason::NotGranted),
        ),
        (
            &keeper,
            "delete-depot-item",
            Reason::Policy(RefusalReason::Disabled),
        ),
        (
            &narrowed,
            "get-depot-item",
            Reason::Policy(RefusalReason::NotInAllowList),
        ),
        (
            &stranger,
            "get-depot-item",
            Reason::Policy(RefusalReason::NotGranted),
        ),
        (&reader, "", Reason::Policy(RefusalReason::UnknownTool)),
        (
            &reader,
            "GET-DEPOT-ITEM",
            Reason::Policy(RefusalReason::UnknownTool),
        ),
    ] {
        let error = view.call_json(tool, json!({"id": "7"})).await.unwrap_err();
        let role = view.role();
        assert_eq!(
            error.to_json(),
            json!({"error": {
                "code": "tool_not_permitted",
                "message": format!("the role `{role}` may not call a tool named `{tool}`"),
                "retryable": false,
            }})
        );
        let expected = ToolError::ToolNotPermitted {
            role: role.clone(),
            tool: tool.to_owned(),
        };
        assert_eq!(error, expected);
        let last = decisions(&audit.events()).pop().unwrap();
        assert_eq!(
            (last.decision, last.reason),
            (Permission::Deny, reason),
            "{tool}"
        );
    }
    assert!(service.seen().is_empty());
}

#[tokio::test]
async fn a_view_lists_what_it_can_call_sorted_and_no_more() {
    let audit = Arc::new(MemoryAudit::new());
    let (_service, registry) = depot(&audit).await;
    let names = |role_name: &str| -> Vec<String> {
        let specs = registry.for_agent(&role(role_name)).specs();
        specs.iter().map(|spec| spec.name.to_string()).collect()
    };
    assert_eq!(names("reader"), ["get-depot-item"]);
    assert_eq!(names("keeper"), ["create-depot-item", "get-depot-item"]);
    assert!(names("stranger").is_empty());
    let keeper = registry.for_agent(&role("keeper"));
    assert!(keeper.spec("get-depot-item").is_some());
    assert!(keeper.spec("delete-depot-item").is_none());
    assert!(keeper.spec("drop-depot-tables").is_none());
}

#[tokio::test]
async fn a_deprecated_tool_is_in_no_view_until_the_operator_switches_it_on() {
    let service = Service::json(200, json!({"ok": true})).await;
    let mut spec = at(get_item(), &service.url);
    spec.deprecated = true;
    spec.enabled_by_default = false;
    for switched_on in [false, true] {
        let audit = Arc::new(MemoryAudit::new());
        let mut builder = builder(&audit)
            .specs([spec.clone()])
            .grant("reader", "category:observe");
        if switched_on {
            builder = builder.enable("get-depot-item");
        }
        let view = builder.build().unwrap().for_agent(&role("reader"));
        let called = view.call_json("get-depot-item", json!({"id": "7"})).await;
        assert_eq!(view.specs().len(), usize::from(switched_on));
        assert_eq!(called.is_ok(), switched_on, "{called:?}");
        let reason = if switched_on {
            Reason::Granted
        } else {
            Reason::Policy(RefusalReason::Disabled)
        };
        assert_eq!(last_reason(&audit), reason);
    }
    assert_eq!(service.seen().len(), 1);
}

#[tokio::test]
async fn an_allow_list_only_narrows() {
    let audit = Arc::new(MemoryAudit::new());
    let (_service, registry) = depot(&audit).await;
    let reader = registry.for_agent(&role("reader"));
    let wide = reader
        .clone()
        .narrowed_to(["get-depot-item", "create-depot-item"]);
    assert_eq!(wide.specs().len(), 1);
    let none = wide.narrowed_to(["create-depot-item"]);
    assert!(none.specs().is_empty());
    let again = none.narrowed_to(["get-depot-item", "create-depot-item"]);
    assert!(again.specs().is_empty());
    assert!(
        again
            .call_json("get-depot-item", json!({"id": "7"}))
            .await
            .is_err()
    );
    assert!(reader.narrowed_to([""; 0]).specs().is_empty());
}

#[tokio::test]
async fn an_invented_name_is_truncated_and_cleaned() {
    let audit = Arc::new(MemoryAudit::new());
    let (_service, registry) = depot(&audit).await;
    let reader = registry.for_agent(&role("reader"));
    let name = format!("a\nb\u{1b}[31m{}", "x".repeat(10_000));
    let error = reader.call_json(&name, json!({})).await.unwrap_err();
    assert!(error.to_string().len() < 200, "{error}");
    assert!(!error.to_string().contains(char::is_control), "{error:?}");
    assert_eq!(call_of(&audit.events()[0]).tool.chars().count(), 64);
}

#[tokio::test]
async fn a_call_that_the_machine_cannot_confine_is_refused_before_it_has_an_effect() {
    let audit = Arc::new(MemoryAudit::new());
    let called = Arc::new(AtomicBool::new(false));
    let sees = Arc::clone(&called);
    let tool = Tool::native(get_item(), move |_, _| {
        sees.store(true, Ordering::SeqCst);
        async { Ok(json!("done")) }
    });
    let policy = "[roles.free]\ngrant = [\"*\"]\nsandbox = []\n[roles.confined]\ngrant = [\"*\"]\nsandbox = [\"files\"]\n";
    let registry = builder(&audit)
        .config(Config::parse(Path::new("toolwright.toml"), policy).unwrap())
        .tool(tool.within_sandbox(|_| [SandboxLayer::Files].into()))
        .build()
        .unwrap();
    let arguments = || json!({"id": "7"});
    let confined = registry.for_agent(&role("confined"));
    let refused = confined.call_json("get-depot-item", arguments()).await;
    assert_eq!(refused.unwrap_err().code(), "sandbox_unavailable");
    assert!(!called.load(Ordering::SeqCst));
    let reason = Reason::Policy(RefusalReason::SandboxUnavailable);
    assert_eq!(last_reason(&audit), reason);
    let free = registry.for_agent(&role("free"));
    free.call_json("get-depot-item", arguments()).await.unwrap();
    assert!(called.load(Ordering::SeqCst));
}
