//! The snapshot: a policy compiled for the tools of a registry. It never changes.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::{Map, Value};
use toolwright_model::{AccountName, Role, ToolName};

use crate::{
    condition::ArgumentRule,
    declaration::ScopeParameters,
    scope::{CompiledScope, ResolvedParameter},
    variable::{VariableFault, Variables},
};

/// The operator's overrides of switches, as kept outside of the policy: true for on. A tool without
/// one has the switch of the policy.
pub type Overrides = BTreeMap<ToolName, bool>;

/// A person's approval of future calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandingGrant {
    /// The id of the grant.
    pub id: String,
    /// The role whose calls it approves.
    pub role: Role,
    /// The tool.
    pub tool: ToolName,
    /// The arguments that a call must have, with these values.
    pub arguments: Map<String, Value>,
    /// The time after which it approves nothing, in seconds since 1970.
    pub until: i64,
    /// The number of calls that are left; none if it is not limited.
    pub uses_left: Option<u64>,
}

/// A policy compiled for the tools of a registry, with the overrides of switches and the standing
/// grants. It is immutable: each change is a new snapshot.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub(crate) offers: Offers,
    pub(crate) limits: Limits,
    pub(crate) standing: Arc<[StandingGrant]>,
    pub(crate) credentials: BTreeMap<Role, AccountName>,
}

/// What the first layer knows: the grants, the switches, and the tools that are never offered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offers {
    pub(crate) grants: BTreeMap<Role, BTreeSet<ToolName>>,
    pub(crate) switches: BTreeMap<ToolName, Switch>,
    pub(crate) withheld: Vec<Withheld>,
    pub(crate) overrides: Arc<Overrides>,
}

/// What the second layer knows: scope parameters and forbidden calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    pub(crate) tools: BTreeMap<ToolName, ToolLimits>,
    pub(crate) scopes: BTreeMap<Role, BTreeMap<ToolName, Vec<ScopedGrant>>>,
    pub(crate) nodes: BTreeMap<String, BTreeMap<ToolName, Vec<Arc<CompiledScope>>>>,
    pub(crate) forbids: Vec<CompiledForbid>,
}

/// The switch of a tool by the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Switch {
    On,
    Off,
    /// Off, whatever an override says.
    Disabled,
}

/// What the second layer knows of a tool.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolLimits {
    pub(crate) approval_required: bool,
    /// True if the tool may write, so that protected paths concern it.
    pub(crate) writes: bool,
    pub(crate) parameters: ScopeParameters,
}

/// A grant of one tool with its scope: the call must fit every rule.
#[derive(Clone, Debug)]
pub(crate) struct ScopedGrant {
    /// The source of the grant: ``profile `clerk` ``.
    pub(crate) source: String,
    pub(crate) rules: Vec<Arc<CompiledScope>>,
}

/// A tool that is not offered to some roles.
#[derive(Clone, Debug)]
pub(crate) struct Withheld {
    pub(crate) place: String,
    pub(crate) tools: BTreeSet<ToolName>,
    /// The roles; all if there are none.
    pub(crate) roles: BTreeSet<Role>,
}

/// Calls that no grant allows.
#[derive(Clone, Debug)]
pub(crate) struct CompiledForbid {
    pub(crate) withheld: Withheld,
    pub(crate) when: BTreeMap<String, ArgumentRule>,
    pub(crate) reason: Option<String>,
}

impl Snapshot {
    /// Returns the snapshot with other overrides of switches.
    #[must_use]
    pub fn with_overrides(mut self, overrides: Overrides) -> Self {
        self.offers.overrides = Arc::new(overrides);
        self
    }

    /// Returns the snapshot with other standing grants.
    #[must_use]
    pub fn with_standing_grants(mut self, grants: Vec<StandingGrant>) -> Self {
        self.standing = grants.into();
        self
    }

    /// Returns the declared roles, sorted.
    pub fn roles(&self) -> impl Iterator<Item = &Role> {
        self.offers.grants.keys()
    }

    /// Checks whether the role was granted the tool.
    #[must_use]
    pub fn is_granted(&self, role: &Role, tool: &ToolName) -> bool {
        let granted = self.offers.grants.get(role);
        granted.is_some_and(|granted| granted.contains(tool))
    }

    /// Checks whether the tool is on.
    #[must_use]
    pub fn is_enabled(&self, tool: &ToolName) -> bool {
        self.offers.is_enabled(tool.as_str())
    }

    /// Checks whether the policy switches the tool on, whatever its override is.
    #[must_use]
    pub fn is_configured_on(&self, tool: &ToolName) -> bool {
        self.offers.switches.get(tool) == Some(&Switch::On)
    }

    /// Checks whether the policy disables the tool. No override switches it on.
    #[must_use]
    pub fn is_disabled(&self, tool: &ToolName) -> bool {
        self.offers.switches.get(tool) == Some(&Switch::Disabled)
    }

