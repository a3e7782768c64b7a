//! The reference model, random policies, and the same policies for the crate.

use std::collections::{BTreeMap, BTreeSet};

use rand::{RngExt, rngs::StdRng};
use serde_json::{Map, Value, json};
use toolwright_model::{Method, Role, ToolName, ToolSpec};
use toolwright_policy::{
    ArgumentRule, Call, Forbid, ParameterCheck, Policy, PolicyTool, Profile, Request, RolePolicy,
    Scope, ScopeParameter, ScopeParameters, ScopeRule, Snapshot, Stated, Target, Template, Tools,
    ValueTemplate, Variables,
};

const TOOLS: usize = 6;
const ROLES: usize = 3;
const PROFILES: usize = 3;
const WORDS: [&str; 3] = ["x", "y", "z"];
const METHODS: [Method; 3] = [Method::Get, Method::Post, Method::Delete];
const WORKSPACES: [&str; 3] = ["north", "south", "west"];
const URLS: [&str; 3] = ["https://a/one/", "https://a/two/", "https://b/"];

/// Limits of the calls of one tool, as sets of indices. `None` limits nothing.
#[derive(Clone, Debug, Default)]
struct Limit {
    words: Option<BTreeSet<usize>>,
    methods: Option<BTreeSet<usize>>,
    urls: Option<BTreeSet<usize>>,
    workspaces: Option<BTreeSet<usize>>,
    branch: Option<usize>,
}

/// The tools of a profile, with the limits of each.
type Granted = BTreeMap<usize, Vec<Limit>>;

/// An operator's policy, as sets of indices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    on_by_default: BTreeSet<usize>,
    needs_approval: BTreeSet<usize>,
    /// The tools with a required scope parameter.
    needs_branch: BTreeSet<usize>,
    enable: BTreeSet<usize>,
    disable: BTreeSet<usize>,
    overrides: BTreeMap<usize, bool>,
    profiles: Vec<Granted>,
    /// The own grants and the profiles of each role.
    roles: Vec<(BTreeSet<usize>, BTreeSet<usize>)>,
    node: Granted,
    /// Tool, role, and word.
    forbids: Vec<(usize, Option<usize>, Option<usize>)>,
}

#[derive(Clone, Debug)]
pub(crate) struct Question {
    role: usize,
    tool: usize,
    word: Option<usize>,
    branch: usize,
    method: usize,
    url: usize,
    /// None for a service without workspaces.
    workspace: Option<usize>,
    name: String,
    role_name: Role,
    pub(crate) node: Option<&'static str>,
    pub(crate) allow_list: Option<BTreeSet<String>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Deny,
    Allow,
    Wait,
}

// The reference: a policy in the words of its documentation.
impl Model {
    pub(crate) fn decide(&self, call: &Question) -> Answer {
        let allowed = self.is_on(call.tool)
            && call
                .allow_list
                .as_ref()
                .is_none_or(|list| list.contains(&call.name))
            && !self
                .forbids
                .iter()
                .any(|forbid| matches_forbid(forbid, call))
            && (call.node.is_none() || fits(self.node.get(&call.tool), call))
            && self.is_granted(call);
        match allowed {
            false => Answer::Deny,
            true if !self.needs_approval.contains(&call.tool) => Answer::Allow,
            true => Answer::Wait,
        }
    }

    fn is_on(&self, tool: usize) -> bool {
        let default = self.on_by_default.contains(&tool) || self.enable.contains(&tool);
        !self.disable.contains(&tool) && *self.overrides.get(&tool).unwrap_or(&default)
    }

    fn is_granted(&self, call: &Question) -> bool {
        let Some((own, profiles)) = self.roles.get(call.role) else {
            return false;
        };
        let by_profile = profiles.iter().any(|profile| {
            let limits = self.profiles[*profile].get(&call.tool);
            let sets_branch = limits
                .into_iter()
                .flatten()
                .any(|limit| limit.branch.is_some());
            limits.is_some()
                && fits(limits, call)
                && (sets_branch || !self.needs_branch.contains(&call.tool))
        });
        by_profile || (own.contains(&call.tool) && !self.needs_branch.contains(&call.tool))
    }
}

