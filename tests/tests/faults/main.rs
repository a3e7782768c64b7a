//! Calls of Depot through a proxy that injects faults.
//!
//! After each call the test asks Depot what it has done, and compares it with the error of the
//! caller and with the outcome in the audit. Nothing that was done may be reported as not done, and
//! nothing that was not done as done. The schedules are deterministic.
#![cfg(test)]

mod answer;
mod depot;
mod fault;
mod proxy;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use depot::{Action, Call, Stage, TIMEOUT};
use fault::Fault;
use proxy::Proxy;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::Value;
use toolwright::{
    ScopedToolView, ToolError, ToolOutput,
    audit::{CallOutcome, Done, Ending, MemoryAudit, What},
    config::ServiceConfig,
};

/// The number of random schedules.
const SCHEDULES: u64 = 200;

/// The time after which a request has reached the proxy, or never will.
const SETTLED: Duration = Duration::from_millis(100);

/// A schedule: a call, the faults of its requests, and the time after which the caller goes away.
#[derive(Clone, Debug)]
struct Schedule {
    action: Action,
    faults: Vec<Fault>,
    leaves_after: Option<Duration>,
    retries: bool,
}

/// The end of a schedule.
struct Ended {
    schedule: Schedule,
    /// None if the caller went away.
    result: Option<Result<ToolOutput, ToolError>>,
    outcome: CallOutcome,
    effects: usize,
    deliveries: usize,
}

/// The two views of a role whose requests pass the proxy.
struct Bench {
    stage: Stage,
    proxy: Proxy,
    audit: Arc<MemoryAudit>,
    once: ScopedToolView,
    retrying: ScopedToolView,
}

impl Schedule {
    fn random(seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let index = random.random_range(0..Action::ALL.len());
        let length = random.random_range(1..=3);
        Self {
            action: Action::ALL[index],
            faults: (0..length).map(|_| Fault::random(&mut random)).collect(),
            leaves_after: random
                .random_bool(0.15)
                .then(|| Duration::from_millis(random.random_range(0..30))),
            retries: random.random(),
        }
    }
}

impl Bench {
    async fn start() -> Self {
        let stage = Stage::start().await;
        let proxy = Proxy::start(stage.address()).await;
        let audit = Arc::new(MemoryAudit::new());
        let view = |retries| {
            let config = ServiceConfig {
                timeout: Some(TIMEOUT),
                max_response_bytes: 1 << 20,
                retries,
                ..ServiceConfig::default()
            };
            stage.view_at(proxy.address(), config, Arc::clone(&audit))
        };
        Self {
            once: view(0),
            retrying: view(2),
            stage,
            proxy,
            audit,
        }
    }

    async fn run(&mut self, name: &str, schedule: Schedule) -> Ended {
        let call = self.stage.prepare(schedule.action, name).await;
        self.proxy.begin(&schedule.faults).await;
        let before = self.audit.events().len();
        let result = self.call(&call, &schedule).await;
        if result.is_none() {
            // The request may still be on its way.
            tokio::time::sleep(SETTLED).await;
        }
        let deliveries = self.proxy.end().await;
        let events = self.audit.events();
        let events = &events[before..];
        let outcomes: Vec<_> = events
            .iter()
            .filter_map(|event| match &event.what {
                What::Outcome(outcome) => Some(outcome),
                _ => None,
            })
            .collect();
        assert_eq!((events.len(), outcomes.len()), (2, 1), "{events:?}");
        Ended {
            outcome: outcomes[0].clone(),
            effects: self.stage.effects(&call).await,
            schedule,
            result,
            deliveries,
        }
    }

    async fn call(
        &self,
        call: &Call,
        schedule: &Schedule,
    ) -> Option<Result<ToolOutput, ToolError>> {
        let view = match schedule.retries {
            true => &self.retrying,
            false => &self.once,
        };
        let called = view.call_json(call.action.tool(), call.arguments());
        match schedule.leaves_after {
            Some(time) => tokio::time::timeout(time, called).await.ok(),
            None => Some(called.await),
        }
    }
}

