//! The policy: the statements of the program and of the configuration, compiled for the tools of a
//! registry. It can change while a program runs.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use jiff::SignedDuration;
use toolwright_model::{ProfileName, Role, ServiceName, ToolSpec, most_similar};
use toolwright_policy::{
    BUILT_IN, Compiled, Pending, PolicyLock, PolicyProblem, PolicyTool, RolePolicy, Stated, Tools,
};

use super::RegistryProblem;
use crate::{
    approval::ArgumentPointer,
    boundary::{core::Policy, workspaces::ARGUMENT},
    config::{Config, Workspaces},
    discovery::DEFAULT_THRESHOLD,
};

/// The default time for which a call waits for a person.
const APPROVAL_LIFETIME: Duration = Duration::from_mins(15);

/// The program's own statements. The configuration adds to them.
#[derive(Default)]
pub(super) struct Statements {
    pub(super) policy: toolwright_policy::Policy,
    /// True if the nodes of a pipeline are roles with the built-in profiles.
    pub(super) pipeline: bool,
    pub(super) services: BTreeMap<ServiceName, (Workspaces, String)>,
    pub(super) approval_lifetime: Option<Duration>,
    pub(super) mask: Vec<ArgumentPointer>,
    /// Tools of the workspace that the registry leaves out.
    pub(super) elsewhere: Vec<ToolSpec>,
    /// True if the configuration may mention tools that are not here.
    pub(super) partial: bool,
}

/// A policy, and the faults of the statements that it was compiled from.
pub(super) struct CompiledPolicy {
    pub(super) policy: Policy,
    /// Faults.
    pub(super) problems: Vec<RegistryProblem>,
    pub(super) findings: Findings,
}

/// What the compilation of a policy found, apart from faults.
#[derive(Clone, Debug, Default)]
pub(super) struct Findings {
    /// Parts of the configuration that match nothing, which is no fault.
    pub(super) unmatched: Vec<RegistryProblem>,
    /// The tools that each selector of the configuration matches.
    pub(super) matched: PolicyLock,
    /// The tools among them that no person has accepted.
    pub(super) pending: Vec<Pending>,
}

