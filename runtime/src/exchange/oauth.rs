//! Access tokens of OAuth 2.0: obtained when a call needs one, kept until they end, and obtained
//! once for all calls that wait.
//!
//! The crate `oauth2` was weighed: it has no token exchange, and it would bring five crates to every
//! user of the library. The requests are forms, and they go through the client of calls, which checks
//! the target.

use std::{
    collections::BTreeMap,
    fmt,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use serde_json::Value;
use toolwright_model::{AccountName, Method};

use crate::{
    credentials::{
        CredentialRequest, CredentialsError, Grant, OauthClient, Presented, check_token,
        private_text,
    },
    error::ToolError,
    exchange::{
        http::{Executor, OwnAnswer, Placement, shown_url},
        redact::Redactor,
        request::PlannedRequest,
    },
    private,
    secret::Secret,
    target::Egress,
    workspace::ServiceWorkspace,
};

/// The time before its end at which a token is replaced, at most.
const MARGIN: Duration = Duration::from_secs(60);

/// The validity of a token whose server does not state it.
const UNSTATED: Duration = Duration::from_secs(300);

/// The longest validity that is believed.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// The most characters of an error of a server.
const MOST_OF_ERROR: usize = 300;

/// The access tokens of a registry, in memory: one for each account of a service.
#[derive(Debug, Default)]
pub(crate) struct AccessTokens {
    accounts: Mutex<BTreeMap<Account, Arc<tokio::sync::Mutex<Slot>>>>,
}

/// The most accounts whose tokens are kept, if each caller has tokens of its own.
const MOST_ACCOUNTS: usize = 4_096;

/// A workspace of a service, the account of a role, and the digest of the client for tokens that belong
/// to one caller.
type Account = (ServiceWorkspace, Option<AccountName>, Option<[u8; 32]>);

/// The token of an account. Its lock is held while one is obtained, so that others wait for it.
#[derive(Default)]
struct Slot {
    token: Option<IssuedToken>,
    /// A refresh token that could not be written to its file.
    unsaved: Option<Secret>,
}

/// A token that a server has issued.
#[derive(Clone)]
struct IssuedToken {
    token: Secret,
    /// The digest of the client that obtained it.
    client: [u8; 32],
    ends: Instant,
}

/// A token for one call.
pub(crate) struct AccessToken {
    pub(crate) token: Secret,
    /// True if it was obtained for this call.
    pub(crate) is_new: bool,
}

/// A request for the token of an account.
#[derive(Clone, Copy)]
pub(crate) struct TokenRequest<'a> {
    pub(crate) account: CredentialRequest<'a>,
    pub(crate) client: &'a OauthClient,
    pub(crate) egress: &'a Egress,
    /// A token that the service has refused.
    pub(crate) refused: Option<&'a Secret>,
}

/// The tokens of a server's answer.
struct Issued {
    token: Secret,
    lifetime: Duration,
    refresh_token: Option<Secret>,
}

impl AccessTokens {
    /// Returns a token that is valid for some time, and obtains one if there is none.
    pub(crate) async fn token(
        &self,
        executor: &Executor,
        request: TokenRequest<'_>,
    ) -> Result<AccessToken, CredentialsError> {
        let slot = self.slot(request);
        let mut slot = slot.lock().await;
        slot.save(&request)?;
        let client = request.client.digest();
        if let Some(token) = slot.valid(&request, client) {
            return Ok(AccessToken {
                token,
                is_new: false,
            });
        }
        slot.token = None;
        let issued = request.obtain(executor).await?;
        slot.unsaved = issued.refresh_token;
        slot.token = Some(IssuedToken {
            token: issued.token.clone(),
            client,
            ends: Instant::now() + issued.lifetime - margin(issued.lifetime),
        });
        slot.save(&request)?;
        Ok(AccessToken {
            token: issued.token,
            is_new: true,
        })
    }

    fn slot(&self, request: TokenRequest<'_>) -> Arc<tokio::sync::Mutex<Slot>> {
        let of = request.account;
        let client = request.client;
        let caller = client.is_for_caller().then(|| client.digest());
        let account = (of.instance(), of.account.cloned(), caller);
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if accounts.len() >= MOST_ACCOUNTS && !accounts.contains_key(&account) {
            accounts.retain(|(_, _, caller), _| caller.is_none());
        }
        Arc::clone(accounts.entry(account).or_default())
    }
}

impl Slot {
    /// Returns the token, if it is of this client, was not refused and has not ended.
    fn valid(&self, request: &TokenRequest<'_>, client: [u8; 32]) -> Option<Secret> {
        let issued = self.token.as_ref()?;
        let is_usable = issued.client == client
            && request.refused != Some(&issued.token)
            && Instant::now() < issued.ends;
        is_usable.then(|| issued.token.clone())
    }

    /// Writes a new refresh token to its file. Without it, no further token could be obtained.
    fn save(&mut self, request: &TokenRequest<'_>) -> Result<(), CredentialsError> {
        let (Some(token), Grant::RefreshToken(file)) = (&self.unsaved, &request.client.grant)
        else {
            self.unsaved = None;
            return Ok(());
        };
        private::write(file, token.expose()).map_err(|error| {
            let file = file.display();
            request.fault(format!(
                "the new refresh token cannot be written to `{file}`: {error}"
            ))
        })?;
        self.unsaved = None;
        Ok(())
    }
}

