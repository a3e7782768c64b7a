//! The use of a standing grant is given back if nothing was sent.

use std::{sync::Arc, time::Duration};

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, json};
use toolwright::{
    Registry, Tool,
    approval::{
        ApprovalStore, ApproverKey, ApproverKeys, Decision, StandingGrant, StandingTerms, Verdict,
    },
    audit::{AuditError, AuditEvent, AuditSink, MemoryAudit, Permission, What},
    config::Config,
};
use toolwright_state::{State, testing::TestPlace};

use crate::{
    consent::key,
    support::{Absent, Service, at, builder, create_item, get_item, role},
};

const TOOL: &str = "create-depot-item";

/// An audit that cannot record that a call may pass.
struct NeverAllows(Arc<MemoryAudit>);

impl AuditSink for NeverAllows {
    fn record(&self, event: &AuditEvent) -> Result<(), AuditError> {
        if let What::Decision(decision) = &event.what
            && decision.decision == Permission::Allow
        {
            return Err(AuditError("the disk is full".to_owned()));
        }
        self.0.record(event)
    }
}

/// A store with one approver, and a standing grant of calls of the tool.
struct Granted {
    state: State,
    grant: StandingGrant,
    key: ApproverKey,
    _place: TestPlace,
}

impl Granted {
    async fn all(uses: u32) -> Vec<Self> {
        let mut all = Vec::new();
        for place in TestPlace::all().await {
            let key = key();
            let state = State::at(place.location.clone()).unwrap();
            let state = state.keys(ApproverKeys::Listed(vec![key.public()]));
            state.open().await.unwrap();
            let terms = StandingTerms {
                role: role("keeper"),
                tool: TOOL.parse().unwrap(),
                workspace: None,
                arguments: Map::new(),
                uses,
                until: Timestamp::now() + SignedDuration::from_mins(5),
                why: "imports".to_owned(),
            };
            let grant = StandingGrant::new(terms, "ann", Timestamp::now(), &key).unwrap();
            state.grant(&grant).await.unwrap();
            all.push(Self {
                state,
                grant,
                key,
                _place: place,
            });
        }
        all
    }

    fn registry(&self, tool: Tool, audit: impl AuditSink + 'static) -> Registry {
        let memory = Arc::new(MemoryAudit::new());
        builder(&memory)
            .audit(audit)
            .tool(tool)
            .approvals(Arc::new(self.state.clone()))
            .grant("keeper", "*")
            .enable("*")
            .build()
            .unwrap()
    }

    async fn uses_left(&self) -> i64 {
        self.state.standing_grants().await.unwrap()[0].uses_left
    }
}

async fn code(registry: &Registry) -> String {
    let view = registry.for_agent(&role("keeper"));
    let called = view.call_json(TOOL, json!({"name": "bolt"})).await;
    called.map_or_else(|error| error.code().to_owned(), |_| "ok".to_owned())
}

#[tokio::test]
async fn a_use_is_given_back_only_if_nothing_was_sent() {
    let absent = Absent::new();
    let unreachable = Tool::bound(at(create_item(), &absent.url));
    let broken = Service::json(500, json!({})).await;
    let broken = Tool::bound(at(create_item(), &broken.url));
    // It may have done something before it failed in this way.
    let native = Tool::native(create_item(), |context, _| async move {
        let failed = context.call("get-depot-item", json!({"id": "7"})).await;
        failed.map(|output| output.value)
    });
    let reader = Tool::bound(at(get_item(), &absent.url));
    for granted in Granted::all(5).await {
        let audit = || Arc::new(MemoryAudit::new());
        let registry = granted.registry(unreachable.clone(), audit());
        for _ in 0..8 {
            assert_eq!(code(&registry).await, "connect_failed");
        }
        assert_eq!(granted.uses_left().await, 5);
        let silent = NeverAllows(audit());
        assert_eq!(
            code(&granted.registry(unreachable.clone(), silent)).await,
            "audit_unavailable"
        );
        assert_eq!(granted.uses_left().await, 5);
        assert_eq!(
            code(&granted.registry(broken.clone(), audit())).await,
            "service_error"
        );
        assert_eq!(granted.uses_left().await, 4);
        let memory = audit();
        let registry = builder(&memory)
            .tools([native.clone(), reader.clone()])
            .approvals(Arc::new(granted.state.clone()))
            .grant("keeper", "*")
            .enable("*")
            .build()
            .unwrap();
        assert_eq!(code(&registry).await, "connect_failed");
        assert_eq!(
            granted.uses_left().await,
            3,
            "a function of the program was called"
        );

        // More than was granted is never put back, and a revoked grant stays revoked.
        for _ in 0..9 {
            granted
                .state
                .give_back_standing(granted.grant.clone())
                .await
                .unwrap();
        }
        assert_eq!(granted.uses_left().await, 5);
        let revoked = granted
            .state
            .revoke(&granted.grant.id, "ann: done", Timestamp::now());
        assert_eq!(revoked.await, Ok(true));
        granted
            .state
            .give_back_standing(granted.grant.clone())
            .await
            .unwrap();
        let registry = granted.registry(unreachable.clone(), audit());
        assert_eq!(code(&registry).await, "approval_required");
    }
}

