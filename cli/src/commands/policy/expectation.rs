//! The expectations of a file of policy tests.

use serde::Deserialize;
use serde_json::{Map, Value};
use toolwright::{
    Explanation, Registry, Role,
    eab::RunContext,
    policy::{Decision, Variables},
};

use super::explain::verdict;

/// A file of policy tests.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expectations {
    /// The variables of all expectations.
    #[serde(default)]
    variables: Map<String, Value>,
    /// The expectations, in order.
    #[serde(default)]
    pub(super) expect: Vec<Expectation>,
}

/// One expectation: a call, and the decision about it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expectation {
    #[serde(default)]
    name: Option<String>,
    role: Role,
    tool: String,
    #[serde(default)]
    arguments: Map<String, Value>,
    #[serde(default)]
    node: Option<String>,
    #[serde(default)]
    variables: Map<String, Value>,
    allowed: bool,
    /// The reason of a refusal.
    #[serde(default)]
    reason: Option<String>,
    /// The rule of a refusal.
    #[serde(default)]
    rule: Option<String>,
    /// True if a person must approve the call.
    #[serde(default)]
    approval: Option<bool>,
}

impl Expectations {
    /// Returns the failure of an expectation; none if it is met.
    pub(super) fn failure_of(
        &self,
        expectation: &Expectation,
        registry: &Registry,
    ) -> Option<String> {
        let mut variables = self.variables.clone();
        variables.extend(expectation.variables.clone());
        let run = RunContext {
            node: expectation.node.clone(),
            ..RunContext::default()
        };
        let view = registry
            .for_agent(&expectation.role)
            .with_variables(Variables::from(&variables))
            .in_run(run);
        let explanation = view.explain(&expectation.tool, expectation.arguments.clone());
        expectation.failure(&explanation)
    }
}

impl Expectation {
    /// Returns the name, or the call in words.
    pub(super) fn title(&self) -> String {
        let call = || {
            let arguments = Value::Object(self.arguments.clone());
            format!("{} {} {arguments}", self.role, self.tool)
        };
        self.name.clone().unwrap_or_else(call)
    }

    fn failure(&self, explanation: &Explanation) -> Option<String> {
        let found = || format!("found: {}", verdict(explanation));
        let allowed = matches!(explanation.decision, Decision::Allow(_));
        if self.allowed != (allowed && explanation.violations.is_empty()) {
            let expected = if self.allowed { "allowed" } else { "denied" };
            return Some(format!("expected the call to be {expected}; {}", found()));
        }
        match &explanation.decision {
            Decision::Deny(refusal) => {
                let reason = self.reason.as_deref();
                if reason.is_some_and(|reason| reason != refusal.reason.code()) {
                    let expected = reason.unwrap_or_default();
                    return Some(format!("expected the reason `{expected}`; {}", found()));
                }
                let (rule, given) = (self.rule.as_deref(), refusal.rule.as_deref());
                (rule.is_some() && rule != given).then(|| {
                    let expected = rule.unwrap_or_default();
                    format!("expected the rule `{expected}`; {}", found())
                })
            }
            Decision::Allow(permit) => {
                let waits = permit.needs_approval;
                let differs = self.approval.is_some_and(|expected| expected != waits);
                differs.then(|| {
                    let expected = if waits { "no approval" } else { "an approval" };
                    format!("expected {expected} to be needed; {}", found())
                })
            }
        }
    }
}
