//! The times of refusals: an agent must not learn from them why a tool is refused.

use std::time::Instant;

use serde_json::json;
use toolwright::ScopedToolView;

use crate::{
    calls::{ROLES, TOOLS},
    figures::{Refusal, Times},
    workload::{self, PER_SERVICE, PROFILES},
};

/// The questions for each reason.
const NUMBER: usize = 10_000;

/// A reason, and the names that are refused for it.
struct Refused {
    reason: &'static str,
    names: Vec<String>,
}

impl Refused {
    fn name(&self, number: usize) -> &str {
        let at = number % self.names.len().max(1);
        self.names.get(at).map_or("", String::as_str)
    }
}

/// Returns every fifth tool of five services, so that the names for each reason are from the whole
/// registry.
fn names(offset: usize) -> impl Iterator<Item = String> {
    let services = (0..TOOLS / PER_SERVICE).skip(1).step_by(PROFILES);
    services.flat_map(move |service| {
        let tools = (0..PER_SERVICE).step_by(5);
        tools.map(move |tool| workload::name(service * PER_SERVICE + tool + offset))
    })
}

/// Asks one view, as an agent can: of a role that is granted five services, in a run with an
/// allow-list.
pub(crate) fn measure() -> Result<Vec<Refusal>, String> {
    let specs = workload::specs(TOOLS, "http://127.0.0.1")?;
    let mut builder = workload::builder(workload::native_policy(TOOLS, ROLES)?);
    builder = builder.tools(specs.into_iter().map(workload::native));
    for name in names(0) {
        builder = builder.disable(&name);
    }
    let registry = builder.build().map_err(|error| error.to_string())?;
    workload::publish(&registry, names(1).map(|name| (name, false)))?;
    let view = workload::view(&registry, "role-1")?.narrowed_to(names(2).take(1));
    let refused = |reason, names: Vec<String>| Refused { reason, names };
    let cases = [
        refused("unknown", names(3).map(|name| format!("{name}x")).collect()),
        refused("not granted", names(PER_SERVICE + 4).collect()),
        refused("switched off", names(1).collect()),
        refused("disabled", names(0).collect()),
        refused("outside of the allow-list", names(2).skip(1).collect()),
    ];
    let mut refusals = called(&view, &cases)?;
    refusals.extend(described(&view, &cases)?);
    for refusal in &refusals {
        println!("{refusal:?}");
    }
    Ok(refusals)
}

/// Calls each name in turn, so that noise meets all reasons alike.
fn called(view: &ScopedToolView, cases: &[Refused]) -> Result<Vec<Refusal>, String> {
    let mut times = vec![Vec::with_capacity(NUMBER); cases.len()];
    workload::runtime()?.block_on(async {
        for number in 0..NUMBER {
            for at in 0..cases.len() {
                // The order changes, so that no reason profits from the one before it.
                let at = (at * (1 + number % 4) + number) % cases.len();
                let (Some(case), Some(times)) = (cases.get(at), times.get_mut(at)) else {
                    continue;
                };
                let arguments = json!({"id": "item-7"});
                let name = case.name(number);
                let begun = Instant::now();
                let called = view.call_json(name, arguments).await;
                times.push(begun.elapsed());
                if called.is_ok() {
                    return Err(format!("the call of `{name}` passed"));
                }
            }
        }
        Ok(())
    })?;
    Ok(refusals("call", cases, times))
}

fn described(view: &ScopedToolView, cases: &[Refused]) -> Result<Vec<Refusal>, String> {
    let mut times = vec![Vec::with_capacity(NUMBER); cases.len()];
    for number in 0..NUMBER {
        for at in 0..cases.len() {
            let at = (at * (1 + number % 4) + number) % cases.len();
            let (Some(case), Some(times)) = (cases.get(at), times.get_mut(at)) else {
                continue;
            };
            let name = case.name(number);
            let begun = Instant::now();
            // One question takes less than the clock can tell.
            let mut found = false;
            for _ in 0..20 {
                found |= view.spec(name).is_some();
            }
            times.push(begun.elapsed() / 20);
            if found {
                return Err(format!("`{name}` was described"));
            }
        }
    }
    Ok(refusals("describe", cases, times))
}

fn refusals(
    question: &str,
    cases: &[Refused],
    times: Vec<Vec<std::time::Duration>>,
) -> Vec<Refusal> {
    let cases = cases.iter().zip(times);
    let refusals = cases.map(|(case, times)| Refusal {
        question: question.to_owned(),
        reason: case.reason.to_owned(),
        median: Times::of(times).median,
    });
    refusals.collect()
}
