//! `[vault]`: the secret store that holds credentials, OpenBao or Vault.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use reqwest::Url;
use toolwright_model::{
    settings::{Node as _, Reader as _},
    words,
};

use super::reader::{ConfigReader, TomlNode};
use crate::target::{Allowance, Egress, Origin};

/// The keys of the table.
pub(super) const VAULT_KEYS: [&str; 9] = [
    "address",
    "mount",
    "namespace",
    "role_id",
    "secret_id_file",
    "approle_mount",
    "token_file",
    "allow",
    "proxy",
];

/// The default mount of the KV engine.
pub(super) const MOUNT: &str = "secret";

/// The default mount of AppRole.
pub(super) const APPROLE_MOUNT: &str = "approle";

words! {
    /// The kind of source of a service's credentials.
    SourceKind {
        /// Private files, which the environment names or which are below `.local`.
        Files = "files",
        /// The variables of the environment themselves.
        Environment = "environment",
        /// The keyring of the operating system.
        Keyring = "keyring",
        /// The secret store of `[vault]`.
        Vault = "vault",
    }
}

/// `[vault]`
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VaultConfig {
    /// `address`: the URL of the store.
    pub address: String,
    /// `mount`: the mount of the KV engine, version 2.
    pub mount: String,
    /// `namespace`: the namespace of the mounts.
    pub namespace: Option<String>,
    /// How Toolwright logs in.
    pub login: VaultLogin,
    /// `allow`: the words that allow an address which is refused otherwise.
    pub allow: BTreeSet<Allowance>,
    /// `proxy`: the proxy that carries the requests.
    pub proxy: Option<Origin>,
}

/// The login at a secret store. The configuration never contains a secret itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VaultLogin {
    /// By AppRole.
    AppRole {
        /// `approle_mount`: the mount of the method.
        mount: String,
        /// `role_id`: the id of the role.
        role_id: String,
        /// `secret_id_file`: the private file with the secret id.
        secret_id_file: PathBuf,
    },
    /// `token_file`: a private file with a token, which another program renews.
    Token(PathBuf),
}

/// Checks whether a text is the path of a secret: names with `/` between them.
pub(super) fn is_vault_path(path: &str) -> bool {
    let is_name = |name: &str| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        !matches!(name, "" | "." | "..") && name.chars().all(is_part)
    };
    path.split('/').all(is_name)
}

impl VaultConfig {
    /// Creates the settings of a store at an address, with the default mount.
    #[must_use]
    pub fn new(address: impl Into<String>, login: VaultLogin) -> Self {
        Self {
            address: address.into(),
            mount: MOUNT.to_owned(),
            namespace: None,
            login,
            allow: BTreeSet::new(),
            proxy: None,
        }
    }

    pub(super) fn read(
        table: TomlNode<'_>,
        root: &Path,
        reader: &mut ConfigReader,
    ) -> Option<Self> {
        reader.check_keys(table, &VAULT_KEYS);
        reader.require(table, "address", "add the URL of OpenBao or Vault");
        let address = reader.placed_text(table, "address");
        let login = VaultLogin::read(table, root, reader);
        let allow = reader.parsed_list(table, "allow");
        let mount = path(table, "mount", reader);
        let namespace = path(table, "namespace", reader);
        let proxy = reader.origin_of_proxy(table, "proxy");
        let address = address?;
        let vault = Self {
            mount: mount.unwrap_or_else(|| MOUNT.to_owned()),
            namespace,
            allow: allow.into_iter().map(|word| word.value).collect(),
            proxy,
            ..Self::new(address.value, login?)
        };
        if let Err(message) = vault.checked_address() {
            let help = "write an `https` URL, or an `http` URL of this machine";
            reader.problem(address.place, &message, help);
        }
        Some(vault)
    }

    /// Returns the URL of the store.
    ///
    /// # Errors
    /// The reason why it cannot be used.
    pub(crate) fn checked_address(&self) -> Result<Url, String> {
        let url = Url::parse(&self.address).map_err(|error| format!("is not a URL: {error}"))?;
        let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
        let is_plain = url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        if !is_web || !is_plain {
            return Err("is not the URL of a secret store".to_owned());
        }
        let checked = self.egress().check(&url);
        checked.map_err(|refused| refused.to_string())?;
        Ok(url)
    }

    /// Returns the egress settings of requests to the store.
    pub(crate) fn egress(&self) -> Egress {
        Egress::verified(self.allow.clone(), self.proxy.clone())
    }
}

impl VaultLogin {
    fn read(table: TomlNode<'_>, root: &Path, reader: &mut ConfigReader) -> Option<Self> {
        let role_id = reader.text(table, "role_id");
        let secret_id = reader.text(table, "secret_id_file");
        let mount = path(table, "approle_mount", reader);
        let token = reader.text(table, "token_file");
        match (role_id, secret_id, token) {
            (Some(role_id), Some(file), None) => Some(Self::AppRole {
                mount: mount.unwrap_or_else(|| APPROLE_MOUNT.to_owned()),
                role_id,
                secret_id_file: root.join(file),
            }),
            (None, None, Some(file)) if mount.is_none() => Some(Self::Token(root.join(file))),
            _ => {
                let message = "this table does not declare one login";
                let help = "write `role_id` and `secret_id_file` for AppRole, or `token_file`";
                reader.problem(table.place(), message, help);
                None
            }
        }
    }
}

/// Returns the path of a mount or a namespace.
fn path(table: TomlNode<'_>, key: &str, reader: &mut ConfigReader) -> Option<String> {
    let text = reader.placed_text(table, key)?;
    if is_vault_path(&text.value) {
        return Some(text.value);
    }
    let message = format!("`{key}` is not a path of the secret store");
    let help = "write names of letters, digits, `-`, `_` and `.` with `/` between them";
    reader.problem(text.place, &message, help);
    None
}