    /// Returns a text that differs for two policies that decide differently about the calls of a
    /// role. It is for digests.
    #[must_use]
    pub fn fingerprint(&self, role: &Role) -> String {
        let (offers, limits) = (&self.offers, &self.limits);
        let (granted, scopes) = (offers.grants.get(role), limits.scopes.get(role));
        let (nodes, forbids) = (&limits.nodes, &limits.forbids);
        format!(
            "{granted:?} {:?} {scopes:?} {nodes:?} {forbids:?}",
            offers.withheld
        )
    }

    /// Returns the tools that a role is offered: granted, on, and not withheld.
    #[must_use]
    pub fn offered(&self, role: &Role) -> BTreeSet<&ToolName> {
        let granted = self.offers.grants.get(role).into_iter().flatten();
        let withheld = |tool: &ToolName| {
            let mut withheld = self.offers.withheld.iter();
            withheld.any(|forbid| forbid.concerns(role, tool.as_str()))
        };
        granted
            .filter(|tool| self.is_enabled(tool) && !withheld(tool))
            .collect()
    }

    /// Returns the tools that at least one role can call.
    #[must_use]
    pub fn callable(&self) -> BTreeSet<&ToolName> {
        let granted = self.offers.grants.values().flatten();
        granted.filter(|tool| self.is_enabled(tool)).collect()
    }

    /// Returns the account whose credentials the calls of a role use, if not the administrator's.
    #[must_use]
    pub fn account(&self, role: &Role) -> Option<&AccountName> {
        self.credentials.get(role)
    }

    /// Checks the variables of a run for a role and a node of the pipeline.
    ///
    /// # Errors
    /// Every variable that a scope of the role refers to and that cannot be inserted.
    pub fn check_variables(
        &self,
        role: &Role,
        node: Option<&str>,
        variables: &Variables,
    ) -> Result<(), Vec<VariableFault>> {
        let faults = self
            .rules_of(role, node)
            .flat_map(|rule| rule.variable_faults(variables));
        let faults: BTreeSet<_> = faults.collect();
        if faults.is_empty() {
            return Ok(());
        }
        Err(faults.into_iter().collect())
    }

    /// Returns the scope parameters of a role with the variables inserted, each once.
    ///
    /// # Errors
    /// The first variable that cannot be inserted.
    pub fn resolved_scopes(
        &self,
        role: &Role,
        node: Option<&str>,
        variables: &Variables,
    ) -> Result<Vec<ResolvedParameter>, VariableFault> {
        let mut resolved = BTreeSet::new();
        for rule in self.rules_of(role, node) {
            resolved.extend(rule.describe(variables)?);
        }
        Ok(resolved.into_iter().collect())
    }

    fn rules_of<'a>(
        &'a self,
        role: &Role,
        node: Option<&'a str>,
    ) -> impl Iterator<Item = &'a Arc<CompiledScope>> {
        let granted = self.limits.scopes.get(role);
        let granted = granted.into_iter().flatten();
        granted.flat_map(move |(tool, grants)| {
            let own = grants.iter().flat_map(|grant| &grant.rules);
            own.chain(self.limits.node_rules(node, tool.as_str()))
        })
    }

    /// Returns the arguments of a tool that the policy sets for a role. All grants of a tool to a
    /// role pin the same arguments.
    ///
    /// # Errors
    /// The first variable that cannot be inserted.
    pub fn pins(
        &self,
        role: &Role,
        tool: &ToolName,
        node: Option<&str>,
        variables: &Variables,
    ) -> Result<BTreeMap<String, Value>, VariableFault> {
        let grants = self.limits.grants_of(role, tool.as_str());
        let own = grants.first().into_iter().flat_map(|grant| &grant.rules);
        let mut pins = BTreeMap::new();
        for rule in own.chain(self.limits.node_rules(node, tool.as_str())) {
            for (name, value) in rule.pins(variables)? {
                pins.entry(name).or_insert(value);
            }
        }
        Ok(pins)
    }
}

impl Offers {
    pub(crate) fn is_enabled(&self, tool: &str) -> bool {
        match (self.switches.get(tool), self.overrides.get(tool)) {
            (None | Some(Switch::Disabled), _) => false,
            (Some(_), Some(enabled)) => *enabled,
            (Some(switch), None) => *switch == Switch::On,
        }
    }
}

impl Limits {
    pub(crate) fn grants_of(&self, role: &Role, tool: &str) -> &[ScopedGrant] {
        let grants = self.scopes.get(role).and_then(|tools| tools.get(tool));
        grants.map_or(&[], Vec::as_slice)
    }

    pub(crate) fn node_rules(&self, node: Option<&str>, tool: &str) -> &[Arc<CompiledScope>] {
        let tools = node.and_then(|node| self.nodes.get(node));
        let rules = tools.and_then(|tools| tools.get(tool));
        rules.map_or(&[], Vec::as_slice)
    }
}

impl Withheld {
    pub(crate) fn concerns(&self, role: &Role, tool: &str) -> bool {
        (self.roles.is_empty() || self.roles.contains(role)) && self.tools.contains(tool)
    }
}