fn matches_forbid(
    (tool, role, word): &(usize, Option<usize>, Option<usize>),
    call: &Question,
) -> bool {
    *tool == call.tool
        && role.is_none_or(|role| role == call.role)
        && word.is_none_or(|word| call.word == Some(word))
}

fn fits(limits: Option<&Vec<Limit>>, call: &Question) -> bool {
    limits.into_iter().flatten().all(|limit| {
        let word = |words: &BTreeSet<usize>| call.word.is_some_and(|word| words.contains(&word));
        limit.words.as_ref().is_none_or(word)
            && limit
                .methods
                .as_ref()
                .is_none_or(|methods| methods.contains(&call.method))
            && limit
                .urls
                .as_ref()
                .is_none_or(|urls| urls.contains(&call.url))
            && limit.workspaces.as_ref().is_none_or(|allowed| {
                call.workspace
                    .is_some_and(|workspace| allowed.contains(&workspace))
            })
            && limit.branch.is_none_or(|branch| branch == call.branch)
    })
}
// End of the reference.

fn some(random: &mut StdRng, among: usize) -> BTreeSet<usize> {
    (0..among).filter(|_| random.random()).collect()
}

fn maybe<T>(random: &mut StdRng, make: impl FnOnce(&mut StdRng) -> T) -> Option<T> {
    random.random_ratio(1, 3).then(|| make(random))
}

fn below(random: &mut StdRng, limit: usize) -> usize {
    random.random_range(0..limit)
}

impl Limit {
    fn random(random: &mut StdRng, has_branch: bool) -> Self {
        Self {
            words: maybe(random, |random| some(random, WORDS.len())),
            methods: maybe(random, |random| some(random, METHODS.len())),
            urls: maybe(random, |random| some(random, URLS.len())),
            workspaces: maybe(random, |random| some(random, WORKSPACES.len())),
            branch: if has_branch {
                random
                    .random_ratio(2, 3)
                    .then(|| below(random, WORDS.len()))
            } else {
                None
            },
        }
    }

    fn scope(&self) -> Scope {
        let words = self.words.as_ref().map(|words| {
            let words = words
                .iter()
                .map(|word| ValueTemplate::Text(Template::new(WORDS[*word])));
            let rule = ArgumentRule {
                values: Some(words.collect()),
                ..ArgumentRule::default()
            };
            ("word".to_owned(), rule)
        });
        let own = self.branch.map(|branch| {
            let pattern = vec![Template::new(WORDS[branch])];
            ("branch_pattern".to_owned(), Stated::new(pattern, "test"))
        });
        let methods = self.methods.as_ref();
        let urls = self.urls.as_ref();
        let workspaces = self.workspaces.as_ref();
        Scope {
            arguments: words.into_iter().collect(),
            own: own.into_iter().collect(),
            allowed_methods: methods.map(|set| set.iter().map(|index| METHODS[*index]).collect()),
            allowed_urls: urls.map(|set| set.iter().map(|url| Template::new(URLS[*url])).collect()),
            allowed_workspaces: workspaces.map(|set| {
                set.iter()
                    .map(|index| Template::new(WORKSPACES[*index]))
                    .collect()
            }),
            ..Scope::default()
        }
    }
}

