//! The session at a secret store: login, renewal and reads.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::Mutex;
use toolwright_model::Method;

use crate::{
    config::{VaultConfig, VaultLogin},
    credentials::private_text,
    exchange::{
        http::{Executor, OwnAnswer, Placement, sendable},
        redact::Redactor,
        request::PlannedRequest,
    },
    secret::{Secret, wipe},
};

/// The most characters of an error of the store.
const MOST_OF_ERROR: usize = 300;

/// A session. Its token is in memory only.
pub(super) struct Session {
    config: VaultConfig,
    executor: Executor,
    /// The token of a login by AppRole. The lock is held during a login, so that others wait for it.
    login: Mutex<Option<Login>>,
}

/// A token that the store has issued.
struct Login {
    token: Secret,
    issued: Instant,
    /// The time for which it is valid; none if it does not end.
    lease: Option<Duration>,
    renewable: bool,
}

impl Session {
    pub(super) fn new(config: VaultConfig) -> Self {
        Self {
            config,
            executor: Executor::default(),
            login: Mutex::default(),
        }
    }

    /// Reads the current version of a secret as JSON; none if there is none.
    pub(super) async fn read(&self, path: &str) -> Result<Option<Secret>, String> {
        let token = self.token(None).await?;
        let answer = self.get(path, &token).await?;
        match answer.status {
            // The token may have been revoked. A new one of AppRole reads what the old one might.
            403 if matches!(self.config.login, VaultLogin::AppRole { .. }) => {
                let token = self.token(Some(&token)).await?;
                secret_of(&self.get(path, &token).await?, &token)
            }
            _ => secret_of(&answer, &token),
        }
    }

    async fn get(&self, path: &str, token: &Secret) -> Result<OwnAnswer, String> {
        let path = format!("{}/data/{path}", self.config.mount);
        self.ask(Method::Get, &path, Some(token), None).await
    }

    /// Returns a valid token, other than one that was refused.
    async fn token(&self, refused: Option<&Secret>) -> Result<Secret, String> {
        let (mount, role_id, file) = match &self.config.login {
            VaultLogin::Token(file) => {
                let token = private_text(file).map(|text| text.trimmed());
                return token
                    .map_err(|error| format!("the token in `{}`: {error}", file.display()));
            }
            VaultLogin::AppRole {
                mount,
                role_id,
                secret_id_file,
            } => (mount, role_id, secret_id_file),
        };
        let mut login = self.login.lock().await;
        if let Some(current) = login.take()
            && refused != Some(&current.token)
            && !current.has_ended()
        {
            let kept = match current.is_to_be_renewed() {
                true => self.renew(&current).await.ok(),
                false => Some(current),
            };
            if let Some(kept) = kept {
                return Ok(login.insert(kept).token.clone());
            }
        }
        let secret_id = private_text(file).map(|text| text.trimmed());
        let secret_id =
            secret_id.map_err(|error| format!("the secret id in `{}`: {error}", file.display()))?;
        let issued = self.log_in(mount, role_id, &secret_id).await?;
        Ok(login.insert(issued).token.clone())
    }

    async fn log_in(&self, mount: &str, role: &str, secret_id: &Secret) -> Result<Login, String> {
        let mut body = json!({"role_id": role, "secret_id": secret_id.expose()});
        let path = format!("auth/{mount}/login");
        let text = Secret::new(body.to_string());
        wipe(&mut body);
        let answer = self.ask(Method::Post, &path, None, Some(&text)).await?;
        Login::read(&answer).ok_or_else(|| {
            let reason = reason(&answer, secret_id);
            format!("the login by AppRole was refused: {reason}")
        })
    }

