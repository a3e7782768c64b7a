//! Bodies that are not envelopes, or too large: they are refused, and the service survives.

use serde_json::json;
use toolwright_model::eab::{ErrorCode, HANDSHAKE};

use super::{
    Method,
    visit::{Visit, refuses},
};

/// The nesting of the deepest body.
const DEEP: usize = 20_000;

/// The length of the longest body, in bytes.
const LONG: usize = 12 << 20;

/// Checks how the service handles bodies of a method.
pub(super) async fn verify(visit: &mut Visit<'_>, method: &Method<'_>) {
    let name = method.name();
    let deep = format!("{{\"params\": {}", "[".repeat(DEEP));
    for (id, body) in [
        ("body.empty", Vec::new()),
        ("body.no-json", b"{\"request_id\": ".to_vec()),
        ("body.no-object", b"[1, 2]".to_vec()),
        ("body.no-utf-8", b"{\"request_id\": \"\xff\xfe\"}".to_vec()),
        ("body.nested-deeply", deep.into_bytes()),
    ] {
        let reply = visit.send_bytes(name, body).await;
        let found = refuses(reply, None, &[ErrorCode::InvalidRequest]);
        visit.report.note(id, None, found);
        check_alive(visit, id).await;
    }
    let mut envelope = visit.envelope(name, &json!({}));
    if let Some(fields) = envelope.as_object_mut() {
        fields.insert("padding".to_owned(), "x".repeat(LONG).into());
    }
    // A service may read it all, refuse it, or close while it is being sent. It must survive.
    let found = match visit.send(name, &envelope).await {
        Ok(reply) if reply.status >= 500 => {
            Err(format!("it answers with the status {}", reply.status))
        }
        _ => Ok(()),
    };
    visit.report.note("body.huge", None, found);
    check_alive(visit, "body.huge").await;
}

/// Checks that the service still completes a handshake afterwards.
async fn check_alive(visit: &mut Visit<'_>, after: &str) {
    let envelope = visit.envelope(HANDSHAKE, &json!({}));
    let mut reply = visit.send(HANDSHAKE, &envelope).await;
    if reply.is_err() {
        // The connection may have been one that the service closed on a body before it was read.
        let envelope = visit.envelope(HANDSHAKE, &json!({}));
        reply = visit.send(HANDSHAKE, &envelope).await;
    }
    let found = match reply {
        Ok(reply) if reply.status == 200 => Ok(()),
        Ok(reply) => Err(format!("after `{after}` it answers {}", reply.status)),
        Err(message) => Err(format!("after `{after}`: {message}")),
    };
    visit.report.note("service.lives-on", None, found);
}
