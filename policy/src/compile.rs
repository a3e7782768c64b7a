//! Compiles a policy for the tools of a registry, and collects its faults.

mod rules;
mod selection;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use selection::Selection;
use toolwright_model::{ProfileName, Role, ToolName, ToolSpec, most_similar};

use crate::{
    builtin::{BUILT_IN, built_in},
    condition::CompiledRule,
    declaration::PolicyTool,
    lock::{Pending, PolicyLock},
    problem::PolicyProblem,
    snapshot::{
        CompiledForbid, Offer, ScopedSource, Snapshot, SourceId, Switch, ToolLimits, ToolRules,
        Withheld,
    },
    written::{Forbid, Policy, Profile, RolePolicy},
};

/// The tools that a policy is compiled for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tools<'a> {
    /// The tools of the registry.
    pub here: &'a [PolicyTool<'a>],
    /// Tools of the workspace that are not in the registry.
    pub elsewhere: &'a [ToolSpec],
    /// True if the configuration may mention tools that are not in the registry.
    pub partial: bool,
    /// The tools that a person has accepted; without a lock, all that a selector matches.
    pub lock: Option<&'a PolicyLock>,
}

/// A compiled policy, and its faults.
#[derive(Clone, Debug, Default)]
pub struct Compiled {
    /// The snapshot.
    pub snapshot: Snapshot,
    /// The faults. A policy with faults must not be used.
    pub problems: Vec<PolicyProblem>,
    /// Parts of the policy that match nothing here, which is no fault.
    pub unmatched: Vec<PolicyProblem>,
    /// The tools that each selector of the configuration matches.
    pub matched: PolicyLock,
    /// The tools among them that no person has accepted.
    pub pending: Vec<Pending>,
}

/// A source of grants, for each layer. Roles share it.
#[derive(Clone)]
struct Source {
    id: SourceId,
    scoped: Arc<ScopedSource>,
}

impl Source {
    fn new(
        name: String,
        tools: BTreeSet<ToolName>,
        mut rules: ToolRules,
        selection: &mut Selection<'_>,
    ) -> Self {
        for tool in &tools {
            rules.entry(tool.clone()).or_default();
        }
        Self {
            id: selection.add_source(tools),
            scoped: Arc::new(ScopedSource::new(name, rules)),
        }
    }
}

impl Policy {
    /// Compiles the policy for tools. All faults are collected.
    #[must_use]
    pub fn compile(&self, tools: Tools<'_>) -> Compiled {
        let mut selection = Selection::new(tools);
        let profiles = self.used_profiles(&mut selection);
        let mut snapshot = Snapshot::default();
        for (role, rules) in &self.roles {
            let sources = rules.sources(role, &profiles, &mut selection);
            snapshot.add_role(role, rules, &sources);
        }
        selection.check_pins(&snapshot.limits);
        Arc::make_mut(&mut snapshot.limits).nodes = self.compile_nodes(&mut selection);
        self.add_forbids(&mut snapshot, &mut selection);
        self.add_tools(&mut snapshot, &mut selection);
        Compiled {
            snapshot,
            problems: selection.problems,
            unmatched: selection.unmatched,
            matched: selection.matched,
            pending: selection.pending,
        }
    }

    /// Returns the profiles that the roles refer to, and those that the policy declares.
    fn used_profiles(&self, selection: &mut Selection<'_>) -> BTreeMap<ProfileName, Source> {
        let used = self.roles.values().flat_map(|role| &role.profiles);
        let used = used.map(|stated| &stated.value);
        let names: BTreeSet<_> = used.chain(self.profiles.keys()).collect();
        let mut profiles = BTreeMap::new();
        for name in names {
            let declared = self.profiles.get(name).cloned();
            if let Some(profile) = declared.or_else(|| built_in(name)) {
                let source = profile.compile(name, selection);
                profiles.insert(name.clone(), source);
            }
        }
        for stated in self.roles.values().flat_map(|role| &role.profiles) {
            if !profiles.contains_key(&stated.value) {
                let known = self.profiles.keys().map(ProfileName::as_str);
                let similar = most_similar(stated.value.as_str(), known.chain(BUILT_IN));
                selection.problems.push(PolicyProblem::UnknownProfile {
                    place: stated.place.clone(),
                    profile: stated.value.clone(),
                    similar: similar.map(str::to_owned),
                });
            }
        }
        profiles
    }

    fn compile_nodes(&self, selection: &mut Selection<'_>) -> BTreeMap<String, ToolRules> {
        let mut nodes = BTreeMap::new();
        for (node, rules) in &self.nodes {
            let mut compiled = BTreeMap::new();
            for rule in rules {
                let selected = selection.must_select(&rule.tools);
                selection.add_rule(rule, &selected, &mut compiled);
            }
            nodes.insert(node.clone(), compiled);
        }
        nodes
    }

    fn add_forbids(&self, snapshot: &mut Snapshot, selection: &mut Selection<'_>) {
        for forbid in &self.forbids {
            self.check_roles(forbid, selection);
            let compiled = forbid.compile(selection);
            if compiled.when.is_empty() {
                let offers = Arc::make_mut(&mut snapshot.offers);
                offers.withheld.push(compiled.withheld.clone());
            }
            Arc::make_mut(&mut snapshot.limits).forbids.push(compiled);
        }
    }

