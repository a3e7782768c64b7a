//! Calls of methods. A handshake precedes them and is kept for a while.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use toolwright_model::{
    EabBinding, Role,
    eab::{ErrorCode, HANDSHAKE, Handshake},
};
use toolwright_policy::TargetScope;
use uuid::Uuid;

use super::{
    Caller, Endpoint, Outcome, Request, RunContext,
    client::{encoded, request},
    endpoint::PlannedMethod,
    envelope::{Fault, read_checked},
    handshake,
};
use crate::{
    done::{Attempts, Done},
    error::{ToolError, TransportFault},
    exchange::{
        http::{Executor, Limits, Placement, RawAnswer, Sending, failure},
        redact::Redactor,
        request::PlannedRequest,
    },
    output::ToolOutput,
    schema::ArgumentSchema,
    target::Egress,
    workspace::ServiceWorkspace,
};

/// The timeout of a handshake, which only returns known facts.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// The delays before a failed connection is tried again. Nothing was sent then, so trying again
/// repeats nothing.
const BACK_OFF: [Duration; 4] = [
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
];

/// The handshakes of the services, by endpoint and named workspace.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    known: Mutex<BTreeMap<Place, KnownService>>,
}

/// An endpoint, and the named workspace that is called there.
type Place = (Endpoint, Option<ServiceWorkspace>);

#[derive(Debug)]
struct KnownService {
    handshake: Arc<Handshake>,
    asked: Instant,
}

/// One call of a method, with all that it needs.
pub(crate) struct MethodCall<'a> {
    pub(crate) binding: &'a EabBinding,
    pub(crate) planned: &'a PlannedMethod,
    /// The output schema of the tool.
    pub(crate) output: (&'a Value, &'a ArgumentSchema),
    pub(crate) placements: &'a [Placement],
    pub(crate) redactor: &'a Redactor,
    pub(crate) egress: Egress,
    /// The targets that a redirect may lead to.
    pub(crate) targets: &'a TargetScope,
    pub(crate) limits: Limits,
    pub(crate) handshake_interval: Duration,
    pub(crate) request_id: Uuid,
    pub(crate) role: &'a Role,
    pub(crate) run: &'a RunContext,
    pub(crate) repository: &'a super::Repository,
}

impl Sessions {
    /// Asks a service whether it can carry a call out, even if its handshake is known.
    pub(crate) async fn ready(
        &self,
        executor: &Executor,
        call: &MethodCall<'_>,
    ) -> Result<(), ToolError> {
        self.forget(&call.place());
        let ready = self.check(executor, call).await;
        self.forget_if_doubtful(call, ready)
    }

    /// Calls a method, of a service that was asked before whether it can do so.
    pub(crate) async fn call(
        &self,
        executor: &Executor,
        call: &MethodCall<'_>,
        attempts: &Attempts,
    ) -> Result<ToolOutput, ToolError> {
        let result = self.attempt(executor, call, attempts).await;
        self.forget_if_doubtful(call, result)
    }

    async fn attempt(
        &self,
        executor: &Executor,
        call: &MethodCall<'_>,
        attempts: &Attempts,
    ) -> Result<ToolOutput, ToolError> {
        if !call.planned.is_ready {
            self.check(executor, call).await?;
        }
        let method = &call.binding.method;
        let body = encoded(&call.envelope(method, call.planned.params.clone()))?;
        let timeout = call.limits.timeout;
        let sent = call.send(executor, method, body, timeout, attempts).await;
        let read = sent.and_then(|raw| {
            let read = call.read(raw);
            match &read {
                Err(ToolError::Method { code, .. }) => attempts.set_done(effect_of(*code)),
                Err(ToolError::UnusableAnswer { .. }) => attempts.set_done(Done::Unknown),
                Ok(_) | Err(_) => {}
            }
            read
        });
        read.map_err(|error| error.with_request(&call.planned.endpoint.sent_request(method)))
    }

    async fn check(&self, executor: &Executor, call: &MethodCall<'_>) -> Result<(), ToolError> {
        let PlannedMethod {
            endpoint,
            artifact_type,
            ..
        } = call.planned;
        let handshake = self.handshake(executor, call).await;
        let checked = handshake.and_then(|handshake| {
            handshake::check(&handshake, call.binding, endpoint, artifact_type.as_deref())
        });
        checked.map_err(|error| error.with_request(&endpoint.sent_request(HANDSHAKE)))
    }

    /// Drops the handshake after an error that casts doubt on it.
    fn forget_if_doubtful<T>(
        &self,
        call: &MethodCall<'_>,
        result: Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        if result.as_ref().is_err_and(casts_doubt) {
            self.forget(&call.place());
        }
        result
    }

    /// Returns the service's handshake, and requests a new one if the last has expired.
    async fn handshake(
        &self,
        executor: &Executor,
        call: &MethodCall<'_>,
    ) -> Result<Arc<Handshake>, ToolError> {
        let place = call.place();
        if let Some(known) = self.cached_handshake(&place, call.handshake_interval) {
            return Ok(known);
        }
        let body = encoded(&call.envelope(HANDSHAKE, json!({})))?;
        let timeout = call.limits.timeout.min(HANDSHAKE_TIMEOUT);
        let attempts = Attempts::default();
        let sent = call.send(executor, HANDSHAKE, body, timeout, &attempts);
        let raw = sent.await?;
        if raw.status != 200 {
            return Err(failure(&raw));
        }
        let read = handshake::read_handshake(&raw.bytes);
        let handshake = read.map_err(|fault| call.unusable(raw.status, "handshake", &fault))?;
        let handshake = Arc::new(handshake);
        let known = KnownService {
            handshake: Arc::clone(&handshake),
            asked: Instant::now(),
        };
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(place, known);
        Ok(handshake)
    }

