//! The policy: the grants of roles, and the enabled tools. It can change while a program runs.

use std::{collections::BTreeMap, time::Duration};

use jiff::SignedDuration;
use toolwright_model::{ServiceName, ToolSpec};

use super::{
    RegistryProblem,
    selection::{Selection, Stated},
};
use crate::{
    approval::ArgumentPointer,
    boundary::core::Policy,
    config::{Config, ServiceConfig},
};

/// The default time for which a call waits for a person.
const APPROVAL_LIFETIME: Duration = Duration::from_mins(15);

/// The program's own statements. The configuration adds to them.
#[derive(Default)]
pub(super) struct Statements {
    pub(super) grants: Vec<(String, Option<Stated>)>,
    pub(super) enable: Vec<Stated>,
    pub(super) disable: Vec<Stated>,
    pub(super) services: BTreeMap<ServiceName, (ServiceConfig, String)>,
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
    /// Selectors and services of the configuration that match nothing in a partial registry.
    pub(super) unmatched: Vec<RegistryProblem>,
}

impl Statements {
    /// Compiles the program's statements and a configuration into a policy for these tools, with
    /// everything that is wrong.
    pub(super) fn compile(&self, config: Option<&Config>, specs: &[&ToolSpec]) -> CompiledPolicy {
        let mut selection = Selection::new(specs, &self.elsewhere, self.partial);
        let grants = config.into_iter().flat_map(configured_grants);
        let grants: Vec<_> = self.grants.iter().cloned().chain(grants).collect();
        let grants = selection.grants(&grants);
        let configured = config.map(|config| config.enable.iter().map(Stated::from));
        let enable = self.enable.iter().cloned();
        let enabled = selection.any_of(enable.chain(configured.into_iter().flatten()));
        let configured = config.map(|config| config.disable.iter().map(Stated::from));
        let disable = self.disable.iter().cloned();
        let disabled = selection.none_of(disable.chain(configured.into_iter().flatten()));
        let services = self.services(config);
        selection.check_services(&services);
        let on = |spec: &&&ToolSpec| {
            (spec.enabled_by_default || enabled.contains(&spec.name))
                && !disabled.contains(&spec.name)
        };
        let policy = Policy {
            grants,
            enabled: specs
                .iter()
                .filter(on)
                .map(|spec| spec.name.clone())
                .collect(),
            disabled,
            services: services
                .into_iter()
                .map(|(name, (config, _))| (name, config))
                .collect(),
            approval_lifetime: self.lifetime(config),
            mask: self.mask(config),
            approvers: config.map_or_else(Vec::new, |config| config.approvals.approvers.clone()),
            four_eyes: config.is_some_and(|config| config.approvals.four_eyes),
        };
        CompiledPolicy {
            policy,
            problems: selection.problems,
            unmatched: selection.unmatched,
        }
    }

    fn services(&self, config: Option<&Config>) -> BTreeMap<ServiceName, (ServiceConfig, String)> {
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

/// The grants of a configuration. A role without a grant is declared all the same.
fn configured_grants(config: &Config) -> impl Iterator<Item = (String, Option<Stated>)> {
    config.roles.iter().flat_map(|(role, grants)| {
        let declared = (role.to_string(), None);
        let grants = grants
            .iter()
            .map(|grant| (role.to_string(), Some(grant.into())));
        std::iter::once(declared).chain(grants)
    })
}
