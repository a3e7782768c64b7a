//! The calls of an audit, run by run.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap},
};

use serde::Deserialize;
use serde_json::Value;

/// The events of an audit, as far as proposals need them.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// The allowed calls, in the order of their decisions.
    calls: Vec<(String, AuditedCall)>,
    /// The places of the calls.
    places: HashMap<String, usize>,
}

/// A run: the calls that belong together, in their order.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) name: String,
    pub(super) calls: Vec<AuditedCall>,
}

/// A call of an agent that ended well.
#[derive(Clone, Debug)]
pub(super) struct AuditedCall {
    pub(super) id: String,
    pub(super) tool: String,
    /// True if the call changes nothing.
    pub(super) reads: bool,
    pub(super) arguments: Option<Value>,
    /// The sources of values: a call of the same run, and a JSON Pointer into its result.
    pub(super) sources: BTreeMap<String, Vec<Source>>,
    /// The length of the answer in bytes.
    pub(super) bytes: u64,
    ended_well: bool,
}

/// The source of a value.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Source {
    pub(super) call: String,
    pub(super) at: String,
}

/// The fields of an event.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    event: Cow<'a, str>,
    #[serde(borrow, default)]
    correlation_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    parent: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    decision: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    outcome: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    role: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tool: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    effect: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    run: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    session: Option<Cow<'a, str>>,
    #[serde(default)]
    process: Option<u32>,
    #[serde(default)]
    arguments: Option<Value>,
    #[serde(default)]
    value_sources: BTreeMap<String, Vec<Source>>,
    #[serde(default)]
    bytes: Option<u64>,
}

impl Events {
    /// Adds an event, as a line of JSON. Others than the decisions and the ends of calls are ignored, and
    /// so are calls that another call made: what a skill does is no evidence for a skill.
    pub fn add(&mut self, line: &str) {
        let Ok(event) = serde_json::from_str::<Event<'_>>(line) else {
            return;
        };
        let Some(id) = &event.correlation_id else {
            return;
        };
        match event.event.as_ref() {
            "decision" if event.is_candidate() => {
                self.places.insert(id.to_string(), self.calls.len());
                let name = event.run_name();
                self.calls.push((name, event.into_call()));
            }
            "outcome" => {
                let place = self.places.get(id.as_ref());
                if let Some((_, call)) = place.and_then(|place| self.calls.get_mut(*place)) {
                    call.ended_well = event.outcome.as_deref() == Some("ok");
                    call.bytes = event.bytes.unwrap_or_default();
                }
            }
            _ => {}
        }
    }

    /// Returns the successful runs, by name: those in which no call that changes something failed. Calls
    /// that failed are left out.
    pub(super) fn runs(&self) -> Vec<Run> {
        let mut runs: BTreeMap<&str, (Vec<AuditedCall>, bool)> = BTreeMap::new();
        for (run, call) in &self.calls {
            let (calls, failed) = runs.entry(run).or_default();
            match call.ended_well {
                true => calls.push(call.clone()),
                false => *failed |= !call.reads,
            }
        }
        let successful = runs.into_iter().filter(|(_, (_, failed))| !failed);
        let runs = successful.map(|(name, (calls, _))| Run {
            name: name.to_owned(),
            calls,
        });
        runs.collect()
    }
}

impl Event<'_> {
    fn is_candidate(&self) -> bool {
        self.decision.as_deref() == Some("allow")
            && self.parent.is_none()
            && self.kind.as_deref().is_none_or(|kind| kind == "raw")
            && self.tool.is_some()
    }

    /// Returns the name of the run: its id, or else the session or the process.
    fn run_name(&self) -> String {
        let role = self.role.as_deref().unwrap_or_default();
        match (&self.run, &self.session) {
            (Some(run), _) => format!("{role}: run {run}"),
            (None, Some(session)) => format!("{role}: session {session}"),
            (None, None) => format!("{role}: process {}", self.process.unwrap_or_default()),
        }
    }

    fn into_call(self) -> AuditedCall {
        AuditedCall {
            id: self.correlation_id.unwrap_or_default().into_owned(),
            tool: self.tool.unwrap_or_default().into_owned(),
            reads: self.effect.as_deref() == Some("read"),
            arguments: self.arguments,
            sources: self.value_sources,
            bytes: 0,
            ended_well: false,
        }
    }
}
