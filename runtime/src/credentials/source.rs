//! Sources of credentials: the trait, and what it takes and returns.

use std::{error::Error, fmt};

use toolwright_model::{AccountName, ServiceName, WorkspaceName};

use super::place::CredentialFile;
use crate::{secret::Secret, workspace::ServiceWorkspace};

/// A source of credentials, such as a secret store.
///
/// A source is asked at each call, and whenever tools are listed, since the constants of an auth file
/// pin arguments. So a rotated credential takes effect at the next call. The runtime keeps nothing
/// that a source returns beyond its call, except for the access tokens that OAuth 2.0 credentials are
/// exchanged for.
pub trait CredentialSource: Send + Sync {
    /// Reads the credentials of an account. It may block: calls ask it on a thread that may.
    ///
    /// # Errors
    /// [`SourceError`] if the source cannot be read. That it holds nothing for the account is not an
    /// error.
    fn read(&self, request: &CredentialRequest<'_>) -> Result<Sourced, SourceError>;

    /// Returns true if the source reads the workspace of a request, so that no workspace of a service
    /// receives the credentials of another one. It is not asked for a named workspace otherwise.
    fn separates_workspaces(&self) -> bool {
        false
    }
}

/// The account whose credentials are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CredentialRequest<'a> {
    /// The service.
    pub service: &'a ServiceName,
    /// The named workspace of the service; none if the service has none.
    pub workspace: Option<&'a WorkspaceName>,
    /// The account of the role; none for the administrator's.
    pub account: Option<&'a AccountName>,
}

/// The answer of a source.
#[derive(Debug)]
pub struct Sourced {
    pub(super) found: Option<SourcedCredentials>,
    pub(super) looked_for: Vec<String>,
}

/// Credentials as a source holds them. `Debug` does not show them.
#[derive(Debug)]
pub struct SourcedCredentials {
    pub(super) place: String,
    pub(super) content: Content,
    pub(super) text: Secret,
    /// The file that holds them, next to which an origin may be recorded.
    pub(super) file: Option<CredentialFile>,
}

/// The content of a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// The JSON object of an auth file.
    AuthFile,
    /// One token.
    Token,
}

/// A source that cannot be read. Neither part may contain a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    /// The place, for the operator: a file, a variable, the path of a secret store.
    pub place: String,
    /// The problem with it.
    pub problem: String,
}

impl<'a> CredentialRequest<'a> {
    /// Creates a request.
    #[must_use]
    pub const fn new(service: &'a ServiceName, account: Option<&'a AccountName>) -> Self {
        Self {
            service,
            workspace: None,
            account,
        }
    }

    /// Returns the request for a named workspace of the service.
    #[must_use]
    pub const fn in_workspace(self, workspace: Option<&'a WorkspaceName>) -> Self {
        Self { workspace, ..self }
    }

    /// Returns the workspace of the service.
    pub(crate) fn instance(&self) -> ServiceWorkspace {
        ServiceWorkspace {
            service: self.service.clone(),
            workspace: self.workspace.cloned(),
        }
    }
}

impl Sourced {
    /// Creates the answer that the source holds credentials.
    #[must_use]
    pub const fn found(credentials: SourcedCredentials) -> Self {
        Self {
            found: Some(credentials),
            looked_for: Vec::new(),
        }
    }

    /// Creates the answer that these places, as the operator knows them, hold nothing.
    #[must_use]
    pub const fn absent(looked_for: Vec<String>) -> Self {
        Self {
            found: None,
            looked_for,
        }
    }

    /// Adds the places that were searched before.
    pub(super) fn after(mut self, looked_for: Vec<String>) -> Self {
        self.looked_for = looked_for;
        self
    }
}

impl SourcedCredentials {
    /// Wraps the JSON object of an auth file. `place` names its place for the operator.
    #[must_use]
    pub fn auth_file(place: impl Into<String>, json: String) -> Self {
        Self::new(place.into(), Content::AuthFile, Secret::new(json))
    }

    /// Wraps one token. `place` names its place for the operator.
    #[must_use]
    pub fn token(place: impl Into<String>, token: String) -> Self {
        Self::new(place.into(), Content::Token, Secret::new(token))
    }

    /// Wraps the JSON object of an auth file that is a secret already.
    pub(crate) const fn secret(place: String, json: Secret) -> Self {
        Self::new(place, Content::AuthFile, json)
    }

    pub(super) const fn new(place: String, content: Content, text: Secret) -> Self {
        Self {
            place,
            content,
            text,
            file: None,
        }
    }
}

impl SourceError {
    /// Creates an error.
    pub fn new(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            problem: problem.into(),
        }
    }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.place, self.problem)
    }
}

impl Error for SourceError {}