impl TokenRequest<'_> {
    /// Obtains a token from the server.
    async fn obtain(&self, executor: &Executor) -> Result<Issued, CredentialsError> {
        let refresh_token = match &self.client.grant {
            Grant::RefreshToken(file) => Some(self.refresh_token(file)?),
            Grant::ClientCredentials | Grant::TokenExchange { .. } => None,
            Grant::AuthorizationCode => {
                let problem = "the grant `authorization_code` signs people in, and obtains no token for calls";
                return Err(self.fault(problem.to_owned()));
            }
        };
        let presented = refresh_token
            .as_ref()
            .map_or(Presented::Nothing, Presented::RefreshToken);
        self.ask(executor, presented, read_answer).await
    }

    /// Asks the token endpoint, and reads its answer.
    pub(super) async fn ask<T>(
        &self,
        executor: &Executor,
        presented: Presented<'_>,
        read: fn(&OwnAnswer) -> Result<T, String>,
    ) -> Result<T, CredentialsError> {
        let body = self.client.body(presented);
        let form = "application/x-www-form-urlencoded";
        let request = PlannedRequest {
            method: Method::Post,
            url: self.client.token_url.clone(),
            headers: [("Content-Type", form), ("Accept", "application/json")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into(),
            body: Some(body.expose().as_bytes().to_vec()),
            files: Vec::new(),
        };
        let authorization = self.client.authorization();
        let placements = authorization.map(|value| Placement::header("Authorization", value));
        let placements: Vec<_> = placements.into_iter().collect();
        let answered = executor.ask(request, &placements, self.egress).await;
        let shown: Vec<Secret> = match presented {
            Presented::Nothing => Vec::new(),
            Presented::RefreshToken(token) => vec![token.clone()],
            Presented::Code(code) => [code.code, code.verifier]
                .map(|text| Secret::new(text.to_owned()))
                .into(),
        };
        let secrets: Vec<_> = self.client.secrets().chain(shown).collect();
        let redactor = Redactor::new(&secrets);
        let clean = |problem: String| self.fault(redactor.error(&problem));
        let answer = answered.map_err(|error| match error {
            ToolError::Credentials(error) => error,
            error => clean(error.in_full()),
        })?;
        read(&answer).map_err(clean)
    }

    fn refresh_token(&self, file: &Path) -> Result<Secret, CredentialsError> {
        let text = private_text(file).map_err(|error| error.to_string());
        let token = text.and_then(|text| {
            check_token(text.expose().trim()).map_err(|problem| format!("the token {problem}"))
        });
        token.map_err(|problem| {
            let file = file.display();
            self.fault(format!("the refresh token in `{file}`: {problem}"))
        })
    }

    fn fault(&self, problem: String) -> CredentialsError {
        let endpoint = self.client.token_url.as_str();
        let endpoint = endpoint.split('?').next().unwrap_or_default();
        CredentialsError::Token {
            service: self.account.service.clone(),
            endpoint: shown_url(endpoint),
            problem,
        }
    }
}

/// Reads the answer of a token endpoint. The problem may contain what the server said, but none of
/// its tokens.
fn read_answer(answer: &OwnAnswer) -> Result<Issued, String> {
    let mut fields = fields(answer)?;
    let mut text = |name: &str| take_text(&mut fields, name);
    let token = text("access_token").ok_or("its answer has no `access_token`")?;
    let refresh_token = text("refresh_token");
    let kind = text("token_type");
    let is_bearer = |kind: &Secret| kind.expose().eq_ignore_ascii_case("bearer");
    if !kind.as_ref().is_some_and(is_bearer) {
        return Err("the token that it issued is not a bearer token".to_owned());
    }
    let check = |name: &str, token: &Secret| {
        check_token(token.expose()).map_err(|problem| format!("its `{name}` {problem}"))
    };
    let seconds = fields.get("expires_in").and_then(|seconds| match seconds {
        Value::String(text) => text.parse().ok(),
        seconds => seconds.as_u64(),
    });
    Ok(Issued {
        token: check("access_token", &token)?,
        lifetime: seconds.map_or(UNSTATED, Duration::from_secs).min(LONGEST),
        refresh_token: refresh_token
            .map(|token| check("refresh_token", &token))
            .transpose()?,
    })
}

/// Returns the fields of the answer of a token endpoint that has issued something.
pub(super) fn fields(answer: &OwnAnswer) -> Result<Value, String> {
    let status = answer.status;
    let Some(mut fields) = answer.json() else {
        return Err(format!("it answered {status} without JSON"));
    };
    if status == 200 {
        return Ok(fields);
    }
    let parts = ["error", "error_description"].map(|name| take_text(&mut fields, name));
    let parts: Vec<String> = parts.iter().flatten().map(shown).collect();
    let parts = match parts.is_empty() {
        true => "no reason".to_owned(),
        false => parts.join(": "),
    };
    Err(format!("it answered {status}: {parts}"))
}

/// Takes a field that is a string.
pub(super) fn take_text(fields: &mut Value, name: &str) -> Option<Secret> {
    match fields.get_mut(name).map(Value::take) {
        Some(Value::String(text)) => Some(Secret::new(text)),
        _ => None,
    }
}

/// Returns a text of a server with only the characters that errors of OAuth may contain.
fn shown(text: &Secret) -> String {
    let characters = text.expose().chars();
    let allowed = characters.filter(|c| matches!(c, ' '..='~') && !matches!(c, '"' | '\\'));
    allowed.take(MOST_OF_ERROR).collect()
}

/// Returns the time before its end at which a token of this validity is replaced.
fn margin(lifetime: Duration) -> Duration {
    MARGIN.min(lifetime / 4)
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Slot(…)")
    }
}
