//! Credentials: the tokens, keys and constants of a service, read from files at each call.
//!
//! The files, in order; the first that is there counts, alone:
//!
//! 1. the one that the environment variable `TOOLWRIGHT_<SERVICE>_AUTH_FILE` names, an auth file;
//! 2. the one that `TOOLWRIGHT_<SERVICE>_API_TOKEN_FILE` names, which holds a token and no more;
//! 3. `.local/<service>/admin-auth.json`, an auth file;
//! 4. `.local/<service>/api-token.txt`, which holds a token and no more.
//!
//! A role may have an account of its own (`credentials` in its table of the configuration). Its files
//! are `TOOLWRIGHT_<SERVICE>_<ACCOUNT>_AUTH_FILE`, `TOOLWRIGHT_<SERVICE>_<ACCOUNT>_API_TOKEN_FILE`,
//! `.local/<service>/<account>-auth.json` and `.local/<service>/<account>-api-token.txt`. The
//! files above do not stand in for them.
//!
//! Each must be private to the user of the process ([`crate::private`]), and those below `.local`
//! must not be links that lead out of the folder.
//!
//! An auth file is a JSON object. These keys have a meaning, each may be left out, and every other
//! key is a service constant:
//!
//! | key | value |
//! |---|---|
//! | `base_url` | the URL of the service; wins over the configuration and over the specification |
//! | `origins` | a list: the origins to which the credentials may be sent, next to the base URL's |
//! | `api_token` | the bearer token or the API key |
//! | `api_keys` | an object: the keys of a service that wants several, by the name of the scheme |
//! | `username`, `password` | for Basic authentication |
//! | `verify_ssl` | false to accept any certificate, if the configuration allows `unverified-tls` |
//!
//! A constant with the name of an argument pins the argument: it is filled in, the shown schema
//! lacks it, and a caller who passes another value is refused.
//!
//! Credentials belong to origins: those that the auth file or the configuration states, or else
//! the one of the first call, which is recorded in a file next to them.

mod auth_file;
mod authentication;
mod error;
mod expiry;
mod origin;
mod place;
mod report;

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

pub use authentication::{Alternative, Authentication};
pub use error::CredentialsError;
use place::{Content, CredentialFile};
pub use report::CredentialReport;
use serde_json::{Map, Value};
pub use toolwright_model::AccountName;
use toolwright_model::ServiceName;

use crate::{
    config::Config,
    secret::{Secret, names_a_secret},
    target::Origin,
};

/// The sources of credentials. Nothing is kept: the files are read at each call.
#[derive(Clone)]
pub struct Credentials {
    root: PathBuf,
    variable: Arc<Variables>,
    /// Allows binding a token that the environment names to the origin of its first use.
    binds_named: bool,
    /// False if there are no files below the root.
    reads_files: bool,
}

/// The lookup of an environment variable.
type Variables = dyn Fn(&str) -> Option<String> + Send + Sync;

/// The names of the files of an account.
struct FileNames {
    /// The part of the variables' names.
    variable: String,
    auth_file: String,
    token_file: String,
}

/// The credentials and settings of one service.
pub(crate) struct Access {
    service: ServiceName,
    /// The file that counts, if one is there.
    file: Option<CredentialFile>,
    /// Every place that was searched, for the error message.
    looked_for: Vec<String>,
    pub(crate) base_url: Option<String>,
    origins: Vec<Origin>,
    pub(crate) token: Option<Secret>,
    pub(crate) api_keys: BTreeMap<String, Secret>,
    pub(crate) username: Option<String>,
    pub(crate) password: Option<Secret>,
    pub(crate) verify_tls: bool,
    pub(crate) constants: Map<String, Value>,
}

