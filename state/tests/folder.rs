//! The move of a folder of approvals of an earlier version into the state.
#![cfg(test)]
#![cfg(unix)]

use std::{fs, os::unix::fs::PermissionsExt, path::Path, sync::Arc};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use toolwright::{
    Registry, Role, ScopedToolView, Tool, ToolSpec,
    approval::{
        ApprovalRequest, ApprovalStore, ApproverKey, ApproverKeys, Decision, MemoryApprovals,
        Verdict,
    },
    audit::MemoryAudit,
};
use toolwright_state::{State, move_folder, testing::TestPlace};

const TOOL: &str = "create-depot-item";

fn tool() -> Tool {
    let spec: ToolSpec = serde_json::from_value(json!({
        "name": TOOL, "service": "depot", "title": "Create", "short": "Creates.",
        "description": "Creates.", "section": "Items", "category": "execute", "effect": "create",
        "approval_required": true,
        "hints": {"readOnlyHint": false, "destructiveHint": false, "idempotentHint": false,
                  "openWorldHint": true},
        "enabled_by_default": false,
        "input_schema": {"type": "object", "properties": {"name": {"type": "string"}}},
        "binding": "native", "origin": {"document": "docs", "pointer": "/"}, "evidence": [],
    }))
    .unwrap();
    Tool::native(spec, |_, _| async { Ok(json!(null)) })
}

fn view(store: Arc<dyn ApprovalStore>) -> ScopedToolView {
    let registry = Registry::builder()
        .tool(tool())
        .enable("*")
        .grant("keeper", "*")
        .approvals(store)
        .audit(MemoryAudit::new())
        .build()
        .unwrap();
    registry.for_agent(&Role::new("keeper").unwrap())
}

async fn passes(view: &ScopedToolView, name: &str) -> bool {
    view.call_json(TOOL, json!({"name": name})).await.is_ok()
}

/// The request of a call, as earlier versions stored it: without the version of the policy.
async fn request(name: &str) -> ApprovalRequest {
    let store = Arc::new(MemoryApprovals::new());
    assert!(!passes(&view(Arc::clone(&store) as _), name).await);
    let mut request = store.pending(Timestamp::now()).await.unwrap().remove(0);
    request.policy = None;
    request
}

fn write(folder: &Path, kind: &str, name: &str, record: &Value) {
    let path = folder.join(kind);
    fs::create_dir_all(&path).unwrap();
    for folder in [folder, &path] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    }
    toolwright::private::write(&path.join(name), record.to_string()).unwrap();
}

#[tokio::test]
async fn requests_and_decisions_are_moved() {
    for place in TestPlace::all().await {
        let home = tempfile::tempdir().unwrap();
        let key = ApproverKey::in_folder(home.path()).unwrap();
        let keys = ApproverKeys::Listed(vec![key.public()]);
        let state = State::at(place.location.clone()).unwrap().keys(keys);
        state.open().await.unwrap();
        let now = Timestamp::now();
        let decided = |request: &ApprovalRequest, verdict| {
            Decision::new(verdict, "ann", now)
                .unwrap()
                .signed(&key, request)
        };
        let folder = home.path().join("approvals");
        let [waits, approved, rejected, forged, late] = [
            request("waits").await,
            request("approved").await,
            request("rejected").await,
            request("forged").await,
            request("late").await,
        ];
        let mut late = late;
        late.expires = now - SignedDuration::from_secs(1);
        let unsigned = Decision::new(Verdict::Approved, "mallory", now).unwrap();
        let yes = decided(&approved, Verdict::Approved);
        let no = decided(&rejected, Verdict::Rejected);
        write(&folder, "pending", "a.json", &json!({"request": waits}));
        write(&folder, "pending", "b.json", &json!({"request": late}));
        write(&folder, "pending", "c.json", &json!("nonsense"));
        write(
            &folder,
            "approved",
            "d.json",
            &json!({"request": approved, "decision": yes}),
        );
        write(
            &folder,
            "approved",
            "e.json",
            &json!({"request": forged, "decision": unsigned}),
        );
        write(
            &folder,
            "rejected",
            "f.json",
            &json!({"request": rejected, "decision": no}),
        );

        let moved = move_folder(&state, &folder, None, now)
            .await
            .unwrap()
            .unwrap();
        assert_eq!((moved.requests, moved.left), (4, 2));
        assert!(!folder.exists() && moved.folder.exists());
        assert_eq!(move_folder(&state, &folder, None, now).await, Ok(None));

        let view = view(Arc::new(state.clone()));
        assert!(passes(&view, "approved").await);
        assert!(!passes(&view, "approved").await, "it passes once");
        assert!(!passes(&view, "forged").await);
        let refused = view.call_json(TOOL, json!({"name": "rejected"})).await;
        assert_eq!(refused.unwrap_err().code(), "approval_rejected");
        assert!(!passes(&view, "waits").await);
        let pending = state.pending(now).await.unwrap();
        let waiting = pending
            .iter()
            .find(|request| request.id == waits.id)
            .unwrap();
        let decision = decided(waiting, Verdict::Approved);
        state.decide(waits.handle.clone(), decision).await.unwrap();
        assert!(passes(&view, "waits").await);
    }
}

#[tokio::test]
async fn a_folder_that_others_can_change_is_not_moved() {
    let (place, home) = (TestPlace::sqlite(), tempfile::tempdir().unwrap());
    let state = State::at(place.location.clone()).unwrap();
    state.open().await.unwrap();
    let folder = home.path().join("approvals");
    let waits = request("waits").await;
    write(&folder, "pending", "a.json", &json!({"request": waits}));
    fs::set_permissions(folder.join("pending"), fs::Permissions::from_mode(0o777)).unwrap();
    assert!(
        move_folder(&state, &folder, None, Timestamp::now())
            .await
            .is_err()
    );
    assert!(folder.exists());
    assert!(state.pending(Timestamp::now()).await.unwrap().is_empty());
}
