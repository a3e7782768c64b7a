//! Lets requests pass that show a token which is accepted, and slows down those that do not.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use jiff::Timestamp;
use tokio::{
    sync::watch,
    time::{Instant, sleep},
};

use toolwright::Role;

use super::{
    connections::Connection,
    refusal::{and_close, refusal},
    refusals::Refusals,
    sessions::Sessions,
    throttle::Throttle,
};
use crate::{
    access::{Access, Proof, Refused},
    admission::Admission,
    client::PeerAddress,
    notices::Uses,
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
}

impl Logins {
    /// Follows what the operator allows, and records what is refused.
    pub(super) const fn new(
        access: watch::Receiver<Access>,
        sessions: Arc<Sessions>,
        refusals: Refusals,
        uses: Uses,
    ) -> Self {
        Self {
            access,
            sessions,
            throttle: Throttle::new(),
            refusals,
            uses,
        }
    }

    /// Returns true if every process of this machine may use the server.
    pub(super) fn is_open(&self) -> bool {
        *self.access.borrow() == Access::Everyone
    }

    /// Checks the headers of a request.
    pub(super) fn admit(&self, headers: &HeaderMap) -> Result<Admission, Refused> {
        let registry = self.refusals.registry();
        let access = self.access.borrow().clone();
        if matches!(access, Access::Holders(_)) && registry.availability().overdue().is_some() {
            // A token may have been revoked in the meantime.
            return Err(Refused::NoAccess);
        }
        let caller = access.admit(authorization(headers), Timestamp::now())?;
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
        and_close(answer(reason))
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
    let admitted = logins.admit(headers).and_then(|admission| {
        let checked = logins.check_session(headers, &admission);
        checked.map(|()| admission)
    });
    let admission = match admitted {
        Ok(admission) => admission,
        Err(reason) => return logins.refuse(connection.peer, reason).await,
    };
    connection.set_client(admission.clone());
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
        return answer(Refused::NoToken);
    };
    let method = request.method().clone();
    let connection = request.extensions().get::<Arc<Connection>>().cloned();
    if !admission.is_valid() {
        let reason = logins.admit(request.headers()).err();
        let reason = reason.unwrap_or(Refused::WrongToken);
        if let Some(connection) = &connection {
            logins.refusals.note(connection.peer, reason);
        }
        return and_close(answer(reason));
    }
    let response = next.run(request).await;
    if let Some(connection) = connection
        && method == Method::GET
        && response.status() == StatusCode::OK
    {
        connection.set_stream();
        if !admission.is_valid() {
            return and_close(answer(Refused::WrongToken));
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

fn answer(reason: Refused) -> Response {
    match reason {
        Refused::NoAccess => {
            let message =
                "the server cannot read its tokens, and refuses all requests until it can";
            return refusal(StatusCode::SERVICE_UNAVAILABLE, "no_access", message);
        }
        // As the library answers for a session that does not exist.
        Refused::OtherSession => {
            return (StatusCode::NOT_FOUND, "Not Found: Session not found").into_response();
        }
        Refused::NoRole => {
            let message = "the role of this token is not declared any more";
            return refusal(StatusCode::FORBIDDEN, "unknown_role", message);
        }
        Refused::NoToken | Refused::WrongToken | Refused::Revoked | Refused::Expired => {}
    }
    let message = "this server asks for a bearer token in the `Authorization` header";
    let mut answer = refusal(StatusCode::UNAUTHORIZED, "unauthorized", message);
    let challenge = HeaderValue::from_static("Bearer");
    answer
        .headers_mut()
        .insert(header::WWW_AUTHENTICATE, challenge);
    answer
}
