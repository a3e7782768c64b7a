//! The explanation of a decision: for the operator, never for an agent.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use toolwright_model::{Method, WorkspaceName};
use toolwright_policy::{Call, Decision, Refusal, RefusalReason, Request, Step, Target, explain};
use uuid::Uuid;

use super::{
    Callee,
    work::{Requester, Route},
};
use crate::{
    boundary::{
        composition::Composition,
        core::{Policy, RegisteredTool},
        pins,
        view::ScopedToolView,
        workspaces::{ARGUMENT, Chosen},
    },
    error::ToolError,
    schema::Violation,
};

/// The decision about a call, with each rule that was evaluated. The last one decided.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The decision.
    pub decision: Decision,
    /// The rules, in the order of their evaluation.
    pub steps: Vec<Step>,
    /// The differences of the arguments from the schema of the tool. A call with any is refused,
    /// whatever the policy decides.
    pub violations: Vec<Violation>,
    /// The named workspace that the call is for; none if the service has none, or if the call chooses
    /// none that the caller may use.
    pub workspace: Option<WorkspaceName>,
    /// The method and the URL of the request; none for a function of the program, and if the base
    /// URL or a constant of the service is not known.
    pub target: Option<String>,
}

impl ScopedToolView {
    /// Explains the decision about a call, without making it and without an audit event: for the
    /// operator, never for an agent.
    #[must_use]
    pub fn explain(&self, name: &str, mut arguments: Map<String, Value>) -> Explanation {
        let (core, scope) = (self.core(), self.scope());
        let exhausted = BTreeSet::new();
        let request = scope.request(name, &exhausted);
        let policy = core.policy();
        let snapshot = &policy.snapshot;
        let Some(entry) = policy.tools.get(name) else {
            let (decision, steps) = explain(snapshot, &request);
            return Explanation {
                decision,
                steps,
                violations: Vec::new(),
                workspace: None,
                target: None,
            };
        };
        let (chosen, unchosen) = self.chosen(entry, &mut arguments);
        let (arguments, mut violations) = self.filled(entry, arguments);
        violations.extend(unchosen);
        let target = chosen.as_ref();
        let target = target.and_then(|chosen| self.target_of(entry, &arguments, chosen));
        let workspace = chosen.and_then(|chosen| chosen.name);
        let call = Call {
            arguments: &arguments,
            target: target.as_ref().map(|(method, url)| Target {
                method: *method,
                url,
            }),
            workspace: workspace.as_ref().map(WorkspaceName::as_str),
        };
        let call = Some(call);
        let (decision, steps) = explain(snapshot, &Request { call, ..request });
        let (decision, steps) = self.with_parts(&policy, entry, decision, steps);
        Explanation {
            decision,
            steps,
            violations,
            workspace,
            target: target.map(|(method, url)| format!("{method} {url}")),
        }
    }

    /// Adds the tools that a composed tool calls: a role must be offered each of them.
    fn with_parts(
        &self,
        policy: &Policy,
        entry: &RegisteredTool,
        mut decision: Decision,
        mut steps: Vec<Step>,
    ) -> (Decision, Vec<Step>) {
        let parts = entry.tool.composition().into_iter();
        for part in parts.flat_map(Composition::tools) {
            if !matches!(decision, Decision::Allow(_)) {
                break;
            }
            let passed = self.scope().permits(self.core(), policy, part.as_str());
            let rule = format!("the role is offered `{part}`, which the tool calls");
            steps.push(Step {
                rule: rule.clone(),
                place: None,
                passed: passed.is_ok(),
            });
            if passed.is_err() {
                decision = Decision::Deny(Refusal {
                    reason: RefusalReason::NotGranted,
                    rule: Some(rule),
                    place: None,
                });
            }
        }
        (decision, steps)
    }

    /// Chooses the workspace, and removes the argument for it.
    fn chosen(
        &self,
        entry: &RegisteredTool,
        arguments: &mut Map<String, Value>,
    ) -> (Option<Chosen>, Vec<Violation>) {
        let (core, scope, call) = (self.core(), self.scope(), Uuid::nil());
        let requester = Requester { core, scope, call };
        let callee = Callee::Tool(entry.spec().name.as_str());
        let argument = arguments.get(ARGUMENT);
        match requester.choose(&core.policy(), entry, callee, argument) {
            Ok(chosen) => {
                if chosen.is_choice {
                    arguments.remove(ARGUMENT);
                }
                (Some(chosen), Vec::new())
            }
            Err(denial) => match *denial.error {
                ToolError::InvalidArguments { violations, .. } => {
                    arguments.remove(ARGUMENT);
                    (None, violations)
                }
                _ => {
                    let message = "the caller may use no workspace of the service".to_owned();
                    let pointer = String::new();
                    (None, vec![Violation { pointer, message }])
                }
            },
        }
    }

    /// Fills in the arguments that the policy pins, and checks the whole against the schema.
    fn filled(
        &self,
        entry: &RegisteredTool,
        mut arguments: Map<String, Value>,
    ) -> (Map<String, Value>, Vec<Violation>) {
        let policy = self.core().policy();
        let by_policy = self.scope().pins(&policy, &entry.spec().name);
        let by_policy = by_policy.unwrap_or_default();
        let by_policy = by_policy.iter().map(|(name, value)| (name.as_str(), value));
        let mut violations = pins::fill(&mut arguments, &by_policy.collect());
        let arguments = Value::Object(arguments);
        let found = entry.violations(&arguments).unwrap_or_default();
        violations.extend(found);
        match arguments {
            Value::Object(arguments) => (arguments, violations),
            _ => (Map::new(), violations),
        }
    }

    fn target_of(
        &self,
        entry: &RegisteredTool,
        arguments: &Map<String, Value>,
        chosen: &Chosen,
    ) -> Option<(Method, String)> {
        let (core, scope, call) = (self.core(), self.scope(), Uuid::nil());
        let requester = Requester { core, scope, call };
        let callee = Callee::Tool(entry.spec().name.as_str());
        let access = requester.read_credentials(&entry.spec().service, chosen);
        let route = Route::new(requester, entry, callee, access, chosen).ok()?;
        let target = route.request_target(arguments);
        target.or_else(|| entry.tool.target(arguments))
    }
}
