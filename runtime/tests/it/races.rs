//! Calls that race with reloads, switches and approvals. A call passes only if the policy, the
//! switches and the scope of one moment during the call let it pass together.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use jiff::Timestamp;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::json;
use toolwright::{
    Registry, Tool,
    approval::{
        Admission, ApprovalError, ApprovalHandle, ApprovalId, ApprovalRequest, ApprovalStore,
        BoxFuture, Decision, FoundRequest, MemoryApprovals, Verdict,
    },
    audit::{MemoryAudit, Reason, RefusalReason},
    availability::{Override, Overrides},
    config::Config,
};

use crate::support::{builder, create_item, decisions, get_item, last_reason, role};

const CALLS: usize = 500;
const CALLERS: usize = 4;
/// The fewest changes during the calls.
const CHANGES: usize = 20;
const TOOLS: [&str; 2] = ["get-depot-item", "create-depot-item"];

/// A state that the operator sets: the identifier that the scope allows, none if nothing is granted,
/// and whether the tools are on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    granted: Option<u8>,
    on: bool,
}

impl State {
    /// The call uses the identifier 1.
    fn allows(self) -> bool {
        self.on && self.granted == Some(1)
    }

    fn config(self) -> Config {
        let policy = match self.granted {
            None => "[roles.a]\n".to_owned(),
            Some(id) => format!(
                "[roles.a]\nprofiles = [\"p\"]\n[profiles.p]\ntools = [\"*\"]\n\
                 [[profiles.p.scopes]]\narguments.id = {{ values = [\"{id}\"] }}\n"
            ),
        };
        Config::parse(std::path::Path::new("toolwright.toml"), &policy).unwrap()
    }

    fn overrides(self) -> Overrides {
        let entry = Override::new(self.on, "ann", "test", Timestamp::UNIX_EPOCH).unwrap();
        let entries = TOOLS.map(|tool| (tool.parse().unwrap(), entry.clone()));
        entries.into()
    }
}

/// The states in their order. A call that begins after `applied` and ends before `begun` has seen
/// the states of this range and no others.
#[derive(Default)]
struct History {
    states: Mutex<Vec<State>>,
    applied: AtomicUsize,
}

impl History {
    fn begin(&self, state: State) -> usize {
        let mut states = self.states.lock().unwrap();
        states.push(state);
        states.len() - 1
    }

    fn begun(&self) -> usize {
        self.states.lock().unwrap().len() - 1
    }

    fn allowed(&self, first: usize, last: usize) -> bool {
        let states = self.states.lock().unwrap();
        states[first..=last].iter().any(|state| state.allows())
    }
}