impl Statements {
    /// Compiles the program's statements and a configuration into a policy for these tools, with
    /// everything that is wrong.
    pub(super) fn compile(
        &self,
        config: Option<&Config>,
        tools: &[PolicyTool<'_>],
    ) -> CompiledPolicy {
        let Compiled {
            snapshot,
            problems,
            unmatched,
            matched,
            pending,
        } = self.combined(config).compile(Tools {
            here: tools,
            elsewhere: &self.elsewhere,
            partial: self.partial,
            lock: config.and_then(|config| config.policy_lock.as_ref()),
        });
        let mut problems: Vec<_> = problems.into_iter().map(RegistryProblem::from).collect();
        let mut unmatched: Vec<_> = unmatched.into_iter().map(RegistryProblem::from).collect();
        let services = self.services(config);
        let unknown = self.unknown_services(&services, tools, config);
        problems.extend(own_arguments(&services, tools));
        if self.partial {
            unmatched.extend(unknown);
        } else {
            problems.extend(unknown);
        }
        let policy = Policy {
            tools: Arc::default(),
            snapshot,
            overrides: Arc::default(),
            switches: Arc::default(),
            violations: config.map(|config| config.violations).unwrap_or_default(),
            services: services
                .into_iter()
                .map(|(name, (config, _))| (name, config))
                .collect(),
            approval_lifetime: self.lifetime(config),
            mask: self.mask(config),
            approvers: config.map_or_else(Vec::new, |config| config.approvals.approvers.clone()),
            four_eyes: config.is_some_and(|config| config.approvals.four_eyes),
            notify: config
                .map(|config| config.approvals.notify.clone())
                .unwrap_or_default(),
            discovery_threshold: config
                .map_or(Some(DEFAULT_THRESHOLD), |config| config.discovery.threshold),
            alerts: config.map_or_else(Vec::new, |config| config.alerts.clone()),
            versions: Arc::default(),
        };
        CompiledPolicy {
            policy,
            problems,
            findings: Findings {
                unmatched,
                matched,
                pending,
            },
        }
    }

    /// Returns the policy of the program and the configuration together.
    fn combined(&self, config: Option<&Config>) -> toolwright_policy::Policy {
        let mut policy = self.policy.clone();
        if let Some(config) = config {
            policy = policy.combined_with(&config.policy);
        }
        if self.pipeline {
            for name in BUILT_IN {
                let (Ok(role), Ok(profile)) = (Role::new(name), ProfileName::new(name)) else {
                    continue;
                };
                policy.roles.entry(role).or_insert_with(|| RolePolicy {
                    profiles: vec![Stated::new(profile, "the nodes of the pipeline")],
                    ..RolePolicy::default()
                });
            }
        }
        policy
    }

    /// Returns a problem for each service that has no tools and signs nobody in.
    fn unknown_services(
        &self,
        services: &BTreeMap<ServiceName, (Workspaces, String)>,
        tools: &[PolicyTool<'_>],
        config: Option<&Config>,
    ) -> Vec<RegistryProblem> {
        let here = tools.iter().map(|tool| tool.spec);
        let of_tools = here.chain(&self.elsewhere).map(|spec| &spec.service);
        // The provider of the console has credentials and no tools.
        let provider = config.and_then(|config| config.console.openid.as_ref());
        let known: Vec<&str> = of_tools
            .chain(provider.map(|provider| &provider.service))
            .map(ServiceName::as_str)
            .collect();
        let unknown = services.iter();
        let unknown = unknown.filter(|(service, _)| !known.contains(&service.as_str()));
        let problems = unknown.map(|(service, (_, place))| {
            let similar = most_similar(service.as_str(), known.iter().copied());
            RegistryProblem::UnknownService {
                place: place.clone(),
                service: service.clone(),
                similar: similar.map(str::to_owned),
            }
        });
        problems.collect()
    }

    fn services(&self, config: Option<&Config>) -> BTreeMap<ServiceName, (Workspaces, String)> {
        let mut services = self.services.clone();
        for (name, service) in config.iter().flat_map(|config| &config.services) {
            let stated = || (service.value.clone(), service.place.to_string());
            services.entry(name.clone()).or_insert_with(stated);
        }
        services
    }

    fn mask(&self, config: Option<&Config>) -> Vec<ArgumentPointer> {
        let configured = config.iter().flat_map(|config| &config.approvals.mask);
        let configured = configured.map(|pointer| pointer.value.clone());
        self.mask.iter().cloned().chain(configured).collect()
    }

    fn lifetime(&self, config: Option<&Config>) -> SignedDuration {
        let configured = config.map(|config| config.approvals.lifetime);
        let lifetime = self
            .approval_lifetime
            .or(configured)
            .unwrap_or(APPROVAL_LIFETIME);
        SignedDuration::try_from(lifetime).unwrap_or(SignedDuration::MAX)
    }
}

/// Returns a problem for each tool with an argument of the name that chooses a workspace.
fn own_arguments(
    services: &BTreeMap<ServiceName, (Workspaces, String)>,
    tools: &[PolicyTool<'_>],
) -> Vec<RegistryProblem> {
    let problems = tools.iter().filter_map(|tool| {
        let (workspaces, place) = services.get(&tool.spec.service)?;
        let properties = tool.spec.input_schema.whole().get("properties")?;
        let conflicts = !workspaces.named.is_empty() && properties.get(ARGUMENT).is_some();
        conflicts.then(|| RegistryProblem::WorkspaceArgument {
            place: place.clone(),
            tool: tool.spec.name.clone(),
        })
    });
    problems.collect()
}

impl From<PolicyProblem> for RegistryProblem {
    fn from(problem: PolicyProblem) -> Self {
        Self::Policy(problem)
    }
}