    async fn renew(&self, login: &Login) -> Result<Login, String> {
        let path = "auth/token/renew-self";
        let empty = Secret::new("{}".to_owned());
        let token = Some(&login.token);
        let answer = self.ask(Method::Post, path, token, Some(&empty)).await?;
        Login::read(&answer).ok_or_else(|| reason(&answer, &login.token))
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        token: Option<&Secret>,
        body: Option<&Secret>,
    ) -> Result<OwnAnswer, String> {
        let address = self.config.address.trim_end_matches('/');
        let namespace = self.config.namespace.iter();
        let namespace = namespace.map(|name| ("X-Vault-Namespace", name.as_str()));
        let headers = [("Accept", "application/json"), ("X-Vault-Request", "true")];
        let headers = headers.into_iter().chain(namespace);
        let content_type = body.map(|_| ("Content-Type", "application/json"));
        let headers = headers.chain(content_type);
        let request = PlannedRequest {
            method,
            url: sendable(&format!("{address}/v1/{path}")).map_err(|error| error.in_full())?,
            headers: headers
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            body: body.map(|body| body.expose().as_bytes().to_vec()),
            files: Vec::new(),
        };
        let token = token.map(|token| Placement::header("X-Vault-Token", token.clone()));
        let placements: Vec<_> = token.into_iter().collect();
        let egress = self.config.egress();
        let answered = self.executor.ask(request, &placements, &egress).await;
        answered.map_err(|error| error.in_full())
    }
}

impl Login {
    /// Reads the answer to a login or a renewal; none if it was refused.
    fn read(answer: &OwnAnswer) -> Option<Self> {
        let mut fields = answer.json().filter(|_| answer.status == 200)?;
        let auth = fields.get_mut("auth")?;
        let Some(Value::String(token)) = auth.get_mut("client_token").map(Value::take) else {
            return None;
        };
        let seconds = auth.get("lease_duration").and_then(Value::as_u64);
        let lease = seconds
            .filter(|seconds| *seconds > 0)
            .map(Duration::from_secs);
        Some(Self {
            token: Secret::new(token),
            issued: Instant::now(),
            lease,
            renewable: auth.get("renewable").and_then(Value::as_bool) == Some(true),
        })
    }

    fn has_ended(&self) -> bool {
        self.lease
            .is_some_and(|lease| self.issued.elapsed() >= lease)
    }

    /// Checks whether more than half of the time has passed for which the token is valid.
    fn is_to_be_renewed(&self) -> bool {
        let half = self.lease.map(|lease| lease / 2);
        self.renewable && half.is_some_and(|half| self.issued.elapsed() >= half)
    }
}

/// Returns the secret of an answer; none if the store has none at the path.
fn secret_of(answer: &OwnAnswer, token: &Secret) -> Result<Option<Secret>, String> {
    match answer.status {
        200 => {}
        // That a secret is absent is no error; that its mount is absent is one.
        404 if errors(answer).is_empty() => return Ok(None),
        status => return Err(format!("it answered {status}: {}", reason(answer, token))),
    }
    let mut fields = answer.json().ok_or("its answer is not JSON")?;
    let secret = fields.pointer("/data/data").filter(|data| data.is_object());
    let secret = secret.map(|data| Secret::new(data.to_string()));
    wipe(&mut fields);
    let problem = "its answer holds no secret of a KV engine of version 2";
    secret.map(Some).ok_or_else(|| problem.to_owned())
}

/// Returns the errors that an answer names.
fn errors(answer: &OwnAnswer) -> Vec<Value> {
    let mut fields = answer.json();
    let errors = fields.as_mut().and_then(|fields| fields.get_mut("errors"));
    match errors.map(Value::take) {
        Some(Value::Array(errors)) => errors,
        _ => Vec::new(),
    }
}

/// Returns the errors of an answer without a secret.
fn reason(answer: &OwnAnswer, secret: &Secret) -> String {
    let errors = errors(answer);
    let errors: Vec<&str> = errors.iter().filter_map(Value::as_str).collect();
    if errors.is_empty() {
        return format!("status {}", answer.status);
    }
    let words = errors.join("; ");
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let words: String = words.chars().take(MOST_OF_ERROR).collect();
    let redactor = Redactor::new([secret]);
    redactor.error(&words)
}
