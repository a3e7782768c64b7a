//! The tools of each role before and after, by the grants of `toolwright.toml`.

use std::collections::BTreeSet;

use serde::Serialize;
use toolwright::{
    Role, Selector, ToolName, ToolSpec,
    config::{Config, Placed},
};
use toolwright_drift::Inventory;

/// The tools of a role before and after.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Standing {
    pub(crate) role: Role,
    /// The number of old tools that it may call.
    pub(crate) before: usize,
    /// The number of new tools that it may call.
    pub(crate) after: usize,
    /// The tools that it may newly call.
    pub(crate) gains: BTreeSet<ToolName>,
    /// The tools that it may no longer call.
    pub(crate) loses: BTreeSet<ToolName>,
}

/// Compares the tools of each role. Returns nothing if a side is a manifest, which does not hold
/// enough of a tool to grant it.
pub(super) fn standings(old: &Inventory, new: &Inventory, config: &Config) -> Vec<Standing> {
    let known = |inventory: &Inventory| inventory.tools().iter().all(|tool| tool.spec().is_some());
    if !known(old) || !known(new) {
        return Vec::new();
    }
    let standings = config.roles.iter().map(|(role, grants)| {
        let before = callable(old, grants, config);
        let after = callable(new, grants, config);
        Standing {
            role: role.clone(),
            before: before.len(),
            after: after.len(),
            gains: after.difference(&before).cloned().collect(),
            loses: before.difference(&after).cloned().collect(),
        }
    });
    standings.collect()
}

/// Returns the granted and enabled tools. Tools that a registry would refuse, such as one with a
/// broken schema, count like the others.
fn callable(
    inventory: &Inventory,
    grants: &[Placed<Selector>],
    config: &Config,
) -> BTreeSet<ToolName> {
    let any = |selectors: &[Placed<Selector>], spec: &ToolSpec| {
        selectors
            .iter()
            .any(|selector| selector.value.selects(spec))
    };
    let specs = inventory.tools().iter().filter_map(|tool| tool.spec());
    let callable = specs.filter(|spec| {
        let on = spec.enabled_by_default || any(&config.enable, spec);
        on && !any(&config.disable, spec) && any(grants, spec)
    });
    callable.map(|spec| spec.name.clone()).collect()
}
