//! The flow of values between the calls of a run.
//!
//! The audit records several sources of a value if several results hold it. The one that most runs have
//! in common is taken: a read in between that returns the same value does not hide a flow. A number may
//! equal another one by chance, so numbers flow only if most calls of the tool have it so.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap},
};

use serde_json::Value;

use super::runs::{AuditedCall, Run};

/// The least share of the calls of a tool whose number must come from the same place, in percent.
const NUMBERS_PERCENT: usize = 50;

/// The least number of earlier calls among which an agent has a choice.
const FEWEST_CHOICES: usize = 3;

/// The least number of calls with a choice that make chance visible.
const FEWEST_CHOSEN: usize = 5;

/// The factor between a flow and chance that makes a flow certain together with few deviations.
const LEAST_LIFT: f64 = 2.0;

/// The number of standard deviations from chance that make such a flow certain.
const FEW_DEVIATIONS: f64 = 2.5;

/// The number of standard deviations from chance that make any flow certain.
const MANY_DEVIATIONS: f64 = 4.0;

/// The shortest string that does not equal another one by chance.
const SHORTEST: usize = 4;

/// The flows into the calls of one run: by call, by argument.
pub(super) type RunFlows = Vec<BTreeMap<String, Flow>>;

/// A value that comes from the result of a call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Flow {
    /// The place of the call in the run.
    pub(super) from: usize,
    /// The JSON Pointer of the value in its result.
    pub(super) at: String,
}

/// A kind of flow: the tool and argument that receive, and the tool and place that give.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Label<'r> {
    tool: &'r str,
    argument: &'r str,
    from: &'r str,
    at: &'r str,
}

/// The frequency of a kind of flow.
#[derive(Default)]
struct Count {
    runs: usize,
    calls: usize,
    /// The number of calls that might have taken the value from other calls as well.
    chosen: usize,
    /// The number of these that would have it by chance.
    by_chance: f64,
    last_run: Option<usize>,
}

/// Returns the flows of each run that at least `min_runs` runs have.
pub(super) fn flows(runs: &[Run], min_runs: usize) -> Vec<RunFlows> {
    let places: Vec<HashMap<&str, usize>> = runs.iter().map(places).collect();
    let statistics = Statistics::new(runs, &places);
    let runs = runs.iter().zip(&places).map(|(run, places)| {
        let calls = run.calls.iter().enumerate().map(|(place, call)| {
            let mut best: BTreeMap<&str, (usize, Label<'_>, usize)> = BTreeMap::new();
            for (label, from) in candidates(run, places, place, call) {
                let Some(support) = statistics.support(&label, call, min_runs) else {
                    continue;
                };
                let entry = best.entry(label.argument).or_insert((support, label, from));
                // Equal support is decided by the label: the result depends on nothing else.
                if (support, Reverse(label)) > (entry.0, Reverse(entry.1)) {
                    *entry = (support, label, from);
                }
            }
            let best = best.into_iter().map(|(argument, (_, label, from))| {
                let at = label.at.to_owned();
                (argument.to_owned(), Flow { from, at })
            });
            best.collect()
        });
        calls.collect()
    });
    runs.collect()
}

/// The frequency of each kind of flow, and its frequency by chance.
struct Statistics<'r> {
    counts: HashMap<Label<'r>, Count>,
    /// The number of calls of a tool into whose argument a value flows.
    consumers: HashMap<(&'r str, &'r str), usize>,
}

impl<'r> Statistics<'r> {
    fn new(runs: &'r [Run], places: &[HashMap<&str, usize>]) -> Self {
        let mut counts: HashMap<Label<'r>, Count> = HashMap::new();
        let mut consumers: HashMap<(&'r str, &'r str), usize> = HashMap::new();
        // The calls with a choice, and the tools of the calls before each.
        let mut choices: HashMap<(&'r str, &'r str), BTreeMap<&'r str, f64>> = HashMap::new();
        for (index, (run, places)) in runs.iter().zip(places).enumerate() {
            let mut before: BTreeMap<&str, usize> = BTreeMap::new();
            for (place, call) in run.calls.iter().enumerate() {
                let has_choice = place >= FEWEST_CHOICES;
                for argument in call.sources.keys() {
                    *consumers.entry((&call.tool, argument)).or_default() += 1;
                    if has_choice {
                        let shares = choices.entry((&call.tool, argument)).or_default();
                        for (tool, calls) in &before {
                            *shares.entry(tool).or_default() += share(*calls, place);
                        }
                    }
                }
                for (label, _) in candidates(run, places, place, call) {
                    let count = counts.entry(label).or_default();
                    count.calls += 1;
                    count.chosen += usize::from(has_choice);
                    count.runs += usize::from(count.last_run != Some(index));
                    count.last_run = Some(index);
                }
                *before.entry(&call.tool).or_default() += 1;
            }
        }
        counts.iter_mut().for_each(|(label, count)| {
            let shares = choices.get(&(label.tool, label.argument));
            let share = shares.and_then(|shares| shares.get(label.from)).copied();
            count.by_chance = share.unwrap_or_default();
        });
        Self { counts, consumers }
    }