impl Credentials {
    /// Credentials by the environment of the process, and in `.local` below this folder.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            variable: Arc::new(|name| std::env::var(name).ok()),
            binds_named: true,
            reads_files: true,
        }
    }

    /// The credentials of the services of a configuration's folder.
    #[must_use]
    pub fn from_config(config: &Config) -> Self {
        let binds_named = config.binds_named_tokens;
        Self {
            binds_named,
            ..Self::new(&config.root)
        }
    }

    /// Sends a token from the environment only to origins that the configuration or the token's own
    /// file declares. Use it if the documents come from a folder that the user has not trusted:
    /// such a document could otherwise choose where the user's token goes first.
    #[must_use]
    pub const fn with_stated_origins(mut self) -> Self {
        self.binds_named = false;
        self
    }

    /// Credentials of no service at all.
    #[must_use]
    pub fn none() -> Self {
        Self {
            reads_files: false,
            ..Self::new("").with_variables(|_| None)
        }
    }

    /// The same with another source of environment variables.
    #[must_use]
    pub fn with_variables(
        mut self,
        variable: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.variable = Arc::new(variable);
        self
    }

    /// Reads the credentials of a service. A service without any is not an error.
    pub(crate) fn read(
        &self,
        service: &ServiceName,
        account: Option<&AccountName>,
    ) -> Result<Access, CredentialsError> {
        let names = FileNames::from_account(account);
        let mut access = Access::none(service);
        for (content, suffix) in [
            (Content::AuthFile, "AUTH_FILE"),
            (Content::Token, "API_TOKEN_FILE"),
        ] {
            let name = format!(
                "TOOLWRIGHT_{}_{}{suffix}",
                service.as_str().to_ascii_uppercase(),
                names.variable
            );
            let named = (self.variable)(&name).filter(|path| !path.is_empty());
            access.looked_for.push(name);
            if let Some(path) = named {
                let found = CredentialFile::named(Path::new(&path), self.binds_named);
                return access.read(&path, content, found);
            }
        }
        if !self.reads_files {
            return Ok(access);
        }
        let folder = self.root.join(".local").join(service.as_str());
        for (content, file) in [
            (Content::AuthFile, &names.auth_file),
            (Content::Token, &names.token_file),
        ] {
            let path = folder.join(file).display().to_string();
            access.looked_for.push(path.clone());
            if let Some(found) = CredentialFile::below(&self.root, &folder.join(file)).transpose() {
                return access.read(&path, content, found);
            }
        }
        Ok(access)
    }
}

impl FileNames {
    fn from_account(account: Option<&AccountName>) -> Self {
        let Some(account) = account else {
            return Self {
                variable: String::new(),
                auth_file: "admin-auth.json".to_owned(),
                token_file: "api-token.txt".to_owned(),
            };
        };
        let variable = account.as_str().replace('-', "_").to_ascii_uppercase();
        Self {
            variable: format!("{variable}_"),
            auth_file: format!("{account}-auth.json"),
            token_file: format!("{account}-api-token.txt"),
        }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}

impl Access {
    /// Nothing was found for the service.
    pub(crate) fn none(service: &ServiceName) -> Self {
        Self {
            service: service.clone(),
            file: None,
            looked_for: Vec::new(),
            base_url: None,
            origins: Vec::new(),
            token: None,
            api_keys: BTreeMap::new(),
            username: None,
            password: None,
            verify_tls: true,
            constants: Map::new(),
        }
    }

    /// Reads the file that counts. `path` is its name in errors.
    fn read(
        mut self,
        path: &str,
        content: Content,
        found: std::io::Result<CredentialFile>,
    ) -> Result<Self, CredentialsError> {
        let service = self.service.clone();
        let invalid = |problems| CredentialsError::Invalid {
            service,
            file: path.to_owned(),
            problems,
        };
        let read = found.and_then(|found| Ok((found.text()?, found)));
        let (text, found) = match read {
            Ok(read) => read,
            Err(error) => return Err(invalid(vec![error.to_string()])),
        };
        let read = match content {
            Content::AuthFile => auth_file::read(&text, &mut self),
            Content::Token => auth_file::check_token(text.trim())
                .map(|token| self.token = Some(token))
                .map_err(|problem| vec![format!("the token {problem}")]),
        };
        read.map_err(invalid)?;
        self.file = Some(found);
        Ok(self)
    }

    /// The user and the password as Basic authentication joins them.
    pub(crate) fn user_and_password(&self) -> Option<Secret> {
        let (user, password) = (self.username.as_ref()?, self.password.as_ref()?);
        Some(Secret::new(format!("{user}:{}", password.expose())))
    }

    /// Everything that must not be seen, the constants that are called secrets included.
    pub(crate) fn secrets(&self) -> Vec<Secret> {
        let constants = self
            .constants
            .iter()
            .filter(|(name, _)| names_a_secret(name))
            .filter_map(|(_, value)| value.as_str())
            .map(|text| Secret::new(text.to_owned()));
        let keys = self.token.iter().chain(self.api_keys.values());
        let without_words = keys.clone().filter_map(Secret::without_first_word);
        keys.chain(&self.password)
            .cloned()
            .chain(without_words)
            .chain(self.user_and_password())
            .chain(constants)
            .collect()
    }

    /// Returns the name of the file that counts, if one is there.
    pub(crate) fn file_name(&self) -> Option<String> {
        self.file.as_ref().map(CredentialFile::display)
    }

    /// Returns the error of a missing credential.
    pub(crate) fn missing(&self, wants: impl Into<String>) -> CredentialsError {
        CredentialsError::Missing {
            service: self.service.clone(),
            wants: wants.into(),
            file: self.file_name(),
            looked_for: self.looked_for.clone(),
        }
    }
}
