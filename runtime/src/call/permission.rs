//! The first four gates: is the tool known, granted, enabled, and in the run's allow-list?
//!
//! The caller is told the same in all four cases, so that a refusal does not tell whether a tool
//! exists; the audit is told which it was.

use toolwright_model::ToolName;

use super::{Asked, Denial, record::Record};
use crate::{
    audit::Reason,
    registry::{Core, Entry},
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
    for (name, entry) in candidates {
        match permitted(core, scope, name, entry) {
            Ok(()) => allowed.push(entry),
            Err(reason) => why = why.or(Some(reason)),
        }
    }
    match allowed.as_slice() {
        [entry] => {
            record.is_of(entry.spec());
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

/// Whether a role may call a tool in this run, and why not.
pub(crate) fn permitted(
    core: &Core,
    scope: &Scope,
    name: &ToolName,
    entry: &Entry,
) -> Result<(), Reason> {
    let granted = core.grants.get(&scope.role);
    if !granted.is_some_and(|granted| granted.contains(name)) {
        return Err(Reason::NotGranted);
    }
    if !entry.enabled {
        return Err(Reason::Disabled);
    }
    let allow_list = scope.allow_list.as_ref();
    if !allow_list.is_none_or(|allow_list| allow_list.contains(name.as_str())) {
        return Err(Reason::NotInAllowList);
    }
    Ok(())
}
