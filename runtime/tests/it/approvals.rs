//! Approval: a person decides, out of band, and one call passes.

use std::{path::Path, sync::Arc, time::Duration};

use serde_json::{Value, json};
use toolwright::{
    Registry, Role, ScopedToolView, Tool, ToolError,
    approval::{
        self, ApprovalError, ApprovalHandle, ApprovalId, ApprovalRequest, ApprovalStore,
        ApproverKey, ApproverKeys, Decision, MemoryApprovals, Verdict,
    },
    audit::{AuditError, AuditEvent, AuditSink, MemoryAudit, Reason, What},
    eab::RunContext,
};
use toolwright_state::{Location, State, testing::TestPlace};

use crate::support::{
    Absent, HandClock, Service, argument_names, at, auth_file, builder, call_of, create_item,
    decisions, last_reason, role, with_binding,
};

const TOOL: &str = "create-depot-item";

/// A registry whose only tool waits for approval, and counts nothing but its own calls.
struct Desk {
    registry: Registry,
    store: Arc<dyn ApprovalStore>,
    audit: Arc<MemoryAudit>,
    clock: HandClock,
    key: ApproverKey,
}

/// A key of an approver.
fn key() -> ApproverKey {
    ApproverKey::in_folder(tempfile::tempdir().unwrap().path()).unwrap()
}

/// A store in a database that takes the decisions of this key.
async fn shared_store(location: &Location, key: &ApproverKey) -> State {
    let keys = ApproverKeys::Listed(vec![key.public()]);
    let state = State::at(location.clone()).unwrap().keys(keys);
    state.open().await.unwrap();
    state
}

impl Desk {
    fn new(store: Arc<dyn ApprovalStore>, key: ApproverKey) -> Self {
        let audit = Arc::new(MemoryAudit::new());
        let clock = HandClock::new();
        let registry = builder(&audit)
            .tool(Tool::native(create_item(), |_, arguments| async {
                Ok(arguments)
            }))
            .enable("*")
            .grant("keeper", "*")
            .grant("other", "*")
            .approvals(Arc::clone(&store))
            .clock(clock.as_clock())
            .build()
            .unwrap();
        Self {
            registry,
            store,
            audit,
            clock,
            key,
        }
    }

    fn view(&self) -> ScopedToolView {
        self.registry.for_agent(&role("keeper"))
    }

    async fn call(&self, name: &str) -> Result<Value, ToolError> {
        let arguments = json!({"name": name});
        self.view()
            .call_json(TOOL, arguments)
            .await
            .map(|output| output.value)
    }

    async fn ask(&self, name: &str) -> ApprovalId {
        match self.call(name).await {
            Err(ToolError::ApprovalRequired { id, .. }) => id,
            other => panic!("{other:?}"),
        }
    }

    /// The request of this id that waits.
    async fn waiting(&self, id: &ApprovalId) -> Option<ApprovalRequest> {
        let pending = self.store.pending(self.clock.now()).await.unwrap();
        pending.into_iter().find(|request| request.id == *id)
    }

    /// A signed decision about a request.
    fn decision(&self, request: &ApprovalRequest, verdict: Verdict) -> Decision {
        let decision = Decision::new(verdict, "operator", self.clock.now()).unwrap();
        decision.signed(&self.key, request)
    }

    async fn decide(&self, id: &ApprovalId, verdict: Verdict) -> Result<(), ApprovalError> {
        let Some(request) = self.waiting(id).await else {
            let handle: ApprovalHandle = "0123456789ab".parse().unwrap();
            return Err(ApprovalError::NotPending(handle));
        };
        let decision = self.decision(&request, verdict);
        self.store
            .decide(request.handle, decision)
            .await
            .map(|_| ())
    }
}

/// Each test on all stores.
async fn desks() -> Vec<(Option<TestPlace>, Desk)> {
    let mut desks = vec![(None, Desk::new(Arc::new(MemoryApprovals::new()), key()))];
    for place in TestPlace::all().await {
        let approver = key();
        let store = shared_store(&place.location, &approver).await;
        desks.push((Some(place), Desk::new(Arc::new(store), approver)));
    }
    desks
}

