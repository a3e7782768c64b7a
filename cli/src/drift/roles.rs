//! What each role may do before and after, by the grants of `toolwright.toml`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use toolwright::{Registry, Role, ToolName, config::Config};
use toolwright_generator::drift::Inventory;

use crate::Failure;

/// What a role may do before and after.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Standing {
    pub(crate) role: Role,
    /// How many tools it could call.
    pub(crate) before: usize,
    /// How many tools it can call.
    pub(crate) after: usize,
    /// What it could not call.
    pub(crate) gains: BTreeSet<ToolName>,
    /// What it can no longer call.
    pub(crate) loses: BTreeSet<ToolName>,
}

/// How each role stands; none where a side is a manifest, which does not say enough of a tool to
/// grant it.
pub(super) fn standings(
    old: &Inventory,
    new: &Inventory,
    config: &Config,
) -> Result<Vec<Standing>, Failure> {
    let known = |inventory: &Inventory| inventory.tools().iter().all(|tool| tool.spec().is_some());
    if config.roles.is_empty() || !known(old) || !known(new) {
        return Ok(Vec::new());
    }
    let (mut before, after) = (callable(old, config)?, callable(new, config)?);
    let standings = after.into_iter().map(|(role, after)| {
        let before = before.remove(&role).unwrap_or_default();
        Standing {
            before: before.len(),
            after: after.len(),
            gains: after.difference(&before).cloned().collect(),
            loses: before.difference(&after).cloned().collect(),
            role,
        }
    });
    Ok(standings.collect())
}

/// What each role was granted and is on.
fn callable(
    inventory: &Inventory,
    config: &Config,
) -> Result<BTreeMap<Role, BTreeSet<ToolName>>, Failure> {
    let specs = inventory.tools().iter().filter_map(|tool| tool.spec());
    let registry = Registry::builder()
        .specs(specs.cloned())
        .config(config.clone())
        .partial()
        .build()
        .map_err(|error| Failure::all(error.problems.iter().map(ToString::to_string)))?;
    let on: BTreeSet<&ToolName> = registry
        .tools()
        .filter(|(_, on)| *on)
        .map(|(spec, _)| &spec.name)
        .collect();
    let roles = registry.roles();
    let callable = roles.map(|role| {
        let granted = registry.granted(role).filter(|name| on.contains(name));
        (role.clone(), granted.cloned().collect())
    });
    Ok(callable.collect())
}
