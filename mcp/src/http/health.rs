//! `GET /health`: whether the server lives, and for the operator how it does.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use tokio::sync::watch;
use toolwright::availability::Availability;

use super::{
    connections::{Connection, Connections},
    login::Logins,
    memory::Memory,
    sessions::Sessions,
};
use crate::{calls::Calls, status::PolicyStatus};

/// The state that is reported.
#[derive(Clone)]
pub(super) struct Health {
    pub(super) logins: Arc<Logins>,
    pub(super) policy: watch::Receiver<PolicyStatus>,
    pub(super) availability: Arc<Availability>,
    pub(super) sessions: Arc<Sessions>,
    pub(super) connections: Connections,
    pub(super) calls: Calls,
    pub(super) memory: Memory,
    /// The host names that clients may use for the server.
    pub(super) hosts: [String; 2],
}

/// Answers that the server lives; with the token, also how it does.
pub(super) async fn report(State(health): State<Health>, request: Request) -> Response {
    let headers = request.headers();
    let asks = headers.contains_key(header::AUTHORIZATION)
        || (health.logins.is_open() && health.is_addressed(headers));
    if !asks {
        return Json(json!({"status": "ok"})).into_response();
    }
    match (
        health.logins.admit(headers).await,
        request.extensions().get::<Arc<Connection>>(),
    ) {
        (Ok(_), _) => Json(health.details().await).into_response(),
        (Err(reason), Some(connection)) => health.logins.refuse(connection.peer, reason).await,
        (Err(_), None) => Json(json!({"status": "ok"})).into_response(),
    }
}

impl Health {
    /// Checks that a request names this server. A web page whose name was pointed here does not.
    fn is_addressed(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(header::HOST);
        let host = host.and_then(|host| host.to_str().ok());
        host.is_some_and(|host| self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host)))
    }

    async fn details(&self) -> Value {
        let policy = self.policy.borrow().clone();
        let status = match policy.error {
            None => "ok",
            Some(_) => "policy_not_reloaded",
        };
        let (connections, calls) = (&self.connections, &self.calls);
        let state = self
            .availability
            .status()
            .map(|state| json!({"reachable": state.reachable, "age_seconds": state.age.as_secs()}));
        json!({
            "status": status,
            "policy": {
                "digest": policy.digest,
                "loaded_at": policy.loaded.to_string(),
                "error": policy.error,
            },
            "state": state,
            "sessions": {"open": self.sessions.number().await, "limit": self.sessions.limit()},
            "connections": {
                "open": connections.number(),
                "limit": connections.limit(),
                "refused": connections.refused(),
            },
            "calls": {
                "in_flight": calls.in_flight(),
                "limit": calls.limits().all,
                "refused": calls.refused(),
            },
            "memory_kib": {"reserved": self.memory.reserved(), "limit": self.memory.all()},
            "logins_refused": self.logins.refusals().all(),
        })
    }
}