    fn check_roles(&self, forbid: &Forbid, selection: &mut Selection<'_>) {
        for role in &forbid.roles {
            if !self.roles.contains_key(&role.value) {
                let known = self.roles.keys().map(Role::as_str);
                let similar = most_similar(role.value.as_str(), known);
                selection.problems.push(PolicyProblem::UnknownRole {
                    place: role.place.clone(),
                    role: role.value.clone(),
                    similar: similar.map(str::to_owned),
                });
            }
        }
    }

    fn add_tools(&self, snapshot: &mut Snapshot, selection: &mut Selection<'_>) {
        let offers = Arc::make_mut(&mut snapshot.offers);
        let limits_by_tool = &mut Arc::make_mut(&mut snapshot.limits).tools;
        let enabled: BTreeSet<_> = (self.enable.iter())
            .flat_map(|stated| selection.select(stated))
            .map(|tool| &tool.spec.name)
            .collect();
        let disabled: BTreeSet<_> = (self.disable.iter())
            .flat_map(|stated| selection.switch_off(stated))
            .map(|tool| &tool.spec.name)
            .collect();
        for tool in selection.tools.here {
            let name = &tool.spec.name;
            let switch = if disabled.contains(name) {
                Switch::Disabled
            } else if tool.spec.enabled_by_default || enabled.contains(name) {
                Switch::On
            } else {
                Switch::Off
            };
            let sources = Vec::new();
            let offer = Offer { switch, sources };
            offers.tools.insert(name.clone(), offer);
            let limits = ToolLimits {
                approval_required: tool.spec.approval_required,
                writes: !tool.spec.hints.read_only,
                parameters: Arc::new(tool.parameters.clone()),
            };
            limits_by_tool.insert(name.clone(), limits);
        }
        for (id, tools) in selection.sources() {
            for tool in tools {
                if let Some(offer) = offers.tools.get_mut(tool) {
                    offer.sources.push(id);
                }
            }
        }
    }
}

/// Returns the names of tools.
fn names(tools: &[PolicyTool<'_>]) -> impl Iterator<Item = ToolName> {
    tools.iter().map(|tool| tool.spec.name.clone())
}

impl Snapshot {
    fn add_role(&mut self, role: &Role, rules: &RolePolicy, sources: &[Source]) {
        let granted = &mut Arc::make_mut(&mut self.offers).grants;
        let granted = granted.entry(role.clone()).or_default();
        granted.extend(sources.iter().map(|source| source.id));
        let scoped = &mut Arc::make_mut(&mut self.limits).scopes;
        let scoped = scoped.entry(role.clone()).or_default();
        scoped.extend(sources.iter().map(|source| Arc::clone(&source.scoped)));
        if let Some(account) = &rules.credentials {
            Arc::make_mut(&mut self.credentials).insert(role.clone(), account.clone());
        }
        if let Some(layers) = &rules.sandbox {
            Arc::make_mut(&mut self.sandbox).insert(role.clone(), layers.clone());
        }
    }
}

impl RolePolicy {
    /// Returns the sources of the role's grants, its own grants first.
    fn sources(
        &self,
        role: &Role,
        profiles_by_name: &BTreeMap<ProfileName, Source>,
        selection: &mut Selection<'_>,
    ) -> Vec<Source> {
        let owner = format!("roles.{role}");
        let mut own = BTreeSet::new();
        for stated in &self.grants {
            let selected = selection.select(stated);
            own.extend(names(&selection.accepted(&owner, stated, selected)));
        }
        let own = (!own.is_empty()).then(|| {
            let name = format!("`grant` of the role `{role}`");
            Source::new(name, own, ToolRules::new(), selection)
        });
        let profiles = self.profiles.iter();
        let profiles = profiles.filter_map(|stated| profiles_by_name.get(&stated.value).cloned());
        own.into_iter().chain(profiles).collect()
    }
}

impl Profile {
    fn compile(&self, name: &ProfileName, selection: &mut Selection<'_>) -> Source {
        let owner = format!("profiles.{name}");
        let mut tools = BTreeSet::new();
        for stated in &self.tools {
            let selected = selection.select_some(stated);
            tools.extend(names(&selection.accepted(&owner, stated, selected)));
        }
        let mut rules = BTreeMap::new();
        for rule in &self.scopes {
            let is_shared = self
                .tools
                .iter()
                .any(|stated| stated.value == rule.tools.value);
            let mut selected = if is_shared {
                selection.select_some(&rule.tools)
            } else {
                selection.must_select(&rule.tools)
            };
            selected.retain(|tool| tools.contains(&tool.spec.name));
            selection.add_rule(rule, &selected, &mut rules);
        }
        Source::new(format!("profile `{name}`"), tools, rules, selection)
    }
}

impl Forbid {
    fn compile(&self, selection: &mut Selection<'_>) -> CompiledForbid {
        let tools = selection.must_select(&self.tools);
        let arguments = self.when.keys().map(String::as_str);
        selection.check_arguments(arguments, &self.tools, &tools);
        CompiledForbid {
            withheld: Withheld {
                place: self.tools.place.clone(),
                tools: names(&tools).collect(),
                roles: self.roles.iter().map(|role| role.value.clone()).collect(),
            },
            when: (self.when.iter())
                .map(|(name, rule)| (name.clone(), CompiledRule::new(rule)))
                .collect(),
            reason: self.reason.clone(),
        }
    }
}
