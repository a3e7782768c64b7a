//! The policy against a reference model of a few lines, on a million random policies and calls, and
//! the properties that every policy has.
#![cfg(test)]

#[path = "reference/model.rs"]
mod model;

use std::{collections::BTreeSet, sync::atomic::AtomicUsize, thread};

use model::{Answer, Model, Question};
use rand::{SeedableRng, rngs::StdRng};
use toolwright_policy::{
    Decision, Snapshot, Variables, decide, decide_call, decide_offer, explain,
};

const POLICIES: u64 = 20_000;
const CALLS: usize = 50;

fn answer(decision: &Decision) -> Answer {
    match decision {
        Decision::Deny(_) => Answer::Deny,
        Decision::Allow(permit) if permit.needs_approval => Answer::Wait,
        Decision::Allow(_) => Answer::Allow,
    }
}

/// Decides in all ways, which must agree.
fn decided(snapshot: &Snapshot, question: &Question) -> Answer {
    let nothing = BTreeSet::new();
    let variables = Variables::new();
    let arguments = question.arguments();
    let request = question.request(&arguments, &variables, &nothing);
    let decision = decide(snapshot, &request);
    let (explained, steps) = explain(snapshot, &request);
    assert_eq!(explained, decision);
    let denied = matches!(decision, Decision::Deny(_));
    assert_eq!(
        steps.last().map(|step| step.passed),
        Some(!denied),
        "{steps:?}"
    );
    let offered = matches!(decide_offer(snapshot, &request), Decision::Allow(_));
    let fits = decide_call(snapshot, &request, request.call.unwrap());
    assert_eq!(!denied, offered && matches!(fits, Decision::Allow(_)));
    // A workspace that no call may be for is not offered, and one that a call may be for is.
    if let (false, Some(workspace)) = (denied, request.call.unwrap().workspace) {
        let tool = request.tool.parse().unwrap();
        let (role, node) = (request.role, request.node);
        assert!(snapshot.allows_workspace(role, &tool, node, &variables, workspace));
    }
    answer(&decision)
}

fn check_policy(seed: u64, counts: &[AtomicUsize; 3]) {
    let mut random = StdRng::seed_from_u64(seed);
    let model = Model::random(&mut random);
    let snapshot = model.compile();
    for _ in 0..CALLS {
        let question = Question::random(&mut random);
        let expected = model.decide(&question);
        let found = decided(&snapshot, &question);
        assert_eq!(found, expected, "seed {seed}: {question:?} of {model:#?}");
        counts[found as usize].fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
}

/// Runs a check for each seed, on two threads.
fn for_each_seed(seeds: u64, check: impl Fn(u64) + Sync) {
    thread::scope(|scope| {
        for half in 0..2 {
            let check = &check;
            scope.spawn(move || (half..seeds).step_by(2).for_each(check));
        }
    });
}

#[test]
fn a_million_decisions_agree_with_the_reference() {
    let counts = [const { AtomicUsize::new(0) }; 3];
    for_each_seed(POLICIES, |seed| check_policy(seed, &counts));
    let counts = counts.map(AtomicUsize::into_inner);
    assert_eq!(counts.iter().sum::<usize>(), 1_000_000);
    assert!(counts.iter().all(|count| *count > 50_000), "{counts:?}");
}

#[test]
fn a_grant_removes_no_call() {
    for_each_seed(2_000, |seed| {
        let mut random = StdRng::seed_from_u64(seed);
        let model = Model::random(&mut random);
        let (before, mut wider) = (model.compile(), model.clone());
        wider.grant_more(&mut random);
        let after = wider.compile();
        for _ in 0..CALLS {
            let question = Question::random(&mut random);
            if decided(&before, &question) != Answer::Deny {
                assert_ne!(
                    decided(&after, &question),
                    Answer::Deny,
                    "{seed} {question:?}"
                );
            }
        }
    });
}

#[test]
fn an_allow_list_and_an_override_of_a_node_never_widen() {
    for_each_seed(2_000, |seed| {
        let mut random = StdRng::seed_from_u64(seed);
        let snapshot = Model::random(&mut random).compile();
        for _ in 0..CALLS {
            let question = Question::random(&mut random);
            if decided(&snapshot, &question) != Answer::Deny {
                let mut wider = question.clone();
                wider.node = None;
                wider.allow_list = None;
                assert_ne!(
                    decided(&snapshot, &wider),
                    Answer::Deny,
                    "{seed} {question:?}"
                );
            }
        }
    });
}
