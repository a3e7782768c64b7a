//! A new policy for a registry that is in use, and the end of views that were handed out.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use toolwright_model::{Role, ToolSpec};

use super::{Registry, RegistryError, RegistryProblem};
use crate::config::Config;

/// The places that a configuration names. A running program keeps them: the record and the open
/// requests would otherwise be split over two places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Places {
    root: PathBuf,
    audit_file: PathBuf,
    approvals_folder: PathBuf,
}

impl Registry {
    /// Replaces the policy by that of another configuration: roles, switches and the settings of
    /// services. It counts at once, also for views that were handed out before, and for calls that
    /// have not been let pass yet. The statements of the program itself stay.
    ///
    /// # Errors
    /// [`RegistryError`] with everything that is wrong; the policy stays as it was.
    pub fn reload(&self, config: &Config) -> Result<(), RegistryError> {
        let core = &self.core;
        let specs: Vec<&ToolSpec> = core.tools.values().map(|entry| entry.spec()).collect();
        let (policy, mut problems) = core.statements.policy(Some(config), &specs);
        let moved = core.places.iter().flat_map(|places| places.moved(config));
        problems.extend(moved);
        if !problems.is_empty() {
            return Err(RegistryError { problems });
        }
        core.policy.store(Arc::new(policy));
        Ok(())
    }

    /// Voids all views of a role that were handed out so far: they list nothing, and every call is
    /// refused. [`Registry::for_agent`] still hands out new ones.
    pub fn revoke(&self, role: &Role) {
        self.core.revocations.revoke(role);
    }
}

impl Places {
    pub(super) fn of(config: &Config) -> Self {
        Self {
            root: config.root.clone(),
            audit_file: config.audit_file.clone(),
            approvals_folder: config.approvals.folder.clone(),
        }
    }

    /// The places that another configuration names differently.
    fn moved(&self, config: &Config) -> Vec<RegistryProblem> {
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
