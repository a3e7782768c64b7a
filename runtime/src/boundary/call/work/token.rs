//! The access token of a call: obtained when everything has let the call pass, and once more if the
//! service refuses a kept one.

use toolwright_model::{Binding, Method};

use super::{CalledService, Exchange};
use crate::{
    credentials::{CredentialRequest, CredentialsError},
    error::ToolError,
    exchange::{
        http::{Placement, authorise},
        oauth::{AccessToken, TokenRequest},
    },
    output::ToolOutput,
    secret::Secret,
};

impl CalledService<'_> {
    /// Sends the planned request. If its credentials are an access token, obtains the token first.
    pub(super) async fn dispatch(
        &mut self,
        exchange: Exchange<'_>,
        placements: &[Placement],
    ) -> Result<ToolOutput, ToolError> {
        let answered = match placements.iter().all(Placement::is_complete) {
            true => self.call(exchange, placements).await,
            false => self.call_with_token(exchange).await,
        };
        answered.map_err(|error| self.with_authentication(error, exchange.planned))
    }

    async fn call_with_token(&mut self, exchange: Exchange<'_>) -> Result<ToolOutput, ToolError> {
        let security = exchange.planned.security();
        let token = self.obtain(exchange, None).await?;
        let placements = authorise(security, &self.access)?;
        let result = self.call(exchange, &placements).await;
        let refused = match result {
            Err(error) if !token.is_new && self.may_be_repeated(&error) => error,
            result => return result,
        };
        // The service did not carry the request out: the token ended early, or was revoked.
        if let Err(error) = self.obtain(exchange, Some(&token.token)).await {
            return Err(refused.with_detail(error.detail()));
        }
        let placements = authorise(security, &self.access)?;
        self.call(exchange, &placements).await
    }

    /// Obtains an access token, which becomes a secret of the call.
    async fn obtain(
        &mut self,
        exchange: Exchange<'_>,
        refused: Option<&Secret>,
    ) -> Result<AccessToken, CredentialsError> {
        let core = exchange.requester.core;
        let policy = core.policy();
        let Some(client) = &self.access.oauth else {
            return Err(self.access.missing("an access token"));
        };
        let request = TokenRequest {
            account: CredentialRequest::new(
                &self.workspace.service,
                policy.snapshot.account(&exchange.requester.scope.role),
            )
            .in_workspace(self.workspace.workspace.as_ref()),
            client,
            egress: &self.egress(),
            refused,
        };
        let token = core.tokens.token(&core.executor, request).await?;
        self.access.token = Some(token.token.clone());
        let secrets = self.access.secrets();
        self.redactor = core.redactors.of(&secrets);
        exchange.secrets.add(secrets);
        Ok(token)
    }

    /// Checks whether the service refused the token, and certainly did nothing else. After a redirect
    /// it may have carried the first request out, which only matters if that changes something.
    fn may_be_repeated(&self, error: &ToolError) -> bool {
        let ToolError::Service {
            status: 401,
            detail,
            ..
        } = error
        else {
            return false;
        };
        let is_get = match &self.entry.spec().binding {
            Binding::Http(binding) => matches!(binding.method, Method::Get | Method::Head),
            Binding::Eab(_) | Binding::Mcp(_) | Binding::Native => false,
        };
        is_get || detail.is_none()
    }
}
