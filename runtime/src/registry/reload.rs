//! A new policy for a registry that is in use, and the end of views that were handed out.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, MutexGuard, PoisonError},
};

use toolwright_model::Role;
use toolwright_policy::Snapshot;

use super::{Registry, RegistryError, RegistryProblem, policy::CompiledPolicy};
use crate::{boundary::tools::Tools, config::Config};

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
        let _changing = self.changing();
        let mut compiled = self.compile(config, &self.core.tools());
        compiled.problems.extend(self.moved_places(config));
        self.put_in_force(compiled)
    }

    /// Returns a problem for each place that another configuration names differently.
    pub(super) fn moved_places(&self, config: &Config) -> Vec<RegistryProblem> {
        let places = self.sources.places.iter();
        places
            .flat_map(|places| places.moved_places(config))
            .collect()
    }

    /// Replaces the policy and its tools, unless there are problems.
    pub(super) fn put_in_force(&self, compiled: CompiledPolicy) -> Result<(), RegistryError> {
        let CompiledPolicy {
            policy,
            problems,
            findings,
        } = compiled;
        if !problems.is_empty() {
            return Err(RegistryError { problems });
        }
        self.core.audit.watch(&policy.alerts);
        self.core.policy.send_replace(Arc::new(policy));
        self.sources.findings.send_replace(findings);
        Ok(())
    }

    /// Waits until no other change of the policy or the tools is being made.
    pub(super) fn changing(&self) -> MutexGuard<'_, ()> {
        let changing = self.sources.changing.lock();
        changing.unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the snapshot of the policy that another configuration would put in force, with the switches
    /// of now. Nothing changes.
    ///
    /// # Errors
    /// Returns a [`RegistryError`] with all problems of the policy.
    pub fn preview(&self, config: &Config) -> Result<Snapshot, RegistryError> {
        let CompiledPolicy {
            policy, problems, ..
        } = self.compile(config, &self.core.tools());
        if problems.is_empty() {
            let overrides = self.core.availability.overrides();
            return Ok(policy.overridden(overrides).snapshot);
        }
        Err(RegistryError { problems })
    }

    /// Compiles the policy of a configuration for tools.
    pub(super) fn compile(&self, config: &Config, tools: &Arc<Tools>) -> CompiledPolicy {
        let seen: Vec<_> = tools.governed().map(|entry| entry.for_policy()).collect();
        let mut compiled = self.sources.statements.compile(Some(config), &seen);
        compiled.policy.tools = Arc::clone(tools);
        compiled
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
