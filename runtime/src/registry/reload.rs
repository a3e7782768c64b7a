//! A new policy for a registry that is in use, and the end of views that were handed out.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use toolwright_model::Role;
use toolwright_policy::Snapshot;

use super::{Registry, RegistryError, RegistryProblem, policy::CompiledPolicy};
use crate::{boundary::core::RegisteredTool, config::Config};

/// The places that a configuration names. A running program keeps them: the record and the open
/// requests would otherwise be split over two places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FilePlaces {
    root: PathBuf,
    audit_file: PathBuf,
    state: PathBuf,
    files: PathBuf,
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
        let CompiledPolicy {
            policy,
            mut problems,
            findings,
        } = self.compile(config);
        let moved = self
            .sources
            .places
            .iter()
            .flat_map(|places| places.moved_places(config));
        problems.extend(moved);
        if !problems.is_empty() {
            return Err(RegistryError { problems });
        }
        core.audit.watch(&policy.alerts);
        core.policy.send_replace(Arc::new(policy));
        self.sources.findings.send_replace(findings);
        Ok(())
    }

    /// Returns the snapshot of the policy that another configuration would put in force, with the switches
    /// of now. Nothing changes.
    ///
    /// # Errors
    /// Returns a [`RegistryError`] with all problems of the policy.
    pub fn preview(&self, config: &Config) -> Result<Snapshot, RegistryError> {
        let CompiledPolicy {
            policy, problems, ..
        } = self.compile(config);
        if problems.is_empty() {
            let overrides = self.core.availability.overrides();
            return Ok(policy.overridden(overrides).snapshot);
        }
        Err(RegistryError { problems })
    }

    fn compile(&self, config: &Config) -> CompiledPolicy {
        let tools: Vec<_> = self
            .core
            .tools
            .values()
            .filter(|entry| entry.tool.is_governed())
            .map(RegisteredTool::for_policy)
            .collect();
        self.sources.statements.compile(Some(config), &tools)
    }

    /// Voids all views of a role that were handed out so far: they list nothing, and every call is
    /// refused. [`Registry::for_agent`] still hands out new ones.
    pub fn revoke(&self, role: &Role) {
        self.core.revocations.revoke(role);
    }
}

impl FilePlaces {
    pub(super) fn from_config(config: &Config) -> Self {
        Self {
            root: config.root.clone(),
            audit_file: config.audit.file.clone(),
            state: config.state.place(),
            files: config.files.folder.clone(),
        }
    }

    /// The places that another configuration names differently.
    fn moved_places(&self, config: &Config) -> Vec<RegistryProblem> {
        let new = Self::from_config(config);
        let places: [(&'static str, &Path, &Path); 4] = [
            ("folder of the credentials", &self.root, &new.root),
            ("audit file", &self.audit_file, &new.audit_file),
            ("state", &self.state, &new.state),
            ("folder of files", &self.files, &new.files),
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
