//! The approval of a run: a composed tool shows a person the calls that it is about to make.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::{Value, json};
use toolwright_model::ToolName;

use super::{
    Callee, Denial,
    consent::{self, Consent},
    plan::{Plan, plan_call},
};
use crate::{
    approval::{ApprovalHandle, ApprovalId, ApprovalRequest, Shown, ShownStep},
    boundary::{
        core::{Core, RegisteredTool},
        covered::{Covered, CoveredCall, ShownCall},
        notices,
        tool::ToolContext,
        view::ScopedToolView,
    },
    canonical::digest,
    error::ToolError,
};

/// A call that a composed tool is about to make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlannedStep {
    /// The name of the step.
    pub step: String,
    /// The tool.
    pub tool: String,
    /// The arguments, with a placeholder for each value that is not known yet.
    pub arguments: Value,
    /// The places of these values, as JSON Pointers into the arguments, and where each comes from.
    pub open: BTreeMap<String, String>,
    /// The greatest number of such calls.
    pub most: u64,
}

impl ToolContext {
    /// Asks a person to approve the calls that a composed tool is about to make, as one request, and
    /// returns the view through which it makes them. The approval covers a call of the view only if the
    /// person saw it: the same request or, if values come from results, the same arguments apart from
    /// these values. Every other call asks for its own approval.
    ///
    /// Each call whose values are all known passes the gates first, as a plan.
    ///
    /// # Errors
    /// [`ToolError::ApprovalRequired`] until a person has decided; the same call passes afterwards.
    /// The error of a call that may not pass.
    pub async fn approve(
        &self,
        arguments: &Value,
        steps: &[PlannedStep],
    ) -> Result<ScopedToolView, ToolError> {
        let core = self.view().core();
        let mut shown = Vec::new();
        let mut calls = Vec::new();
        for step in steps {
            let (step, call) = self.show(step).await?;
            if step.approval_required {
                calls.push(call);
            }
            shown.push(step);
        }
        let request = self.request(arguments, shown);
        let request = request.map_err(|denial| *denial.error)?;
        let own = request.id.clone();
        let admitted = core.approvals.admit(request).await;
        let admission = admitted.map_err(|error| undecided(error.to_string()))?;
        let consent = consent::consent_of(admission, |request| {
            if request.id == own {
                notices::announce(core, request);
            }
        });
        let consent = consent.map_err(|denial| *denial.error)?;
        let Consent::Given(approved) = consent else {
            consent::give_back(core, consent).await;
            return Err(undecided(
                "a standing grant does not cover a run".to_owned(),
            ));
        };
        let (request, decision) = *approved;
        Ok(self
            .view()
            .covered_by(Arc::new(Covered::new(request, decision, calls))))
    }

    /// Returns a call as a person sees it, and as it is recognised.
    async fn show(&self, step: &PlannedStep) -> Result<(ShownStep, CoveredCall), ToolError> {
        let view = self.view();
        let core = view.core();
        let refused = || Callee::Tool(&step.tool).not_permitted(view.role());
        let tools = core.tools();
        let entry = tools.get(step.tool.as_str()).ok_or_else(refused)?;
        let tool = entry.spec().name.clone();
        let (planned, sent, call) = if step.open.is_empty() {
            let Plan { plan, sent } =
                plan_call(view, step.tool.as_str(), step.arguments.clone()).await?;
            let planned = (plan.workspace, plan.request);
            (planned, sent.clone(), ShownCall::Request(sent))
        } else {
            view.spec(&step.tool).ok_or_else(refused)?;
            let sent = digest(&json!({"arguments": step.arguments, "open": step.open}));
            let call = ShownCall::Arguments {
                arguments: step.arguments.clone(),
                open: step.open.clone(),
            };
            ((None, None), sent, call)
        };
        let shown = ShownStep {
            step: step.step.clone(),
            tool: tool.clone(),
            summary: entry.spec().short.clone(),
            approval_required: entry.spec().approval_required,
            most: step.most,
            arguments: entry.masked(&step.arguments, &core.policy()),
            from_results: step.open.clone(),
            workspace: planned.0,
            request: planned.1,
            sent,
        };
        let call = CoveredCall {
            tool,
            shown: call,
            left: step.most,
        };
        Ok((shown, call))
    }

    /// Creates the request for approval of the run.
    fn request(&self, arguments: &Value, steps: Vec<ShownStep>) -> Result<ApprovalRequest, Denial> {
        let view = self.view();
        let (core, scope) = (view.core(), view.scope());
        let entry = &self.entry;
        let spec = entry.spec();
        let policy = core.policy();
        let described = core.audit.describe(arguments);
        let described = described.map_err(|error| Denial::undecided(error.to_string()))?;
        let sent: Vec<_> = steps.iter().map(|step| &step.sent).collect();
        let sent = digest(&json!({"arguments": arguments, "steps": sent}));
        let run = &scope.run;
        let shown = Shown {
            service: spec.service.clone(),
            summary: spec.short.clone(),
            category: spec.category,
            effect: spec.effect,
            destructive: spec.hints.destructive,
            run: run.run.clone(),
            node: run.node.clone(),
            work_item: run.work_item.clone(),
            started_by: run.started_by.clone(),
            workspace: None,
            approvers: approvers(core, view, &steps)?,
            arguments: entry.masked(arguments, &policy),
            request: None,
            steps,
        };
        let lifetime = policy.approval_lifetime;
        let requested = core.clock.now();
        Ok(ApprovalRequest {
            id: ApprovalId::random(),
            handle: ApprovalHandle::random(),
            role: self.role.clone(),
            tool: spec.name.clone(),
            specification: RegisteredTool::spec_digest(entry).to_owned(),
            sent,
            argument_digest: described.digest,
            policy: Some(policy.version_for(&self.role)),
            shown,
            changes: None,
            requested,
            expires: requested.saturating_add(lifetime).unwrap_or(requested),
        })
    }
}

/// Returns the names of those who may approve each of the calls that need it; none if every approver
/// may.
fn approvers(
    core: &Core,
    view: &ScopedToolView,
    steps: &[ShownStep],
) -> Result<Option<Vec<String>>, Denial> {
    let policy = core.policy();
    let started_by = view.scope().run.started_by.as_deref();
    let needed: BTreeSet<&ToolName> = steps
        .iter()
        .filter(|step| step.approval_required)
        .map(|step| &step.tool)
        .collect();
    let mut allowed: Option<Vec<String>> = None;
    for entry in needed
        .into_iter()
        .filter_map(|tool| policy.tools.get(tool.as_str()))
    {
        let of_tool = policy.approvers_of(entry.spec(), started_by);
        allowed = match (allowed, of_tool) {
            (None, of_tool) => of_tool,
            (allowed, None) => allowed,
            (Some(mut allowed), Some(of_tool)) => {
                allowed.retain(|name| of_tool.contains(name));
                Some(allowed)
            }
        };
    }
    if allowed.as_ref().is_some_and(Vec::is_empty) {
        return Err(Denial::undecided(
            "nobody may approve all calls of this run: see `[approvals]` in toolwright.toml",
        ));
    }
    Ok(allowed)
}

const fn undecided(message: String) -> ToolError {
    ToolError::Undecided { message }
}
