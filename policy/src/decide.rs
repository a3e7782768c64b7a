//! The decision about a call: a pure function of a snapshot and a request.
//!
//! There are two layers. The first one decides whether a role is offered a tool: known, granted, on,
//! in the allow-list. The second one decides about the arguments and the target, by scope parameters
//! and forbidden calls alone. Neither uses the data of the other.

mod trace;

use std::collections::BTreeSet;

use toolwright_model::Role;
pub use trace::Step;
use trace::{Gate, Trace};

use crate::{
    condition::argument,
    own::ScopeValues,
    protected::{self, protected_argument},
    rate::Rate,
    refusal::{Refusal, RefusalReason},
    scope::{Call, CompiledScope, TargetScope},
    snapshot::{CompiledForbid, Limits, Offers, Overrides, ScopedGrant, Snapshot, ToolLimits},
    variable::Variables,
};

/// A question to a policy.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The role that calls.
    pub role: &'a Role,
    /// The name of the tool.
    pub tool: &'a str,
    /// The node of the pipeline.
    pub node: Option<&'a str>,
    /// The tools of the run; all if there is none.
    pub allow_list: Option<&'a BTreeSet<String>>,
    /// The variables of the run.
    pub variables: &'a Variables,
    /// The rates that have no call left, by their keys.
    pub exhausted: &'a BTreeSet<String>,
    /// The call. Without one, the question is whether the tool is offered.
    pub call: Option<Call<'a>>,
}

/// The answer to a [`Request`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The call may pass, within these limits.
    Allow(Permit),
    /// The call may not pass.
    Deny(Refusal),
}

/// The limits and conditions of an allowed call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permit {
    /// True if a person must approve the call.
    pub needs_approval: bool,
    /// The rates that the call counts for, by their keys.
    pub rates: Vec<(String, Rate)>,
    /// The longest answer, in bytes.
    pub max_response_bytes: Option<u64>,
    /// The targets that the call may be redirected to.
    pub targets: TargetScope,
    /// The values of the scope parameters that the tool declares.
    pub values: ScopeValues,
    /// The source of the grant that allowed it; empty for an offer.
    pub source: String,
}

/// Decides about a request.
#[must_use]
pub fn decide(snapshot: &Snapshot, request: &Request<'_>) -> Decision {
    evaluate(snapshot, request, &mut Trace(None))
}

/// Decides about a request, and returns each rule that was evaluated. The last one decided.
#[must_use]
pub fn explain(snapshot: &Snapshot, request: &Request<'_>) -> (Decision, Vec<Step>) {
    let mut trace = Trace(Some(Vec::new()));
    let decision = evaluate(snapshot, request, &mut trace);
    (decision, trace.0.unwrap_or_default())
}

/// Decides by the first layer alone: whether the role is offered the tool.
#[must_use]
pub fn decide_offer(snapshot: &Snapshot, request: &Request<'_>) -> Decision {
    match (snapshot.offers).check(request, &snapshot.overrides, &mut Trace(None)) {
        Ok(()) => Decision::Allow(Permit::default()),
        Err(refusal) => Decision::Deny(refusal),
    }
}

/// Decides by the second layer alone: whether the call fits the scope, and is not forbidden.
#[must_use]
pub fn decide_call(snapshot: &Snapshot, request: &Request<'_>, call: Call<'_>) -> Decision {
    match snapshot.limits.check(request, call, &mut Trace(None)) {
        Ok(permit) => Decision::Allow(permit),
        Err(refusal) => Decision::Deny(refusal),
    }
}

fn evaluate(snapshot: &Snapshot, request: &Request<'_>, trace: &mut Trace) -> Decision {
    if let Err(refusal) = (snapshot.offers).check(request, &snapshot.overrides, trace) {
        return Decision::Deny(refusal);
    }
    let Some(call) = request.call else {
        return Decision::Allow(Permit::default());
    };
    match snapshot.limits.check(request, call, trace) {
        Ok(permit) => Decision::Allow(permit),
        Err(refusal) => Decision::Deny(refusal),
    }
}

impl Offers {
    fn check(
        &self,
        request: &Request<'_>,
        overrides: &Overrides,
        trace: &mut Trace,
    ) -> Result<(), Refusal> {
        let &Request { role, tool, .. } = request;
        // All gates are evaluated before the first one refuses, so that the time of a refusal does
        // not depend on the gate.
        // A name that no tool has is decided like one that exists.
        let found = self.tools.get(tool);
        let known = found.is_some();
        let offer = found.or_else(|| self.stand_in(tool));
        let granted = offer.is_some_and(|offer| self.grants(role, offer));
        let overridden = overrides.get(tool);
        let enabled = offer.is_some_and(|offer| offer.is_on(overridden));
        let listed = request.allow_list.is_none_or(|list| list.contains(tool));
        let mut withheld = self.withheld.iter();
        let forbid = withheld.find(|forbid| forbid.concerns(role, tool));
        trace.gates(&[
            Gate("the tool exists", known, RefusalReason::UnknownTool),
            Gate(
                "the role is granted the tool",
                granted,
                RefusalReason::NotGranted,
            ),
            Gate("the tool is on", enabled, RefusalReason::Disabled),
            Gate(
                "the tool is in the allow-list of the run",
                listed,
                RefusalReason::NotInAllowList,
            ),
        ])?;
        let Some(forbid) = forbid else {
            return Ok(());
        };
        trace.rule("forbid", &forbid.place, false);
        Err(Refusal::by(
            RefusalReason::Forbidden,
            "forbid",
            &forbid.place,
        ))
    }
}

