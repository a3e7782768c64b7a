//! Credentials: the tokens, keys and constants of a service, read from their source at each call.
//!
//! A [`CredentialSource`] holds auth files, or tokens and no more. By default these are files, in this
//! order; the first that is there counts, alone:
//!
//! 1. the one that the environment variable `TOOLWRIGHT_<SERVICE>_AUTH_FILE` names, an auth file;
//! 2. the one that `TOOLWRIGHT_<SERVICE>_API_TOKEN_FILE` names, which holds a token and no more;
//! 3. `.local/<service>/admin-auth.json`, an auth file;
//! 4. `.local/<service>/api-token.txt`, which holds a token and no more.
//!
//! A named workspace of a service has files of its own: `TOOLWRIGHT_<SERVICE>__<WORKSPACE>_AUTH_FILE`,
//! `TOOLWRIGHT_<SERVICE>__<WORKSPACE>_API_TOKEN_FILE`, and the files of
//! `.local/<service>/workspaces/<workspace>/`. Those of the service do not stand in for them.
//!
//! A role may have an account of its own (`credentials` in its table of the configuration). Its files
//! are `TOOLWRIGHT_<SERVICE>_<ACCOUNT>_AUTH_FILE`, `TOOLWRIGHT_<SERVICE>_<ACCOUNT>_API_TOKEN_FILE`,
//! `.local/<service>/<account>-auth.json` and `.local/<service>/<account>-api-token.txt`. The
//! files above do not stand in for them. In a named workspace, the variables begin with
//! `TOOLWRIGHT_<SERVICE>__<WORKSPACE>__<ACCOUNT>`.
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
//! | `oauth` | an object: the client that obtains the token by OAuth 2.0 |
//! | `client_certificate`, `client_certificate_key` | for mutual TLS: PEM, or files with it |
//!
//! A constant with the name of an argument pins the argument: it is filled in, the shown schema
//! lacks it, and a caller who passes another value is refused.
//!
//! Credentials belong to origins: those that the auth file or the configuration states, or else
//! the one of the first call, which is recorded in a file next to them.

mod auth_file;
mod authentication;
mod environment;
mod error;
mod expiry;
mod files;
mod login;
mod oauth;
mod origin;
mod part;
mod pem;
mod place;
mod report;
mod source;

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

pub(crate) use auth_file::check_token;
pub(crate) use authentication::MUTUAL_TLS;
pub use authentication::{Alternative, Authentication};
use environment::Environment;
pub use error::CredentialsError;
use files::CredentialFiles;
pub use login::Login;
pub use oauth::AuthorizationCode;
pub(crate) use oauth::{Grant, OauthClient, Presented};
pub use part::CredentialPart;
pub(crate) use place::private_text;
use place::{CredentialFile, NamedFiles};
pub use report::CredentialReport;
use serde_json::{Map, Value};
use source::Content;
pub use source::{CredentialRequest, CredentialSource, SourceError, Sourced, SourcedCredentials};
pub use toolwright_model::AccountName;
use toolwright_model::ServiceName;

use crate::{
    secret::{Secret, names_a_secret},
    system::offload,
    target::{ClientIdentity, Origin},
    workspace::ServiceWorkspace,
};

/// The credentials of the services. Nothing is kept: their sources are read at each call.
#[derive(Clone)]
pub struct Credentials {
    files: CredentialFiles,
    /// The sources of services and their named workspaces. A service without one uses files, and a
    /// workspace without one the source of its service.
    sources: BTreeMap<ServiceWorkspace, Source>,
}

/// The source of the credentials of a service or a workspace.
#[derive(Clone)]
enum Source {
    Files,
    /// The variables of the environment themselves.
    Environment,
    Other(Arc<dyn CredentialSource>),
}

