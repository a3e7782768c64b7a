//! The requests that a mounted server makes of the client of a call.

use std::{fmt, sync::Arc};

use futures_core::future::BoxFuture;
use serde_json::Value;

use super::{core::Core, secrets::CallSecrets};
use crate::audit::{AuditEvent, AuditSink as _, AuditedCall, ServerAsked, ServerRequest};

/// The client of a call, which answers requests of the server that carries the call out.
pub trait Asker: Send + Sync {
    /// Checks whether the client declared that it answers such requests.
    fn answers(&self, request: ServerRequest) -> bool;

    /// Passes a request on, and returns the answer. None if there is none, also after the call has ended.
    fn ask(&self, request: ServerRequest, params: Value) -> BoxFuture<'static, Option<Value>>;
}

/// The client of the views, if it answers requests.
#[derive(Clone, Default)]
pub(crate) struct Client(Option<Arc<dyn Asker>>);

/// Passes requests of a server on to the client of one call, and records them. Cloning it is cheap.
#[derive(Clone)]
pub struct Asking {
    client: Client,
    core: Arc<Core>,
    call: Option<AuditedCall>,
    secrets: CallSecrets,
}

impl Client {
    pub(crate) fn new(asker: impl Asker + 'static) -> Self {
        Self(Some(Arc::new(asker)))
    }
}

impl Asking {
    pub(super) const fn new(
        client: Client,
        core: Arc<Core>,
        call: Option<AuditedCall>,
        secrets: CallSecrets,
    ) -> Self {
        Self {
            client,
            core,
            call,
            secrets,
        }
    }

    /// Checks whether the client declared that it answers such requests.
    #[must_use]
    pub fn answers(&self, request: ServerRequest) -> bool {
        let client = self.client.0.as_ref();
        client.is_some_and(|client| client.answers(request))
    }

    /// Passes a request on to the client, and returns the answer: both without the secrets of the call. None if
    /// there is none, also after the call has ended.
    pub async fn ask(&self, request: ServerRequest, params: Value) -> Option<Value> {
        let client = self.client.0.as_ref()?;
        let params = self.secrets.leave_message(params);
        let answer = client.ask(request, params).await?;
        Some(self.secrets.leave_message(answer))
    }

    /// Records a request of the server. What was asked and answered is not recorded.
    pub fn record(&self, asked: ServerAsked) {
        let event = AuditEvent::server_asked(self.core.clock.now(), self.call.clone(), asked);
        // The call itself is in the audit. If this event cannot be recorded, the next event is a gap.
        let _ = self.core.audit.record(&event);
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Client")
    }
}

impl fmt::Debug for Asking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Asking")
    }
}
