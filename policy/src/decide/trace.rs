//! The steps of a decision.

use serde::Serialize;

use super::{Refusal, RefusalReason};

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

/// Collects the steps of a decision if they are wanted.
pub(super) struct Trace(pub(super) Option<Vec<Step>>);

impl Trace {
    /// Notes a rule of the boundary itself.
    pub(super) fn gate(
        &mut self,
        rule: &str,
        passed: bool,
        reason: RefusalReason,
    ) -> Result<(), Refusal> {
        if let Some(steps) = &mut self.0 {
            steps.push(Step {
                rule: rule.to_owned(),
                place: None,
                passed,
            });
        }
        if passed {
            return Ok(());
        }
        Err(Refusal::new(reason))
    }

    /// Notes a rule of the policy.
    pub(super) fn rule(&mut self, rule: &str, place: &str, passed: bool) {
        if let Some(steps) = &mut self.0 {
            steps.push(Step {
                rule: rule.to_owned(),
                place: Some(place.to_owned()),
                passed,
            });
        }
    }
}