    /// Returns the number of runs that have a kind of flow; none if there are too few, and if it occurs
    /// as often by chance.
    fn support(&self, label: &Label<'_>, call: &AuditedCall, min_runs: usize) -> Option<usize> {
        let count = self.counts.get(label)?;
        let all = self.consumers.get(&(label.tool, label.argument)).copied();
        let is_certain = count.calls * 100 >= all.unwrap_or_default() * NUMBERS_PERCENT;
        let is_distinctive = is_distinctive(call, label.argument) || is_certain;
        let is_common = count.runs >= min_runs && !count.is_chance();
        (is_distinctive && is_common).then_some(count.runs)
    }
}

impl Count {
    /// Checks whether the flow occurs about as often as if the agent had taken the value from any call
    /// before: a read that agents make after everything belongs to no sequence.
    fn is_chance(&self) -> bool {
        let chosen = u32::try_from(self.chosen).map_or(f64::MAX, f64::from);
        let deviations = (chosen - self.by_chance) / self.by_chance.max(1.0).sqrt();
        let is_certain = deviations >= MANY_DEVIATIONS
            || (chosen >= self.by_chance * LEAST_LIFT && deviations >= FEW_DEVIATIONS);
        self.chosen >= FEWEST_CHOSEN && !is_certain
    }
}

fn share(calls: usize, all: usize) -> f64 {
    let number = |count: usize| u32::try_from(count).map_or(f64::MAX, f64::from);
    number(calls) / number(all)
}

fn places(run: &Run) -> HashMap<&str, usize> {
    let calls = run.calls.iter().enumerate();
    calls
        .map(|(place, call)| (call.id.as_str(), place))
        .collect()
}

/// Returns the possible flows into a call, each with the place of the call that gives.
fn candidates<'r>(
    run: &'r Run,
    places: &HashMap<&str, usize>,
    place: usize,
    call: &'r AuditedCall,
) -> Vec<(Label<'r>, usize)> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for (argument, sources) in &call.sources {
        let givers = sources.iter().filter_map(|source| {
            let from = places.get(source.call.as_str()).copied();
            let from = from.filter(|from| *from < place)?;
            Some((source, from, run.calls.get(from)?))
        });
        let givers: Vec<_> = givers.collect();
        // A call that was given the value and returned it is the source only if there is no other.
        let is_origin = |giver: &AuditedCall| !passes_on(giver, call, argument);
        let has_origin = givers.iter().any(|(_, _, giver)| is_origin(giver));
        for (source, from, giver) in givers {
            if !is_origin(giver) && (has_origin || giver.tool == call.tool) {
                continue;
            }
            let label = Label {
                tool: &call.tool,
                argument,
                from: &giver.tool,
                at: &source.at,
            };
            // Of several calls of one tool the first counts.
            if seen.insert(label) {
                found.push((label, from));
            }
        }
    }
    found
}

/// Checks whether an earlier call was given the value of an argument, and so returns what it got.
fn passes_on(giver: &AuditedCall, call: &AuditedCall, argument: &str) -> bool {
    let value = call
        .arguments
        .as_ref()
        .and_then(|arguments| arguments.pointer(argument));
    let given = giver.arguments.as_ref();
    value
        .zip(given)
        .is_some_and(|(value, given)| contains(given, value))
}

fn contains(whole: &Value, part: &Value) -> bool {
    match whole {
        Value::Array(items) => items.iter().any(|item| contains(item, part)),
        Value::Object(fields) => fields.values().any(|field| contains(field, part)),
        scalar => scalar == part,
    }
}

/// Checks whether a value equals another one hardly by chance.
fn is_distinctive(call: &AuditedCall, argument: &str) -> bool {
    let value = call
        .arguments
        .as_ref()
        .and_then(|arguments| arguments.pointer(argument));
    match value {
        Some(Value::String(text)) => text.len() >= SHORTEST,
        Some(Value::Number(number)) => number.as_u64().is_some_and(|number| number > 1_000_000),
        _ => false,
    }
}
