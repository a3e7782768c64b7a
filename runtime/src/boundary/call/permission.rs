//! The first four gates: the tool is known, granted, enabled, and in the run's allow-list.
//!
//! The caller receives the same error in all four cases, because a refusal must not reveal whether
//! a tool exists. The audit records the actual reason.

use std::sync::Arc;

use toolwright_model::Category;
use toolwright_policy::RefusalReason;

use super::{Callee, Denial, record::CallRecord};
use crate::{
    audit::{AuditSink as _, Reason},
    boundary::{
        core::{Core, Policy, RegisteredTool},
        tools::Tools,
        view::Scope,
    },
    error::ToolError,
};

/// The reason for a name that is no tool's.
pub(super) const UNKNOWN: Reason = Reason::Policy(RefusalReason::UnknownTool);

/// Returns the tool if the role may call it in this run. If several tools match, those that the
/// role may not call are ignored.
pub(super) fn check<'a>(
    core: &Core,
    tools: &'a Tools,
    scope: &Scope,
    callee: Callee<'a>,
    record: &mut CallRecord<'_>,
) -> Result<&'a Arc<RegisteredTool>, Denial> {
    let candidates = callee.candidates(tools);
    let policy = core.policy();
    if let (Callee::Tool(name), []) = (callee, candidates.as_slice()) {
        // An unknown name takes the way of one that exists, so that the time tells nothing.
        if let Some(other) = tools.stand_in(name) {
            record.set_unknown(other.spec());
        }
        let permitted = scope.permits(core, &policy, name);
        let why = permitted.err().unwrap_or(UNKNOWN);
        return Err(Denial::new(why, callee.not_permitted(&scope.role)));
    }
    if let [(_, only)] = candidates.as_slice() {
        record.set_tool(only.spec());
    }
    let mut why = None;
    let mut allowed = Vec::new();
    for (name, entry) in candidates {
        match scope.permits(core, &policy, name.as_str()) {
            Ok(()) if scope.reaches(entry.spec()) => allowed.push(entry),
            Ok(()) => why = why.or(Some(Reason::OtherCategory)),
            Err(reason) => why = why.or(Some(reason)),
        }
    }
    match allowed.as_slice() {
        [entry] => {
            record.set_permitted(entry);
            check_changes(core, entry)?;
            Ok(entry)
        }
        [] => {
            let why = why.unwrap_or(UNKNOWN);
            Err(Denial::new(why, callee.not_permitted(&scope.role)))
        }
        several => {
            let names = several.iter().map(|entry| entry.spec().name.clone());
            Err(Denial::new(
                Reason::Ambiguous,
                callee.ambiguous(names.collect()),
            ))
        }
    }
}

/// Checks a permitted tool again, against another policy.
pub(super) fn recheck(
    core: &Core,
    policy: &Policy,
    scope: &Scope,
    callee: Callee<'_>,
    entry: &RegisteredTool,
) -> Result<(), Denial> {
    let permitted = scope.permits(core, policy, entry.spec().name.as_str());
    permitted.map_err(|reason| Denial::new(reason, callee.not_permitted(&scope.role)))?;
    check_changes(core, entry)
}

/// Refuses a tool that changes something while the operator's switches are not known any more, or
/// while too many events wait for a sink of the audit.
fn check_changes(core: &Core, entry: &RegisteredTool) -> Result<(), Denial> {
    let spec = entry.spec();
    let reads =
        matches!(spec.category, Category::Observe | Category::Report) && spec.hints.read_only;
    if reads {
        return Ok(());
    }
    let (reason, message) = if let Some(age) = core.availability.overdue() {
        let message = format!("the state was last reached {} s ago", age.as_secs());
        (Reason::StateUnreachable, message)
    } else if let Some(message) = core.audit.backlog() {
        (Reason::AuditBacklog, message)
    } else {
        return Ok(());
    };
    Err(Denial::new(reason, ToolError::Undecided { message }))
}