/// A tool that counts its calls.
fn counted(spec: toolwright::ToolSpec, count: &Arc<AtomicUsize>) -> Tool {
    let count = Arc::clone(count);
    let mut spec = spec;
    spec.input_schema = serde_json::from_value(json!({
        "type": "object", "properties": {"id": {"type": "string"}},
    }))
    .unwrap();
    Tool::native(spec, move |_, _| {
        count.fetch_add(1, Ordering::SeqCst);
        async { Ok(json!("done")) }
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_call_passes_only_if_one_state_during_the_call_allows_it() {
    let (audit, runs) = (
        Arc::new(MemoryAudit::new()),
        Arc::new(AtomicUsize::default()),
    );
    let history = Arc::new(History::default());
    let first = State {
        granted: Some(1),
        on: true,
    };
    let store = Arc::new(MemoryApprovals::new());
    let registry = builder(&audit)
        .tools([counted(get_item(), &runs), counted(create_item(), &runs)])
        .config(first.config())
        .approvals(Arc::clone(&store) as Arc<dyn ApprovalStore>)
        .build()
        .unwrap();
    registry
        .availability()
        .publish(first.overrides(), Instant::now());
    history.begin(first);
    let ended = Arc::new(AtomicBool::new(false));
    let approved = tokio::spawn(approve_all(registry.clone(), Arc::clone(&ended)));
    let changes = tokio::task::spawn_blocking({
        let (registry, history, ended) =
            (registry.clone(), Arc::clone(&history), Arc::clone(&ended));
        move || change(&registry, &history, &ended)
    });
    let callers = (0..CALLERS).map(|caller| {
        let (registry, history) = (registry.clone(), Arc::clone(&history));
        tokio::spawn(async move {
            let view = registry.for_agent(&role("a"));
            let (mut passed, mut number) = ([0; 2], 0);
            // On a busy machine, the calls may be over before anything has changed.
            while number < CALLS || history.applied.load(Ordering::SeqCst) <= CHANGES {
                number += 1;
                let tool = (caller + number) % 2;
                let since = history.applied.load(Ordering::SeqCst);
                let called = view.call_json(TOOLS[tool], json!({"id": "1"})).await;
                let until = history.begun();
                if called.is_ok() {
                    assert!(history.allowed(since, until), "{since}..={until}");
                    passed[tool] += 1;
                }
                tokio::task::yield_now().await;
            }
            (passed, number)
        })
    });
    let (mut passed, mut calls) = ([0, 0], 0);
    for caller in callers.collect::<Vec<_>>() {
        let (counts, number) = caller.await.unwrap();
        passed = [passed[0] + counts[0], passed[1] + counts[1]];
        calls += number;
    }
    ended.store(true, Ordering::SeqCst);
    let (approved, changes) = (approved.await.unwrap(), changes.await.unwrap());
    assert_eq!(passed[0] + passed[1], runs.load(Ordering::SeqCst));
    assert!(
        passed[1] <= approved,
        "{passed:?} with {approved} approvals"
    );
    assert!(
        passed[0] > 0 && changes >= CHANGES,
        "{passed:?}, {changes} changes"
    );
    let decided = decisions(&audit.events()).len();
    assert_eq!(decided, calls, "one decision for each call");
}

/// Approves every waiting call. Returns the number of approvals.
async fn approve_all(registry: Registry, ended: Arc<AtomicBool>) -> usize {
    let mut approved = 0;
    while !ended.load(Ordering::SeqCst) {
        let now = Timestamp::now();
        for request in registry.approvals().pending(now).await.unwrap() {
            let decision = Decision::new(Verdict::Approved, "ann", now).unwrap();
            approved += usize::from(registry.decide(request.handle, decision).await.is_ok());
        }
        tokio::time::sleep(Duration::from_micros(50)).await;
    }
    approved
}

/// Changes one part of the state after another. Returns the number of changes.
fn change(registry: &Registry, history: &History, ended: &AtomicBool) -> usize {
    let mut random = StdRng::seed_from_u64(20_261_125);
    let mut state = *history.states.lock().unwrap().last().unwrap();
    let mut changes = 0;
    while !ended.load(Ordering::SeqCst) {
        let switches = random.random_ratio(1, 2);
        if switches {
            state.on = !state.on;
        } else {
            state.granted = [None, Some(1), Some(1), Some(2)][random.random_range(0..4)];
        }
        let index = history.begin(state);
        if switches {
            registry
                .availability()
                .publish(state.overrides(), Instant::now());
        } else {
            registry.reload(&state.config()).unwrap();
        }
        history.applied.store(index, Ordering::SeqCst);
        changes += 1;
        std::thread::sleep(Duration::from_micros(random.random_range(0..300)));
    }
    changes
}

/// A store that changes the policy while it admits a call.
struct ChangingStore {
    store: MemoryApprovals,
    during: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl ApprovalStore for ChangingStore {
    fn admit(&self, request: ApprovalRequest) -> BoxFuture<'_, Result<Admission, ApprovalError>> {
        Box::pin(async move {
            let admitted = self.store.admit(request).await;
            if matches!(admitted, Ok(Admission::Approved(..)))
                && let Some(during) = self.during.lock().unwrap().take()
            {
                during();
            }
            admitted
        })
    }

    fn give_back(
        &self,
        request: ApprovalRequest,
        decision: Decision,
    ) -> BoxFuture<'_, Result<(), ApprovalError>> {
        self.store.give_back(request, decision)
    }

    fn pending(
        &self,
        now: Timestamp,
    ) -> BoxFuture<'_, Result<Vec<ApprovalRequest>, ApprovalError>> {
        self.store.pending(now)
    }

    fn find(&self, id: ApprovalId) -> BoxFuture<'_, Result<Option<FoundRequest>, ApprovalError>> {
        self.store.find(id)
    }

    fn decide(
        &self,
        handle: ApprovalHandle,
        decision: Decision,
    ) -> BoxFuture<'_, Result<ApprovalRequest, ApprovalError>> {
        self.store.decide(handle, decision)
    }
}

#[tokio::test]
async fn a_scope_that_changes_while_the_store_admits_the_call_refuses_it() {
    for (after, reason) in [
        (
            State {
                granted: Some(2),
                on: true,
            },
            RefusalReason::ScopeViolation,
        ),
        (
            State {
                granted: None,
                on: true,
            },
            RefusalReason::NotGranted,
        ),
        (
            State {
                granted: Some(1),
                on: false,
            },
            RefusalReason::Disabled,
        ),
    ] {
        let (audit, runs) = (
            Arc::new(MemoryAudit::new()),
            Arc::new(AtomicUsize::default()),
        );
        let before = State {
            granted: Some(1),
            on: true,
        };
        let store = Arc::new(ChangingStore {
            store: MemoryApprovals::new(),
            during: Mutex::default(),
        });
        let registry = builder(&audit)
            .tool(counted(create_item(), &runs))
            .tool(counted(get_item(), &runs))
            .config(before.config())
            .approvals(Arc::clone(&store) as Arc<dyn ApprovalStore>)
            .build()
            .unwrap();
        registry
            .availability()
            .publish(before.overrides(), Instant::now());
        let view = registry.for_agent(&role("a"));
        let call = async || {
            view.call_json("create-depot-item", json!({"id": "1"}))
                .await
        };
        call().await.unwrap_err();
        let approve = async || {
            let now = Timestamp::now();
            for request in registry.approvals().pending(now).await.unwrap() {
                let decision = Decision::new(Verdict::Approved, "ann", now).unwrap();
                registry.decide(request.handle, decision).await.unwrap();
            }
        };
        approve().await;
        let changed = registry.clone();
        *store.during.lock().unwrap() = Some(Box::new(move || {
            changed
                .availability()
                .publish(after.overrides(), Instant::now());
            changed.reload(&after.config()).unwrap();
        }));
        call().await.unwrap_err();
        assert_eq!(last_reason(&audit), Reason::Policy(reason));
        assert_eq!(runs.load(Ordering::SeqCst), 0);
        // The approval was not used up: it lets the call pass once the first policy is back.
        registry
            .availability()
            .publish(before.overrides(), Instant::now());
        registry.reload(&before.config()).unwrap();
        call().await.unwrap();
        call().await.unwrap_err();
        assert_eq!(runs.load(Ordering::SeqCst), 1);
    }
}
