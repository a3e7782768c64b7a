//! The times of refusals: an agent must not learn from them why a tool is refused.

use std::time::Instant;

use serde_json::json;
use toolwright::ScopedToolView;

use crate::{
    calls::{ROLES, TOOLS},
    figures::{Refusal, Times},
    workload,
};

/// The questions for each reason.
const NUMBER: usize = 10_000;

/// A reason with a view and a name that is refused for it.
struct Refused {
    reason: &'static str,
    view: ScopedToolView,
    name: String,
}

pub(crate) fn measure() -> Result<Vec<Refusal>, String> {
    let specs = workload::specs(TOOLS, "http://127.0.0.1")?;
    let builder = workload::builder(workload::native_policy(TOOLS, ROLES)?);
    let registry = builder
        .tools(specs.into_iter().map(workload::native))
        .disable(&workload::name(5000))
        .build()
        .map_err(|error| error.to_string())?;
    workload::switch(&registry, TOOLS)?;
    let everything = workload::view(&registry, workload::EVERYTHING)?;
    let some = workload::view(&registry, "role-1")?;
    let narrowed = everything.clone().narrowed_to([workload::name(4002)]);
    let refused = |reason, view: &ScopedToolView, name: String| Refused {
        reason,
        view: view.clone(),
        name,
    };
    let cases = [
        refused("unknown", &everything, "get-s50-item-500x".to_owned()),
        refused("not granted", &some, workload::name(5004)),
        refused("switched off", &everything, workload::name(5001)),
        refused("disabled", &everything, workload::name(5000)),
        refused("outside of the allow-list", &narrowed, workload::name(5006)),
    ];
    let mut refusals = called(&cases)?;
    refusals.extend(described(&cases)?);
    for refusal in &refusals {
        println!("{refusal:?}");
    }
    Ok(refusals)
}

/// Calls each name in turn, so that noise meets all reasons alike.
fn called(cases: &[Refused]) -> Result<Vec<Refusal>, String> {
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
                let begun = Instant::now();
                let called = case.view.call_json(&case.name, arguments).await;
                times.push(begun.elapsed());
                if called.is_ok() {
                    return Err(format!("the call of `{}` passed", case.name));
                }
            }
        }
        Ok(())
    })?;
    Ok(refusals("call", cases, times))
}

fn described(cases: &[Refused]) -> Result<Vec<Refusal>, String> {
    let mut times = vec![Vec::with_capacity(NUMBER); cases.len()];
    for number in 0..NUMBER {
        for at in 0..cases.len() {
            let at = (at * (1 + number % 4) + number) % cases.len();
            let (Some(case), Some(times)) = (cases.get(at), times.get_mut(at)) else {
                continue;
            };
            let begun = Instant::now();
            // One question takes less than the clock can tell.
            let mut found = false;
            for _ in 0..20 {
                found |= case.view.spec(&case.name).is_some();
            }
            times.push(begun.elapsed() / 20);
            if found {
                return Err(format!("`{}` was described", case.name));
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
