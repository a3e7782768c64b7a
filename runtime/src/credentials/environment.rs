//! The environment as a source: one variable with an auth file, one with a token.

use std::sync::Arc;

use super::{
    CredentialRequest, CredentialSource, SourceError, Sourced, SourcedCredentials, source::Content,
};
use crate::secret::Secret;

/// The variables of the environment.
#[derive(Clone)]
pub(super) struct Environment(Arc<Variables>);

/// The lookup of an environment variable.
type Variables = dyn Fn(&str) -> Option<String> + Send + Sync;

impl Environment {
    pub(super) fn new(variable: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(variable))
    }

    /// Returns the name of an account's variable, and its value unless it is empty.
    pub(super) fn lookup(
        &self,
        request: &CredentialRequest<'_>,
        suffix: &str,
    ) -> (String, Option<String>) {
        let upper = |name: &str| name.replace('-', "_").to_ascii_uppercase();
        let service = request.service.as_str().to_ascii_uppercase();
        let account = request.account.map(|account| upper(account.as_str()));
        // No name contains two underscores, so the variable of a workspace is never that of an account.
        let parts = match (request.workspace, account) {
            (None, None) => service,
            (None, Some(account)) => format!("{service}_{account}"),
            (Some(workspace), None) => format!("{service}__{}", upper(workspace.as_str())),
            (Some(workspace), Some(account)) => {
                format!("{service}__{}__{account}", upper(workspace.as_str()))
            }
        };
        let name = format!("TOOLWRIGHT_{parts}_{suffix}");
        let value = (self.0)(&name).filter(|value| !value.is_empty());
        (name, value)
    }
}

impl CredentialSource for Environment {
    fn read(&self, request: &CredentialRequest<'_>) -> Result<Sourced, SourceError> {
        let mut looked_for = Vec::new();
        for (content, suffix) in [(Content::AuthFile, "AUTH"), (Content::Token, "API_TOKEN")] {
            let (name, value) = self.lookup(request, suffix);
            looked_for.push(name.clone());
            if let Some(text) = value {
                let found = SourcedCredentials::new(name, content, Secret::new(text));
                return Ok(Sourced::found(found).after(looked_for));
            }
        }
        Ok(Sourced::absent(looked_for))
    }
}
