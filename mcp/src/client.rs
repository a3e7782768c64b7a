//! Who the client of a call is, as the audit records it.

use std::net::SocketAddr;

use axum::http::{header::AUTHORIZATION, request::Parts};
use rmcp::{RoleServer, model::Implementation, service::RequestContext};
use sha2::{Digest, Sha256};
use toolwright::audit::ClientContext;
use toolwright_model::hex;

use crate::{admission::Admission, caller::Proof};

/// The header that names the session of a request.
const SESSION: &str = "mcp-session-id";

/// The other end of the connection that a request arrived on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PeerAddress(pub(crate) SocketAddr);

/// Returns who the client of a request is. Its name and version are what it claims.
pub(crate) fn client(context: &RequestContext<RoleServer>) -> ClientContext {
    let parts = context.extensions.get::<Parts>();
    let program = program(context);
    ClientContext {
        name: program.as_ref().map(|program| program.name.clone()),
        version: program.map(|program| program.version),
        session: parts.and_then(session),
        peer: parts
            .and_then(|parts| parts.extensions.get::<PeerAddress>())
            .map(|peer| peer.0.to_string()),
        principal: match parts {
            Some(parts) => admission_of(parts).and_then(|one| one.caller.principal),
            // The other end of the pipes has the user of this process.
            None => Some(format!("os:{}", toolwright::system::user())),
        },
    }
}

/// Returns the access token of an authorization server that a request showed. A token of the server
/// itself is not returned: no other server may see it.
pub(crate) fn access_token(context: &RequestContext<RoleServer>) -> Option<String> {
    let parts = context.extensions.get::<Parts>()?;
    let is_issued = matches!(admission_of(parts)?.caller.proof, Proof::Subject(..));
    let header = parts.headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = header.split_once(' ').filter(|_| is_issued)?;
    let is_bearer = scheme.eq_ignore_ascii_case("bearer");
    is_bearer.then(|| token.trim().to_owned())
}

/// Returns the admission of the client of a request, over HTTP.
pub(crate) fn admission(context: &RequestContext<RoleServer>) -> Option<Admission> {
    context.extensions.get::<Parts>().and_then(admission_of)
}

/// Returns the admission of the client of a request over HTTP.
pub(crate) fn admission_of(parts: &Parts) -> Option<Admission> {
    parts.extensions.get().cloned()
}

/// Returns the name of the session of a request, over HTTP. It is no secret.
pub(crate) fn session_of(context: &RequestContext<RoleServer>) -> Option<String> {
    context.extensions.get::<Parts>().and_then(session)
}

/// Checks whether a request arrived over HTTP, rather than over pipes.
pub(crate) fn is_over_http(context: &RequestContext<RoleServer>) -> bool {
    context.extensions.get::<Parts>().is_some()
}

/// Returns the program of the client: by the request itself, or else by how its session began.
fn program(context: &RequestContext<RoleServer>) -> Option<Implementation> {
    let of_session = || Some(context.peer.peer_info()?.client_info.clone());
    context.meta.client_info().or_else(of_session)
}

/// Returns a name that identifies the session and cannot be used in place of its id.
fn session(parts: &Parts) -> Option<String> {
    let id = parts.headers.get(SESSION)?;
    let digest = Sha256::digest(id.as_bytes());
    digest.first_chunk::<8>().map(hex)
}
