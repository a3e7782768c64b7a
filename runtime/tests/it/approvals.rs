//! Approval: a person decides, out of band, and one call passes.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use toolwright::{
    Registry, Role, ScopedToolView, Tool, ToolError,
    approval::{
        self, ApprovalError, ApprovalId, ApprovalStore, Decision, FolderApprovals, MemoryApprovals,
        Verdict,
    },
    audit::{AuditError, AuditEvent, AuditSink, MemoryAudit, Reason, What},
};

use crate::support::{
    HandClock, Service, at, auth_file, builder, create_item, decisions, last_reason, role,
    with_binding,
};

const TOOL: &str = "create-depot-item";

/// A registry whose only tool waits for approval, and counts nothing but its own calls.
struct Desk {
    registry: Registry,
    store: Arc<dyn ApprovalStore>,
    audit: Arc<MemoryAudit>,
    clock: HandClock,
}

impl Desk {
    fn new(store: Arc<dyn ApprovalStore>) -> Self {
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

    async fn decide(&self, id: &ApprovalId, verdict: Verdict) -> Result<(), ApprovalError> {
        let decision = Decision::new(verdict, "operator", self.clock.now()).unwrap();
        self.store.decide(id.clone(), decision).await.map(|_| ())
    }
}

/// Each test on both stores.
fn desks() -> Vec<(tempfile::TempDir, Desk)> {
    let folder = || tempfile::tempdir().unwrap();
    let (one, two) = (folder(), folder());
    let shared = FolderApprovals::new(two.path().join("approvals"));
    vec![
        (one, Desk::new(Arc::new(MemoryApprovals::new()))),
        (two, Desk::new(Arc::new(shared))),
    ]
}

#[tokio::test]
async fn a_call_waits_and_passes_once_after_approval() {
    for (_folder, desk) in desks() {
        let id = desk.ask("bolt").await;
        let pending = desk.store.pending(desk.clock.now()).await.unwrap();
        assert_eq!(pending.len(), 1);
        assert_eq!(pending[0].id, id);
        assert_eq!(pending[0].role, role("keeper"));
        assert_eq!(pending[0].tool.as_str(), TOOL);
        assert_eq!(pending[0].arguments, json!({"name": "bolt"}));
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
async fn asking_again_does_not_ask_twice() {
    for (_folder, desk) in desks() {
        let id = desk.ask("bolt").await;
        assert_eq!(desk.ask("bolt").await, id);
        assert_eq!(desk.store.pending(desk.clock.now()).await.unwrap().len(), 1);
    }
}

#[tokio::test]
async fn an_approval_is_of_one_role_one_tool_and_these_arguments() {
    for (_folder, desk) in desks() {
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
    for (_folder, desk) in desks() {
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
async fn a_rejection_stands_until_it_expires() {
    for (_folder, desk) in desks() {
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
    for (_folder, desk) in desks() {
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
        let late = desk.decide(&id, Verdict::Approved).await.unwrap_err();
        assert_eq!(late, ApprovalError::NotPending(id.clone()));
        assert_ne!(desk.ask("bolt").await, id);
    }
}

#[tokio::test]
async fn an_approval_expires_to_the_second() {
    for (_folder, desk) in desks() {
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
    for (_folder, desk) in desks() {
        let id = desk.ask("bolt").await;
        desk.decide(&id, Verdict::Rejected).await.unwrap();
        let second = desk.decide(&id, Verdict::Approved).await.unwrap_err();
        assert_eq!(second, ApprovalError::NotPending(id));
        let unknown: ApprovalId = "0123456789ab".parse().unwrap();
        let error = desk.decide(&unknown, Verdict::Approved).await.unwrap_err();
        assert_eq!(error, ApprovalError::NotPending(unknown));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_calls_at_once_one_passes_for_each_approval() {
    for (_folder, desk) in desks() {
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
async fn of_many_people_at_once_one_decides() {
    for (_folder, desk) in desks() {
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
async fn two_processes_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let calling = Desk::new(Arc::new(FolderApprovals::new(folder.path())));
    let id = calling.ask("bolt").await;
    let approving = FolderApprovals::new(folder.path());
    let pending = approving.pending(calling.clock.now()).await.unwrap();
    assert_eq!(pending[0].id, id);
    let decision = Decision::new(Verdict::Approved, "operator", calling.clock.now()).unwrap();
    approving.decide(id, decision).await.unwrap();
    assert!(calling.call("bolt").await.is_ok());
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_sees_the_folder() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("approvals");
    let desk = Desk::new(Arc::new(FolderApprovals::new(&root)));
    let id = desk.ask("bolt").await;
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&root), 0o700);
    assert_eq!(mode(&root.join("pending")), 0o700);
    assert_eq!(mode(&root.join(format!("pending/{id}.json"))), 0o600);
}

#[tokio::test]
async fn a_broken_store_means_no() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("approvals");
    let desk = Desk::new(Arc::new(FolderApprovals::new(&root)));
    let id = desk.ask("bolt").await;
    let decision = Decision::new(Verdict::Approved, "operator", desk.clock.now()).unwrap();
    desk.store.decide(id.clone(), decision).await.unwrap();
    let file = root.join(format!("approved/{id}.json"));
    std::fs::write(&file, "{\"request\": \"hunter2\"").unwrap();
    let error = desk.call("bolt").await.unwrap_err();
    assert_eq!(error.code(), "undecided");
    assert!(error.to_string().contains(&format!("{id}.json")), "{error}");
    assert!(!error.to_string().contains("hunter2"), "{error}");
    assert_eq!(last_reason(&desk.audit), Reason::Undecided);
}

#[tokio::test]
async fn a_person_is_shown_no_secret() {
    let mut spec = create_item();
    spec.input_schema = json!({"type": "object", "properties": {
        "name": {"type": "string"},
        "note": {"type": "string", "format": "password"},
        "api_token": {"type": "string"},
    }});
    let store: Arc<dyn ApprovalStore> = Arc::new(MemoryApprovals::new());
    let registry = builder(&Arc::new(MemoryAudit::new()))
        .tool(Tool::native(spec, |_, _| async { Ok(Value::Null) }))
        .enable("*")
        .grant("keeper", "*")
        .approvals(Arc::clone(&store))
        .approval_lifetime(Duration::from_secs(60))
        .build()
        .unwrap();
    let arguments = json!({"name": "bolt", "note": "hunter2", "api_token": "t0ken"});
    let keeper = Role::new("keeper").unwrap();
    registry
        .for_agent(&keeper)
        .call_json(TOOL, arguments)
        .await
        .unwrap_err();
    let pending = store.pending(jiff::Timestamp::now()).await.unwrap();
    let shown = json!({"name": "bolt", "note": "(hidden)", "api_token": "(hidden)"});
    assert_eq!(pending[0].arguments, shown);
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
        },
    )
}

#[tokio::test]
async fn what_is_approved_is_what_is_sent() {
    let service = Service::json(201, json!({})).await;
    let auth = |note: &str| json!({"api_token": "t", "note": note});
    let (folder, desk) = posting(&service, &auth("first"));
    let id = desk.ask("bolt").await;
    let pending = desk.store.pending(desk.clock.now()).await.unwrap();
    assert_eq!(
        pending[0].arguments,
        json!({"name": "bolt", "note": "first"})
    );
    desk.decide(&id, Verdict::Approved).await.unwrap();

    let file = folder.path().join(".local/depot/admin-auth.json");
    std::fs::write(&file, auth("second").to_string()).unwrap();
    assert_ne!(
        desk.ask("bolt").await,
        id,
        "the operator pins another value now"
    );
    assert!(service.seen().is_empty());

    std::fs::write(&file, auth("first").to_string()).unwrap();
    desk.call("bolt").await.unwrap();
    assert_eq!(service.one().text(), r#"{"name":"bolt","note":"first"}"#);
}

#[tokio::test]
async fn nobody_is_asked_for_what_cannot_be_sent() {
    let service = Service::json(201, json!({})).await;
    let (_folder, desk) = posting(&service, &json!({"api_token": "t", "base_url": "ftp://x"}));
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
async fn an_approval_that_was_used_in_vain_is_audited() {
    let service = Service::json(201, json!({})).await;
    let (_folder, desk) = posting(&service, &json!({"username": "operator"}));
    let id = desk.ask("bolt").await;
    desk.decide(&id, Verdict::Approved).await.unwrap();
    assert_eq!(
        desk.call("bolt").await.unwrap_err().code(),
        "credentials_missing"
    );
    let denied = decisions(&desk.audit.events()).pop().unwrap();
    assert_eq!(denied.reason, Reason::CredentialsMissing);
    assert_eq!(
        (denied.approval, denied.person.as_deref()),
        (Some(id), Some("operator"))
    );
    assert!(service.seen().is_empty());
}

#[test]
fn a_decision_names_a_person_and_an_id_is_one() {
    let now = HandClock::new().now();
    for nobody in ["", "  ", "a\nb"] {
        let error = Decision::new(Verdict::Approved, nobody, now).unwrap_err();
        assert_eq!(error, ApprovalError::NoPerson);
    }
    for text in ["", "../../etc", "0123456789AB", "0123456789abc"] {
        assert!(text.parse::<ApprovalId>().is_err(), "{text}");
    }
}

#[tokio::test]
async fn what_a_person_decides_is_in_the_audit() {
    for (_folder, desk) in desks() {
        for verdict in [Verdict::Approved, Verdict::Rejected] {
            let id = desk.ask("bolt").await;
            let asked = desk.audit.events().pop().unwrap();
            let decision = Decision::new(verdict, "operator", desk.clock.now()).unwrap();
            let request = desk.registry.decide(id.clone(), decision).await.unwrap();
            assert_eq!(request.id, id);
            let event = desk.audit.events().pop().unwrap();
            let What::Approval(approval) = &event.what else {
                panic!("{event:?}")
            };
            assert_eq!((approval.decision, &approval.approval), (verdict, &id));
            assert_eq!(approval.person, "operator");
            assert_eq!(event.role, role("keeper"));
            assert_eq!(event.tool, TOOL);
            assert_eq!(event.argument_names, ["name"]);
            assert_eq!(event.argument_digest, asked.argument_digest);
            assert_ne!(event.correlation_id, asked.correlation_id);
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
async fn a_decision_that_cannot_be_recorded_is_not_taken() {
    for (_folder, desk) in desks() {
        let id = desk.ask("bolt").await;
        let decision = Decision::new(Verdict::Approved, "operator", desk.clock.now()).unwrap();
        let failed = approval::decide(&*desk.store, &Full, id.clone(), decision).await;
        let said = failed.unwrap_err().to_string();
        assert_eq!(said, "the audit failed: no space left; nothing was decided");
        assert_eq!(desk.ask("bolt").await, id, "the call still waits");
    }
}

#[tokio::test]
async fn what_does_not_wait_leaves_no_event() {
    for (_folder, desk) in desks() {
        let unknown: ApprovalId = "0123456789ab".parse().unwrap();
        let decision = Decision::new(Verdict::Approved, "operator", desk.clock.now()).unwrap();
        let refused = desk.registry.decide(unknown.clone(), decision).await;
        assert_eq!(refused.unwrap_err(), ApprovalError::NotPending(unknown));
        assert!(desk.audit.events().is_empty());
    }
}