    fn cached_handshake(&self, place: &Place, interval: Duration) -> Option<Arc<Handshake>> {
        let all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.get(place)?;
        (known.asked.elapsed() < interval).then(|| Arc::clone(&known.handshake))
    }

    fn forget(&self, place: &Place) {
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(place);
    }
}

impl MethodCall<'_> {
    fn place(&self) -> Place {
        (self.planned.endpoint.clone(), self.egress.pool.clone())
    }

    /// Returns the planned request. The id of the request is left out: it differs each time.
    pub(crate) fn request(&self) -> Result<PlannedRequest, ToolError> {
        let method = &self.binding.method;
        let mut envelope = self.envelope(method, self.planned.params.clone());
        envelope.request_id.clear();
        request(&self.planned.endpoint, method, encoded(&envelope)?)
    }

    fn envelope<'s>(&'s self, method: &'s str, params: Value) -> Request<'s> {
        let repository = self.run.repository.as_ref().unwrap_or(self.repository);
        Request {
            request_id: self.request_id.to_string(),
            api_version: self.binding.api_version,
            method,
            caller: Caller::new(Some(self.role.as_str()), self.run),
            repository: repository.for_service_at(&self.planned.endpoint),
            params,
            interface_contracts: self.run.interface_contracts.as_ref(),
        }
    }

    /// Sends a body to a method. Tries again a few times if no connection can be made.
    async fn send(
        &self,
        executor: &Executor,
        method: &str,
        body: Vec<u8>,
        timeout: Duration,
        attempts: &Attempts,
    ) -> Result<RawAnswer, ToolError> {
        let begun = Instant::now();
        let request = request(&self.planned.endpoint, method, body)?;
        let sent = self.planned.endpoint.sent_request(method);
        let mut waits = BACK_OFF.into_iter();
        loop {
            let sending = Sending {
                request: &request,
                sent: &sent,
                placements: self.placements,
                redactor: self.redactor,
                egress: &self.egress,
                socket: self.planned.endpoint.socket(),
                grpc: None,
                limits: Limits {
                    timeout,
                    ..self.limits
                },
                targets: self.targets,
                saving: None,
                attachments: None,
                attempts,
                retries: None,
                headers: &[],
                progress: None,
            };
            let result = executor.exchange(&sending).await;
            let wait = waits.next();
            match (result, wait) {
                (Err(error), Some(wait))
                    if is_unconnected(&error) && begun.elapsed() + wait < timeout =>
                {
                    sleep(wait).await;
                }
                (result, _) => return result.and_then(Self::require_whole),
            }
        }
    }

    fn require_whole(raw: RawAnswer) -> Result<RawAnswer, ToolError> {
        raw.too_large(false).map_or(Ok(raw), Err)
    }

    /// The result that an answer stands for. One of another status than a success may carry an
    /// error of the protocol.
    fn read(&self, raw: RawAnswer) -> Result<ToolOutput, ToolError> {
        let (schema, compiled) = self.output;
        let request_id = self.request_id.to_string();
        let read = read_checked(&raw.bytes, &request_id, schema, compiled);
        match read {
            Ok(Outcome::Error { code, message }) => Err(ToolError::Method {
                code,
                message,
                request: None,
            }),
            _ if !(200..300).contains(&raw.status) => Err(failure(&raw)),
            Ok(Outcome::Ran(value)) => Ok(ToolOutput::answered(value, raw.status)),
            Err(fault) => Err(self.unusable(raw.status, "answer", &fault)),
        }
    }

    fn unusable(&self, status: u16, what: &str, fault: &Fault) -> ToolError {
        let service = &self.binding.service;
        ToolError::UnusableAnswer {
            status: Some(status),
            message: format!("the {what} of the service `{service}` does not conform: {fault}"),
            request: None,
        }
    }
}

fn is_unconnected(error: &ToolError) -> bool {
    let ToolError::Transport { fault, .. } = error else {
        return false;
    };
    *fault == TransportFault::Connect
}

/// Returns the effect of a method that the service reports as one that could not run.
const fn effect_of(code: ErrorCode) -> Done {
    match code {
        ErrorCode::ToolNotFound
        | ErrorCode::InvalidRequest
        | ErrorCode::UnsupportedMethod
        | ErrorCode::ApiVersionMismatch
        | ErrorCode::ArtifactNotFound => Done::No,
        ErrorCode::ToolFailed | ErrorCode::Timeout | ErrorCode::InternalError => Done::Unknown,
    }
}

/// Returns whether an error casts doubt on the known handshake.
const fn casts_doubt(error: &ToolError) -> bool {
    match error {
        ToolError::Method { code, .. } => matches!(
            code,
            ErrorCode::ApiVersionMismatch | ErrorCode::UnsupportedMethod | ErrorCode::InternalError
        ),
        _ => true,
    }
}
