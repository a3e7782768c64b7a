//! The matches of selectors among the tools of a registry.

use std::collections::{BTreeMap, BTreeSet};

use toolwright_model::{Role, ServiceName, ToolName, ToolSpec, most_similar};

use super::RegistryProblem;
use crate::{
    config::{Placed, ServiceConfig},
    selector::Selector,
};

/// A selector as written, with its place.
#[derive(Clone)]
pub(super) struct Stated {
    selector: String,
    place: String,
    /// True if it comes from the operator's configuration, which serves all programs of a
    /// workspace.
    is_configured: bool,
}

/// Selects tools, and collects the problems of selectors.
pub(super) struct Selection<'a> {
    specs: &'a [&'a ToolSpec],
    /// Tools of the workspace that are not in this registry.
    elsewhere: &'a [ToolSpec],
    /// True if the configuration may mention tools that are not in this registry.
    partial: bool,
    /// Faults.
    pub(super) problems: Vec<RegistryProblem>,
    /// Selectors and services of the configuration that match nothing in a partial registry.
    pub(super) unmatched: Vec<RegistryProblem>,
}

impl Stated {
    pub(super) fn new(selector: &str, place: impl Into<String>) -> Self {
        Self {
            selector: selector.to_owned(),
            place: place.into(),
            is_configured: false,
        }
    }
}

impl From<&Placed<Selector>> for Stated {
    fn from(placed: &Placed<Selector>) -> Self {
        Self {
            selector: placed.value.to_string(),
            place: placed.place.to_string(),
            is_configured: true,
        }
    }
}

impl<'a> Selection<'a> {
    pub(super) const fn new(
        specs: &'a [&'a ToolSpec],
        elsewhere: &'a [ToolSpec],
        partial: bool,
    ) -> Self {
        Self {
            specs,
            elsewhere,
            partial,
            problems: Vec::new(),
            unmatched: Vec::new(),
        }
    }

    /// Returns the tools that each role is granted. A role without a selector is declared only.
    pub(super) fn grants(
        &mut self,
        stated: &[(String, Option<Stated>)],
    ) -> BTreeMap<Role, BTreeSet<ToolName>> {
        let mut grants: BTreeMap<Role, BTreeSet<ToolName>> = BTreeMap::new();
        for (role, selector) in stated {
            let selected = selector
                .as_ref()
                .map(|stated| self.select(stated, self.tolerates(stated)));
            match Role::new(role) {
                Ok(role) => grants
                    .entry(role)
                    .or_default()
                    .extend(selected.into_iter().flatten()),
                Err(error) => self.problems.push(RegistryProblem::Role {
                    message: error.to_string(),
                }),
            }
        }
        grants
    }

    /// Returns the tools that any of the selectors selects.
    pub(super) fn any_of(&mut self, stated: impl Iterator<Item = Stated>) -> BTreeSet<ToolName> {
        stated
            .flat_map(|stated| self.select(&stated, self.tolerates(&stated)))
            .collect()
    }

    /// Returns the tools that any of the selectors switches off. A slip here would leave a tool on,
    /// so a selector that selects no tool of the workspace is always a fault.
    pub(super) fn none_of(&mut self, stated: impl Iterator<Item = Stated>) -> BTreeSet<ToolName> {
        let mut disabled = BTreeSet::new();
        for stated in stated {
            let faults = self.problems.len();
            let selected = self.select(&stated, false);
            if selected.is_empty() && self.problems.len() == faults {
                self.unmatched.push(RegistryProblem::DisablesElsewhere {
                    place: stated.place,
                    selector: stated.selector,
                });
            }
            disabled.extend(selected);
        }
        disabled
    }

    /// Checks that there is a tool of each service.
    pub(super) fn check_services(
        &mut self,
        services: &BTreeMap<ServiceName, (ServiceConfig, String)>,
    ) {
        let elsewhere = self.elsewhere.iter();
        let known: Vec<&str> = (self.specs.iter().copied())
            .chain(elsewhere)
            .map(|spec| spec.service.as_str())
            .collect();
        for (service, (_, place)) in services {
            if known.contains(&service.as_str()) {
                continue;
            }
            let similar = most_similar(service.as_str(), known.iter().copied());
            let problem = RegistryProblem::UnknownService {
                place: place.clone(),
                service: service.clone(),
                similar: similar.map(str::to_owned),
            };
            if self.partial {
                self.unmatched.push(problem);
            } else {
                self.problems.push(problem);
            }
        }
    }

    const fn tolerates(&self, stated: &Stated) -> bool {
        self.partial && stated.is_configured
    }

    fn select(&mut self, stated: &Stated, may_be_empty: bool) -> Vec<ToolName> {
        let place = stated.place.clone();
        let selector: Selector = match stated.selector.parse() {
            Ok(selector) => selector,
            Err(error) => {
                let message = error.to_string();
                self.problems
                    .push(RegistryProblem::Selector { place, message });
                return Vec::new();
            }
        };
        let specs = self.specs.iter().copied();
        let selected = specs.clone().filter(|spec| selector.selects(spec));
        let selected: Vec<_> = selected.map(|spec| spec.name.clone()).collect();
        let selects_elsewhere = || self.elsewhere.iter().any(|spec| selector.selects(spec));
        if selected.is_empty() && !selects_elsewhere() {
            let problem = RegistryProblem::SelectsNothing {
                place,
                selector: stated.selector.clone(),
                message: selector.why_nothing(specs.chain(self.elsewhere)),
            };
            if may_be_empty {
                self.unmatched.push(problem);
            } else {
                self.problems.push(problem);
            }
        }
        selected
    }
}