impl Model {
    pub(crate) fn random(random: &mut StdRng) -> Self {
        let needs_branch = some(random, 2);
        let granted = |random: &mut StdRng| -> Granted {
            let tools = some(random, TOOLS);
            let limits = tools.into_iter().map(|tool| {
                let number = below(random, 3);
                let has_branch = needs_branch.contains(&tool);
                let limits = (0..number).map(|_| Limit::random(random, has_branch));
                (tool, limits.collect())
            });
            limits.collect()
        };
        let mut profiles: Vec<Granted> = (0..PROFILES).map(|_| granted(random)).collect();
        let node = granted(random);
        profiles.shrink_to_fit();
        let forbids = (0..below(random, 3)).map(|_| {
            let (role, word) = (
                maybe(random, |r| below(r, ROLES)),
                random.random_ratio(2, 3),
            );
            let word = word.then(|| below(random, WORDS.len()));
            (below(random, TOOLS), role, word)
        });
        let forbids = forbids.collect();
        let overrides = (0..below(random, 3)).map(|_| (below(random, TOOLS), random.random()));
        let overrides = overrides.collect();
        let few = some(random, 3);
        Self {
            on_by_default: some(random, TOOLS),
            needs_approval: some(random, TOOLS),
            enable: some(random, TOOLS),
            disable: few
                .into_iter()
                .filter(|_| random.random_ratio(1, 4))
                .collect(),
            roles: (0..ROLES)
                .map(|_| (some(random, TOOLS), some(random, PROFILES)))
                .collect(),
            overrides,
            profiles,
            needs_branch,
            node,
            forbids,
        }
    }

    /// Adds a grant: a tool to a role, a profile to a role, or a tool to a profile.
    pub(crate) fn grant_more(&mut self, random: &mut StdRng) {
        let (role, tool) = (below(random, ROLES), below(random, TOOLS));
        let profile = below(random, PROFILES);
        match below(random, 3) {
            0 => drop(self.roles[role].0.insert(tool)),
            1 => drop(self.roles[role].1.insert(profile)),
            _ => drop(self.profiles[profile].entry(tool).or_default()),
        }
    }

    pub(crate) fn compile(&self) -> Snapshot {
        let specs: Vec<ToolSpec> = (0..TOOLS).map(|tool| self.spec(tool)).collect();
        let parameters: Vec<_> = (0..TOOLS).map(|tool| self.parameters(tool)).collect();
        let here: Vec<_> = specs
            .iter()
            .zip(&parameters)
            .map(|(spec, parameters)| PolicyTool { spec, parameters })
            .collect();
        let compiled = self.policy().compile(Tools {
            here: &here,
            ..Tools::default()
        });
        assert_eq!(compiled.problems, []);
        let overrides = self.overrides.iter().map(|(tool, enabled)| {
            let decided = *enabled;
            (tool_name(*tool), decided)
        });
        compiled.snapshot.with_overrides(overrides.collect())
    }

    fn policy(&self) -> Policy {
        let select = |tools: &BTreeSet<usize>| tools.iter().map(|tool| selector(*tool)).collect();
        let profiles = self.profiles.iter().enumerate().map(|(index, granted)| {
            let profile = Profile {
                tools: granted.keys().map(|tool| selector(*tool)).collect(),
                scopes: rules(granted),
            };
            (format!("p{index}").parse().unwrap(), profile)
        });
        let roles = self
            .roles
            .iter()
            .enumerate()
            .map(|(index, (own, profiles))| {
                let profiles = profiles.iter();
                let profiles = profiles
                    .map(|profile| Stated::new(format!("p{profile}").parse().unwrap(), "test"));
                let role = RolePolicy {
                    grants: select(own),
                    profiles: profiles.collect(),
                    ..RolePolicy::default()
                };
                (role_name(index), role)
            });
        let forbids = self.forbids.iter().map(|(tool, role, word)| Forbid {
            tools: selector(*tool),
            roles: role
                .map(|role| Stated::new(role_name(role), "test"))
                .into_iter()
                .collect(),
            when: word.map(equal_to).into_iter().collect(),
            reason: None,
        });
        Policy {
            roles: roles.collect(),
            profiles: profiles.collect(),
            nodes: BTreeMap::from([("node".to_owned(), rules(&self.node))]),
            forbids: forbids.collect(),
            enable: select(&self.enable),
            disable: select(&self.disable),
        }
    }

