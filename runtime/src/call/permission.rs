//! The first four gates: is the tool known, granted, enabled, and in the run's allow-list?
//!
//! The caller is told the same in all four cases, so that a refusal does not tell whether a tool
//! exists; the audit is told which it was.

use toolwright_model::ToolName;

use super::{Asked, Denial, record::Record};
use crate::{
    audit::Reason,
    registry::{Core, Entry, Policy},
    view::Scope,
};

/// The tool, if the role may call it in this run. Of several that may be meant, those that it may
/// not call are as if they were not there.
pub(super) fn check<'a>(
    core: &'a Core,
    scope: &Scope,
    asked: Asked<'a>,
    record: &mut Record<'_>,
) -> Result<&'a Entry, Denial> {
    let candidates = asked.candidates(core);
    if let [(_, only)] = candidates.as_slice() {
        record.is_of(only.spec());
    }
    let mut why = None;
    let mut allowed = Vec::new();
    let policy = core.policy();
    for (name, entry) in candidates {
        match permitted(core, &policy, scope, name) {
            Ok(()) => allowed.push(entry),
            Err(reason) => why = why.or(Some(reason)),
        }
    }
    match allowed.as_slice() {
        [entry] => {
            record.is_permitted(entry);
            Ok(entry)
        }
        [] => {
            let why = why.unwrap_or(Reason::UnknownTool);
            Err(Denial::new(why, asked.not_permitted(&scope.role)))
        }
        several => {
            let names = several.iter().map(|entry| entry.spec().name.clone());
            Err(Denial::new(
                Reason::Ambiguous,
                asked.ambiguous(names.collect()),
            ))
        }
    }
}

/// Checks a tool that was permitted against the policy as it is now.
pub(super) fn recheck(
    core: &Core,
    scope: &Scope,
    asked: Asked<'_>,
    entry: &Entry,
) -> Result<(), Denial> {
    let tool = &entry.spec().name;
    let permitted = permitted(core, &core.policy(), scope, tool);
    permitted.map_err(|reason| Denial::new(reason, asked.not_permitted(&scope.role)))
}

/// Whether a role may call a tool in this run, and if not, why.
pub(crate) fn permitted(
    core: &Core,
    policy: &Policy,
    scope: &Scope,
    tool: &ToolName,
) -> Result<(), Reason> {
    if core.revocations.is_revoked(&scope.role, scope.number) {
        return Err(Reason::Revoked);
    }
    if !policy.is_granted(&scope.role, tool) {
        return Err(Reason::NotGranted);
    }
    if !policy.is_enabled(tool) {
        return Err(Reason::Disabled);
    }
    let allow_list = scope.allow_list.as_ref();
    if !allow_list.is_none_or(|allow_list| allow_list.contains(tool.as_str())) {
        return Err(Reason::NotInAllowList);
    }
    Ok(())
}
