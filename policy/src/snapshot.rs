//! The snapshot: a policy compiled for the tools of a registry. It never changes.

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    fmt::{self, Write as _},
    sync::Arc,
};

use indexmap::IndexMap;
use serde_json::Value;
use toolwright_model::{AccountName, Role, SandboxLayer, ToolName};

use crate::{
    condition::CompiledRule,
    declaration::ScopeParameters,
    own::ScopeValues,
    refusal::{Refusal, RefusalReason},
    scope::{CompiledScope, ResolvedParameter},
    variable::{VariableFault, Variables},
};

/// The operator's overrides of switches, as kept outside of the policy: true for on. A tool without
/// one has the switch of the policy.
pub type Overrides = BTreeMap<ToolName, bool>;

/// A policy compiled for the tools of a registry, with the overrides of switches. It is immutable:
/// each change is a new snapshot. Cloning it is cheap.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub(crate) offers: Arc<Offers>,
    pub(crate) limits: Arc<Limits>,
    pub(crate) overrides: Arc<Overrides>,
    pub(crate) credentials: Arc<BTreeMap<Role, AccountName>>,
    pub(crate) sandbox: Arc<BTreeMap<Role, BTreeSet<SandboxLayer>>>,
}

/// What the first layer knows: the grants, the switches, and the tools that are never offered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offers {
    /// The tools. They are found by the hash of their names, in a time that does not depend on their
    /// places.
    pub(crate) tools: IndexMap<ToolName, Offer>,
    /// The sources of each role's grants. Roles share them.
    pub(crate) grants: BTreeMap<Role, Vec<SourceId>>,
    pub(crate) withheld: Vec<Withheld>,
}

/// What the first layer knows of a tool.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    pub(crate) switch: Switch,
    /// The sources that grant it.
    pub(crate) sources: Vec<SourceId>,
}

/// A source of grants: a profile, or the grants of one role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SourceId(pub(crate) usize);

/// What the second layer knows: scope parameters and forbidden calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    pub(crate) tools: BTreeMap<ToolName, ToolLimits>,
    /// The sources of each role's grants. Roles share them.
    pub(crate) scopes: BTreeMap<Role, Vec<Arc<ScopedSource>>>,
    pub(crate) nodes: BTreeMap<String, ToolRules>,
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
    pub(crate) parameters: Arc<ScopeParameters>,
}

impl ToolLimits {
    /// Returns the values of the tool's scope parameters before any rule has set one.
    pub(crate) fn values(&self) -> ScopeValues {
        ScopeValues::new(&self.parameters, self.writes)
    }
}

/// The scope rules of each tool.
pub(crate) type ToolRules = BTreeMap<ToolName, Vec<Arc<CompiledScope>>>;

/// A source of grants: its tools, with the rules of each.
#[derive(Clone, Debug)]
pub(crate) struct ScopedSource {
    /// The name of the source: ``profile `clerk` ``.
    pub(crate) name: String,
    pub(crate) tools: ToolRules,
    /// The rules of all tools, each once.
    rules: Vec<Arc<CompiledScope>>,
}

/// A grant of one tool with its scope: the call must fit every rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScopedGrant<'a> {
    pub(crate) source: &'a str,
    pub(crate) rules: &'a [Arc<CompiledScope>],
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
    pub(crate) when: BTreeMap<String, CompiledRule>,
    pub(crate) reason: Option<String>,
}

impl Snapshot {
    /// Returns the snapshot with other overrides of switches.
    #[must_use]
    pub fn with_overrides(mut self, overrides: Overrides) -> Self {
        self.overrides = Arc::new(overrides);
        self
    }

    /// Returns the declared roles, sorted.
    pub fn roles(&self) -> impl Iterator<Item = &Role> {
        self.offers.grants.keys()
    }

    /// Checks whether a role is declared.
    #[must_use]
    pub fn has_role(&self, role: &Role) -> bool {
        self.offers.grants.contains_key(role)
    }

    /// Checks whether the role was granted the tool.
    #[must_use]
    pub fn is_granted(&self, role: &Role, tool: &ToolName) -> bool {
        self.offers.is_granted(role, tool.as_str())
    }

    /// Checks whether the tool is on.
    #[must_use]
    pub fn is_enabled(&self, tool: &ToolName) -> bool {
        self.offers.is_enabled(tool.as_str(), &self.overrides)
    }

    /// Checks whether the policy switches the tool on, whatever its override is.
    #[must_use]
    pub fn is_configured_on(&self, tool: &ToolName) -> bool {
        self.offers.has_switch(tool, Switch::On)
    }

    /// Checks whether the policy disables the tool. No override switches it on.
    #[must_use]
    pub fn is_disabled(&self, tool: &ToolName) -> bool {
        self.offers.has_switch(tool, Switch::Disabled)
    }