    fn parameters(&self, tool: usize) -> ScopeParameters {
        let parameter = ScopeParameter::required(ParameterCheck::Pattern, "branch");
        let needed = self.needs_branch.contains(&tool);
        let parameters = needed.then(|| ("branch_pattern".to_owned(), parameter));
        parameters.into_iter().collect()
    }

    fn spec(&self, tool: usize) -> ToolSpec {
        serde_json::from_value(json!({
            "name": tool_name(tool), "service": "test", "title": "t", "short": "t",
            "description": "t", "section": "t", "category": "execute", "effect": "action",
            "approval_required": self.needs_approval.contains(&tool),
            "hints": {"readOnlyHint": false, "destructiveHint": false, "idempotentHint": false,
                      "openWorldHint": false},
            "enabled_by_default": self.on_by_default.contains(&tool),
            "input_schema": {"type": "object", "properties": {"word": {}, "branch": {}}},
            "binding": "native", "origin": {"document": "t", "pointer": "/"}, "evidence": [],
        }))
        .unwrap()
    }
}

fn rules(granted: &Granted) -> Vec<ScopeRule> {
    let rules = granted.iter().flat_map(|(tool, limits)| {
        limits.iter().map(|limit| ScopeRule {
            tools: selector(*tool),
            scope: limit.scope(),
        })
    });
    rules.collect()
}

fn equal_to(word: usize) -> (String, ArgumentRule) {
    let value = ValueTemplate::Other(Value::from(WORDS[word]));
    let rule = ArgumentRule {
        values: Some(vec![value]),
        ..ArgumentRule::default()
    };
    ("word".to_owned(), rule)
}

fn tool_name(tool: usize) -> ToolName {
    ToolName::new(format!("tool-{tool}")).unwrap()
}

fn role_name(role: usize) -> Role {
    Role::new(format!("role-{role}")).unwrap()
}

fn selector(tool: usize) -> Stated<toolwright_policy::Selector> {
    Stated::new(tool_name(tool).as_str().parse().unwrap(), "test")
}

impl Question {
    pub(crate) fn random(random: &mut StdRng) -> Self {
        // One role and one tool more than there are.
        let (role, tool) = (below(random, ROLES + 1), below(random, TOOLS + 1));
        let names = some(random, TOOLS)
            .into_iter()
            .map(|tool| tool_name(tool).to_string());
        Self {
            role,
            tool,
            word: random
                .random_ratio(5, 6)
                .then(|| below(random, WORDS.len())),
            branch: below(random, WORDS.len()),
            method: below(random, METHODS.len()),
            url: below(random, URLS.len()),
            workspace: random
                .random_ratio(5, 6)
                .then(|| below(random, WORKSPACES.len())),
            name: tool_name(tool).to_string(),
            role_name: role_name(role),
            node: maybe(random, |_| "node"),
            allow_list: random.random_ratio(1, 4).then(|| names.collect()),
        }
    }

    pub(crate) fn arguments(&self) -> Map<String, Value> {
        let word = self
            .word
            .map(|word| ("word".to_owned(), json!(WORDS[word])));
        let branch = [("branch".to_owned(), json!(WORDS[self.branch]))];
        word.into_iter().chain(branch).collect()
    }

    pub(crate) fn request<'a>(
        &'a self,
        arguments: &'a Map<String, Value>,
        variables: &'a Variables,
        exhausted: &'a BTreeSet<String>,
    ) -> Request<'a> {
        Request {
            role: &self.role_name,
            tool: &self.name,
            node: self.node,
            allow_list: self.allow_list.as_ref(),
            variables,
            exhausted,
            call: Some(Call {
                arguments,
                target: Some(Target {
                    method: METHODS[self.method],
                    url: URLS[self.url],
                }),
                workspace: self.workspace.map(|index| WORKSPACES[index]),
            }),
        }
    }
}
