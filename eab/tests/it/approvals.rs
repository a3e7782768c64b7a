//! A person's approval is for one execution. A call that the service cannot carry out uses none up,
//! and no person is asked to approve it.

use std::{
    fs,
    sync::{Arc, Mutex},
};

use axum::response::IntoResponse;
use serde_json::{Value, json};
use toolwright::{
    Registry, Role, ScopedToolView, ToolError,
    approval::{Decision, Verdict},
    audit::{MemoryAudit, Reason, What},
    eab::Endpoint,
    system::{Clock, SystemClock},
};

use crate::support::{Fake, at, builder, handshake, socket};

const TOOL: &str = "explain-crates-rule";

/// A service with a handshake chosen by the test, and its one tool that needs approval.
struct Desk {
    fake: Fake,
    said: Arc<Mutex<Value>>,
    registry: Registry,
    audit: Arc<MemoryAudit>,
}

impl Desk {
    async fn new(endpoint: Endpoint) -> Self {
        let said = Arc::new(Mutex::new(handshake()));
        let saying = Arc::clone(&said);
        let fake = Fake::start(endpoint, move |method, envelope| {
            let answer = match method.as_str() {
                "handshake" => saying.lock().unwrap().clone(),
                _ => json!({"request_id": envelope["request_id"], "status": "success",
                            "diagnostics": [], "result": rule()}),
            };
            // A connection that stays open would be used when the socket is gone.
            async move { ([("connection", "close")], axum::Json(answer)).into_response() }
        })
        .await;
        let audit = Arc::new(MemoryAudit::new());
        let registry = builder(at(&fake.endpoint))
            .audit(Arc::clone(&audit))
            .build()
            .unwrap();
        Self {
            fake,
            said,
            registry,
            audit,
        }
    }

    fn say(&self, key: &str, value: Value) {
        self.said.lock().unwrap()[key] = value;
    }

    fn view(&self) -> ScopedToolView {
        self.registry.for_agent(&Role::new("linter").unwrap())
    }

    async fn call(&self) -> Result<Value, ToolError> {
        let arguments = json!({"rule": "package-name"});
        let output = self.view().call_json(TOOL, arguments).await;
        output.map(|output| output.value)
    }

    /// Calls, and lets a person approve that.
    async fn approve(&self) {
        let Err(ToolError::ApprovalRequired { id, .. }) = self.call().await else {
            panic!("the call waits for a person");
        };
        let decision = Decision::new(Verdict::Approved, "operator", SystemClock.now()).unwrap();
        let pending = self.registry.approvals().pending(SystemClock.now()).await;
        let mut pending = pending.unwrap().into_iter();
        let request = pending.find(|request| request.id == id).unwrap();
        self.registry
            .decide(request.handle, decision)
            .await
            .unwrap();
    }

    fn calls(&self) -> usize {
        self.fake.seen("explain_rule").len()
    }

    fn reasons(&self) -> Vec<Reason> {
        let events = self.audit.events().into_iter();
        let decisions = events.filter_map(|event| match event.what {
            What::Decision(decision) => Some(decision.reason),
            _ => None,
        });
        decisions.collect()
    }
}

fn rule() -> Value {
    json!({"name": "package-name", "category": "constraint_violation", "severity": "blocking",
           "about": "A package has a name."})
}

fn http() -> Endpoint {
    Endpoint::Http(String::new())
}

#[tokio::test]
async fn an_approval_passes_one_execution() {
    let desk = Desk::new(http()).await;
    desk.approve().await;
    assert_eq!(desk.call().await.unwrap()["result"], rule());
    assert_eq!(desk.call().await.unwrap_err().code(), "approval_required");
    assert_eq!(desk.calls(), 1);
}

#[tokio::test]
async fn an_unsupported_call_does_not_use_up_its_approval() {
    for (key, value, code) in [
        ("api_version", json!("2.0"), "api_version_mismatch"),
        ("status", json!("unavailable"), "tool_unavailable"),
        ("capabilities", json!(["validate"]), "tool_unavailable"),
        ("service", json!("kicad"), "service_mismatch"),
        ("status", json!("fine"), "unusable_answer"),
    ] {
        let desk = Desk::new(http()).await;
        desk.approve().await;
        // It was well when it was asked last, and that is kept for long.
        desk.say(key, value);
        for _ in 0..2 {
            assert_eq!(desk.call().await.unwrap_err().code(), code);
        }
        assert_eq!(desk.calls(), 0, "{code}");
        desk.say(key, handshake()[key].clone());
        desk.call().await.unwrap();
        assert_eq!(desk.call().await.unwrap_err().code(), "approval_required");
        assert_eq!(desk.calls(), 1, "{code}");
        use Reason::{ApprovalRequired, Approved, ServiceNotReady};
        let expected = [
            ApprovalRequired,
            ServiceNotReady,
            ServiceNotReady,
            Approved,
            ApprovalRequired,
        ];
        assert_eq!(desk.reasons(), expected);
    }
}

#[tokio::test]
async fn an_absent_service_does_not_use_up_an_approval() {
    let folder = tempfile::tempdir().unwrap();
    let (here, gone) = (socket(folder.path()), folder.path().join("elsewhere"));
    let desk = Desk::new(Endpoint::Unix(here.clone())).await;
    desk.approve().await;
    fs::rename(&here, &gone).unwrap();
    assert_eq!(desk.call().await.unwrap_err().code(), "connect_failed");
    fs::rename(&gone, &here).unwrap();
    desk.call().await.unwrap();
    assert_eq!(desk.calls(), 1);
}

#[tokio::test]
async fn an_unsupported_call_asks_for_no_approval() {
    let desk = Desk::new(http()).await;
    desk.say("status", json!("unavailable"));
    assert_eq!(desk.call().await.unwrap_err().code(), "tool_unavailable");
    let now = SystemClock.now();
    let waiting = desk.registry.approvals().pending(now).await.unwrap();
    assert_eq!(waiting, []);
    assert_eq!(desk.reasons(), [Reason::ServiceNotReady]);
}
