//! A policy as it is written: in `toolwright.toml`, or in code.

use std::collections::{BTreeMap, BTreeSet};

use toolwright_model::{AccountName, Method, ProfileName, Role, SandboxLayer};

use crate::{
    condition::{ArgumentRule, ValueTemplate},
    rate::Rate,
    selector::Selector,
    variable::Template,
};

/// The policy of a program or a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// The roles.
    pub roles: BTreeMap<Role, RolePolicy>,
    /// The profiles, which roles share. They precede the built-in ones of the same names.
    pub profiles: BTreeMap<ProfileName, Profile>,
    /// The overrides of the nodes of a pipeline. They narrow scopes, and grant nothing.
    pub nodes: BTreeMap<String, Vec<ScopeRule>>,
    /// What no grant allows.
    pub forbids: Vec<Forbid>,
    /// The tools that are on although they are off by default.
    pub enable: Vec<Stated<Selector>>,
    /// The tools that are off.
    pub disable: Vec<Stated<Selector>>,
}

/// A part of a policy, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated<T> {
    /// The part.
    pub value: T,
    /// The place in a file, or the purpose of the part.
    pub place: String,
    /// True if it comes from the operator's configuration, which serves all programs of a
    /// workspace.
    pub is_configured: bool,
}

/// A role: its profiles, and the tools that it is granted without limits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RolePolicy {
    /// The tools that the role is granted without limits.
    pub grants: Vec<Stated<Selector>>,
    /// The profiles of the role.
    pub profiles: Vec<Stated<ProfileName>>,
    /// The account whose credentials the role's calls use. The default is the administrator's.
    pub credentials: Option<AccountName>,
    /// The layers of the sandbox that calls which write or run something require. The default is all.
    pub sandbox: Option<BTreeSet<SandboxLayer>>,
}

/// A set of tools with the limits of their calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// The tools.
    pub tools: Vec<Stated<Selector>>,
    /// The limits of calls. A call must fit each rule for its tool.
    pub scopes: Vec<ScopeRule>,
}

/// Limits of the calls of some tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeRule {
    /// The tools that it is for.
    pub tools: Stated<Selector>,
    /// The limits.
    pub scope: Scope,
}

/// The values of scope parameters. An absent one limits nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The origins, with the paths, that a request may go to.
    pub allowed_urls: Option<Vec<Template>>,
    /// The methods of requests.
    pub allowed_methods: Option<BTreeSet<Method>>,
    /// The names of the workspaces of the service that calls may be for.
    pub allowed_workspaces: Option<Vec<Template>>,
    /// The arguments that the operator sets.
    pub pinned: BTreeMap<String, ValueTemplate>,
    /// The conditions on arguments, by their names or their JSON Pointers.
    pub arguments: BTreeMap<String, ArgumentRule>,
    /// The rate of calls.
    pub rate: Option<Rate>,
    /// The longest answer, in bytes, also of one that is saved as a file. A longer one is an error.
    pub max_response_bytes: Option<u64>,
    /// The parameters that tools declare for themselves.
    pub own: BTreeMap<String, Stated<Vec<Template>>>,
}

/// Calls that no grant allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forbid {
    /// The tools.
    pub tools: Stated<Selector>,
    /// The roles; all if there are none.
    pub roles: Vec<Stated<Role>>,
    /// The conditions on arguments that must all be met. Without any, the tool is not offered.
    pub when: BTreeMap<String, ArgumentRule>,
    /// The reason, for the operator.
    pub reason: Option<String>,
}

impl<T> Stated<T> {
    /// States a part of a policy in code.
    #[must_use]
    pub fn new(value: T, place: impl Into<String>) -> Self {
        Self {
            value,
            place: place.into(),
            is_configured: false,
        }
    }

    /// States a part of a policy in a file.
    #[must_use]
    pub fn configured(value: T, place: impl Into<String>) -> Self {
        Self {
            is_configured: true,
            ..Self::new(value, place)
        }
    }
}

impl Policy {
    /// Adds another policy to this one. Grants, overrides and limits are combined; a profile of
    /// this policy precedes one of the same name.
    #[must_use]
    pub fn combined_with(mut self, other: &Self) -> Self {
        for (role, rules) in &other.roles {
            let own = self.roles.entry(role.clone()).or_default();
            own.grants.extend(rules.grants.iter().cloned());
            own.profiles.extend(rules.profiles.iter().cloned());
            own.credentials = own.credentials.take().or_else(|| rules.credentials.clone());
            if let Some(layers) = &rules.sandbox {
                own.sandbox.get_or_insert_default().extend(layers);
            }
        }
        for (name, profile) in &other.profiles {
            let own = self.profiles.entry(name.clone());
            own.or_insert_with(|| profile.clone());
        }
        for (node, rules) in &other.nodes {
            let own = self.nodes.entry(node.clone()).or_default();
            own.extend(rules.iter().cloned());
        }
        self.forbids.extend(other.forbids.iter().cloned());
        self.enable.extend(other.enable.iter().cloned());
        self.disable.extend(other.disable.iter().cloned());
        self
    }

    /// Grants a role the tools that a selector selects, without limits.
    pub fn grant(&mut self, role: Role, selector: Stated<Selector>) {
        self.roles.entry(role).or_default().grants.push(selector);
    }
}

impl Scope {
    /// Returns the templates of the scope.
    pub(crate) fn templates(&self) -> impl Iterator<Item = &Template> {
        let values = self
            .arguments
            .values()
            .filter_map(|rule| rule.values.as_ref());
        let values = values.flatten().chain(self.pinned.values());
        let texts = values.filter_map(|value| match value {
            ValueTemplate::Text(template) => Some(template),
            ValueTemplate::Other(_) => None,
        });
        let patterns = self
            .arguments
            .values()
            .filter_map(|rule| rule.pattern.as_ref());
        let own = self.own.values().flat_map(|stated| &stated.value);
        let urls = self.allowed_urls.iter().flatten();
        let workspaces = self.allowed_workspaces.iter().flatten();
        urls.chain(workspaces)
            .chain(texts)
            .chain(patterns)
            .chain(own)
    }
}
