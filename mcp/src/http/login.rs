//! Lets requests pass that show the token, and slows down those that do not.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::Response,
};
use tokio::{
    sync::watch,
    time::{Instant, sleep},
};

use super::{
    connections::Connection,
    refusal::{and_close, refusal},
    refusals::Refusals,
    throttle::Throttle,
};
use crate::{
    access::{Access, Refused},
    client::{PeerAddress, Principal},
};

/// Who may use the server, and how many were refused.
#[derive(Debug)]
pub(super) struct Logins {
    access: watch::Receiver<Access>,
    throttle: Throttle,
    refusals: Refusals,
}

impl Logins {
    /// Follows what the operator allows, and records what is refused.
    pub(super) const fn new(access: watch::Receiver<Access>, refusals: Refusals) -> Self {
        Self {
            access,
            throttle: Throttle::new(),
            refusals,
        }
    }

    /// Returns the access that the operator allows now.
    pub(super) fn access(&self) -> Access {
        *self.access.borrow()
    }

    /// Checks the headers of a request.
    pub(super) fn check(&self, headers: &HeaderMap) -> Result<(), Refused> {
        self.access().check(authorization(headers))
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

/// Passes a request on if it shows the token.
pub(super) async fn check(
    State(logins): State<Arc<Logins>>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(connection) = request.extensions().get::<Arc<Connection>>().cloned() else {
        return refusal(StatusCode::INTERNAL_SERVER_ERROR, "no_connection", "");
    };
    if let Err(reason) = logins.check(request.headers()) {
        return logins.refuse(connection.peer, reason).await;
    }
    connection.set_known();
    let peer = PeerAddress(connection.peer);
    request.extensions_mut().insert(peer);
    if let Some(principal) = logins.access().principal() {
        request.extensions_mut().insert(Principal(principal));
    }
    next.run(request).await
}

/// Checks once more when the whole request has arrived, and an answer that may last for ever when
/// it begins: the token may have changed in between.
pub(super) async fn check_again(
    State(logins): State<Arc<Logins>>,
    request: Request,
    next: Next,
) -> Response {
    let (headers, method) = (request.headers().clone(), request.method().clone());
    let connection = request.extensions().get::<Arc<Connection>>().cloned();
    if let Err(reason) = logins.check(&headers) {
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
        if let Err(reason) = logins.check(&headers) {
            return and_close(answer(reason));
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
    if reason == Refused::NoAccess {
        let message = "the server cannot read its token, and refuses all requests until it can";
        return refusal(StatusCode::SERVICE_UNAVAILABLE, "no_access", message);
    }
    let message = "this server asks for its bearer token in the `Authorization` header";
    let mut answer = refusal(StatusCode::UNAUTHORIZED, "unauthorized", message);
    let challenge = HeaderValue::from_static("Bearer");
    answer
        .headers_mut()
        .insert(header::WWW_AUTHENTICATE, challenge);
    answer
}
