//! Credentials: what a service needs to be spoken to, read from files at each call.
//!
//! The files, in order; the first that is there counts, alone:
//!
//! 1. the one that the environment variable `TOOLWRIGHT_<SERVICE>_AUTH_FILE` names, an auth file;
//! 2. the one that `TOOLWRIGHT_<SERVICE>_API_TOKEN_FILE` names, which holds a token and no more;
//! 3. `.local/<service>/admin-auth.json`, an auth file;
//! 4. `.local/<service>/api-token.txt`, which holds a token and no more.
//!
//! An auth file is a JSON object. These keys have a meaning, each may be left out, and every other
//! key is a service constant:
//!
//! | key | value |
//! |---|---|
//! | `base_url` | where the service is; wins over the configuration and over the specification |
//! | `api_token` | the bearer token or the API key |
//! | `api_keys` | an object: the keys of a service that wants several, by the name of the scheme |
//! | `username`, `password` | for Basic authentication |
//! | `verify_ssl` | false to accept any certificate of the service |
//!
//! A constant whose name is that of an argument pins the argument: it is filled in, the schema
//! that is shown lacks it, and a caller who gives another value is refused.

mod auth_file;
mod error;

use std::{
    collections::BTreeMap,
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

pub use error::CredentialsError;
use serde_json::{Map, Value};
use toolwright_model::ServiceName;
use zeroize::Zeroizing;

use crate::{approval::names_a_secret, secret::Secret};

/// Where credentials are found. Nothing is kept: the files are read at each call.
#[derive(Clone)]
pub struct Credentials {
    root: PathBuf,
    variable: Arc<Variables>,
}

/// Where the value of an environment variable comes from.
type Variables = dyn Fn(&str) -> Option<String> + Send + Sync;

/// What was found for one service.
pub(crate) struct Access {
    service: ServiceName,
    /// The file that counts, if one is there.
    file: Option<PathBuf>,
    /// Every place that was looked at, for the error that says so.
    looked_for: Vec<String>,
    pub(crate) base_url: Option<String>,
    pub(crate) token: Option<Secret>,
    pub(crate) api_keys: BTreeMap<String, Secret>,
    pub(crate) username: Option<String>,
    pub(crate) password: Option<Secret>,
    pub(crate) verify_tls: bool,
    pub(crate) constants: Map<String, Value>,
}

/// What a file is expected to hold.
#[derive(Clone, Copy)]
enum Content {
    AuthFile,
    Token,
}

impl Credentials {
    /// Credentials by the environment of the process, and in `.local` below this folder.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            variable: Arc::new(|name| std::env::var(name).ok()),
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

    /// Reads what there is for a service. That nothing is there is no error.
    pub(crate) fn read(&self, service: &ServiceName) -> Result<Access, CredentialsError> {
        let mut access = Access::none(service);
        for (content, suffix) in [
            (Content::AuthFile, "AUTH_FILE"),
            (Content::Token, "API_TOKEN_FILE"),
        ] {
            let name = format!(
                "TOOLWRIGHT_{}_{suffix}",
                service.as_str().to_ascii_uppercase()
            );
            let named = (self.variable)(&name).filter(|path| !path.is_empty());
            access.looked_for.push(name);
            if let Some(path) = named {
                return access.found(PathBuf::from(path), content);
            }
        }
        let folder = self.root.join(".local").join(service.as_str());
        for (content, file) in [
            (Content::AuthFile, "admin-auth.json"),
            (Content::Token, "api-token.txt"),
        ] {
            let path = folder.join(file);
            access.looked_for.push(path.display().to_string());
            if path.exists() {
                return access.found(path, content);
            }
        }
        Ok(access)
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
            token: None,
            api_keys: BTreeMap::new(),
            username: None,
            password: None,
            verify_tls: true,
            constants: Map::new(),
        }
    }

    fn found(mut self, path: PathBuf, content: Content) -> Result<Self, CredentialsError> {
        let invalid = |problems| CredentialsError::Invalid {
            file: path.display().to_string(),
            problems,
        };
        let text = read(&path).map_err(|error| invalid(vec![error.to_string()]))?;
        match content {
            Content::AuthFile => auth_file::read(&text, &mut self).map_err(invalid)?,
            Content::Token => {
                let token = auth_file::check_token(text.trim());
                self.token =
                    Some(token.map_err(|problem| invalid(vec![format!("the token {problem}")]))?);
            }
        }
        self.file = Some(path);
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
        self.token
            .iter()
            .chain(&self.password)
            .chain(self.api_keys.values())
            .cloned()
            .chain(self.user_and_password())
            .chain(constants)
            .collect()
    }

    /// The error that what the service wants was not found.
    pub(crate) fn missing(&self, wants: impl Into<String>) -> CredentialsError {
        CredentialsError::Missing {
            service: self.service.clone(),
            wants: wants.into(),
            file: self.file.as_deref().map(|path| path.display().to_string()),
            looked_for: self.looked_for.clone(),
        }
    }
}

fn read(path: &Path) -> io::Result<Zeroizing<String>> {
    fs::read_to_string(path).map(Zeroizing::new)
}
