//! Hand-written tools: panics, nested calls, and arguments that would exhaust the stack.

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright::{
    Kind, ScopedToolView, Tool, ToolError, ToolSpec,
    audit::{Ending, MemoryAudit, Reason, RefusalReason},
};

use crate::support::{builder, call_of, decisions, last_reason, outcomes, role, spec};

fn native(name: &str) -> ToolSpec {
    let http = json!({"method": "GET", "path": "/"});
    let mut spec = spec(name, Kind::Read, http, json!({"type": "object"}));
    spec.binding = toolwright::binding::Binding::Native;
    spec
}

/// A view of the role `reader`, which was granted the first tool only.
fn view(tools: Vec<Tool>) -> (ScopedToolView, Arc<MemoryAudit>) {
    let audit = Arc::new(MemoryAudit::new());
    let first = tools[0].spec().name.to_string();
    let registry = builder(&audit)
        .tools(tools)
        .grant("reader", &first)
        .grant("admin", "*")
        .build()
        .unwrap();
    (registry.for_agent(&role("reader")), audit)
}

#[tokio::test]
async fn a_tool_that_panics_is_an_error_and_an_event() {
    let panics = Tool::native(native("get-depot-panic"), |_, _| async {
        panic!("the message may hold a secret")
    });
    let (view, audit) = view(vec![panics]);
    let error = view
        .call_json("get-depot-panic", json!({}))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "tool_panicked");
    assert!(!error.to_string().contains("secret"), "{error}");
    let outcome = outcomes(&audit.events()).remove(0);
    assert_eq!(outcome.outcome, Ending::Crashed);
    assert_eq!(outcome.error.as_deref(), Some("tool_panicked"));
}

#[tokio::test]
async fn a_nested_call_has_the_callers_role() {
    let deputy = Tool::native(native("get-depot-deputy"), |context, _| async move {
        let output = context.call("get-depot-secret", json!({})).await?;
        Ok(output.value)
    });
    let secret = Tool::native(native("get-depot-secret"), |_, _| async {
        Ok(json!("the admin's"))
    });
    let (view, audit) = view(vec![deputy, secret]);
    let error = view
        .call_json("get-depot-deputy", json!({}))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "tool_not_permitted");
    let reasons: Vec<_> = decisions(&audit.events())
        .iter()
        .map(|d| d.reason)
        .collect();
    assert_eq!(
        reasons,
        [Reason::Granted, Reason::Policy(RefusalReason::NotGranted)]
    );
    let events = audit.events();
    let calls: Vec<_> = events.iter().map(call_of).collect();
    assert!(calls.iter().all(|call| call.role == role("reader")));
    // The outer call is let pass, the inner one is refused, and the outer one ends.
    let parents: Vec<_> = calls.iter().map(|call| call.parent).collect();
    assert_eq!(parents, [None, Some(calls[0].correlation_id), None]);
}

#[tokio::test]
async fn tools_that_call_each_other_without_end_are_stopped() {
    let circle = Tool::native(native("get-depot-circle"), |context, _| async move {
        let output = context.call("get-depot-circle", json!({})).await?;
        Ok(output.value)
    });
    let (view, audit) = view(vec![circle]);
    let error = view
        .call_json("get-depot-circle", json!({}))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "nested_too_deeply");
    assert!(
        decisions(&audit.events())
            .iter()
            .any(|d| d.reason == Reason::NestedTooDeeply)
    );
}

#[tokio::test]
async fn arguments_that_would_exhaust_the_stack_are_refused_after_permission() {
    let deep = || {
        let mut value = Value::Null;
        for _ in 0..200_000 {
            value = Value::Array(vec![value]);
        }
        Value::Object([("a".to_owned(), value)].into_iter().collect())
    };
    let tool = Tool::native(native("get-depot-item"), |_, _| async { Ok(json!(1)) });
    let (view, audit) = view(vec![tool]);
    let error = view.call_json("get-depot-item", deep()).await.unwrap_err();
    assert!(
        matches!(error, ToolError::InvalidArguments { .. }),
        "{error}"
    );
    let error = view.call_json("get-depot-other", deep()).await.unwrap_err();
    assert_eq!(error.code(), "tool_not_permitted");
    assert_eq!(
        last_reason(&audit),
        Reason::Policy(RefusalReason::UnknownTool)
    );
}
