//! The tools of `specs/platform`, called on a real server: each operation, through the gates of the registry.
#![cfg(test)]

mod server;

use std::sync::Arc;

use serde_json::{Value, json};
use server::{TOKEN, start};
use toolwright::{
    Credentials, Registry, Role, ScopedToolView, ServiceName, ToolError, ToolSpec,
    audit::MemoryAudit,
};
use toolwright_generated::platform;

struct Stage {
    view: ScopedToolView,
    audit: Arc<MemoryAudit>,
}

impl Stage {
    /// Starts the service, and grants all of its tools without a person.
    async fn new(token: &str) -> Self {
        let address = start().await;
        let auth_file = json!({"base_url": format!("http://{address}"), "api_token": token});
        let auth_file = auth_file.to_string();
        let variable =
            move |name: &str| (name == "TOOLWRIGHT_PLATFORM_AUTH").then(|| auth_file.clone());
        let platform = ServiceName::new("platform").unwrap();
        let credentials = Credentials::new("/nowhere").with_variables(variable);
        let audit = Arc::new(MemoryAudit::new());
        let specs = platform::TOOLS.specs().unwrap().into_iter();
        let registry = Registry::builder()
            .specs(specs.map(|spec| ToolSpec {
                approval_required: false,
                ..spec
            }))
            .grant("agent", "service:platform")
            .enable("*")
            .credentials(credentials.with_environment(platform))
            .audit(Arc::clone(&audit))
            .build()
            .unwrap();
        let view = registry.for_agent(&Role::new("agent").unwrap());
        Self { view, audit }
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        let called = self.view.call_json(tool, arguments).await;
        called
            .unwrap_or_else(|error| panic!("{tool}: {error}"))
            .value
    }

    /// Returns the status and the code of a refusal of the service.
    async fn refused(&self, tool: &str, arguments: Value) -> (u16, String) {
        match self.view.call_json(tool, arguments).await {
            Err(ToolError::Service { status, body, .. }) => {
                (status, body["code"].as_str().unwrap_or_default().to_owned())
            }
            other => panic!("{tool}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn every_tool_works_on_a_real_server() {
    let stage = Stage::new(TOKEN).await;
    let new = json!({"title": "Orders over gRPC", "work_item": "SWI-042"});
    let context = stage.call("create-platform-context", new).await;
    let id = context["id"].clone();
    let of = |more: Value| {
        let mut arguments = more;
        arguments["context_id"] = id.clone();
        arguments
    };
    let key = json!({"key": "interface.orders.version"});
    let fact =
        json!({"key": "interface.orders.version", "value": {"major": 2}, "stated_by": "architect"});
    let set = stage.call("set-platform-context-fact", of(fact)).await;
    assert_eq!(set["value"], json!({"major": 2}));
    let other = json!({"key": "risk", "value": "low", "stated_by": "reviewer"});
    stage.call("set-platform-context-fact", of(other)).await;
    let read = stage
        .call("get-platform-context-fact", of(key.clone()))
        .await;
    assert_eq!(read, set);
    let prefix = json!({"prefix": "interface."});
    let listed = stage.call("list-platform-context-facts", of(prefix)).await;
    assert_eq!(listed, json!([set]));
    let updated = stage
        .call("update-platform-context", of(json!({"summary": "Use v2."})))
        .await;
    assert_eq!(
        (&updated["summary"], &updated["facts"]),
        (&json!("Use v2."), &json!(2))
    );
    stage
        .call("delete-platform-context-fact", of(key.clone()))
        .await;
    let refused = stage.refused("get-platform-context-fact", of(key)).await;
    assert_eq!(refused, (404, "not_found".to_owned()));
    let closed = stage.call("close-platform-context", of(json!({}))).await;
    assert_eq!(closed["state"], "closed");
    let refused = stage
        .refused("update-platform-context", of(json!({"title": "x"})))
        .await;
    assert_eq!(refused, (409, "closed".to_owned()));
    assert_eq!(
        stage.call("get-platform-context", of(json!({}))).await,
        closed
    );
    let systems = stage
        .call("list-platform-systems", json!({"kind": "tracker"}))
        .await;
    let system = stage
        .call("get-platform-system", json!({"name": "issues"}))
        .await;
    assert_eq!(systems, json!([system]));
}

#[tokio::test]
async fn the_next_page_follows_from_the_answer() {
    let stage = Stage::new(TOKEN).await;
    for number in 0..3 {
        let new = json!({"title": format!("Work {number}"), "work_item": "SWI-1"});
        stage.call("create-platform-context", new).await;
    }
    let mut arguments = json!({"limit": 2, "state": "open"});
    let mut titles = Vec::new();
    loop {
        let output = stage
            .view
            .call_json("list-platform-contexts", arguments.clone())
            .await;
        let output = output.unwrap();
        let contexts = output.value["contexts"].as_array().unwrap().clone();
        titles.extend(contexts.into_iter().map(|context| context["title"].clone()));
        let toolwright::pages::Continuation::With(more) = output.next else {
            break;
        };
        for (key, value) in more {
            arguments[key] = value;
        }
    }
    assert_eq!(titles, [json!("Work 0"), json!("Work 1"), json!("Work 2")]);
}

#[tokio::test]
async fn what_the_service_or_the_gates_refuse_has_its_reason() {
    let stage = Stage::new("wrong-token-0123456789").await;
    let refused = stage.refused("list-platform-systems", json!({})).await;
    assert_eq!(refused, (401, "unauthorized".to_owned()));
    let error = stage
        .view
        .call_json("get-platform-context", json!({"context_id": "no-id"}));
    let error = error.await.unwrap_err();
    assert_eq!(error.code(), "invalid_arguments", "{error}");
    let events = format!("{:?}", stage.audit.events());
    assert!(!events.contains("wrong-token"), "the audit has the token");
}

#[test]
fn the_classes_are_those_of_what_the_operations_do() {
    let specs = platform::TOOLS.specs().unwrap();
    assert_eq!(specs.len(), 11);
    for spec in specs {
        let name = spec.name.as_str();
        let reads = name.starts_with("get-") || name.starts_with("list-");
        assert_eq!(spec.hints.read_only, reads, "{name}");
        let waits = ["create-", "delete-"]
            .iter()
            .any(|verb| name.starts_with(verb));
        assert!(spec.approval_required || !waits, "{name}");
    }
}
