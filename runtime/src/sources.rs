//! The sources of credentials that a configuration names.

#[cfg(feature = "keyring")]
mod keyring;
mod vault;

use std::sync::Arc;

use vault::{Vault, VaultSource};

use crate::{
    config::{Config, SourceKind},
    credentials::{CredentialRequest, CredentialSource, Credentials, SourceError, Sourced},
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
        for (name, service) in &config.services {
            let path = service.value.vault_path.as_deref();
            let path = path.unwrap_or(name.as_str()).to_owned();
            let name = name.clone();
            credentials = match (service.value.credentials, vault.clone()) {
                (SourceKind::Files, _) => credentials,
                (SourceKind::Environment, _) => credentials.with_environment(name),
                (SourceKind::Keyring | SourceKind::Vault, _) if !config.asks_stores => credentials
                    .with_source(
                        name,
                        Unavailable {
                            place: "the keyring or the secret store",
                            problem: "it is not asked, since `toolwright.toml` is not trusted",
                        },
                    ),
                #[cfg(feature = "keyring")]
                (SourceKind::Keyring, _) => {
                    credentials.with_source(name, keyring::Keyring::default())
                }
                #[cfg(not(feature = "keyring"))]
                (SourceKind::Keyring, _) => credentials.with_source(
                    name,
                    Unavailable {
                        place: "the keyring",
                        problem: "this program was built without the feature `keyring`",
                    },
                ),
                (SourceKind::Vault, Some(vault)) => {
                    credentials.with_source(name, VaultSource { vault, path })
                }
                (SourceKind::Vault, None) => credentials.with_source(
                    name,
                    Unavailable {
                        place: "the secret store",
                        problem: "the configuration has no table `[vault]`",
                    },
                ),
            };
        }
        credentials
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
}