#[tokio::test]
async fn a_call_waits_for_approval_and_then_passes_once() {
    for (_place, desk) in desks().await {
        let id = desk.ask("bolt").await;
        let pending = desk.store.pending(desk.clock.now()).await.unwrap();
        assert_eq!(pending.len(), 1);
        assert_eq!(pending[0].id, id);
        assert_eq!(pending[0].role, role("keeper"));
        assert_eq!(pending[0].tool.as_str(), TOOL);
        assert_eq!(pending[0].shown.arguments, json!({"name": "bolt"}));
        assert_eq!(pending[0].requested, desk.clock.now());
        assert_eq!(last_reason(&desk.audit), Reason::ApprovalRequired);

        desk.decide(&id, Verdict::Approved).await.unwrap();
        assert_eq!(desk.call("bolt").await.unwrap(), json!({"name": "bolt"}));
        let passed = decisions(&desk.audit.events()).pop().unwrap();
        assert_eq!(passed.reason, Reason::Approved);
        assert_eq!(passed.approval, Some(id.clone()));
        assert_eq!(passed.person.as_deref(), Some("operator"));

        let again = desk.ask("bolt").await;
        assert_ne!(again, id, "an approval is used up");
    }
}

#[tokio::test]
async fn a_repeated_call_makes_one_request() {
    for (_place, desk) in desks().await {
        let id = desk.ask("bolt").await;
        assert_eq!(desk.ask("bolt").await, id);
        assert_eq!(desk.store.pending(desk.clock.now()).await.unwrap().len(), 1);
    }
}

#[tokio::test]
async fn an_approval_covers_one_role_one_tool_and_equal_arguments() {
    for (_place, desk) in desks().await {
        let id = desk.ask("bolt").await;
        desk.decide(&id, Verdict::Approved).await.unwrap();
        let other = desk.registry.for_agent(&role("other"));
        let error = other
            .call_json(TOOL, json!({"name": "bolt"}))
            .await
            .unwrap_err();
        assert_eq!(error.code(), "approval_required");
        desk.ask("nut").await;
        let noted = json!({"name": "bolt", "note": "x"});
        let error = desk.view().call_json(TOOL, noted).await.unwrap_err();
        assert_eq!(error.code(), "approval_required");
        assert!(desk.call("bolt").await.is_ok(), "the approval still stands");
    }
}

