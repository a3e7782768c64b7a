//! Evidence of danger never makes an operation look safer.

use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use super::*;

const PLACES: &[(EvidenceSource, &[SignalPlace])] = &[
    (
        EvidenceSource::Path,
        &[
            SignalPlace::Sure,
            SignalPlace::Objects,
            SignalPlace::Whole,
            SignalPlace::Within,
            SignalPlace::Vague,
            SignalPlace::Command,
            SignalPlace::Issued,
        ],
    ),
    (
        EvidenceSource::OperationId,
        &[
            SignalPlace::Sure,
            SignalPlace::Repeated,
            SignalPlace::State,
            SignalPlace::Within,
        ],
    ),
    (
        EvidenceSource::Summary,
        &[
            SignalPlace::Said,
            SignalPlace::Plainly,
            SignalPlace::Generated,
            SignalPlace::Loosely,
            SignalPlace::SideEffect,
            SignalPlace::Made,
            SignalPlace::Secret,
        ],
    ),
    (EvidenceSource::Body, &[SignalPlace::Shape]),
    (
        EvidenceSource::Answer,
        &[SignalPlace::Shape, SignalPlace::Created],
    ),
    (EvidenceSource::Document, &[SignalPlace::Shared]),
    (
        EvidenceSource::Scope,
        &[SignalPlace::Required, SignalPlace::Either],
    ),
    (EvidenceSource::Extension, &[SignalPlace::Declared]),
];

fn any<T: Copy>(random: &mut StdRng, all: &[T]) -> T {
    all[random.random_range(0..all.len())]
}

fn signal(random: &mut StdRng) -> Signal {
    let (source, places) = any(random, PLACES);
    let place = any(random, places);
    Signal::new(source, "", any(random, Kind::ALL), place)
}

fn method(facts: &OperationFacts) -> Signal {
    crate::governance::method(facts)
}

#[test]
fn evidence_of_danger_never_lowers_a_class() {
    let mut random = StdRng::seed_from_u64(7);
    for _ in 0..200_000 {
        let method_of = any(&mut random, Method::ALL);
        let facts = OperationFacts::new(method_of, "/items/{id}/frobnicate");
        let mut signals = vec![method(&facts)];
        for _ in 0..random.random_range(0..6) {
            signals.push(signal(&mut random));
        }
        let before = weigh(&facts, signals.clone()).kind;
        let danger = signal(&mut random);
        if danger.reads() {
            continue;
        }
        signals.push(danger.clone());
        let after = weigh(&facts, signals.clone()).kind;
        assert!(
            before <= Kind::Derive || after > Kind::Derive,
            "{signals:#?}"
        );
        if danger.suggests >= before {
            assert!(after >= before, "{before} {after} {signals:#?}");
        }
    }
}

#[test]
fn no_method_but_the_safe_ones_and_post_reads() {
    let mut random = StdRng::seed_from_u64(8);
    for _ in 0..20_000 {
        let method_of = any(&mut random, &[Method::Put, Method::Patch, Method::Delete]);
        let facts = OperationFacts::new(method_of, "/items");
        let mut signals = vec![method(&facts)];
        for _ in 0..random.random_range(0..8) {
            signals.push(signal(&mut random));
        }
        assert!(weigh(&facts, signals).kind > Kind::Derive);
    }
}
