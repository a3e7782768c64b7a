//! Runs the fuzz targets on a stable compiler: first the corpus, then mutations of it.
//!
//! Each target has a number of mutations, which takes about 3 seconds. `TOOLWRIGHT_FUZZ_TIMES` multiplies
//! it, and `TOOLWRIGHT_FUZZ_SEED` is the seed of the mutations, so that two runs test the same inputs on
//! any machine. An input that fails is written to `target/fuzz`; add it to the corpus to test it in every
//! later run.
#![cfg(test)]

use std::{
    env, fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use rand::{Rng, RngExt, SeedableRng, rngs::StdRng};
use toolwright_tests::fuzz::{TARGETS, Target};

/// The maximum length of an input.
const LONGEST: usize = 4096;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn number(variable: &str, default: u64) -> u64 {
    env::var(variable).map_or(default, |text| text.parse().unwrap())
}

/// The inputs of a target's corpus, sorted by name.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = root().join("fuzz/corpus").join(target);
    let entries =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Runs a target on an input, and saves the input if it fails.
fn run(name: &str, target: Target, input: &[u8]) {
    if catch_unwind(AssertUnwindSafe(|| target(input))).is_err() {
        let folder = root().join("target/fuzz").join(name);
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("failed");
        fs::write(&path, input).unwrap();
        panic!("the target `{name}` fails on {}", path.display());
    }
}

/// Changes an input in a few places: bytes, parts of other inputs, its length.
fn mutate(random: &mut impl Rng, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut input = corpus[random.random_range(0..corpus.len())].clone();
    for _ in 0..random.random_range(1..8) {
        let at = random.random_range(0..=input.len());
        match random.random_range(0..5) {
            0 => input.insert(at, random.random()),
            1 => input.truncate(at),
            2 => {
                let more = random.random_range(1..32);
                input.extend((0..more).map(|_| random.random::<u8>()));
            }
            3 => {
                let other = &corpus[random.random_range(0..corpus.len())];
                let start = random.random_range(0..=other.len());
                input.truncate(at);
                input.extend_from_slice(&other[start..]);
            }
            _ if input.is_empty() => {}
            _ => {
                let at = random.random_range(0..input.len());
                input[at] = random.random();
            }
        }
    }
    input.truncate(LONGEST);
    input
}

/// Runs a target on its corpus, and on this number of mutations or a multiple of it.
fn fuzz(name: &str, mutations: u64) {
    let (_, target) = *TARGETS.iter().find(|(known, _)| *known == name).unwrap();
    let corpus = corpus(name);
    assert!(!corpus.is_empty(), "the target `{name}` has no corpus");
    for input in &corpus {
        run(name, target, input);
    }
    let mutations = mutations * number("TOOLWRIGHT_FUZZ_TIMES", 1);
    let mut random = StdRng::seed_from_u64(number("TOOLWRIGHT_FUZZ_SEED", 1));
    for _ in 0..mutations {
        run(name, target, &mutate(&mut random, &corpus));
    }
    println!(
        "{name}: {} inputs of the corpus and {mutations} mutations",
        corpus.len()
    );
}

#[test]
fn documents_are_processed_in_bounded_time_and_memory() {
    fuzz("document", 500);
}

#[test]
fn requests_always_match_their_template() {
    fuzz("request", 22_000);
}

#[test]
fn responses_never_reveal_the_secret() {
    fuzz("answer", 2_400);
}

/// Checks that no target and no corpus is unused.
#[test]
fn every_target_is_tested_and_declared() {
    let manifest = fs::read_to_string(root().join("fuzz/Cargo.toml")).unwrap();
    let runner = include_str!("fuzz.rs");
    for (name, _) in TARGETS {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
        assert!(runner.contains(&format!("fuzz(\"{name}\", ")), "{name}");
    }
    for entry in fs::read_dir(root().join("fuzz/corpus")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(TARGETS.iter().any(|(known, _)| *known == name), "{name}");
    }
}
