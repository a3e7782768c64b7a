//! The first four gates: the tool is known, granted, enabled, and in the run's allow-list.
//!
//! The caller receives the same error in all four cases, because a refusal must not reveal whether
//! a tool exists. The audit records the actual reason.

use toolwright_model::Category;

use super::{Callee, Denial, record::CallRecord};
use crate::{
    audit::Reason,
    boundary::{
        core::{Core, RegisteredTool},
        view::Scope,
    },
    error::ToolError,
};

/// Returns the tool if the role may call it in this run. If several tools match, those that the
/// role may not call are ignored.
pub(super) fn check<'a>(
    core: &'a Core,
    scope: &Scope,
    callee: Callee<'a>,
    record: &mut CallRecord<'_>,
) -> Result<&'a RegisteredTool, Denial> {
    let candidates = callee.candidates(core);
    if let [(_, only)] = candidates.as_slice() {
        record.set_tool(only.spec());
    }
    let mut why = None;
    let mut allowed = Vec::new();
    let policy = core.policy();
    for (name, entry) in candidates {
        match scope.permits(core, &policy, name) {
            Ok(()) => allowed.push(entry),
            Err(reason) => why = why.or(Some(reason)),
        }
    }
    match allowed.as_slice() {
        [entry] => {
            record.set_permitted(entry);
            check_age(core, entry)?;
            Ok(entry)
        }
        [] => {
            let why = why.unwrap_or(Reason::UnknownTool);
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

/// Checks a permitted tool again, against the policy now in force.
pub(super) fn recheck(
    core: &Core,
    scope: &Scope,
    callee: Callee<'_>,
    entry: &RegisteredTool,
) -> Result<(), Denial> {
    let tool = &entry.spec().name;
    let permitted = scope.permits(core, &core.policy(), tool);
    permitted.map_err(|reason| Denial::new(reason, callee.not_permitted(&scope.role)))?;
    check_age(core, entry)
}

/// Refuses a tool that changes something while the operator's switches are not known any more.
fn check_age(core: &Core, entry: &RegisteredTool) -> Result<(), Denial> {
    let spec = entry.spec();
    let reads =
        matches!(spec.category, Category::Observe | Category::Report) && spec.hints.read_only;
    match core.availability.overdue() {
        Some(age) if !reads => {
            let message = format!("the state was last reached {} s ago", age.as_secs());
            let error = ToolError::Undecided { message };
            Err(Denial::new(Reason::StateUnreachable, error))
        }
        _ => Ok(()),
    }
}
