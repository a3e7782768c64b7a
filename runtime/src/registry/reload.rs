//! A new policy for a registry that is in use, and the end of views that were handed out.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use toolwright_model::Role;
use toolwright_policy::{Overrides, StandingGrant};

use super::{Registry, RegistryError, RegistryProblem, policy::CompiledPolicy};
use crate::{boundary::core::RegisteredTool, config::Config};

/// The places that a configuration names. A running program keeps them: the record and the open
/// requests would otherwise be split over two places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FilePlaces {
    root: PathBuf,
    audit_file: PathBuf,
    approvals_folder: PathBuf,
}

impl Registry {
    /// Replaces the policy by another configuration's: roles, switches and the settings of
    /// services. It applies at once, also to existing views and to calls that have not passed the
    /// gates yet. The program's own statements stay.
    ///
    /// # Errors
    /// Returns a [`RegistryError`] with all problems; the policy stays unchanged.
    pub fn reload(&self, config: &Config) -> Result<(), RegistryError> {
        let core = &self.core;
        let tools: Vec<_> = core
            .tools
            .values()
            .map(RegisteredTool::for_policy)
            .collect();
        let CompiledPolicy {
            mut policy,
            mut problems,
            findings,
        } = self.sources.statements.compile(Some(config), &tools);
        let moved = self
            .sources
            .places
            .iter()
            .flat_map(|places| places.moved_places(config));
        problems.extend(moved);
        if !problems.is_empty() {
            return Err(RegistryError { problems });
        }
        core.policy.send_modify(|in_force| {
            policy.snapshot = policy.snapshot.clone().decided_as(&in_force.snapshot);
            *in_force = Arc::new(policy);
        });
        self.sources.findings.send_replace(findings);
        Ok(())
    }

    /// Replaces the overrides of switches, which an operator keeps outside of the configuration. They
    /// apply at once, also to existing views and to calls that have not passed the gates yet.
    pub fn set_overrides(&self, overrides: Overrides) {
        self.core.change_snapshot(|policy| {
            policy.snapshot = policy.snapshot.clone().with_overrides(overrides);
        });
    }

    /// Replaces the standing grants.
    pub fn set_standing_grants(&self, grants: Vec<StandingGrant>) {
        self.core.change_snapshot(|policy| {
            policy.snapshot = policy.snapshot.clone().with_standing_grants(grants);
        });
    }

    /// Voids all views of a role that were handed out so far: they list nothing, and every call is
    /// refused. [`Registry::for_agent`] still hands out new ones.
    pub fn revoke(&self, role: &Role) {
        self.core.revocations.revoke(role);
    }
}

impl FilePlaces {
    pub(super) fn of(config: &Config) -> Self {
        Self {
            root: config.root.clone(),
            audit_file: config.audit_file.clone(),
            approvals_folder: config.approvals.folder.clone(),
        }
    }

    /// The places that another configuration names differently.
    fn moved_places(&self, config: &Config) -> Vec<RegistryProblem> {
        let new = Self::of(config);
        let places: [(&'static str, &Path, &Path); 3] = [
            ("folder of the credentials", &self.root, &new.root),
            ("audit file", &self.audit_file, &new.audit_file),
            (
                "folder of the approvals",
                &self.approvals_folder,
                &new.approvals_folder,
            ),
        ];
        let moved = places.into_iter().filter(|(_, old, new)| old != new);
        moved
            .map(|(place, _, new)| RegistryProblem::NeedsRestart {
                place,
                path: new.to_owned(),
            })
            .collect()
    }
}
