//! The counts of events.

use std::collections::BTreeMap;

use toolwright::audit::{AuditEvent, AuditedCall, What};

use super::{BOUNDS, Family, Histogram, Labels, Samples};

/// The label of a name that is no registered tool.
const UNKNOWN: &str = "unknown";

/// The counts, by the values of their labels.
#[derive(Debug, Default)]
pub(super) struct Counts {
    decisions: BTreeMap<[String; 3], u64>,
    outcomes: BTreeMap<[String; 2], u64>,
    durations: BTreeMap<[String; 1], Histogram>,
    alerts: BTreeMap<[String; 1], u64>,
    unrecorded: u64,
}

impl Counts {
    /// Counts an event.
    pub(super) fn add(&mut self, event: &AuditEvent) {
        let tool = event.call.as_ref().map_or(UNKNOWN, tool_of).to_owned();
        match &event.what {
            What::Decision(decision) => {
                let (permission, reason) = (word(&decision.decision), word(&decision.reason));
                *self
                    .decisions
                    .entry([tool, permission, reason])
                    .or_default() += 1;
            }
            What::Outcome(outcome) => {
                let histogram = self.durations.entry([tool.clone()]).or_default();
                add_duration(histogram, outcome.duration_ms);
                let ending = word(&outcome.outcome);
                *self.outcomes.entry([tool, ending]).or_default() += 1;
            }
            What::Alert(alert) => {
                *self.alerts.entry([alert.alert.clone()]).or_default() += 1;
            }
            _ => {}
        }
    }

    /// Counts an event that could not be recorded.
    pub(super) fn add_unrecorded(&mut self) {
        self.unrecorded += 1;
    }

    pub(super) fn families(&self) -> Vec<Family> {
        vec![
            counter(
                "toolwright_decisions_total",
                "The decisions about calls, by tool, decision and reason.",
                ["tool", "decision", "reason"],
                &self.decisions,
            ),
            counter(
                "toolwright_calls_total",
                "The allowed calls that have ended, by tool and outcome.",
                ["tool", "outcome"],
                &self.outcomes,
            ),
            Family {
                name: "toolwright_call_duration_seconds",
                help: "The durations of allowed calls, by tool.",
                samples: Samples::Histogram(
                    self.durations
                        .iter()
                        .map(|(values, histogram)| (labels(["tool"], values), histogram.clone()))
                        .collect(),
                ),
            },
            counter(
                "toolwright_alerts_total",
                "The alerts, by rule.",
                ["alert"],
                &self.alerts,
            ),
            Family {
                name: "toolwright_audit_unrecorded_total",
                help: "The events that could not be recorded.",
                samples: Samples::Counter(vec![(Vec::new(), self.unrecorded)]),
            },
        ]
    }
}

/// Returns the name of a registered tool. Any other name was chosen by a caller.
fn tool_of(call: &AuditedCall) -> &str {
    match call.service {
        Some(_) => &call.tool,
        None => UNKNOWN,
    }
}

/// Returns the word of a value of a closed set, as it is in the audit.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => UNKNOWN.to_owned(),
    }
}

fn add_duration(histogram: &mut Histogram, milliseconds: u64) {
    #[expect(
        clippy::cast_precision_loss,
        reason = "such a call would last for ages"
    )]
    let seconds = milliseconds as f64 / 1000.0;
    let place = BOUNDS.iter().position(|bound| seconds <= *bound);
    let place = place.unwrap_or(BOUNDS.len());
    if let Some(bucket) = histogram.buckets.get_mut(place) {
        *bucket += 1;
    }
    histogram.sum += seconds;
}

fn counter<const N: usize>(
    name: &'static str,
    help: &'static str,
    names: [&'static str; N],
    counts: &BTreeMap<[String; N], u64>,
) -> Family {
    let counts = counts.iter();
    let samples = counts.map(|(values, count)| (labels(names, values), *count));
    Family {
        name,
        help,
        samples: Samples::Counter(samples.collect()),
    }
}

fn labels<const N: usize>(names: [&'static str; N], values: &[String; N]) -> Labels {
    names.into_iter().zip(values.iter().cloned()).collect()
}
