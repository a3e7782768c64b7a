//! Who may approve, standing grants, and waiting for a decision.

use std::{sync::Arc, time::Duration};

use jiff::SignedDuration;
use serde_json::{Map, Value, json};
use toolwright::{
    Registry, ScopedToolView, Tool, Waited,
    approval::{
        ApprovalError, ApprovalRequest, ApprovalStore, ApproverKey, Decision, StandingGrant,
        StandingTerms, Unverified, Verdict,
    },
    audit::{MemoryAudit, Reason},
    config::Config,
    eab::RunContext,
};
use toolwright_state::{State, testing::TestPlace};

use crate::support::{HandClock, builder, create_item, decisions, last_reason, role};

const TOOL: &str = "create-depot-item";

/// A registry of a configuration with two approvers: `ann`, who may approve the tool, and `bob`, who
/// may not.
struct Office {
    registry: Registry,
    state: State,
    place: TestPlace,
    audit: Arc<MemoryAudit>,
    clock: HandClock,
    ann: ApproverKey,
    bob: ApproverKey,
}

pub(crate) fn key() -> ApproverKey {
    ApproverKey::in_folder(tempfile::tempdir().unwrap().path()).unwrap()
}

impl Office {
    /// One for each kind of database.
    async fn all(more: &str) -> Vec<Self> {
        let mut offices = Vec::new();
        for place in TestPlace::all().await {
            offices.push(Self::at(place, more).await);
        }
        offices
    }

    async fn at(place: TestPlace, more: &str) -> Self {
        let (ann, bob) = (key(), key());
        let text = format!(
            "[roles.keeper]\ngrant = [\"*\"]\n[tools]\nenable = [\"*\"]\n[approvals]\n{more}\n\
             [approvals.approvers.ann]\nkey = \"{}\"\napprove = [\"create-*\"]\n\
             [approvals.approvers.bob]\nkey = \"{}\"\napprove = [\"effect:delete\"]\n",
            ann.public(),
            bob.public()
        );
        let config = Config::parse("w/toolwright.toml".as_ref(), &text).unwrap();
        let state = State::at(place.location.clone()).unwrap();
        let state = state.keys(config.approvals.approver_keys());
        state.open().await.unwrap();
        let (audit, clock) = (Arc::new(MemoryAudit::new()), HandClock::new());
        let registry = builder(&audit)
            .tool(Tool::native(create_item(), |_, arguments| async {
                Ok(arguments)
            }))
            .config(config)
            .approvals(Arc::new(state.clone()))
            .clock(clock.as_clock())
            .build()
            .unwrap();
        Self {
            registry,
            state,
            place,
            audit,
            clock,
            ann,
            bob,
        }
    }

    fn view(&self, started_by: Option<&str>) -> ScopedToolView {
        let run = RunContext {
            run: Some("one".to_owned()),
            started_by: started_by.map(str::to_owned),
            ..RunContext::default()
        };
        self.registry.for_agent(&role("keeper")).in_run(run)
    }

    /// The code of the error, or `ok`.
    async fn call(&self, view: &ScopedToolView, name: &str) -> String {
        let called = view.call_json(TOOL, json!({"name": name})).await;
        called.map_or_else(|error| error.code().to_owned(), |_| "ok".to_owned())
    }

    async fn waiting(&self) -> ApprovalRequest {
        self.state
            .pending(self.clock.now())
            .await
            .unwrap()
            .remove(0)
    }

    async fn decide(
        &self,
        key: &ApproverKey,
        person: &str,
        verdict: Verdict,
    ) -> Result<(), ApprovalError> {
        let request = self.waiting().await;
        let decision = Decision::new(verdict, person, self.clock.now()).unwrap();
        let decision = decision.signed(key, &request);
        self.state.decide(request.handle, decision).await.map(drop)
    }

    fn terms(&self, uses: u32, arguments: Value) -> StandingTerms {
        let Value::Object(arguments) = arguments else {
            panic!("{arguments}");
        };
        StandingTerms {
            role: role("keeper"),
            tool: TOOL.parse().unwrap(),
            workspace: None,
            arguments,
            uses,
            until: self.clock.now() + SignedDuration::from_mins(5),
            why: "a night of imports".to_owned(),
        }
    }

    async fn grant(
        &self,
        key: &ApproverKey,
        person: &str,
        uses: u32,
        arguments: Value,
    ) -> StandingGrant {
        let terms = self.terms(uses, arguments);
        let grant = StandingGrant::new(terms, person, self.clock.now(), key).unwrap();
        self.state.grant(&grant).await.unwrap();
        grant
    }
}

