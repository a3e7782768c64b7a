//! Sequences of calls that several runs have in common.
//!
//! The calls on which a call depends are its slice. Slices with equal shapes repeat; those of one run
//! that share a call are put together if that union repeats as well. The largest unions remain.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{Options, flow::RunFlows, runs::Run};

/// The greatest number of slices that are put together in all possible ways.
const MOST_UNIONS: usize = 6;

/// The share of the runs of a smaller sequence that a larger one needs to replace it, in percent.
const REPLACES_PERCENT: usize = 80;

/// A sequence of calls, with its occurrences.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// The shapes of its calls, sorted.
    shape: Vec<u64>,
    /// The occurrences: a run, and the places of the calls in the order of the steps.
    pub(super) occurrences: Vec<Occurrence>,
    /// The number of runs.
    pub(super) runs: usize,
}

/// An occurrence of a sequence.
#[derive(Clone, Debug)]
pub(super) struct Occurrence {
    pub(super) run: usize,
    pub(super) calls: Vec<usize>,
    /// For each call, the arguments that come from a result: the step, and the JSON Pointer.
    pub(super) flows: Vec<BTreeMap<String, (usize, String)>>,
}

/// Finds the sequences that at least `min_runs` runs have.
pub(super) fn find(runs: &[Run], flows: &[RunFlows], options: Options) -> Vec<Pattern> {
    let shapes: Vec<Vec<u64>> = runs
        .iter()
        .zip(flows)
        .map(|(run, flows)| shapes(run, flows))
        .collect();
    let common = common_sinks(&shapes, flows, options.min_runs);
    let mut found: BTreeMap<Vec<u64>, Vec<Occurrence>> = BTreeMap::new();
    for (index, (shapes, flows)) in shapes.iter().zip(flows).enumerate() {
        let sinks = (0..shapes.len()).filter(|place| {
            let is_common = shapes
                .get(*place)
                .is_some_and(|shape| common.contains(shape));
            is_common && flows.get(*place).is_some_and(|flows| !flows.is_empty())
        });
        let slices: Vec<BTreeSet<usize>> = sinks.map(|sink| slice(sink, flows)).collect();
        let mut of_run: BTreeMap<Vec<u64>, Occurrence> = BTreeMap::new();
        for calls in unions(&slices) {
            if calls.len() < 2 || calls.len() > options.most_calls {
                continue;
            }
            let (shape, occurrence) = occurrence(index, &calls, shapes, flows);
            of_run.entry(shape).or_insert(occurrence);
        }
        for (shape, occurrence) in of_run {
            found.entry(shape).or_default().push(occurrence);
        }
    }
    let patterns = found.into_iter().map(|(shape, occurrences)| Pattern {
        runs: occurrences.len(),
        shape,
        occurrences,
    });
    let frequent = patterns.filter(|pattern| pattern.runs >= options.min_runs);
    largest(frequent.collect())
}

/// Returns the shapes of calls with a flow into them that enough runs have.
fn common_sinks(shapes: &[Vec<u64>], flows: &[RunFlows], min_runs: usize) -> HashSet<u64> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for (shapes, flows) in shapes.iter().zip(flows) {
        let sinks = shapes
            .iter()
            .zip(flows)
            .filter(|(_, flows)| !flows.is_empty());
        let of_run: HashSet<u64> = sinks.map(|(shape, _)| *shape).collect();
        let of_run: BTreeSet<u64> = of_run.into_iter().collect();
        for shape in of_run {
            *counts.entry(shape).or_default() += 1;
        }
    }
    let counts: BTreeMap<u64, usize> = counts.into_iter().collect();
    let common = counts.into_iter().filter(|(_, runs)| *runs >= min_runs);
    common.map(|(shape, _)| shape).collect()
}

/// Returns the shape of each call of a run: its tool, and the flows into it.
fn shapes(run: &Run, flows: &RunFlows) -> Vec<u64> {
    let mut shapes: Vec<u64> = Vec::new();
    for (call, flows) in run.calls.iter().zip(flows) {
        let mut hash = Hash::new();
        hash.add(&call.tool);
        for (argument, flow) in flows {
            hash.add(argument);
            hash.add(&flow.at);
            hash.number(shapes.get(flow.from).copied().unwrap_or_default());
        }
        shapes.push(hash.0);
    }
    shapes
}

/// Returns a call, and the calls on which it depends.
fn slice(sink: usize, flows: &RunFlows) -> BTreeSet<usize> {
    let mut slice = BTreeSet::new();
    let mut open = vec![sink];
    while let Some(place) = open.pop() {
        if slice.insert(place) {
            let of_call = flows.get(place).into_iter().flat_map(BTreeMap::values);
            open.extend(of_call.map(|flow| flow.from));
        }
    }
    slice
}

