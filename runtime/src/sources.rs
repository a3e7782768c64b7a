//! The sources of credentials that a configuration names.

#[cfg(feature = "keyring")]
mod keyring;
mod vault;

use std::sync::Arc;

use vault::{Vault, VaultSource};

use crate::{
    config::{Config, ServiceConfig, SourceKind},
    credentials::{CredentialRequest, CredentialSource, Credentials, SourceError, Sourced},
    workspace::{FOLDER, ServiceWorkspace},
};

impl Credentials {
    /// Returns the credentials of the services of a configuration, from the sources that it names.
    #[must_use]
    pub fn from_config(config: &Config) -> Self {
        let mut credentials = Self::new(&config.root);
        if !config.binds_named_tokens {
            credentials = credentials.with_stated_origins();
        }
        let vault = config.vault.clone().map(Vault::new).map(Arc::new);
        for (name, workspaces) in &config.services {
            let workspaces = &workspaces.value;
            let unnamed = (None, &workspaces.common);
            let named = workspaces.named.iter();
            let named = named.map(|(workspace, settings)| (Some(workspace), settings));
            for (workspace, settings) in named.chain([unnamed]) {
                let instance = ServiceWorkspace {
                    service: name.clone(),
                    workspace: workspace.cloned(),
                };
                let source = Source {
                    kind: settings.credentials,
                    path: path_of(&instance, settings),
                    vault: vault.clone(),
                    is_asked: config.asks_stores,
                };
                credentials = source.of(instance, credentials);
            }
        }
        credentials
    }
}

/// Returns the path of the credentials of a workspace in the secret store.
fn path_of(instance: &ServiceWorkspace, settings: &ServiceConfig) -> String {
    match (&settings.vault_path, &instance.workspace) {
        (Some(path), _) => path.clone(),
        (None, None) => instance.service.to_string(),
        (None, Some(workspace)) => format!("{}/{FOLDER}/{workspace}", instance.service),
    }
}

/// The source of a workspace, as the configuration names it.
struct Source {
    kind: SourceKind,
    path: String,
    vault: Option<Arc<Vault>>,
    is_asked: bool,
}

impl Source {
    /// Returns the credentials with this source of a workspace.
    fn of(self, instance: ServiceWorkspace, credentials: Credentials) -> Credentials {
        let source: Arc<dyn CredentialSource> = match (self.kind, self.vault) {
            (SourceKind::Files, _) => return credentials.with_workspace(instance, None),
            (SourceKind::Environment, _) => return credentials.with_environment_of(instance),
            (SourceKind::Keyring | SourceKind::Vault, _) if !self.is_asked => {
                Arc::new(Unavailable {
                    place: "the keyring or the secret store",
                    problem: "it is not asked, since `toolwright.toml` is not trusted",
                })
            }
            #[cfg(feature = "keyring")]
            (SourceKind::Keyring, _) => Arc::new(keyring::Keyring::default()),
            #[cfg(not(feature = "keyring"))]
            (SourceKind::Keyring, _) => Arc::new(Unavailable {
                place: "the keyring",
                problem: "this program was built without the feature `keyring`",
            }),
            (SourceKind::Vault, Some(vault)) => Arc::new(VaultSource {
                vault,
                path: self.path,
                workspace: instance.workspace.clone(),
            }),
            (SourceKind::Vault, None) => Arc::new(Unavailable {
                place: "the secret store",
                problem: "the configuration has no table `[vault]`",
            }),
        };
        credentials.with_workspace(instance, Some(source))
    }
}

/// A source that the program does not have. Its services have no credentials rather than those of
/// another source.
struct Unavailable {
    place: &'static str,
    problem: &'static str,
}

impl CredentialSource for Unavailable {
    fn read(&self, _request: &CredentialRequest<'_>) -> Result<Sourced, SourceError> {
        Err(SourceError::new(self.place, self.problem))
    }

    fn separates_workspaces(&self) -> bool {
        true
    }
}