#[tokio::test]
async fn only_a_person_with_a_grant_approves() {
    for office in Office::all("").await {
        let view = office.view(None);
        assert_eq!(office.call(&view, "bolt").await, "approval_required");
        assert_eq!(
            office.waiting().await.shown.approvers,
            Some(vec!["ann".to_owned()])
        );
        let refused = Err(ApprovalError::Unverified(Unverified::NotAnApprover));
        for (key, person) in [
            (&office.bob, "bob"),
            (&office.bob, "ann"),
            (&office.ann, "bob"),
        ] {
            assert_eq!(
                office.decide(key, person, Verdict::Approved).await,
                refused,
                "{person}"
            );
        }
        let stranger = office.decide(&key(), "ann", Verdict::Approved).await;
        assert_eq!(
            stranger,
            Err(ApprovalError::Unverified(Unverified::Signature))
        );
        office
            .decide(&office.ann, "ann", Verdict::Approved)
            .await
            .unwrap();
        assert_eq!(office.call(&view, "bolt").await, "ok");

        // Every approver may reject.
        assert_eq!(office.call(&view, "nut").await, "approval_required");
        office
            .decide(&office.bob, "bob", Verdict::Rejected)
            .await
            .unwrap();
        assert_eq!(office.call(&view, "nut").await, "approval_rejected");
    }
}

#[tokio::test]
async fn nobody_approves_a_run_of_their_own() {
    for office in Office::all("four_eyes = true").await {
        let others = office.view(Some("carol"));
        assert_eq!(office.call(&others, "bolt").await, "approval_required");
        office
            .decide(&office.ann, "ann", Verdict::Approved)
            .await
            .unwrap();
        assert_eq!(office.call(&others, "bolt").await, "ok");

        for started_by in [Some("ann"), None] {
            let own = office.view(started_by);
            assert_eq!(
                office.call(&own, "bolt").await,
                "undecided",
                "nobody else may"
            );
            assert!(
                office
                    .state
                    .pending(office.clock.now())
                    .await
                    .unwrap()
                    .is_empty()
            );
        }
        office.grant(&office.ann, "ann", 5, json!({})).await;
        assert_eq!(
            office.call(&office.view(Some("ann")), "bolt").await,
            "undecided"
        );
        assert_eq!(office.call(&others, "bolt").await, "ok");
    }
}

#[tokio::test]
async fn a_standing_grant_is_counted_and_covers_its_arguments() {
    for office in Office::all("").await {
        let view = office.view(None);
        let grant = office
            .grant(&office.ann, "ann", 2, json!({"name": "bolt"}))
            .await;
        assert_eq!(office.call(&view, "nut").await, "approval_required");
        assert_eq!(office.call(&view, "bolt").await, "ok");
        assert_eq!(last_reason(&office.audit), Reason::StandingGrant);
        let event = decisions(&office.audit.events()).pop().unwrap();
        assert_eq!(event.standing_grant.as_deref(), Some(grant.id.as_str()));
        assert_eq!(event.person.as_deref(), Some("ann"));
        let listed = office.state.standing_grants().await.unwrap();
        assert_eq!((listed.len(), listed[0].uses_left), (1, 1));
        assert_eq!(office.call(&view, "bolt").await, "ok");
        assert_eq!(
            office.call(&view, "bolt").await,
            "approval_required",
            "it is used up"
        );
    }
}

#[tokio::test]
async fn a_standing_grant_ends() {
    for office in Office::all("").await {
        let view = office.view(None);
        let grant = office.grant(&office.ann, "ann", 9, json!({})).await;
        assert_eq!(office.call(&view, "bolt").await, "ok");
        let now = office.clock.now();
        assert_eq!(
            office.state.revoke(&grant.id, "ann: done", now).await,
            Ok(true)
        );
        assert_eq!(
            office.state.revoke(&grant.id, "ann: done", now).await,
            Ok(false)
        );
        assert_eq!(office.call(&view, "bolt").await, "approval_required");

        office.grant(&office.ann, "ann", 9, json!({})).await;
        assert_eq!(office.call(&view, "bolt").await, "ok");
        office.clock.advance(5 * 60);
        assert_eq!(
            office.call(&view, "bolt").await,
            "approval_required",
            "it has expired"
        );
        let mut never = office.terms(9, json!({}));
        never.until = office.clock.now();
        let late = StandingGrant::new(never, "ann", office.clock.now(), &office.ann);
        assert_eq!(late, Err(ApprovalError::Terms));
        for uses in [0, 10_001] {
            let terms = office.terms(uses, json!({}));
            let grant = StandingGrant::new(terms, "ann", office.clock.now(), &office.ann);
            assert_eq!(grant, Err(ApprovalError::Terms));
        }
    }
}

