//! The access token of a call: obtained when everything has let the call pass, and once more if the
//! service refuses a kept one.

use toolwright_model::{Binding, Method};

use super::{CalledService, PlannedCall, Requester};
use crate::{
    boundary::secrets::CallSecrets,
    credentials::CredentialsError,
    error::{SentRequest, ToolError},
    exchange::{
        http::{Placement, authorise},
        oauth::{AccessToken, TokenRequest},
        redact::Redactor,
    },
    output::ToolOutput,
    secret::Secret,
};

/// What a call with an access token is sent with.
#[derive(Clone, Copy)]
pub(super) struct Dispatch<'c> {
    pub(super) requester: Requester<'c>,
    pub(super) planned: &'c PlannedCall<'c>,
    pub(super) sent: &'c SentRequest,
    /// The secrets of the call, to which the token is added.
    pub(super) secrets: &'c CallSecrets,
}

impl CalledService<'_> {
    /// Sends the planned request. If its credentials are an access token, obtains the token first.
    pub(super) async fn dispatch(
        &mut self,
        dispatch: Dispatch<'_>,
        placements: &[Placement],
    ) -> Result<ToolOutput, ToolError> {
        let answered = match placements.iter().all(Placement::is_complete) {
            true => self.call(dispatch, placements).await,
            false => self.call_with_token(dispatch).await,
        };
        answered.map_err(|error| self.with_authentication(error, dispatch.planned))
    }

    async fn call_with_token(&mut self, dispatch: Dispatch<'_>) -> Result<ToolOutput, ToolError> {
        let security = dispatch.planned.security();
        let token = self.obtain(dispatch, None).await?;
        let placements = authorise(security, &self.access)?;
        let result = self.call(dispatch, &placements).await;
        let refused = match result {
            Err(error) if !token.is_new && self.may_be_repeated(&error) => error,
            result => return result,
        };
        // The service did not carry the request out: the token ended early, or was revoked.
        if let Err(error) = self.obtain(dispatch, Some(&token.token)).await {
            return Err(refused.with_detail(error.detail()));
        }
        let placements = authorise(security, &self.access)?;
        self.call(dispatch, &placements).await
    }

    /// Obtains an access token, which becomes a secret of the call.
    async fn obtain(
        &mut self,
        dispatch: Dispatch<'_>,
        refused: Option<&Secret>,
    ) -> Result<AccessToken, CredentialsError> {
        let core = dispatch.requester.core;
        let policy = core.policy();
        let service = &self.entry.spec().service;
        let Some(client) = &self.access.oauth else {
            return Err(self.access.missing("an access token"));
        };
        let request = TokenRequest {
            service,
            account: policy.snapshot.account(&dispatch.requester.scope.role),
            client,
            egress: &self.egress(),
            refused,
        };
        let token = core.tokens.token(&core.executor, request).await?;
        self.access.token = Some(token.token.clone());
        let secrets = self.access.secrets();
        self.redactor = Redactor::new(&secrets);
        dispatch.secrets.add(secrets);
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
            Binding::Eab(_) | Binding::Native => false,
        };
        is_get || detail.is_none()
    }
}