/// The credentials and settings of one service.
pub(crate) struct Access {
    service: ServiceName,
    /// The place of the credentials, for the operator; none if there are none.
    place: Option<String>,
    /// The file that holds them, if it is a file.
    file: Option<CredentialFile>,
    /// Every place that was searched, for the error message.
    looked_for: Vec<String>,
    pub(crate) base_url: Option<String>,
    origins: Vec<Origin>,
    pub(crate) token: Option<Secret>,
    /// The client that obtains the token, if the credentials hold none.
    pub(crate) oauth: Option<OauthClient>,
    /// The certificate for mutual TLS.
    pub(crate) identity: Option<ClientIdentity>,
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
            files: CredentialFiles {
                root: root.into(),
                environment: Environment::new(|name| std::env::var(name).ok()),
                binds_named: true,
                reads_files: true,
            },
            sources: BTreeMap::new(),
        }
    }

    /// Sends a token from the environment only to origins that the configuration or the token's own
    /// file declares. Use it if the documents come from a folder that the user has not trusted:
    /// such a document could otherwise choose where the user's token goes first.
    #[must_use]
    pub const fn with_stated_origins(mut self) -> Self {
        self.files.binds_named = false;
        self
    }

    /// Credentials of no service at all.
    #[must_use]
    pub fn none() -> Self {
        let mut credentials = Self::new("").with_variables(|_| None);
        credentials.files.reads_files = false;
        credentials
    }

    /// The same with another lookup of environment variables.
    #[must_use]
    pub fn with_variables(
        mut self,
        variable: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.files.environment = Environment::new(variable);
        self
    }

    /// Reads the credentials of a service from another source than files.
    ///
    /// They are sent only to origins that the configuration or the credentials themselves declare:
    /// the origin of the first call is recorded for files alone.
    #[must_use]
    pub fn with_source(
        mut self,
        service: ServiceName,
        source: impl CredentialSource + 'static,
    ) -> Self {
        self.forget(&service);
        let unnamed = ServiceWorkspace::unnamed(service);
        self.with_workspace(unnamed, Some(Arc::new(source)))
    }

    /// Reads the credentials of a service from the variables `TOOLWRIGHT_<SERVICE>_AUTH`, an auth
    /// file, and `TOOLWRIGHT_<SERVICE>_API_TOKEN`, a token. An account has its name before the last
    /// word.
    #[must_use]
    pub fn with_environment(mut self, service: ServiceName) -> Self {
        self.forget(&service);
        self.with_environment_of(ServiceWorkspace::unnamed(service))
    }

    /// Drops the sources of all workspaces of a service.
    fn forget(&mut self, service: &ServiceName) {
        self.sources
            .retain(|workspace, _| workspace.service != *service);
    }

    /// Reads the credentials of a workspace from the environment, whatever the source of its service is.
    pub(crate) fn with_environment_of(mut self, workspace: ServiceWorkspace) -> Self {
        self.sources.insert(workspace, Source::Environment);
        self
    }

    /// Reads the credentials of a workspace from a source, or else from files, whatever the source of
    /// its service is.
    pub(crate) fn with_workspace(
        mut self,
        workspace: ServiceWorkspace,
        source: Option<Arc<dyn CredentialSource>>,
    ) -> Self {
        let source = source.map_or(Source::Files, Source::Other);
        self.sources.insert(workspace, source);
        self
    }

    fn source(&self, request: &CredentialRequest<'_>) -> &Source {
        let own = self.sources.get(&request.instance());
        let of_service = || self.sources.get(&request.in_workspace(None).instance());
        own.or_else(of_service).unwrap_or(&Source::Files)
    }

    /// Reads the credentials of an account on a thread that may block, if their source may.
    pub(crate) async fn read_for_call(
        &self,
        request: CredentialRequest<'_>,
    ) -> Result<Access, CredentialsError> {
        let Source::Other(_) = self.source(&request) else {
            return self.read(request);
        };
        let credentials = self.clone();
        let service = request.service;
        let (instance, account) = (request.instance(), request.account.cloned());
        let read = offload(move || {
            let request = CredentialRequest::new(&instance.service, account.as_ref());
            credentials.read(request.in_workspace(instance.workspace.as_ref()))
        });
        let read = read.await;
        read.unwrap_or_else(|_| {
            let problems = vec!["the program ends".to_owned()];
            Err(CredentialsError::Invalid {
                service: service.clone(),
                file: "the credentials".to_owned(),
                problems,
            })
        })
    }

    /// Reads the credentials of an account. That there are none is not an error.
    pub(crate) fn read(&self, request: CredentialRequest<'_>) -> Result<Access, CredentialsError> {
        let service = request.service;
        let sourced = match self.source(&request) {
            Source::Files => self.files.read(&request),
            Source::Environment => self.files.environment.read(&request),
            Source::Other(source)
                if request.workspace.is_some() && !source.separates_workspaces() =>
            {
                let place = request.instance().to_string();
                let problem = "the source of the service does not separate its workspaces";
                Err(SourceError::new(place, problem))
            }
            Source::Other(source) => source.read(&request),
        };
        let invalid = |SourceError { place, problem }| CredentialsError::Invalid {
            service: service.clone(),
            file: place,
            problems: vec![problem],
        };
        Access::none(service).with(sourced.map_err(invalid)?, &self.files.root)
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("root", &self.files.root)
            .finish_non_exhaustive()
    }
}