#[tokio::test]
async fn the_order_of_arguments_does_not_matter() {
    for (_place, desk) in desks().await {
        let one: Value = serde_json::from_str(r#"{"name": "a", "note": "b"}"#).unwrap();
        let two: Value = serde_json::from_str(r#"{"note": "b", "name": "a"}"#).unwrap();
        let error = desk.view().call_json(TOOL, one).await.unwrap_err();
        let ToolError::ApprovalRequired { id, .. } = error else {
            panic!("{error}")
        };
        desk.decide(&id, Verdict::Approved).await.unwrap();
        assert!(desk.view().call_json(TOOL, two).await.is_ok());
    }
}

#[tokio::test]
async fn a_rejection_holds_until_it_expires() {
    for (_place, desk) in desks().await {
        let id = desk.ask("bolt").await;
        desk.decide(&id, Verdict::Rejected).await.unwrap();
        for _ in 0..2 {
            let error = desk.call("bolt").await.unwrap_err();
            let ToolError::ApprovalRejected { id: rejected, .. } = &error else {
                panic!("{error}")
            };
            assert_eq!(*rejected, id);
            assert_eq!(last_reason(&desk.audit), Reason::ApprovalRejected);
        }
        desk.clock.advance(15 * 60);
        assert_ne!(desk.ask("bolt").await, id);
    }
}

#[tokio::test]
async fn a_request_expires_to_the_second() {
    for (_place, desk) in desks().await {
        let id = desk.ask("bolt").await;
        desk.clock.advance(15 * 60 - 1);
        assert_eq!(desk.store.pending(desk.clock.now()).await.unwrap().len(), 1);
        desk.clock.advance(1);
        assert!(
            desk.store
                .pending(desk.clock.now())
                .await
                .unwrap()
                .is_empty()
        );
        assert!(desk.decide(&id, Verdict::Approved).await.is_err());
        assert_ne!(desk.ask("bolt").await, id);
    }
}

#[tokio::test]
async fn an_approval_expires_to_the_second() {
    for (_place, desk) in desks().await {
        let id = desk.ask("bolt").await;
        desk.decide(&id, Verdict::Approved).await.unwrap();
        desk.clock.advance(15 * 60);
        assert_ne!(
            desk.ask("bolt").await,
            id,
            "an expired approval does not pass"
        );
    }
}

#[tokio::test]
async fn a_request_is_decided_once() {
    for (_place, desk) in desks().await {
        let id = desk.ask("bolt").await;
        let request = desk.waiting(&id).await.unwrap();
        desk.decide(&id, Verdict::Rejected).await.unwrap();
        let second = desk.decision(&request, Verdict::Approved);
        let error = desk.store.decide(request.handle.clone(), second).await;
        assert_eq!(
            error.unwrap_err(),
            ApprovalError::NotPending(request.handle)
        );
        let request = desk.waiting(&id).await;
        assert_eq!(request, None, "it waits no longer");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_approval_passes_one_of_many_parallel_calls() {
    for (_place, desk) in desks().await {
        let desk = Arc::new(desk);
        for round in 0..20 {
            let name = format!("bolt-{round}");
            let id = desk.ask(&name).await;
            desk.decide(&id, Verdict::Approved).await.unwrap();
            let calls: Vec<_> = (0..8)
                .map(|_| {
                    let (desk, name) = (Arc::clone(&desk), name.clone());
                    tokio::spawn(async move { desk.call(&name).await })
                })
                .collect();
            let mut passed = 0;
            for call in calls {
                match call.await.unwrap() {
                    Ok(_) => passed += 1,
                    Err(error) => assert_eq!(error.code(), "approval_required"),
                }
            }
            assert_eq!(passed, 1, "round {round}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn only_one_of_many_parallel_decisions_counts() {
    for (_place, desk) in desks().await {
        let desk = Arc::new(desk);
        for round in 0..20 {
            let id = desk.ask(&format!("bolt-{round}")).await;
            let people: Vec<_> = (0..8)
                .map(|person| {
                    let (desk, id) = (Arc::clone(&desk), id.clone());
                    let verdict = if person % 2 == 0 {
                        Verdict::Approved
                    } else {
                        Verdict::Rejected
                    };
                    tokio::spawn(async move { desk.decide(&id, verdict).await })
                })
                .collect();
            let mut decided = 0;
            for person in people {
                decided += u32::from(person.await.unwrap().is_ok());
            }
            assert_eq!(decided, 1, "round {round}");
        }
    }
}

#[tokio::test]
async fn two_programs_share_a_state() {
    for place in TestPlace::all().await {
        let approver = key();
        let store = shared_store(&place.location, &approver).await;
        let calling = Desk::new(Arc::new(store), key());
        let id = calling.ask("bolt").await;
        let approving = shared_store(&place.location, &approver).await;
        let now = calling.clock.now();
        let request = approving.pending(now).await.unwrap().remove(0);
        assert_eq!(request.id, id);
        let decision = Decision::new(Verdict::Approved, "operator", now).unwrap();
        let decision = decision.signed(&approver, &request);
        approving.decide(request.handle, decision).await.unwrap();
        assert!(calling.call("bolt").await.is_ok());
    }
}

#[tokio::test]
async fn a_change_of_the_roles_policy_voids_an_approval() {
    for (_place, desk) in desks().await {
        let id = desk.ask("bolt").await;
        desk.decide(&id, Verdict::Approved).await.unwrap();
        let other = desk.registry.for_agent(&role("other"));
        let asked = other.call_json(TOOL, json!({"name": "bolt"})).await;
        assert_eq!(asked.unwrap_err().code(), "approval_required");

        let registry = builder(&desk.audit)
            .tool(Tool::native(create_item(), |_, arguments| async {
                Ok(arguments)
            }))
            .enable("*")
            .grant("keeper", "*")
            .mask("/name".parse().unwrap())
            .approvals(Arc::clone(&desk.store))
            .clock(desk.clock.as_clock())
            .build()
            .unwrap();
        let view = registry.for_agent(&role("keeper"));
        let asked = view.call_json(TOOL, json!({"name": "bolt"})).await;
        assert_eq!(asked.unwrap_err().code(), "approval_required");
        assert!(
            desk.call("bolt").await.is_ok(),
            "the first one still stands"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_parallel_first_calls_make_one_request() {
    for (_place, desk) in desks().await {
        let desk = Arc::new(desk);
        for round in 0..20 {
            let name = format!("bolt-{round}");
            let calls: Vec<_> = (0..12)
                .map(|_| {
                    let (desk, name) = (Arc::clone(&desk), name.clone());
                    tokio::spawn(async move { desk.ask(&name).await })
                })
                .collect();
            let mut ids = std::collections::BTreeSet::new();
            for call in calls {
                ids.insert(call.await.unwrap());
            }
            assert_eq!(ids.len(), 1, "round {round}: {ids:?}");
        }
    }
}

#[tokio::test]
async fn the_number_of_waiting_calls_is_bounded() {
    for (_place, desk) in desks().await {
        for index in 0..approval::MOST_WAITING {
            desk.ask(&format!("bolt-{index}")).await;
        }
        let error = desk.call("one more").await.unwrap_err();
        assert_eq!(error.code(), "approval_limit");
        assert_eq!(last_reason(&desk.audit), Reason::ApprovalLimit);
        desk.ask("bolt-0").await;
        let other = desk.registry.for_agent(&role("other"));
        let error = other
            .call_json(TOOL, json!({"name": "x"}))
            .await
            .unwrap_err();
        assert_eq!(
            error.code(),
            "approval_required",
            "another role has its own limit"
        );
        let run = RunContext {
            run: Some("two".to_owned()),
            ..RunContext::default()
        };
        let view = desk.view().in_run(run);
        let error = view
            .call_json(TOOL, json!({"name": "x"}))
            .await
            .unwrap_err();
        assert_eq!(
            error.code(),
            "approval_required",
            "another run has its own limit"
        );
    }
}

#[tokio::test]
async fn the_approver_sees_the_request_without_declared_secrets() {
    let mut spec = create_item();
    spec.input_schema = json!({"type": "object", "properties": {
        "name": {"type": "string"},
        "note": {"type": "string", "format": "password"},
        "pin": {"type": "integer", "writeOnly": true},
        "attributes": {"type": "object"},
        "api_token": {"type": "string"},
        "database": {"type": "string"},
    }})
    .into();
    let store: Arc<dyn ApprovalStore> = Arc::new(MemoryApprovals::new());
    let audit = Arc::new(MemoryAudit::new());
    let registry = builder(&audit)
        .tool(Tool::native(spec, |_, _| async { Ok(Value::Null) }))
        .enable("*")
        .grant("keeper", "*")
        .approvals(Arc::clone(&store))
        .approval_lifetime(Duration::from_secs(60))
        .build()
        .unwrap();
    let attributes = json!({"token_note": ["role=realm-admin"], "password": {"a": "b"}});
    let arguments = json!({"name": "bolt", "note": "hunter2", "api_token": "t0ken", "pin": 471_147,
                           "attributes": attributes, "database": "postgresql://u:topsecret@db/x"});
    let keeper = Role::new("keeper").unwrap();
    registry
        .for_agent(&keeper)
        .call_json(TOOL, arguments)
        .await
        .unwrap_err();
    let pending = store.pending(jiff::Timestamp::now()).await.unwrap();
    let shown = &pending[0].shown.arguments;
    assert_eq!(
        shown["attributes"], attributes,
        "the agent chose these names"
    );
    assert_eq!(
        shown["api_token"], "t0ken",
        "the schema does not declare it secret"
    );
    let note = shown["note"].as_str().unwrap();
    assert!(note.starts_with("(masked: 7 characters, sha256 "), "{note}");
    assert_eq!(shown["database"], "postgresql://u:***@db/x");
    let everything = format!("{pending:?} {:?}", audit.events());
    for secret in ["hunter2", "471147", "topsecret"] {
        assert!(!everything.contains(secret), "{secret} in {everything}");
    }
}

/// Replaces the auth file of the service `depot` in this folder.
fn write_auth_file(folder: &Path, content: &Value) {
    std::fs::write(
        folder.join(".local/depot/admin-auth.json"),
        content.to_string(),
    )
    .unwrap();
}

/// The tool of the desk as a request to a service, whose credentials are in a folder.
fn posting(service: &Service, auth: &Value) -> (tempfile::TempDir, Desk) {
    let (folder, credentials) = auth_file(auth);
    let audit = Arc::new(MemoryAudit::new());
    let clock = HandClock::new();
    let store: Arc<dyn ApprovalStore> = Arc::new(MemoryApprovals::new());
    let spec = with_binding(at(create_item(), &service.url), |binding| {
        let bearer = json!([[{"scheme": "b", "kind": "bearer"}]]);
        binding.security = serde_json::from_value(bearer).unwrap();
    });
    let registry = builder(&audit)
        .credentials(credentials)
        .specs([spec])
        .enable("*")
        .grant("keeper", "*")
        .approvals(Arc::clone(&store))
        .clock(clock.as_clock())
        .build()
        .unwrap();
    (
        folder,
        Desk {
            registry,
            store,
            audit,
            clock,
            key: key(),
        },
    )
}

#[tokio::test]
async fn the_approved_request_is_the_one_that_is_sent() {
    let service = Service::json(201, json!({})).await;
    let auth = |note: &str| json!({"api_token": "t", "note": note});
    let (folder, desk) = posting(&service, &auth("first"));
    let id = desk.ask("bolt").await;
    let pending = desk.store.pending(desk.clock.now()).await.unwrap();
    assert_eq!(
        pending[0].shown.arguments,
        json!({"name": "bolt", "note": "first"})
    );
    desk.decide(&id, Verdict::Approved).await.unwrap();

    write_auth_file(folder.path(), &auth("second"));
    assert_ne!(
        desk.ask("bolt").await,
        id,
        "the operator pins another value now"
    );
    assert!(service.seen().is_empty());

    write_auth_file(folder.path(), &auth("first"));
    desk.call("bolt").await.unwrap();
    assert_eq!(service.one().text(), r#"{"name":"bolt","note":"first"}"#);
}

#[tokio::test]
async fn a_call_that_cannot_be_sent_asks_for_no_approval() {
    let service = Service::json(201, json!({})).await;
    let (_place, desk) = posting(&service, &json!({"api_token": "t", "base_url": "ftp://x"}));
    assert_eq!(
        desk.call("bolt").await.unwrap_err().code(),
        "credentials_invalid"
    );
    assert_eq!(
        desk.call("").await.unwrap_err().code(),
        "credentials_invalid"
    );
    assert!(
        desk.store
            .pending(desk.clock.now())
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn only_a_sent_request_uses_up_an_approval() {
    let service = Service::json(201, json!({})).await;
    let (folder, desk) = posting(&service, &json!({"api_token": "t"}));
    let id = desk.ask("bolt").await;
    desk.decide(&id, Verdict::Approved).await.unwrap();

    write_auth_file(folder.path(), &json!({"username": "operator"}));
    let error = desk.call("bolt").await.unwrap_err();
    assert_eq!(error.code(), "credentials_missing");
    assert!(service.seen().is_empty());

    write_auth_file(folder.path(), &json!({"api_token": "t"}));
    desk.call("bolt").await.unwrap();
    assert_eq!(service.seen().len(), 1);
}

#[tokio::test]
async fn a_failed_connection_does_not_use_up_an_approval() {
    let absent = Absent::new();
    let service = Service::json(201, json!({})).await;
    let (_place, desk) = posting(&service, &json!({"api_token": "t", "base_url": absent.url}));
    let id = desk.ask("bolt").await;
    desk.decide(&id, Verdict::Approved).await.unwrap();
    for _ in 0..2 {
        let error = desk.call("bolt").await.unwrap_err();
        assert_eq!(
            error.code(),
            "connect_failed",
            "the approval was given back"
        );
    }
}

#[test]
fn a_decision_needs_a_person_and_a_valid_handle() {
    let now = HandClock::new().now();
    for nobody in ["", "  ", "a\nb"] {
        let error = Decision::new(Verdict::Approved, nobody, now).unwrap_err();
        assert_eq!(error, ApprovalError::NoPerson);
    }
    for text in [
        "",
        "../../etc",
        "0123456789AB",
        "0123456789abc",
        "wait-0123456789ab",
    ] {
        assert!(text.parse::<ApprovalHandle>().is_err(), "{text}");
    }
}

#[tokio::test]
async fn decisions_are_in_the_audit() {
    for (_place, desk) in desks().await {
        for verdict in [Verdict::Approved, Verdict::Rejected] {
            let id = desk.ask("bolt").await;
            let asked = desk.audit.events().pop().unwrap();
            let waiting = desk.waiting(&id).await.unwrap();
            let decision = desk.decision(&waiting, verdict);
            let request = desk
                .registry
                .decide(waiting.handle, decision)
                .await
                .unwrap();
            assert_eq!(request.id, id);
            let event = &desk.audit.events().pop().unwrap();
            let What::Approval(approval) = &event.what else {
                panic!("{event:?}")
            };
            assert_eq!((approval.decision, &approval.approval), (verdict, &id));
            assert_eq!(approval.person, "operator");
            assert_eq!(approval.os_user, toolwright::system::user());
            assert_eq!(call_of(event).role, role("keeper"));
            assert_eq!(call_of(event).tool, TOOL);
            assert_eq!(argument_names(event), ["name"]);
            let digest = |event| call_of(event).arguments.as_ref().unwrap().digest.clone();
            assert_eq!(digest(event), digest(&asked));
            assert_ne!(
                call_of(event).correlation_id,
                call_of(&asked).correlation_id
            );
            let _ = desk.call("bolt").await;
        }
    }
}

/// An audit whose disk is full.
struct Full;

impl AuditSink for Full {
    fn record(&self, _: &AuditEvent) -> Result<(), AuditError> {
        Err(AuditError("no space left".to_owned()))
    }
}

#[tokio::test]
async fn an_unrecordable_decision_is_not_made() {
    for (_place, desk) in desks().await {
        let id = desk.ask("bolt").await;
        let request = desk.waiting(&id).await.unwrap();
        let decision = desk.decision(&request, Verdict::Approved);
        let failed = approval::decide(&*desk.store, &Full, request.handle, decision).await;
        let said = failed.unwrap_err().to_string();
        assert_eq!(said, "the audit failed: no space left; nothing was decided");
        assert_eq!(desk.ask("bolt").await, id, "the call still waits");
    }
}

#[tokio::test]
async fn a_decision_without_a_waiting_call_leaves_no_event() {
    for (_place, desk) in desks().await {
        let unknown: ApprovalHandle = "0123456789ab".parse().unwrap();
        let decision = Decision::new(Verdict::Approved, "operator", desk.clock.now()).unwrap();
        let refused = desk.registry.decide(unknown.clone(), decision).await;
        assert_eq!(refused.unwrap_err(), ApprovalError::NotPending(unknown));
        assert!(desk.audit.events().is_empty());
    }
}