    /// Returns a text that differs for two policies that decide differently about the calls of a
    /// role. It is for digests.
    #[must_use]
    pub fn fingerprint(&self, role: &Role) -> String {
        let (offers, limits) = (&self.offers, &self.limits);
        let mut text = Fingerprint::default();
        text.add(&offers.granted(role).collect::<Vec<_>>());
        text.add(&offers.withheld);
        for source in limits.scopes.get(role).into_iter().flatten() {
            text.add(&source.name);
            text.add_rules(&source.tools);
        }
        for (node, rules) in &limits.nodes {
            text.add(node);
            text.add_rules(rules);
        }
        text.add(&limits.forbids);
        text.text
    }

    /// Returns the tools that a role is offered: granted, on, and not withheld.
    #[must_use]
    pub fn offered(&self, role: &Role) -> BTreeSet<&ToolName> {
        let withheld = |tool: &ToolName| {
            let mut withheld = self.offers.withheld.iter();
            withheld.any(|forbid| forbid.concerns(role, tool.as_str()))
        };
        let granted = self.offers.granted(role);
        granted
            .filter(|tool| self.is_enabled(tool) && !withheld(tool))
            .collect()
    }

    /// Returns the tools that at least one role can call.
    #[must_use]
    pub fn callable(&self) -> BTreeSet<&ToolName> {
        let sources: BTreeSet<_> = self.offers.grants.values().flatten().collect();
        let is_granted = |offer: &Offer| offer.sources.iter().any(|id| sources.contains(id));
        let granted = self.offers.tools.iter();
        let granted = granted.filter(|(_, offer)| is_granted(offer));
        let granted = granted.map(|(tool, _)| tool);
        granted.filter(|tool| self.is_enabled(tool)).collect()
    }

    /// Returns the account whose credentials the calls of a role use, if not the administrator's.
    #[must_use]
    pub fn account(&self, role: &Role) -> Option<&AccountName> {
        self.credentials.get(role)
    }

    /// Returns the layers of the sandbox that calls of a role require; all if the policy does not state
    /// them.
    #[must_use]
    pub fn sandbox(&self, role: &Role) -> BTreeSet<SandboxLayer> {
        let stated = self.sandbox.get(role).cloned();
        stated.unwrap_or_else(|| SandboxLayer::ALL.into())
    }

    /// Checks that the machine has the layers of the sandbox that calls of a role require, given those
    /// that it lacks.
    ///
    /// # Errors
    /// The layers that are required and lacking, if there are any.
    pub fn check_sandbox(
        &self,
        role: &Role,
        lacking: &BTreeSet<SandboxLayer>,
    ) -> Result<(), Refusal> {
        let required = self.sandbox(role);
        let missing: Vec<_> = required
            .intersection(lacking)
            .map(ToString::to_string)
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(Refusal {
            rule: Some(missing.join(", ")),
            ..Refusal::new(RefusalReason::SandboxUnavailable)
        })
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
        let sources = self.limits.scopes.get(role).map_or(&[][..], Vec::as_slice);
        let node = node.and_then(|node| self.limits.nodes.get(node));
        let by_node = node.into_iter().flatten().filter(|(tool, _)| {
            let mut sources = sources.iter();
            sources.any(|source| source.tools.contains_key(*tool))
        });
        let own = sources.iter().flat_map(|source| &source.rules);
        own.chain(by_node.flat_map(|(_, rules)| rules))
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
        let grant = self.limits.grants_of(role, tool.as_str()).next();
        let own = grant.into_iter().flat_map(|grant| grant.rules);
        let mut pins = BTreeMap::new();
        for rule in own.chain(self.limits.node_rules(node, tool.as_str())) {
            for (name, value) in rule.pins(variables)? {
                pins.entry(name).or_insert(value);
            }
        }
        Ok(pins)
    }

    /// Checks whether some grant of a tool to a role lets calls be for a workspace of its service. A
    /// rule with a variable that cannot be inserted lets none.
    #[must_use]
    pub fn allows_workspace(
        &self,
        role: &Role,
        tool: &ToolName,
        node: Option<&str>,
        variables: &Variables,
        workspace: &str,
    ) -> bool {
        let allows = |rule: &Arc<CompiledScope>| {
            let resolved = rule.resolve(variables);
            resolved.is_ok_and(|scope| scope.allows_workspace(Some(workspace)))
        };
        let mut grants = self.limits.grants_of(role, tool.as_str());
        grants.any(|grant| grant.rules.iter().all(allows))
            && (self.limits.node_rules(node, tool.as_str()).iter()).all(allows)
    }
}

impl Offers {
    pub(crate) fn is_granted(&self, role: &Role, tool: &str) -> bool {
        let offer = self.tools.get(tool);
        offer.is_some_and(|offer| self.grants(role, offer))
    }

