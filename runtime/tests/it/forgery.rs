//! Approvals under attack: by who can write into the database, and by a call that changes after it
//! was approved.

use std::{fs, sync::Arc};

use serde_json::{Value, json};
use toolwright::{
    Registry, ScopedToolView, ToolSpec,
    approval::{ApprovalRequest, ApprovalStore, ApproverKey, ApproverKeys, Decision, Verdict},
    audit::{MemoryAudit, Reason},
    eab::RunContext,
};
use toolwright_state::{State, testing::TestPlace};

use crate::support::{
    HandClock, Service, at, auth_file, builder, create_item, decisions, last_reason, role,
    with_binding,
};

const TOOL: &str = "create-depot-item";

/// A service, one of its tools that waits for a person, and the state with its requests.
struct Target {
    service: Service,
    place: TestPlace,
    state: State,
    audit: Arc<MemoryAudit>,
    clock: HandClock,
    key: ApproverKey,
}

impl Target {
    async fn start() -> Self {
        Self::at(TestPlace::sqlite()).await
    }

    /// One for each kind of database.
    async fn all() -> Vec<Self> {
        let mut targets = Vec::new();
        for place in TestPlace::all().await {
            targets.push(Self::at(place).await);
        }
        targets
    }

    async fn at(place: TestPlace) -> Self {
        let key = ApproverKey::in_folder(tempfile::tempdir().unwrap().path()).unwrap();
        let keys = ApproverKeys::Listed(vec![key.public()]);
        let state = State::at(place.location.clone()).unwrap().keys(keys);
        state.open().await.unwrap();
        Self {
            service: Service::json(201, json!({})).await,
            place,
            state,
            audit: Arc::new(MemoryAudit::new()),
            clock: HandClock::new(),
            key,
        }
    }

    /// A view of the tool with this specification.
    fn view_of(&self, spec: ToolSpec) -> ScopedToolView {
        let registry: Registry = builder(&self.audit)
            .specs([spec])
            .enable("*")
            .grant("keeper", "*")
            .approvals(Arc::new(self.state.clone()))
            .clock(self.clock.as_clock())
            .build()
            .unwrap();
        registry.for_agent(&role("keeper"))
    }

    fn view(&self) -> ScopedToolView {
        self.view_of(at(create_item(), &self.service.url))
    }

    /// Returns whether the call passes.
    async fn passes(&self, view: &ScopedToolView, name: &str) -> bool {
        view.call_json(TOOL, json!({"name": name})).await.is_ok()
    }

    async fn waiting(&self) -> ApprovalRequest {
        let pending = self.state.pending(self.clock.now()).await.unwrap();
        assert_eq!(pending.len(), 1, "{pending:?}");
        pending[0].clone()
    }

    async fn approve(&self) {
        let request = self.waiting().await;
        let decision = self.decision(&request, Verdict::Approved);
        self.state.decide(request.handle, decision).await.unwrap();
    }

    fn decision(&self, request: &ApprovalRequest, verdict: Verdict) -> Decision {
        let decision = Decision::new(verdict, "operator", self.clock.now()).unwrap();
        decision.signed(&self.key, request)
    }

    /// Replaces a column of all requests, as an attacker with write access would.
    async fn set(&self, column: &str, record: &impl serde::Serialize) {
        let text = serde_json::to_string(record).unwrap().replace('\'', "''");
        let sql = format!("UPDATE approval SET {column} = '{text}'");
        self.place.tamper(&sql).await;
    }

    /// Makes a decision count as an approval, as an attacker with write access would.
    async fn mark_approved(&self) {
        let sql = "UPDATE approval SET standing = 'approved', used_at = NULL";
        self.place.tamper(sql).await;
    }
}

/// Changes a record as JSON.
fn changed<T: serde::Serialize>(record: &T, change: impl FnOnce(&mut Value)) -> Value {
    let mut record = json!(record);
    change(&mut record);
    record
}

#[tokio::test]
async fn an_unsigned_decision_is_refused() {
    for target in Target::all().await {
        let view = target.view();
        let stranger = ApproverKey::in_folder(tempfile::tempdir().unwrap().path()).unwrap();
        for signed_by_a_stranger in [false, true] {
            assert!(!target.passes(&view, "bolt").await);
            let request = target.waiting().await;
            let decision =
                Decision::new(Verdict::Approved, "the director", target.clock.now()).unwrap();
            let decision = if signed_by_a_stranger {
                decision.signed(&stranger, &request)
            } else {
                decision
            };
            let refused = target
                .state
                .decide(request.handle.clone(), decision.clone())
                .await;
            assert!(refused.is_err());
            target.set("decision", &decision).await;
            target.mark_approved().await;
            assert!(!target.passes(&view, "bolt").await);
            assert_eq!(last_reason(&target.audit), Reason::ApprovalInvalid);
        }
        assert!(target.service.seen().is_empty());
    }
}

