//! The steps of a decision.

use std::fmt::Display;

use serde::Serialize;

use crate::refusal::{Refusal, RefusalReason};

/// One step of a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The rule that was evaluated.
    pub rule: String,
    /// The place of the rule; none for a rule of the boundary itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// True if the call passed it.
    pub passed: bool,
}

/// A rule of the boundary itself, whether the call passed it, and the reason of its refusal.
pub(super) struct Gate(
    pub(super) &'static str,
    pub(super) bool,
    pub(super) RefusalReason,
);

/// Collects the steps of a decision if they are wanted.
pub(super) struct Trace(pub(super) Option<Vec<Step>>);

impl Trace {
    /// Notes rules of the boundary itself up to the first one that refuses. Finding it takes about the
    /// same time for each of them.
    pub(super) fn gates(&mut self, gates: &[Gate]) -> Result<(), Refusal> {
        let refusing = gates.iter().position(|Gate(_, passed, _)| !passed);
        if let Some(steps) = &mut self.0 {
            let evaluated = refusing.map_or(gates.len(), |at| at + 1);
            let evaluated = gates.iter().take(evaluated);
            steps.extend(evaluated.map(|Gate(rule, passed, _)| Step {
                rule: (*rule).to_owned(),
                place: None,
                passed: *passed,
            }));
        }
        match refusing.and_then(|at| gates.get(at)) {
            Some(Gate(_, _, reason)) => Err(Refusal::new(*reason)),
            None => Ok(()),
        }
    }

    /// Notes a rule of the policy. Its text is written only if the steps are wanted.
    pub(super) fn rule(&mut self, rule: impl Display, place: &str, passed: bool) {
        if let Some(steps) = &mut self.0 {
            steps.push(Step {
                rule: rule.to_string(),
                place: Some(place.to_owned()),
                passed,
            });
        }
    }
}
