//! Lets requests pass that show a token which is accepted, and slows down those that do not.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use jiff::Timestamp;
use serde_json::Value;
use tokio::{
    sync::watch,
    time::{Instant, sleep},
};

use toolwright::Role;

use super::{
    METADATA, PATH,
    connections::Connection,
    refusal::{and_close, busy, refusal},
    refusals::Refusals,
    sessions::Sessions,
    throttle::Throttle,
};
use crate::{
    access::Access,
    admission::Admission,
    caller::{Proof, Refused, bearer},
    client::PeerAddress,
    notices::Uses,
    oauth::Guard,
};

/// The header that names the session of a request.
const SESSION: &str = "mcp-session-id";

/// Who may use the server, and how many were refused.
#[derive(Debug)]
pub(super) struct Logins {
    access: watch::Receiver<Access>,
    sessions: Arc<Sessions>,
    throttle: Throttle,
    refusals: Refusals,
    uses: Uses,
    /// The checks of access tokens, if an authorization server issues some.
    guard: Option<Guard>,
    /// The URL of the metadata of this server.
    metadata: String,
}

impl Logins {
    /// Follows what the operator allows, and records what is refused. `url` is that of the server.
    pub(super) fn new(
        access: watch::Receiver<Access>,
        sessions: Arc<Sessions>,
        refusals: Refusals,
        uses: Uses,
        url: &str,
    ) -> Self {
        let guard = match &*access.borrow() {
            Access::Holders(holders) => holders.issuer().map(|issuer| issuer.guard(url)),
            _ => None,
        };
        let metadata = url.replacen(PATH, &format!("{METADATA}{PATH}"), 1);
        Self {
            access,
            sessions,
            throttle: Throttle::new(),
            refusals,
            uses,
            guard,
            metadata,
        }
    }

    /// Returns true if every process of this machine may use the server.
    pub(super) fn is_open(&self) -> bool {
        *self.access.borrow() == Access::Everyone
    }

    /// Returns the metadata of the server as a protected resource.
    pub(super) fn metadata(&self) -> Option<Value> {
        self.guard.as_ref().map(Guard::metadata)
    }

    /// Checks the headers of a request.
    pub(super) async fn admit(&self, headers: &HeaderMap) -> Result<Admission, Refused> {
        let registry = self.refusals.registry();
        let access = self.access.borrow().clone();
        if matches!(access, Access::Holders(_)) && registry.availability().overdue().is_some() {
            // A token may have been revoked in the meantime.
            return Err(Refused::NoAccess);
        }
        let (header, now) = (authorization(headers), Timestamp::now());
        let caller = match (access.admit(header, now), &self.guard) {
            (Err(Refused::WrongToken), Some(guard)) => {
                let token = header.and_then(bearer).ok_or(Refused::WrongToken)?;
                guard.admit(token, now).await?
            }
            (admitted, _) => admitted?,
        };
        let is_declared = |role: &Role| registry.has_role(role);
        if !caller.role.as_ref().is_none_or(is_declared) {
            return Err(Refused::NoRole);
        }
        if let Proof::Token(token) = caller.proof {
            self.uses.note(token);
        }
        Ok(Admission::new(caller, self.access.clone()))
    }

    /// Checks that a client began the session that its request names. To another one, the session
    /// does not exist.
    fn check_session(&self, headers: &HeaderMap, admission: &Admission) -> Result<(), Refused> {
        let id = headers.get(SESSION).and_then(|id| id.to_str().ok());
        match id {
            Some(id) if !self.sessions.may_use(id, admission) => Err(Refused::OtherSession),
            _ => Ok(()),
        }
    }

    /// The requests that were refused.
    pub(super) const fn refusals(&self) -> &Refusals {
        &self.refusals
    }

    /// Answers a request that is refused, after a while if there were many.
    pub(super) async fn refuse(&self, peer: SocketAddr, reason: Refused) -> Response {
        self.refusals.note(peer, reason);
        sleep(self.throttle.delay(Instant::now())).await;
        self.answer(reason)
    }