impl Access {
    /// Nothing was found for the service.
    pub(crate) fn none(service: &ServiceName) -> Self {
        Self {
            service: service.clone(),
            place: None,
            file: None,
            looked_for: Vec::new(),
            base_url: None,
            origins: Vec::new(),
            token: None,
            oauth: None,
            identity: None,
            api_keys: BTreeMap::new(),
            username: None,
            password: None,
            verify_tls: true,
            constants: Map::new(),
        }
    }

    /// Adds the answer of a source.
    fn with(mut self, sourced: Sourced, root: &Path) -> Result<Self, CredentialsError> {
        self.looked_for = sourced.looked_for;
        let Some(found) = sourced.found else {
            return Ok(self);
        };
        let text = &found.text;
        let files = NamedFiles::of(root, found.file.as_ref());
        let read = match found.content {
            Content::AuthFile => auth_file::read(text.expose(), files, &mut self),
            Content::Token => check_token(text.expose().trim())
                .map(|token| self.token = Some(token))
                .map_err(|problem| vec![format!("the token {problem}")]),
        };
        read.map_err(|problems| CredentialsError::Invalid {
            service: self.service.clone(),
            file: found.place.clone(),
            problems,
        })?;
        self.place = Some(found.place);
        self.file = found.file;
        Ok(self)
    }

    /// Adds the service constants of the configuration. Those of the credentials win over them.
    pub(crate) fn with_constants(mut self, constants: &Map<String, Value>) -> Self {
        for (name, value) in constants {
            let own = self.constants.entry(name);
            own.or_insert_with(|| value.clone());
        }
        self
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
            .chain(self.oauth.iter().flat_map(OauthClient::secrets))
            .chain(constants)
            .collect()
    }

    /// Returns the place of the credentials, if there are some.
    pub(crate) fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// Returns the URL that issues access tokens, without its query.
    pub(crate) fn token_endpoint(&self) -> Option<String> {
        let mut url = self.oauth.as_ref()?.token_url.clone();
        url.set_query(None);
        Some(url.to_string())
    }

    /// Returns the source of the credentials as a part of a message to the operator.
    pub(crate) fn source_in_words(&self) -> Option<String> {
        let place = self.place.as_ref()?;
        Some(match self.token_endpoint() {
            Some(endpoint) => {
                format!("the token was issued by `{endpoint}` for the credentials in `{place}`")
            }
            None => format!("the credentials are those in `{place}`"),
        })
    }

    /// Returns the error of a missing credential.
    pub(crate) fn missing(&self, wants: impl Into<String>) -> CredentialsError {
        CredentialsError::Missing {
            service: self.service.clone(),
            wants: wants.into(),
            file: self.place.clone(),
            looked_for: self.looked_for.clone(),
        }
    }
}