#[tokio::test]
async fn a_signed_decision_covers_only_the_signed_request() {
    type Change = fn(&mut Value);
    let changes: [(&str, &str, Change); 7] = [
        ("decision", "verdict", |decision| {
            decision["verdict"] = json!("approved")
        }),
        ("decision", "person", |decision| {
            decision["person"] = json!("someone else")
        }),
        ("decision", "os_user", |decision| {
            decision["os_user"] = json!("another")
        }),
        ("decision", "time", |decision| {
            decision["time"] = json!("2026-11-21T12:00:30Z")
        }),
        ("request", "expires", |request| {
            request["expires"] = json!("9998-01-01T00:00:00Z")
        }),
        ("request", "id", |request| {
            request["id"] = json!("wait-0123456789ab")
        }),
        ("request", "policy", |request| {
            request.as_object_mut().unwrap().remove("policy");
        }),
    ];
    for (column, what, change) in changes {
        let target = Target::start().await;
        let view = target.view();
        assert!(!target.passes(&view, "bolt").await);
        let request = target.waiting().await;
        let verdict = if what == "verdict" {
            Verdict::Rejected
        } else {
            Verdict::Approved
        };
        let decision = target.decision(&request, verdict);
        let handle = request.handle.clone();
        target.state.decide(handle, decision.clone()).await.unwrap();
        let record = match column {
            "decision" => changed(&decision, change),
            _ => changed(&request, change),
        };
        target.set(column, &record).await;
        target.mark_approved().await;
        assert!(!target.passes(&view, "bolt").await, "{what}");
        assert_eq!(
            last_reason(&target.audit),
            Reason::ApprovalInvalid,
            "{what}"
        );
        assert!(target.service.seen().is_empty(), "{what}");
    }
}

#[tokio::test]
async fn a_rejection_stored_as_an_approval_does_not_pass() {
    for target in Target::all().await {
        let view = target.view();
        assert!(!target.passes(&view, "bolt").await);
        let request = target.waiting().await;
        let decision = target.decision(&request, Verdict::Rejected);
        let handle = request.handle.clone();
        target.state.decide(handle, decision).await.unwrap();
        target.mark_approved().await;
        assert!(!target.passes(&view, "bolt").await);
        assert_eq!(last_reason(&target.audit), Reason::ApprovalInvalid);
    }
}

#[tokio::test]
async fn a_request_that_was_changed_while_it_waited_passes_nothing() {
    let target = Target::start().await;
    let view = target.view();
    assert!(!target.passes(&view, "delete everything").await);
    let request = target.waiting().await;
    let shown = changed(&request, |request| {
        request["shown"]["arguments"]["name"] = json!("harmless");
    });
    target.set("request", &shown).await;
    let pending = target.state.pending(target.clock.now()).await.unwrap();
    assert!(
        pending.is_empty(),
        "the digest is not that of what it shows: {pending:?}"
    );

    // With the digest that fits, a person would approve something that no agent calls.
    let shown: ApprovalRequest = serde_json::from_value(shown).unwrap();
    let sql = format!("UPDATE approval SET digest = '{}'", shown.digest());
    target.place.tamper(&sql).await;
    target.approve().await;
    assert!(!target.passes(&view, "delete everything").await);
    assert!(target.service.seen().is_empty());
}

#[tokio::test]
async fn a_request_that_expires_in_the_far_future_does_not_count() {
    let target = Target::start().await;
    let view = target.view();
    assert!(!target.passes(&view, "bolt").await);
    let request = target.waiting().await;
    let late = changed(&request, |request| {
        request["expires"] = json!("9998-01-01T00:00:00Z");
    });
    target.set("request", &late).await;
    target.approve().await;
    target.clock.advance(15 * 60);
    assert!(!target.passes(&view, "bolt").await);
    assert!(target.service.seen().is_empty());
}

#[tokio::test]
async fn a_clock_that_goes_back_revives_nothing() {
    for target in Target::all().await {
        let view = target.view();
        assert!(!target.passes(&view, "bolt").await);
        target.approve().await;
        target.clock.advance(-3600);
        assert!(!target.passes(&view, "bolt").await, "decided in the future");
        assert_eq!(last_reason(&target.audit), Reason::ApprovalInvalid);
        target.clock.advance(3600);
        assert!(!target.passes(&view, "bolt").await, "it waits again");
        target.approve().await;
        assert!(target.passes(&view, "bolt").await);
        target.clock.advance(-60);
        assert!(!target.passes(&view, "bolt").await, "it was used");
        assert_eq!(target.service.seen().len(), 1);
    }
}

