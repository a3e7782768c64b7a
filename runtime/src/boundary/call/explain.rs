//! The explanation of a decision: for the operator, never for an agent.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use toolwright_policy::{Call, Decision, Request, Step, Target, explain};
use uuid::Uuid;

use super::{
    Callee,
    work::{Requester, Route},
};
use crate::{
    boundary::{core::RegisteredTool, pins, view::ScopedToolView},
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
    /// The method and the URL of the request; none for a function of the program, and if the base
    /// URL or a constant of the service is not known.
    pub target: Option<String>,
}

impl ScopedToolView {
    /// Explains the decision about a call, without making it and without an audit event: for the
    /// operator, never for an agent.
    #[must_use]
    pub fn explain(&self, name: &str, arguments: Map<String, Value>) -> Explanation {
        let (core, scope) = (self.core(), self.scope());
        let exhausted = BTreeSet::new();
        let request = scope.request(name, &exhausted);
        let snapshot = &core.policy().snapshot;
        let Some(entry) = core.tools.get(name) else {
            let (decision, steps) = explain(snapshot, &request);
            return Explanation {
                decision,
                steps,
                violations: Vec::new(),
                target: None,
            };
        };
        let (arguments, violations) = self.filled(entry, arguments);
        let target = self.target_of(entry, &arguments);
        let call = Call {
            arguments: &arguments,
            target: target.as_ref().map(|(method, url)| Target {
                method: *method,
                url,
            }),
        };
        let call = Some(call);
        let (decision, steps) = explain(snapshot, &Request { call, ..request });
        Explanation {
            decision,
            steps,
            violations,
            target: target.map(|(method, url)| format!("{method} {url}")),
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
    ) -> Option<(toolwright_model::Method, String)> {
        let (core, scope, call) = (self.core(), self.scope(), Uuid::nil());
        let requester = Requester { core, scope, call };
        let callee = Callee::Tool(entry.spec().name.as_str());
        let access = requester.read_credentials(&entry.spec().service);
        let route = Route::new(requester, entry, callee, access).ok()?;
        let target = route.request_target(arguments);
        target.or_else(|| entry.tool.target(arguments))
    }
}