    pub(crate) fn is_enabled(&self, tool: &str, overrides: &Overrides) -> bool {
        let (offer, overridden) = (self.tools.get(tool), overrides.get(tool));
        offer.is_some_and(|offer| offer.is_on(overridden))
    }

    /// Checks whether a source of the role's grants has the tool.
    pub(crate) fn grants(&self, role: &Role, offer: &Offer) -> bool {
        let mut sources = self.grants.get(role).into_iter().flatten();
        sources.any(|source| offer.sources.contains(source))
    }

    /// Returns the tools that a role is granted, on or off.
    fn granted(&self, role: &Role) -> impl Iterator<Item = &ToolName> {
        let tools = self.tools.iter();
        let granted = tools.filter(|(_, offer)| self.grants(role, offer));
        granted.map(|(tool, _)| tool)
    }

    fn has_switch(&self, tool: &ToolName, switch: Switch) -> bool {
        let offer = self.tools.get(tool);
        offer.is_some_and(|offer| offer.switch == switch)
    }

    /// Returns some tool for a name that no tool has.
    pub(crate) fn stand_in(&self, name: &str) -> Option<&Offer> {
        let (_, offer) = self.tools.get_index(stand_in(name, self.tools.len())?)?;
        Some(offer)
    }
}

/// Returns the place of some tool for a name that no tool has, always the same one for a name, so that
/// the time of an answer does not tell that the name is unknown. Finding it takes about as long as the
/// comparison of two names. None if there are no tools.
#[must_use]
pub fn stand_in(name: &str, tools: usize) -> Option<usize> {
    let bytes = name.bytes().rev().take(8);
    let mixed = bytes.fold(0, |mixed: u32, byte| {
        (mixed ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    // The places, in proportion to the range of the number.
    let at = (u64::from(mixed) * u64::try_from(tools).ok()?) >> 32;
    let at = usize::try_from(at).ok()?;
    (at < tools).then_some(at)
}

impl Offer {
    /// Checks whether the tool is on, with the operator's override.
    pub(crate) fn is_on(&self, overridden: Option<&bool>) -> bool {
        match (self.switch, overridden) {
            (Switch::Disabled, _) => false,
            (_, Some(enabled)) => *enabled,
            (switch, None) => switch == Switch::On,
        }
    }
}

impl Limits {
    /// Returns the grants of a tool to a role, in the order of their sources.
    pub(crate) fn grants_of<'a>(
        &'a self,
        role: &Role,
        tool: &'a str,
    ) -> impl Iterator<Item = ScopedGrant<'a>> {
        let sources = self.scopes.get(role).into_iter().flatten();
        sources.filter_map(move |source| {
            Some(ScopedGrant {
                source: &source.name,
                rules: source.tools.get(tool)?,
            })
        })
    }

    pub(crate) fn node_rules(&self, node: Option<&str>, tool: &str) -> &[Arc<CompiledScope>] {
        let tools = node.and_then(|node| self.nodes.get(node));
        let rules = tools.and_then(|tools| tools.get(tool));
        rules.map_or(&[], Vec::as_slice)
    }
}

impl ScopedSource {
    pub(crate) fn new(name: String, tools: ToolRules) -> Self {
        let mut seen = BTreeSet::new();
        let all = tools.values().flatten();
        let rules = all.filter(|rule| seen.insert(Arc::as_ptr(rule))).cloned();
        Self {
            rules: rules.collect(),
            name,
            tools,
        }
    }

    /// Checks whether a rule pins an argument.
    pub(crate) fn pins(&self) -> bool {
        let mut rules = self.rules.iter();
        rules.any(|rule| rule.written_pins().next().is_some())
    }
}

/// A text that differs for two policies. A rule that several tools share is written once.
#[derive(Default)]
struct Fingerprint {
    text: String,
    rules: BTreeMap<*const CompiledScope, usize>,
}

impl Fingerprint {
    fn add(&mut self, part: &dyn fmt::Debug) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(self.text, "{part:?}");
    }

    fn add_rules(&mut self, tools: &ToolRules) {
        for (tool, rules) in tools {
            self.add(tool);
            for rule in rules {
                let number = self.rules.len();
                match self.rules.entry(Arc::as_ptr(rule)) {
                    Entry::Occupied(known) => {
                        let known = *known.get();
                        self.add(&known);
                    }
                    Entry::Vacant(new) => {
                        new.insert(number);
                        self.add(rule);
                    }
                }
            }
        }
    }
}

impl Withheld {
    pub(crate) fn concerns(&self, role: &Role, tool: &str) -> bool {
        (self.roles.is_empty() || self.roles.contains(role)) && self.tools.contains(tool)
    }
}