#[tokio::test]
async fn rows_that_cannot_be_read_are_ignored() {
    for target in Target::all().await {
        let view = target.view();
        assert!(!target.passes(&view, "bolt").await);
        for (id, request, decision) in [
            ("a", "{", "NULL"),
            ("b", "", "NULL"),
            ("c", "{\"id\": 7}", "'{}'"),
            ("d", "null", "'x'"),
        ] {
            let sql = format!(
                "INSERT INTO approval (id, handle, digest, scope, role, tool, standing, request,
                     decision, requested_at, expires_at)
                 SELECT '{id}', '{id}', digest, scope, role, tool, standing, '{request}',
                     {decision}, requested_at, expires_at FROM approval WHERE handle LIKE '____________'"
            );
            target.place.tamper(&sql).await;
        }
        target.approve().await;
        assert!(target.passes(&view, "bolt").await);
        assert!(!target.passes(&view, "nut").await);
        assert_eq!(last_reason(&target.audit), Reason::ApprovalRequired);
    }
}

#[tokio::test]
async fn an_approval_covers_the_request_that_is_sent() {
    let target = Target::start().await;
    let other = Service::json(201, json!({})).await;
    assert!(!target.passes(&target.view(), "bolt").await);
    target.approve().await;

    let own = || at(create_item(), &target.service.url);
    let moved = at(create_item(), &other.url);
    let renamed = with_binding(own(), |binding| {
        "/wipe-everything".clone_into(&mut binding.path)
    });
    let mut respecified = own();
    "Creates an item and sends it to all customers.".clone_into(&mut respecified.description);
    for (what, spec) in [
        ("base URL", moved),
        ("path", renamed),
        ("record", respecified),
    ] {
        assert!(
            !target.passes(&target.view_of(spec), "bolt").await,
            "another {what}"
        );
    }
    let run = RunContext {
        run: Some("another".to_owned()),
        ..RunContext::default()
    };
    assert!(
        !target.passes(&target.view().in_run(run), "bolt").await,
        "another run"
    );
    assert!(target.service.seen().is_empty() && other.seen().is_empty());

    assert!(
        target.passes(&target.view(), "bolt").await,
        "the approval still stands"
    );
    assert_eq!(target.service.seen().len(), 1);
}

#[tokio::test]
async fn a_base_url_that_changes_after_the_approval_voids_it() {
    let (one, two) = (
        Service::json(201, json!({})).await,
        Service::json(201, json!({})).await,
    );
    let auth = |service: &Service| json!({"base_url": service.url, "api_token": "t"});
    let (folder, credentials) = auth_file(&auth(&one));
    let target = Target::start().await;
    let registry = builder(&target.audit)
        .credentials(credentials)
        .specs([create_item()])
        .enable("*")
        .grant("keeper", "*")
        .approvals(Arc::new(target.state.clone()))
        .clock(target.clock.as_clock())
        .build()
        .unwrap();
    let view = registry.for_agent(&role("keeper"));
    assert!(!target.passes(&view, "bolt").await);
    target.approve().await;
    let file = folder.path().join(".local/depot/admin-auth.json");
    fs::write(file, auth(&two).to_string()).unwrap();
    assert!(!target.passes(&view, "bolt").await);
    assert!(one.seen().is_empty() && two.seen().is_empty());
}

#[tokio::test]
async fn the_approver_sees_method_url_and_body() {
    let target = Target::start().await;
    assert!(!target.passes(&target.view(), "bolt").await);
    let shown = target.waiting().await.shown;
    let request = json!(shown.request.unwrap());
    assert_eq!(request["method"], "POST");
    assert_eq!(request["url"], format!("{}/items", target.service.url));
    assert_eq!(request["body"], json!({"json": {"name": "bolt"}}));
    assert_eq!(json!(shown.service), "depot");
    assert!(decisions(&target.audit.events()).len() == 1);
}

#[tokio::test]
async fn the_approver_sees_a_request_with_a_masked_file() {
    let target = Target::start().await;
    let mut spec = create_item();
    spec.input_schema = json!({"type": "object", "properties": {
        "name": {"type": "string", "contentEncoding": "base64", "writeOnly": true},
    }})
    .into();
    let binding = json!({
        "method": "POST", "path": "/items",
        "body": {"media_type": "application/octet-stream", "content": "binary", "required": true,
                 "shape": {"whole": {"argument": "name"}}},
        "answers": [{"status": "201", "content": "empty"}],
    });
    spec.binding = serde_json::from_value(json!({"http": binding})).unwrap();
    let spec = at(spec, &target.service.url);
    assert!(!target.passes(&target.view_of(spec), "c2VjcmV0").await);
    let shown = target.waiting().await.shown;
    let request = json!(shown.request.unwrap());
    assert_eq!(request["url"], format!("{}/items", target.service.url));
    assert_eq!(request["body"]["bytes"]["length"], 6, "{request}");
    assert!(!json!(shown.arguments).to_string().contains("c2VjcmV0"));
}