/// Returns the unions of slices that share calls.
fn unions(slices: &[BTreeSet<usize>]) -> BTreeSet<Vec<usize>> {
    let mut unions = BTreeSet::new();
    let mut connected: Vec<(BTreeSet<usize>, Vec<&BTreeSet<usize>>)> = Vec::new();
    for slice in slices {
        unions.insert(slice.iter().copied().collect());
        let (mut calls, mut parts) = (slice.clone(), vec![slice]);
        let (touching, others): (Vec<_>, Vec<_>) = connected
            .into_iter()
            .partition(|(known, _)| !known.is_disjoint(slice));
        for (known, of_known) in touching {
            calls.extend(known);
            parts.extend(of_known);
        }
        connected = others;
        connected.push((calls, parts));
    }
    for (all, parts) in &connected {
        unions.insert(all.iter().copied().collect());
        // Parts that others contain add nothing.
        let is_largest = |part: &&&BTreeSet<usize>| {
            !parts
                .iter()
                .any(|other| part.len() < other.len() && part.is_subset(other))
        };
        let parts: Vec<&BTreeSet<usize>> = parts.iter().filter(is_largest).copied().collect();
        let few = parts.iter().take(MOST_UNIONS).copied().collect::<Vec<_>>();
        for chosen in 1..(1_usize << few.len()) {
            let parts = few.iter().enumerate();
            let parts = parts.filter(|(index, _)| chosen >> index & 1 == 1);
            let union: BTreeSet<usize> = parts.flat_map(|(_, part)| part.iter().copied()).collect();
            unions.insert(union.into_iter().collect());
        }
    }
    unions
}

/// Returns the shape of a set of calls, and the calls in the order of the steps: each after those that
/// it depends on, and otherwise by their shapes, so that the order in the run does not matter.
fn occurrence(
    run: usize,
    calls: &[usize],
    shapes: &[u64],
    flows: &RunFlows,
) -> (Vec<u64>, Occurrence) {
    let shape_of = |place: usize| shapes.get(place).copied().unwrap_or_default();
    let mut ordered: Vec<usize> = Vec::new();
    let mut open: BTreeSet<usize> = calls.iter().copied().collect();
    while !open.is_empty() {
        let is_ready = |place: &usize| {
            let mut of_call = flows.get(*place).into_iter().flat_map(BTreeMap::values);
            of_call.all(|flow| !open.contains(&flow.from))
        };
        let ready = open.iter().copied().filter(is_ready);
        // Flows lead from earlier to later calls, so one is always ready.
        let Some(next) = ready.min_by_key(|place| (shape_of(*place), *place)) else {
            break;
        };
        open.remove(&next);
        ordered.push(next);
    }
    let step_of: HashMap<usize, usize> = ordered
        .iter()
        .enumerate()
        .map(|(step, place)| (*place, step))
        .collect();
    let of_steps = ordered.iter().map(|place| {
        let of_call = flows.get(*place).into_iter().flatten();
        let of_call = of_call.filter_map(|(argument, flow)| {
            let step = step_of.get(&flow.from)?;
            Some((argument.clone(), (*step, flow.at.clone())))
        });
        of_call.collect()
    });
    let flows = of_steps.collect();
    let mut shape: Vec<u64> = ordered.iter().map(|place| shape_of(*place)).collect();
    shape.sort_unstable();
    let calls = ordered;
    (shape, Occurrence { run, calls, flows })
}

/// Leaves out the sequences that are a part of larger ones in most of their runs, and sorts the others:
/// the ones that save the most calls first.
fn largest(patterns: Vec<Pattern>) -> Vec<Pattern> {
    let is_replaced = |small: &Pattern| {
        let mut larger = patterns
            .iter()
            .filter(|other| other.shape.len() > small.shape.len());
        larger.any(|other| {
            other.runs * 100 >= small.runs * REPLACES_PERCENT && is_part(&small.shape, &other.shape)
        })
    };
    let mut kept: Vec<Pattern> = patterns
        .iter()
        .filter(|one| !is_replaced(one))
        .cloned()
        .collect();
    kept.sort_by_key(|pattern| {
        let saved = pattern.runs * (pattern.shape.len() - 1);
        (std::cmp::Reverse(saved), pattern.shape.clone())
    });
    kept
}

/// Checks whether a sorted list is contained in another one.
fn is_part(small: &[u64], large: &[u64]) -> bool {
    let mut large = large.iter();
    small
        .iter()
        .all(|wanted| large.any(|shape| shape == wanted))
}

/// FNV-1a: a hash that is the same in every process.
struct Hash(u64);

impl Hash {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, text: &str) {
        for byte in text.bytes().chain([0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn number(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
