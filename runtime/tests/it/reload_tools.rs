//! Other tools for a registry that is in use.

use std::{path::Path, sync::Arc};

use serde_json::{Value, json};
use tokio::sync::Notify;
use toolwright::{
    Kind, Registry, ScopedToolView, Tool, ToolError, ToolSpec,
    audit::{MemoryAudit, Reason, RefusalReason},
    config::Config,
};

use crate::support::{builder, last_reason, role, spec};

const POLICY: &str = "[roles.reader]\ngrant = [\"service:depot\"]\n";

fn config(policy: &str) -> Config {
    Config::parse(Path::new("toolwright.toml"), policy).unwrap()
}

fn record(name: &str) -> ToolSpec {
    let http = json!({"method": "GET", "path": "/"});
    let mut spec = spec(name, Kind::Read, http, json!({"type": "object"}));
    spec.binding = toolwright::binding::Binding::Native;
    spec
}

/// Returns a tool with a fixed answer.
fn answering(name: &str, answer: &'static str) -> Tool {
    Tool::native(record(name), move |_, _| async move { Ok(json!(answer)) })
}

fn registry(audit: &Arc<MemoryAudit>, tools: Vec<Tool>) -> Registry {
    let builder = builder(audit).tools(tools).config(config(POLICY));
    builder.build().unwrap()
}

fn names(view: &ScopedToolView) -> Vec<String> {
    let specs = view.specs();
    specs.iter().map(|spec| spec.name.to_string()).collect()
}

async fn call(view: &ScopedToolView, tool: &str) -> Result<Value, ToolError> {
    let output = view.call_json(tool, json!({})).await?;
    Ok(output.value)
}

#[tokio::test]
async fn new_and_changed_tools_apply_at_once_to_existing_views() {
    let audit = Arc::new(MemoryAudit::new());
    let registry = registry(&audit, vec![answering("get-depot-one", "old")]);
    let view = registry.for_agent(&role("reader"));
    assert_eq!(call(&view, "get-depot-one").await.unwrap(), "old");
    let tools = [
        answering("get-depot-one", "new"),
        answering("get-depot-two", "two"),
    ];
    registry.reload_tools(&config(POLICY), tools).unwrap();
    assert_eq!(names(&view), ["get-depot-one", "get-depot-two"]);
    assert_eq!(call(&view, "get-depot-one").await.unwrap(), "new");
    assert_eq!(call(&view, "get-depot-two").await.unwrap(), "two");
    assert!(registry.spec("get-depot-two").is_some());
}

#[tokio::test]
async fn a_call_that_has_begun_ends_with_its_tool() {
    let audit = Arc::new(MemoryAudit::new());
    let (started, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (starting, going) = (Arc::clone(&started), Arc::clone(&go));
    let slow = Tool::native(record("get-depot-one"), move |_, _| {
        let (started, go) = (Arc::clone(&starting), Arc::clone(&going));
        async move {
            started.notify_one();
            go.notified().await;
            Ok(json!("old"))
        }
    });
    let registry = registry(&audit, vec![slow]);
    let view = registry.for_agent(&role("reader"));
    let first = {
        let view = view.clone();
        tokio::spawn(async move { call(&view, "get-depot-one").await })
    };
    started.notified().await;
    let changed = [answering("get-depot-one", "new")];
    registry.reload_tools(&config(POLICY), changed).unwrap();
    assert_eq!(call(&view, "get-depot-one").await.unwrap(), "new");
    let name = "get-depot-one".parse().unwrap();
    registry.withdraw_tools([&name]);
    assert!(call(&view, "get-depot-one").await.is_err());
    go.notify_one();
    assert_eq!(first.await.unwrap().unwrap(), "old");
}

#[tokio::test]
async fn a_withdrawn_tool_is_refused_as_one_that_does_not_exist() {
    let audit = Arc::new(MemoryAudit::new());
    let tools = vec![
        answering("get-depot-one", "1"),
        answering("get-depot-two", "2"),
    ];
    let registry = registry(&audit, tools);
    let view = registry.for_agent(&role("reader"));
    let name = "get-depot-one".parse().unwrap();
    registry.withdraw_tools([&name]);
    assert_eq!(names(&view), ["get-depot-two"]);
    let refused = call(&view, "get-depot-one").await.unwrap_err();
    assert_eq!(refused.code(), "tool_not_permitted");
    let reason = RefusalReason::DefinitionChanged;
    assert_eq!(last_reason(&audit), Reason::Policy(reason));
    // A policy that names it is still one, and does not bring it back.
    let named = config("[roles.reader]\ngrant = [\"get-depot-one\", \"get-depot-two\"]\n");
    registry.reload(&named).unwrap();
    assert_eq!(names(&view), ["get-depot-two"]);
    let back = [answering("get-depot-one", "again")];
    registry.reload_tools(&named, back).unwrap();
    assert_eq!(call(&view, "get-depot-one").await.unwrap(), "again");
}

#[tokio::test]
async fn tools_and_policy_change_together_or_not_at_all() {
    let audit = Arc::new(MemoryAudit::new());
    let registry = registry(&audit, vec![answering("get-depot-one", "1")]);
    let view = registry.for_agent(&role("reader"));
    let named = config("[roles.reader]\ngrant = [\"get-depot-two\"]\n");
    registry.reload(&named).unwrap_err();
    let two = || [answering("get-depot-two", "2")];
    registry.reload_tools(&named, two()).unwrap();
    assert_eq!(names(&view), ["get-depot-two"]);
    let wrong = config("[roles.reader]\ngrant = [\"get-depot-none\"]\n");
    let three = [answering("get-depot-three", "3")];
    registry.reload_tools(&wrong, three).unwrap_err();
    assert_eq!(names(&view), ["get-depot-two"]);
    assert!(registry.spec("get-depot-three").is_none());
}