#[tokio::test]
async fn an_approval_whose_use_cannot_be_recorded_is_given_back() {
    let service = Service::json(201, json!({"id": "7"})).await;
    let tool = Tool::bound(at(create_item(), &service.url));
    for granted in Granted::all(1).await {
        let now = Timestamp::now();
        granted
            .state
            .revoke(&granted.grant.id, "ann: done", now)
            .await
            .unwrap();
        let silent = NeverAllows(Arc::new(MemoryAudit::new()));
        let registry = granted.registry(tool.clone(), silent);
        assert_eq!(code(&registry).await, "approval_required");
        let request = granted
            .state
            .pending(Timestamp::now())
            .await
            .unwrap()
            .remove(0);
        let decision = Decision::new(Verdict::Approved, "ann", Timestamp::now()).unwrap();
        let decision = decision.signed(&granted.key, &request);
        registry.decide(request.handle, decision).await.unwrap();
        assert_eq!(code(&registry).await, "audit_unavailable");
        let sent = service.seen().len();
        let audit = Arc::new(MemoryAudit::new());
        assert_eq!(code(&granted.registry(tool.clone(), audit)).await, "ok");
        assert_eq!(service.seen().len(), sent + 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_race_of_calls_that_are_sent_and_calls_that_are_not_counts_the_sent_ones() {
    for granted in Granted::all(40).await {
        let service = Service::json(201, json!({"id": "7"})).await;
        let configured = |url: &str| {
            let text = format!(
                "[roles.keeper]\ngrant = [\"*\"]\n[tools]\nenable = [\"*\"]\n\
                 [services.depot]\nbase_url = \"{url}\"\n"
            );
            Config::parse("w/toolwright.toml".as_ref(), &text).unwrap()
        };
        let absent = Absent::new();
        let (there, gone) = (configured(&service.url), configured(&absent.url));
        let audit = Arc::new(MemoryAudit::new());
        let registry = builder(&audit)
            .specs([create_item()])
            .config(gone.clone())
            .approvals(Arc::new(granted.state.clone()))
            .build()
            .unwrap();
        let calls: Vec<_> = (0..8)
            .map(|_| {
                let registry = registry.clone();
                tokio::spawn(async move {
                    let mut codes = Vec::new();
                    for _ in 0..25 {
                        codes.push(code(&registry).await);
                    }
                    codes
                })
            })
            .collect();
        for config in [&there, &gone].into_iter().cycle().take(100) {
            registry.reload(config).unwrap();
            tokio::time::sleep(Duration::from_millis(3)).await;
        }
        let mut codes = Vec::new();
        for call in calls {
            codes.extend(call.await.unwrap());
        }
        // What is left of the grant is used up.
        registry.reload(&there).unwrap();
        while code(&registry).await == "ok" {
            codes.push("ok".to_owned());
        }
        let count = |code: &str| codes.iter().filter(|found| *found == code).count();
        assert_eq!(count("ok"), 40, "{codes:?}");
        assert_eq!(service.seen().len(), 40);
        assert!(count("connect_failed") > 5, "{codes:?}");
        assert_eq!(granted.uses_left().await, 0);
    }
}
