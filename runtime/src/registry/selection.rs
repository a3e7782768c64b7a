//! What selectors select among the tools of a registry.

use std::collections::{BTreeMap, BTreeSet};

use toolwright_model::{Role, ServiceName, ToolName, ToolSpec, most_similar};

use super::RegistryProblem;
use crate::{
    config::{Placed, ServiceConfig},
    selector::Selector,
};

/// A selector as it was given, and where.
pub(super) struct Stated {
    pub(super) selector: String,
    pub(super) place: String,
}

/// Selects tools, and collects what is wrong with selectors.
pub(super) struct Selection<'a> {
    specs: &'a [&'a ToolSpec],
    /// What can never be right.
    pub(super) problems: Vec<RegistryProblem>,
    /// What selects nothing here.
    pub(super) unmatched: Vec<RegistryProblem>,
}

impl Stated {
    pub(super) fn new(selector: &str, place: impl Into<String>) -> Self {
        Self {
            selector: selector.to_owned(),
            place: place.into(),
        }
    }
}

impl From<&Placed<Selector>> for Stated {
    fn from(placed: &Placed<Selector>) -> Self {
        Self {
            selector: placed.value.to_string(),
            place: placed.place.to_string(),
        }
    }
}

impl<'a> Selection<'a> {
    pub(super) const fn new(specs: &'a [&'a ToolSpec]) -> Self {
        Self {
            specs,
            problems: Vec::new(),
            unmatched: Vec::new(),
        }
    }

    /// What each role is granted. A role without a selector is declared and granted nothing.
    pub(super) fn grants(
        &mut self,
        stated: &[(String, Option<Stated>)],
    ) -> BTreeMap<Role, BTreeSet<ToolName>> {
        let mut grants: BTreeMap<Role, BTreeSet<ToolName>> = BTreeMap::new();
        for (role, selector) in stated {
            let selected = selector.as_ref().map(|selector| self.select(selector));
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

    /// What any of the selectors selects.
    pub(super) fn any_of(&mut self, stated: &[Stated]) -> BTreeSet<ToolName> {
        stated
            .iter()
            .flat_map(|stated| self.select(stated))
            .collect()
    }

    /// Checks that there is a tool of each service.
    pub(super) fn check_services(
        &mut self,
        services: &BTreeMap<ServiceName, (ServiceConfig, String)>,
    ) {
        let known = || self.specs.iter().map(|spec| spec.service.as_str());
        for (service, (_, place)) in services {
            if known().any(|known| known == service.as_str()) {
                continue;
            }
            self.unmatched.push(RegistryProblem::UnknownService {
                place: place.clone(),
                service: service.clone(),
                similar: most_similar(service.as_str(), known()).map(str::to_owned),
            });
        }
    }

    fn select(&mut self, stated: &Stated) -> Vec<ToolName> {
        let Stated {
            selector: text,
            place,
        } = stated;
        let selector: Selector = match text.parse() {
            Ok(selector) => selector,
            Err(error) => {
                self.problems.push(RegistryProblem::Selector {
                    place: place.clone(),
                    message: error.to_string(),
                });
                return Vec::new();
            }
        };
        let specs = self.specs.iter().copied();
        let selected = specs.clone().filter(|spec| selector.selects(spec));
        let selected: Vec<_> = selected.map(|spec| spec.name.clone()).collect();
        if selected.is_empty() {
            self.unmatched.push(RegistryProblem::SelectsNothing {
                place: place.clone(),
                selector: text.clone(),
                message: selector.why_nothing(specs),
            });
        }
        selected
    }
}
