//! Proposals of skills from an audit: sequences of calls that repeat in successful runs, with the same
//! flow of values between them.
//!
//! A sequence is found by the flow of values and not by the order of the calls: a call belongs to it if
//! a value of its arguments comes from the result of another one. So calls in between, and calls that
//! may be made in any order, do not matter. The result depends on the events alone.
//!
//! An audit holds what agents did, and an agent may have been misled. A proposal is therefore only a
//! file that a person reads: nothing here gives a skill any standing.

mod flow;
mod pattern;
mod runs;
mod skill;
mod toml;

use std::{collections::BTreeMap, io};

use serde::Serialize;
use serde_json::Value;
use toolwright::ToolName;

use crate::{check::KnownTools, format::Skill};
pub use runs::Events;

/// The requirements for proposals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The least number of runs that have the sequence.
    pub min_runs: usize,
    /// The greatest number of calls of a sequence.
    pub most_calls: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            min_runs: 5,
            most_calls: 12,
        }
    }
}

/// A sequence of calls that could be a skill.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Proposal {
    /// The suggested name.
    pub name: ToolName,
    /// The content of the `skill.toml`.
    pub text: String,
    /// The skill.
    #[serde(skip)]
    pub skill: Skill,
    /// The evidence.
    pub evidence: Evidence,
}

/// The evidence of a proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Evidence {
    /// The number of runs that have the sequence.
    pub runs: usize,
    /// The number of times that it occurs in them.
    pub occurrences: usize,
    /// Some of the runs: their names, and the ids of the calls in the audit.
    pub examples: Vec<Example>,
    /// The values that each parameter had, at most five.
    pub values: BTreeMap<String, Vec<Value>>,
    /// The number of calls that an agent makes less, each time.
    pub calls_saved: usize,
    /// The number of tokens that an agent reads and writes less, each time, at four bytes each: of the
    /// arguments, and of the answers before the last. None if the audit does not have the lengths.
    pub tokens_saved: u64,
}

/// A run that has a sequence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Example {
    /// The run.
    pub run: String,
    /// The calls, in the order of the steps.
    pub calls: Vec<String>,
}

/// The result of a search for proposals.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Proposals {
    /// The proposals, the one with the most saved calls first.
    pub proposals: Vec<Proposal>,
    /// The number of calls that were read.
    pub calls: usize,
    /// The number of runs.
    pub runs: usize,
    /// The number of calls whose argument values the audit has.
    pub with_values: usize,
    /// The number of calls whose values have recorded sources.
    pub with_sources: usize,
}

impl Proposals {
    /// Returns what the audit lacks for proposals, for a person; none if it lacks nothing.
    #[must_use]
    pub fn missing(&self) -> Option<&'static str> {
        if self.calls == 0 {
            return Some("the audit has no successful calls");
        }
        match (self.with_values, self.with_sources) {
            (0, _) => Some(
                "the audit has no values of arguments: set `values = true` and `value_sources = true` in `[audit]`",
            ),
            (_, 0) => Some(
                "the audit does not have where values come from: set `value_sources = true` in `[audit]`",
            ),
            _ => None,
        }
    }
}

/// Finds sequences of calls in events that could be skills.
#[must_use]
pub fn propose(events: &Events, tools: &KnownTools<'_>, options: Options) -> Proposals {
    let runs = events.runs();
    let flows = flow::flows(&runs, options.min_runs);
    let patterns = pattern::find(&runs, &flows, options);
    let mut names = std::collections::BTreeSet::new();
    let mut proposals: Vec<Proposal> = Vec::new();
    for pattern in &patterns {
        proposals.extend(skill::proposal(pattern, &runs, tools, &mut names));
    }
    let calls = || runs.iter().flat_map(|run| &run.calls);
    Proposals {
        proposals,
        calls: calls().count(),
        runs: runs.len(),
        with_values: calls().filter(|call| call.arguments.is_some()).count(),
        with_sources: calls().filter(|call| !call.sources.is_empty()).count(),
    }
}

/// Reads the events of an audit.
///
/// # Errors
/// When a file cannot be read.
pub fn read(audit: &std::path::Path) -> io::Result<Events> {
    let mut events = Events::default();
    let all = toolwright_audit::search::Filter::default();
    toolwright_audit::search::search(audit, &all, &mut |line, _| {
        events.add(line);
        Ok(())
    })?;
    Ok(events)
}