impl Ended {
    /// Returns everything that is wrong with the outcome.
    fn faults(&self) -> Vec<String> {
        let Self {
            schedule,
            result,
            outcome,
            effects,
            deliveries,
        } = self;
        let changes = schedule.action != Action::Read;
        let mut faults = Vec::new();
        let mut check = |is_right: bool, fault: &str| {
            if !is_right {
                faults.push(fault.to_owned());
            }
        };
        check(
            outcome.done.is_some() == changes,
            "`done` is for changes only",
        );
        if changes {
            let was_done = *effects > 0;
            check(
                !was_done || outcome.done != Some(Done::No),
                "done, and reported as not done",
            );
            check(
                was_done || outcome.done != Some(Done::Yes),
                "not done, and reported as done",
            );
            check(*deliveries > 0 || !was_done, "the test counts deliveries");
        }
        check(*effects <= 1, "carried out more than once");
        match result {
            Some(Ok(_)) => {
                check(
                    outcome.outcome == Ending::Ok,
                    "the outcome of a result is `ok`",
                );
                check(!changes || *effects == 1, "a result, and nothing was done");
            }
            Some(Err(error)) => {
                let ending = match error.code() {
                    "timeout" => Ending::TimedOut,
                    _ => Ending::Error,
                };
                check(outcome.outcome == ending, "the outcome of an error");
                check(
                    outcome.error.as_deref() == Some(error.code()),
                    "the code of the error",
                );
                check(error.done() == outcome.done, "the caller is told the same");
                let repeats = error.is_retryable() && *effects > 0;
                let is_safe = matches!(schedule.action, Action::Read | Action::Delete);
                check(!repeats || is_safe, "an agent would repeat what was done");
                check(
                    error.done() != Some(Done::Unknown) || error.to_string().contains("may have"),
                    "the message leaves out that the effect is unknown",
                );
            }
            None => check(outcome.outcome == Ending::Cancelled, "the caller went away"),
        }
        faults
    }

    fn describe(&self) -> String {
        let result = match &self.result {
            None => "the caller went away".to_owned(),
            Some(Ok(output)) => format!("{:?}", output.status),
            Some(Err(error)) => Value::to_string(&error.to_json()),
        };
        format!(
            "{:?}\n    {result}\n    {:?}, {} effects of {} deliveries",
            self.schedule, self.outcome, self.effects, self.deliveries
        )
    }
}

/// Runs schedules, and prints how they ended. Returns the ends.
async fn run_all(prefix: &str, schedules: impl IntoIterator<Item = Schedule>) -> Vec<Ended> {
    let mut bench = Bench::start().await;
    let mut ends = Vec::new();
    for (index, schedule) in schedules.into_iter().enumerate() {
        ends.push(bench.run(&format!("{prefix}-{index:04}"), schedule).await);
    }
    let mut counts = BTreeMap::<String, usize>::new();
    for ended in &ends {
        let outcome = serde_json::to_value(&ended.outcome).unwrap();
        let word = |key: &str| outcome[key].as_str().unwrap_or("-").to_owned();
        let what = format!(
            "{} done {} {}",
            word("outcome"),
            word("done"),
            word("error")
        );
        *counts.entry(what).or_default() += 1;
    }
    for (what, count) in counts {
        println!("{count:4} {what}");
    }
    let connections = bench.proxy.connections();
    println!("{} schedules over {connections} connections", ends.len());
    let wrong: Vec<_> = ends
        .iter()
        .filter(|ended| !ended.faults().is_empty())
        .map(|ended| format!("{}\n    {}", ended.faults().join(", "), ended.describe()))
        .collect();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    ends
}

/// Every fault, alone, for every kind of call, with and without retries.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_fault_has_the_right_outcome() {
    let schedules = Fault::ALL.iter().flat_map(|fault| {
        let actions = Action::ALL.iter();
        actions.map(|action| Schedule {
            action: *action,
            faults: vec![*fault],
            leaves_after: None,
            retries: false,
        })
    });
    let ends = run_all("EACH", schedules).await;
    for ended in ends {
        let fault = ended.schedule.faults[0];
        let certain = matches!(fault, Fault::Refuse | Fault::Limited);
        if certain && ended.schedule.action != Action::Read {
            assert_eq!(ended.outcome.done, Some(Done::No), "{}", ended.describe());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_schedules_have_the_right_outcomes() {
    let ends = run_all("RAND", (0..SCHEDULES).map(Schedule::random)).await;
    let repeated = ends.iter().filter(|ended| ended.outcome.attempts > Some(1));
    let repeated: Vec<_> = repeated.collect();
    assert!(repeated.iter().all(|ended| ended.schedule.retries));
    let helped = |ended: &&&Ended| ended.outcome.outcome == Ending::Ok;
    let helped = repeated.iter().filter(helped).count();
    println!(
        "{} calls were repeated, and {helped} of them then succeeded",
        repeated.len()
    );
    assert!(helped > 0);
}
