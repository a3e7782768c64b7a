//! The first four gates: is the tool known, granted, enabled, and in the run's allow-list?
//!
//! The caller is told the same in all four cases, so that a refusal does not tell whether a tool
//! exists; the audit is told which it was.

use toolwright_model::ToolName;

use super::{Denial, record::Record};
use crate::{
    audit::Reason,
    error::ToolError,
    registry::{Core, Entry},
    view::Scope,
};

/// The tool, if the role may call it in this run.
pub(super) fn check<'a>(
    core: &'a Core,
    scope: &Scope,
    asked: &str,
    record: &mut Record<'_>,
) -> Result<&'a Entry, Denial> {
    let found = core.tools.get_key_value(asked).ok_or(Reason::UnknownTool);
    let allowed = found.and_then(|(name, entry)| {
        record.is_of(entry.spec());
        permitted(core, scope, name, entry).map(|()| entry)
    });
    allowed.map_err(|reason| {
        let error = ToolError::ToolNotPermitted {
            role: scope.role.clone(),
            tool: record.tool().to_owned(),
        };
        Denial::new(reason, error)
    })
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