    /// Returns the answer to a request that is refused, the last one of its connection.
    fn answer(&self, reason: Refused) -> Response {
        let challenge = match &self.guard {
            Some(guard) => HeaderValue::try_from(guard.challenge(&self.metadata, reason)).ok(),
            None => None,
        };
        let challenge = challenge.unwrap_or(HeaderValue::from_static("Bearer"));
        and_close(answer(reason, challenge))
    }
}

/// Passes a request on if it shows a token that is accepted, and with it the client's admission.
pub(super) async fn check(
    State(logins): State<Arc<Logins>>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(connection) = request.extensions().get::<Arc<Connection>>().cloned() else {
        return refusal(StatusCode::INTERNAL_SERVER_ERROR, "no_connection", "");
    };
    let headers = request.headers();
    let admitted = logins.admit(headers).await.and_then(|admission| {
        let checked = logins.check_session(headers, &admission);
        checked.map(|()| admission)
    });
    let admission = match admitted {
        Ok(admission) => admission,
        Err(reason) => return logins.refuse(connection.peer, reason).await,
    };
    if !connection.set_client(admission.clone()) {
        return and_close(busy(
            "this client has too many connections; close one, or use one for several requests",
        ));
    }
    let peer = PeerAddress(connection.peer);
    request.extensions_mut().insert(peer);
    request.extensions_mut().insert(admission);
    next.run(request).await
}

/// Checks once more when the whole request has arrived, and an answer that may last for ever when
/// it begins: the token may have changed in between.
pub(super) async fn check_again(
    State(logins): State<Arc<Logins>>,
    request: Request,
    next: Next,
) -> Response {
    let Some(admission) = request.extensions().get::<Admission>().cloned() else {
        return logins.answer(Refused::NoToken);
    };
    let method = request.method().clone();
    let connection = request.extensions().get::<Arc<Connection>>().cloned();
    if !admission.is_valid() {
        let reason = logins.admit(request.headers()).await.err();
        let reason = reason.unwrap_or(Refused::WrongToken);
        if let Some(connection) = &connection {
            logins.refusals.note(connection.peer, reason);
        }
        return logins.answer(reason);
    }
    let response = next.run(request).await;
    if let Some(connection) = connection
        && method == Method::GET
        && response.status() == StatusCode::OK
    {
        connection.set_stream();
        if !admission.is_valid() {
            return logins.answer(Refused::WrongToken);
        }
    }
    response
}

/// Returns the value of the `Authorization` header, if there is exactly one.
fn authorization(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    match (values.next(), values.next()) {
        // With two, it is unclear which one the client means.
        (Some(header), None) => header.to_str().ok(),
        _ => None,
    }
}

fn answer(reason: Refused, challenge: HeaderValue) -> Response {
    let (status, code, message) = match reason {
        Refused::NoAccess | Refused::NoKeys => (
            StatusCode::SERVICE_UNAVAILABLE,
            "no_access",
            "the server cannot read what it compares tokens with, and refuses them until it can",
        ),
        // As the library answers for a session that does not exist.
        Refused::OtherSession => {
            return (StatusCode::NOT_FOUND, "Not Found: Session not found").into_response();
        }
        Refused::NoRole => (
            StatusCode::FORBIDDEN,
            "unknown_role",
            "the role of this token is not declared any more",
        ),
        Refused::NoScope => (
            StatusCode::FORBIDDEN,
            "insufficient_scope",
            "this access token has no role here",
        ),
        Refused::NoToken | Refused::WrongToken | Refused::Revoked | Refused::Expired => (
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "this server asks for a bearer token in the `Authorization` header",
        ),
    };
    let mut answer = refusal(status, code, message);
    if status == StatusCode::UNAUTHORIZED || reason == Refused::NoScope {
        answer
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, challenge);
    }
    answer
}