impl Limits {
    fn check(
        &self,
        request: &Request<'_>,
        call: Call<'_>,
        trace: &mut Trace,
    ) -> Result<Permit, Refusal> {
        let &Request { role, tool, .. } = request;
        let mut grants = self.grants_of(role, tool).peekable();
        let has_scope = grants.peek().is_some();
        trace.gates(&[Gate(
            "the role has a scope for the tool",
            has_scope,
            RefusalReason::ScopeMissing,
        )])?;
        self.check_paths(tool, call, trace)?;
        for forbid in &self.forbids {
            forbid.check(request, call, trace)?;
        }
        let limits = self.tools.get(tool);
        let mut permit = Permit {
            needs_approval: limits.is_some_and(|limits| limits.approval_required),
            values: limits.map(ToolLimits::values).unwrap_or_default(),
            ..Permit::default()
        };
        for rule in self.node_rules(request.node, tool) {
            permit.narrow(rule, request, call, trace)?;
        }
        let mut first = None;
        for grant in grants {
            let missing = self.missing_parameter(grant, tool);
            match grant.check(missing, permit.clone(), request, call, trace) {
                Ok(permit) => return Ok(permit),
                Err(refusal) => first = first.or(Some(refusal)),
            }
        }
        Err(first.unwrap_or_else(|| Refusal::new(RefusalReason::ScopeMissing)))
    }

    /// Checks that a tool that writes is given no protected path.
    fn check_paths(&self, tool: &str, call: Call<'_>, trace: &mut Trace) -> Result<(), Refusal> {
        let limits = self.tools.get(tool).filter(|limits| limits.writes);
        let argument =
            limits.and_then(|limits| protected_argument(&limits.parameters, call.arguments));
        let Some(argument) = argument else {
            return Ok(());
        };
        trace.rule("the path is not protected", protected::PLACE, false);
        Err(protected::refusal(format!("arguments.{argument}")))
    }

    /// Returns the required parameter of a tool that no rule of the grant sets.
    fn missing_parameter(&self, grant: ScopedGrant<'_>, tool: &str) -> Option<&str> {
        let parameters = self.tools.get(tool).into_iter();
        let mut required = parameters
            .flat_map(|limits| limits.parameters.iter())
            .filter(|(_, parameter)| parameter.required)
            .map(|(name, _)| name.as_str());
        required.find(|name| !grant.rules.iter().any(|rule| rule.sets(name)))
    }
}

impl CompiledForbid {
    fn check(
        &self,
        request: &Request<'_>,
        call: Call<'_>,
        trace: &mut Trace,
    ) -> Result<(), Refusal> {
        if !self.withheld.concerns(request.role, request.tool) {
            return Ok(());
        }
        let mut met = true;
        for (name, rule) in &self.when {
            // A condition that cannot be decided is met: the call is refused.
            let resolved = rule.resolve(request.variables);
            met &= resolved.map_or(true, |rule| rule.catches(argument(call.arguments, name)));
        }
        let place = &self.withheld.place;
        match &self.reason {
            Some(reason) => trace.rule(format_args!("forbid: {reason}"), place, !met),
            None => trace.rule("forbid", place, !met),
        }
        if met {
            return Err(Refusal::by(
                RefusalReason::Forbidden,
                "forbid",
                &self.withheld.place,
            ));
        }
        Ok(())
    }
}

impl ScopedGrant<'_> {
    fn check(
        self,
        missing: Option<&str>,
        mut permit: Permit,
        request: &Request<'_>,
        call: Call<'_>,
        trace: &mut Trace,
    ) -> Result<Permit, Refusal> {
        if let Some(parameter) = missing {
            trace.rule(
                format_args!("the scope sets `{parameter}`, which the tool requires"),
                self.source,
                false,
            );
            return Err(Refusal::by(
                RefusalReason::ScopeMissing,
                parameter,
                self.source,
            ));
        }
        for rule in self.rules {
            permit.narrow(rule, request, call, trace)?;
        }
        trace.rule("grant", self.source, true);
        self.source.clone_into(&mut permit.source);
        Ok(permit)
    }
}

impl Permit {
    /// Checks a call against a rule, and narrows the permit to the rule's limits.
    fn narrow(
        &mut self,
        rule: &CompiledScope,
        request: &Request<'_>,
        call: Call<'_>,
        trace: &mut Trace,
    ) -> Result<(), Refusal> {
        let mut refuse = |reason, parameter: String| {
            trace.rule(format_args!("scope: {parameter}"), &rule.place, false);
            Err(Refusal::by(reason, parameter, &rule.place))
        };
        let resolved = match rule.resolve(request.variables) {
            Ok(resolved) => resolved,
            Err(fault) => return refuse(RefusalReason::VariableMissing, fault.variable),
        };
        if let Some(parameter) = rule.violation(&resolved, call) {
            return refuse(RefusalReason::ScopeViolation, parameter);
        }
        self.targets.narrow(resolved.target());
        self.values.add(&rule.place, &resolved.own);
        if let Some(rate) = rule.rate() {
            let key = format!("{} {}", request.role, rule.place);
            let is_left = !request.exhausted.contains(&key);
            trace.rule(format_args!("scope: rate {rate}"), &rule.place, is_left);
            if !is_left {
                return Err(Refusal::by(
                    RefusalReason::RateExceeded,
                    "rate",
                    &rule.place,
                ));
            }
            self.rates.push((key, rate));
        }
        let shortest = self
            .max_response_bytes
            .into_iter()
            .chain(rule.max_response_bytes());
        self.max_response_bytes = shortest.min();
        trace.rule("scope", &rule.place, true);
        Ok(())
    }
}
