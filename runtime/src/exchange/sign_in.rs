//! The client of an OpenID provider that signs people in: it exchanges the code of a person for an
//! identity token.

use std::fmt;

use toolwright_model::ServiceName;

use super::{
    http::{Executor, OwnAnswer},
    oauth::{TokenRequest, fields, take_text},
};
use crate::{
    config::OpenIdConfig,
    credentials::{
        Access, AuthorizationCode, CredentialRequest, CredentialsError, Grant, OauthClient,
        Presented,
    },
    target::Egress,
};

/// The client of an OpenID provider, with its credentials as their source holds them now.
pub struct SignInClient {
    service: ServiceName,
    client: OauthClient,
    egress: Egress,
    executor: Executor,
}

impl SignInClient {
    /// Takes the client out of the credentials of a provider.
    pub(crate) fn new(access: Access, config: &OpenIdConfig) -> Result<Self, CredentialsError> {
        let missing = access.missing("an `oauth` client with the grant `authorization_code`");
        let is_for_people = |client: &OauthClient| matches!(client.grant, Grant::AuthorizationCode);
        let client = access.oauth.filter(is_for_people).ok_or(missing)?;
        Ok(Self {
            service: config.service.clone(),
            client,
            egress: config.egress(),
            executor: Executor::default(),
        })
    }

    /// Returns the id of the client.
    #[must_use]
    pub fn id(&self) -> &str {
        self.client.id()
    }

    /// Exchanges the code of a person for an identity token, which is not verified here.
    ///
    /// # Errors
    /// [`CredentialsError`] if the provider issues none. The error contains neither the code nor the secret
    /// of the client.
    pub async fn id_token(&self, code: &AuthorizationCode<'_>) -> Result<String, CredentialsError> {
        let request = TokenRequest {
            account: CredentialRequest::new(&self.service, None),
            client: &self.client,
            egress: &self.egress,
            refused: None,
        };
        let presented = Presented::Code(code);
        request.ask(&self.executor, presented, read_id_token).await
    }
}

fn read_id_token(answer: &OwnAnswer) -> Result<String, String> {
    let token = take_text(&mut fields(answer)?, "id_token");
    let token = token.ok_or("its answer has no `id_token`")?;
    Ok(token.expose().to_owned())
}

impl fmt::Debug for SignInClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignInClient")
            .field("id", &self.id())
            .finish_non_exhaustive()
    }
}