#[tokio::test]
async fn a_forged_standing_grant_lets_nothing_pass() {
    for office in Office::all("").await {
        let view = office.view(None);
        office.grant(&office.bob, "bob", 9, json!({})).await;
        office.grant(&office.bob, "ann", 9, json!({})).await;
        office.grant(&key(), "ann", 9, json!({})).await;
        let grant = office
            .grant(&office.ann, "ann", 1, json!({"name": "nut"}))
            .await;
        let mut wider = json!(grant);
        wider["arguments"] = json!(Map::new());
        let mut more = json!(grant);
        more["uses"] = json!(9);
        for forged in [wider, more] {
            let sql = format!(
                "UPDATE standing_grant SET record = '{forged}', uses_left = 9 WHERE id = '{}'",
                grant.id
            );
            office.place.tamper(&sql).await;
            assert_eq!(office.call(&view, "bolt").await, "approval_required");
            assert_eq!(office.call(&view, "nut").await, "approval_required");
        }
        let sql = format!(
            "UPDATE standing_grant SET record = '{}', uses_left = 9 WHERE id = '{}'",
            json!(grant),
            grant.id
        );
        office.place.tamper(&sql).await;
        assert_eq!(
            office.call(&view, "nut").await,
            "approval_required",
            "more than were granted"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn parallel_calls_use_a_standing_grant_as_often_as_it_says() {
    for office in Office::all("").await {
        office.grant(&office.ann, "ann", 7, json!({})).await;
        let office = Arc::new(office);
        let calls: Vec<_> = (0..40)
            .map(|index| {
                let office = Arc::clone(&office);
                let call = async move {
                    office
                        .call(&office.view(None), &format!("{}", index % 3))
                        .await
                };
                tokio::spawn(call)
            })
            .collect();
        let mut passed = 0;
        for call in calls {
            passed += u32::from(call.await.unwrap() == "ok");
        }
        assert_eq!(passed, 7);
    }
}

#[tokio::test]
async fn an_agent_waits_for_the_decision_about_its_call() {
    for office in Office::all("").await {
        let office = Arc::new(office);
        let view = office.view(None);
        for (verdict, waited) in [
            (Verdict::Approved, Waited::Approved),
            (Verdict::Rejected, Waited::Rejected),
        ] {
            let name = format!("{verdict:?}");
            assert_eq!(office.call(&view, &name).await, "approval_required");
            let id = office.waiting().await.id;
            let short = Duration::from_millis(300);
            assert_eq!(view.wait(&id, short).await, Ok(Waited::Undecided));
            let other = office.registry.for_agent(&role("keeper"));
            assert_eq!(
                other.wait(&id, short).await,
                Ok(Waited::Unknown),
                "another run"
            );
            let stranger = office.registry.for_agent(&role("stranger"));
            assert_eq!(stranger.wait(&id, short).await, Ok(Waited::Unknown));

            let waiting = tokio::spawn({
                let (view, id) = (view.clone(), id.clone());
                async move { view.wait(&id, Duration::from_secs(20)).await }
            });
            tokio::time::sleep(Duration::from_millis(100)).await;
            office.decide(&office.ann, "ann", verdict).await.unwrap();
            assert_eq!(waiting.await.unwrap(), Ok(waited));
            office.call(&view, &name).await;
        }
        let unknown = "wait-0123456789ab".parse().unwrap();
        assert_eq!(
            view.wait(&unknown, Duration::from_secs(9)).await,
            Ok(Waited::Unknown)
        );
    }
}

#[tokio::test]
async fn a_call_of_a_view_that_waits_is_carried_out_after_the_decision() {
    for office in Office::all("").await {
        let office = Arc::new(office);
        let view = office.view(None);
        let short = view.clone().waiting_for(Duration::from_millis(50));
        assert_eq!(office.call(&short, "bolt").await, "approval_required");
        for (verdict, ended) in [
            (Verdict::Approved, "ok"),
            (Verdict::Rejected, "approval_rejected"),
        ] {
            let calling = tokio::spawn({
                let (office, view) = (Arc::clone(&office), view.clone());
                let view = view.waiting_for(Duration::from_secs(20));
                async move { office.call(&view, "bolt").await }
            });
            let now = office.clock.now();
            while office.state.pending(now).await.unwrap().is_empty() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            office.decide(&office.ann, "ann", verdict).await.unwrap();
            assert_eq!(calling.await.unwrap(), ended);
        }
    }
}

#[tokio::test]
async fn a_call_that_began_first_and_comes_second_waits_under_the_same_request() {
    for office in Office::all("expire_minutes = 15").await {
        let view = office.view(None);
        assert_eq!(office.call(&view, "bolt").await, "approval_required");
        let first = office.waiting().await;
        for (seconds, same) in [(-5, true), (-90, false)] {
            office.clock.advance(seconds);
            assert_eq!(office.call(&view, "bolt").await, "approval_required");
            office.clock.advance(-seconds);
            assert_eq!(office.waiting().await.handle == first.handle, same);
        }
    }
}
