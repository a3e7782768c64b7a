//! The tools of each role before and after, by the grants of `toolwright.toml`.

use std::collections::BTreeSet;

use serde::Serialize;
use toolwright::{
    Role, ToolName, ToolSpec,
    config::Config,
    policy::{PolicyTool, ScopeParameters, Snapshot, Tools},
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
    let (old, new) = (compiled(old, config), compiled(new, config));
    let standings = config.policy.roles.keys().map(|role| {
        let before = callable(&old, role);
        let after = callable(&new, role);
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

/// Compiles the policy of a configuration for the tools of one side. Selectors that match nothing do
/// not matter here: the sides need not have all tools of the workspace.
fn compiled(inventory: &Inventory, config: &Config) -> Snapshot {
    let parameters = ScopeParameters::new();
    let specs = inventory.tools().iter().filter_map(|tool| tool.spec());
    let here: Vec<_> = specs
        .map(|spec: &ToolSpec| PolicyTool {
            spec,
            parameters: &parameters,
        })
        .collect();
    let tools = Tools {
        here: &here,
        partial: true,
        ..Tools::default()
    };
    config.policy.compile(tools).snapshot
}

/// Returns the granted and enabled tools. Tools that a registry would refuse, such as one with a
/// broken schema, count like the others.
fn callable(snapshot: &Snapshot, role: &Role) -> BTreeSet<ToolName> {
    let offered = snapshot.offered(role).into_iter();
    offered.cloned().collect()
}
