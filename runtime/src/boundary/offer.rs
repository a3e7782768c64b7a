//! The first layer: which tools a role is offered in a run.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use toolwright_model::{ToolName, ToolSpec};
use toolwright_policy::{Decision, RefusalReason, Request, VariableFault, decide_offer};

use super::{
    composition::DEEPEST,
    core::{Core, Policy},
    layers::{self, Layer},
    view::Scope,
    workspaces::Offered,
};
use crate::audit::Reason;

impl Scope {
    /// Checks whether the view was revoked, or its caller may not call any more.
    pub(crate) fn is_revoked(&self, core: &Core) -> bool {
        core.revocations.is_revoked(&self.role, self.number) || !self.standing.holds()
    }

    /// Checks whether the scope's role may call a tool in this run. Returns the reason if it may
    /// not.
    pub(crate) fn permits(&self, core: &Core, policy: &Policy, tool: &str) -> Result<(), Reason> {
        self.check_valid(core, policy)?;
        if !layers::is_on(Layer::Offer) {
            return Ok(());
        }
        self.check_offer(policy, tool, 0)
    }

    /// Checks whether the policy offers a tool, or the tools that it is composed of.
    fn check_offer(&self, policy: &Policy, tool: &str, depth: usize) -> Result<(), Reason> {
        let entry = policy.tools.get(tool).map(AsRef::as_ref);
        // An unknown name takes the time of one that exists.
        let looked_at = entry.or_else(|| policy.tools.stand_in(tool));
        let composition = looked_at.and_then(|entry| entry.tool.composition());
        if let Some(composition) = composition.filter(|_| entry.is_some()) {
            let listed = self.allow_list.as_ref();
            if !listed.is_none_or(|list| list.contains(tool)) {
                return Err(RefusalReason::NotInAllowList.into());
            }
            if depth == DEEPEST || !composition.is_offered() {
                return Err(RefusalReason::Disabled.into());
            }
            composition.check(RefusalReason::NotGranted.into(), |part| {
                self.check_offer(policy, part.as_str(), depth + 1)
            })?;
            if !composition.has_own_grants() {
                return Ok(());
            }
        }
        let exhausted = BTreeSet::new();
        let request = self.request(tool, &exhausted);
        if let Decision::Deny(refusal) = decide_offer(&policy.snapshot, &request) {
            return Err(refusal.reason.into());
        }
        if entry.is_some_and(|entry| !entry.tool.is_accepted()) {
            return Err(RefusalReason::DefinitionChanged.into());
        }
        match entry.map(|entry| self.workspaces(policy, entry.spec())) {
            Some(Offered::Nothing) => Err(Reason::NoWorkspace),
            _ => Ok(()),
        }
    }

    /// Checks whether the view has any tools at all. Returns the reason if it has none.
    pub(crate) fn check_valid(&self, core: &Core, policy: &Policy) -> Result<(), Reason> {
        if self.is_revoked(core) {
            return Err(Reason::Revoked);
        }
        if core.violations.is_halted(self, policy.violations) {
            return Err(Reason::Halted);
        }
        if self.lacks_variables {
            return Err(Reason::Policy(RefusalReason::VariableMissing));
        }
        Ok(())
    }

    /// Checks whether the tool of discovery through which a call is made calls tools like this one.
    pub(crate) fn reaches(&self, spec: &ToolSpec) -> bool {
        self.through
            .is_none_or(|category| category == spec.category)
    }

    /// Returns the question whether the scope's role is offered a tool.
    pub(crate) fn request<'a>(
        &'a self,
        tool: &'a str,
        exhausted: &'a BTreeSet<String>,
    ) -> Request<'a> {
        Request {
            role: &self.role,
            tool,
            node: self.run.node.as_deref(),
            allow_list: self.allow_list.as_ref(),
            variables: &self.variables,
            exhausted,
            call: None,
        }
    }

    /// Returns the arguments of a tool that the policy sets.
    pub(crate) fn pins(
        &self,
        policy: &Policy,
        tool: &ToolName,
    ) -> Result<BTreeMap<String, Value>, VariableFault> {
        let node = self.run.node.as_deref();
        let snapshot = &policy.snapshot;
        snapshot.pins(&self.role, tool, node, &self.variables)
    }
}
