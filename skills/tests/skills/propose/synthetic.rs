//! Synthetic audits: sequences with a known flow of values, planted among noise.

use std::collections::{BTreeMap, BTreeSet};

use rand::{RngExt as _, SeedableRng as _, rngs::StdRng, seq::SliceRandom as _};
use serde_json::{Value, json};

/// The number of planted sequences.
const SEQUENCES: usize = 12;

/// The number of tools.
const TOOLS: usize = 40;

/// An audit, and what was planted in it.
pub(super) struct Synthetic {
    pub(super) lines: Vec<String>,
    pub(super) planted: Vec<Planted>,
}

/// A sequence: its tools, sorted, and the flows between them as tool, argument, source and place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Planted {
    pub(super) tools: Vec<String>,
    pub(super) flows: BTreeSet<[String; 4]>,
}

/// A call of a sequence: its tool, and the earlier call and place that its `id` comes from.
#[derive(Clone)]
struct Step {
    tool: usize,
    from: Option<(usize, &'static str)>,
}

/// A run while it is played.
struct Played {
    name: String,
    lines: Vec<String>,
    /// The sources of values, as the runtime remembers them.
    sources: BTreeMap<String, Vec<Value>>,
    results: Vec<Value>,
    next: usize,
}

impl Synthetic {
    pub(super) fn new(seed: u64, runs: usize) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        let sequences: Vec<Vec<Step>> = (0..SEQUENCES).map(|_| sequence(&mut rng)).collect();
        let mut lines = Vec::new();
        for run in 0..runs {
            let mut played = Played::new(format!("run-{run}"));
            let chosen = rng.random_bool(0.6).then(|| rng.random_range(0..SEQUENCES));
            let chosen = chosen.and_then(|chosen| sequences.get(chosen));
            played.play(chosen.map_or(&[], Vec::as_slice), &mut rng);
            lines.extend(played.lines);
        }
        let planted = sequences.iter().map(|steps| planted(steps)).collect();
        Self { lines, planted }
    }
}

fn name(tool: usize) -> String {
    format!("tool-shop-number{tool}")
}

/// Returns a sequence whose calls are all linked.
fn sequence(rng: &mut StdRng) -> Vec<Step> {
    let length = rng.random_range(2..=5);
    let mut tools: Vec<usize> = (0..TOOLS).collect();
    tools.shuffle(rng);
    let mut steps: Vec<Step> = Vec::new();
    for (index, tool) in tools.into_iter().take(length).enumerate() {
        let place = if rng.random_bool(0.5) {
            "/id"
        } else {
            "/items/0/ref"
        };
        let from = (index > 0).then(|| (rng.random_range(0..index), place));
        steps.push(Step { tool, from });
    }
    steps
}

fn planted(steps: &[Step]) -> Planted {
    let flows = steps.iter().filter_map(|step| {
        let (from, place) = step.from?;
        let giver = name(steps[from].tool);
        Some([name(step.tool), "/id".to_owned(), giver, place.to_owned()])
    });
    let mut tools: Vec<_> = steps.iter().map(|step| name(step.tool)).collect();
    tools.sort();
    Planted {
        tools,
        flows: flows.collect(),
    }
}

impl Played {
    fn new(name: String) -> Self {
        Self {
            name,
            lines: Vec::new(),
            sources: BTreeMap::new(),
            results: Vec::new(),
            next: 0,
        }
    }

    /// Plays a sequence, whose independent calls come in any order, with noise in between.
    fn play(&mut self, steps: &[Step], rng: &mut StdRng) {
        let mut results: BTreeMap<usize, Value> = BTreeMap::new();
        let mut open: Vec<usize> = (0..steps.len()).collect();
        let noise = rng.random_range(4..10);
        let mut left = noise;
        while !open.is_empty() || left > 0 {
            if open.is_empty() || (left > 0 && rng.random_bool(0.6)) {
                left -= 1;
                self.noise(rng);
                continue;
            }
            let is_ready = |step: &usize| match steps[*step].from {
                Some((from, _)) => results.contains_key(&from),
                None => true,
            };
            let ready: Vec<usize> = open.iter().copied().filter(is_ready).collect();
            let step = ready[rng.random_range(0..ready.len())];
            open.retain(|other| *other != step);
            let id = steps[step]
                .from
                .map(|(from, place)| results[&from].pointer(place).unwrap());
            let mut arguments = json!({"q": word(rng), "mode": "fixed"});
            if let Some(id) = id {
                arguments["id"] = id.clone();
            }
            let result = self.call(&name(steps[step].tool), "update", &arguments, None, rng);
            results.insert(step, result);
        }
    }

    /// Makes a call that belongs to no sequence: a read that repeats a value, one that uses any value of
    /// the run, or one on its own.
    fn noise(&mut self, rng: &mut StdRng) {
        let tool = name(rng.random_range(0..TOOLS));
        let known = match self.results.len() {
            0 => None,
            results => self.results.get(rng.random_range(0..results)),
        };
        let id = known.map(|result| result["id"].clone());
        let mut arguments = json!({"q": word(rng), "n": rng.random_range(0..10)});
        match id {
            Some(id) if rng.random_bool(0.2) => {
                arguments["id"] = id.clone();
                self.call("get-shop-echo", "read", &arguments, Some(id), rng);
            }
            Some(id) if rng.random_bool(0.2) => {
                arguments["id"] = id;
                self.call(&tool, "read", &arguments, None, rng);
            }
            _ => {
                self.call(&tool, "read", &arguments, None, rng);
            }
        }
    }

    fn call(
        &mut self,
        tool: &str,
        effect: &str,
        arguments: &Value,
        echo: Option<Value>,
        rng: &mut StdRng,
    ) -> Value {
        self.next += 1;
        let id = format!("{}-{}", self.name, self.next);
        let sources = arguments.as_object().unwrap().iter();
        let sources = sources.filter_map(|(name, value)| {
            Some((
                format!("/{name}"),
                json!(self.sources.get(&value.to_string())?),
            ))
        });
        let sources: BTreeMap<_, _> = sources.collect();
        let fresh = |rng: &mut StdRng| format!("{:016x}", rng.random::<u64>());
        let result = json!({
            "id": echo.unwrap_or_else(|| fresh(rng).into()),
            "items": [{"ref": fresh(rng), "count": rng.random_range(0..10)}],
        });
        for place in ["/id", "/items/0/ref", "/items/0/count"] {
            let value = result.pointer(place).unwrap().to_string();
            let known = self.sources.entry(value).or_default();
            known.truncate(3);
            known.push(json!({"call": id, "at": place}));
        }
        let decision = json!({
            "event": "decision", "decision": "allow", "correlation_id": id, "role": "clerk",
            "tool": tool, "kind": "raw", "effect": effect, "run": self.name, "step": 2 * self.next,
            "arguments": arguments, "value_sources": sources,
        });
        let outcome = json!({
            "event": "outcome", "correlation_id": id, "outcome": "ok", "bytes": 120,
            "run": self.name, "step": 2 * self.next + 1,
        });
        self.lines
            .extend([decision.to_string(), outcome.to_string()]);
        self.results.push(result.clone());
        result
    }
}

fn word(rng: &mut StdRng) -> String {
    format!("word{}", rng.random_range(0..1_000_000))
}
