//! The gate of the scope: the second layer, which knows scope parameters and forbidden calls alone.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use toolwright_model::{Method, WorkspaceName};
use toolwright_policy::{Call, Decision, Permit, Refusal, Target, decide_call};

use super::{Denial, work::Requester};
use crate::{
    boundary::{
        core::{Policy, RegisteredTool},
        layers::{self, Layer},
    },
    error::ToolError,
};

/// A call that is checked against the scope of its role.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) requester: Requester<'a>,
    pub(super) entry: &'a RegisteredTool,
    pub(super) arguments: &'a Map<String, Value>,
    /// The method and the URL of the planned request; none for a function of the program.
    pub(super) target: Option<&'a (Method, String)>,
    /// The named workspace of the service.
    pub(super) workspace: Option<&'a WorkspaceName>,
}

impl Asked<'_> {
    /// Checks the call against a policy.
    pub(super) fn check(&self, policy: &Policy) -> Result<Permit, Denial> {
        self.decide(policy, &BTreeSet::new())
    }

    /// Checks the call, and counts it for the rates of its scope.
    pub(super) fn check_and_count(&self, policy: &Policy) -> Result<(), Denial> {
        let core = self.requester.core;
        let mut exhausted = BTreeSet::new();
        loop {
            let permit = self.decide(policy, &exhausted)?;
            match core.rates.count(&permit.rates, &core.clock) {
                None => return Ok(()),
                Some(key) => exhausted.insert(key),
            };
        }
    }

    fn decide(&self, policy: &Policy, exhausted: &BTreeSet<String>) -> Result<Permit, Denial> {
        // Each call that a composed tool makes is checked for itself.
        if !layers::is_on(Layer::Scope) || !self.entry.tool.is_governed() {
            let permit = Permit::default();
            return self.check_sandbox(policy, &permit).map(|()| permit);
        }
        let scope = self.requester.scope;
        let tool = &self.entry.spec().name;
        let call = Call {
            arguments: self.arguments,
            target: self.target.map(|(method, url)| Target {
                method: *method,
                url,
            }),
            workspace: self.workspace.map(WorkspaceName::as_str),
        };
        let request = scope.request(tool.as_str(), exhausted);
        match decide_call(&policy.snapshot, &request, call) {
            Decision::Allow(permit) => self.check_sandbox(policy, &permit).map(|()| permit),
            Decision::Deny(refusal) => Err(self.denial(&refusal)),
        }
    }

    /// Checks that the machine can confine the call as the role requires, if the tool writes or runs something.
    fn check_sandbox(&self, policy: &Policy, permit: &Permit) -> Result<(), Denial> {
        let lacking = self.entry.tool.lacking_layers(&permit.values);
        let checked = policy
            .snapshot
            .check_sandbox(&self.requester.scope.role, &lacking);
        checked.map_err(|refusal| self.denial(&refusal))
    }

    fn denial(&self, refusal: &Refusal) -> Denial {
        let error = ToolError::OutOfScope {
            tool: self.entry.spec().name.clone(),
            reason: refusal.reason,
            rule: refusal.rule.clone(),
        };
        Denial {
            rule: refusal.rule_at_its_place(),
            ..Denial::new(refusal.reason.into(), error)
        }
    }
}
