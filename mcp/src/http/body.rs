//! Reads the body of a request within bounds of size, time and memory.

use std::time::Duration;

use axum::{
    Json,
    body::{Body, Bytes, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use tokio::time::timeout;

use super::{
    memory::{LONGEST_BODY, Memory, Short, estimate},
    refusal::{and_close, busy, refusal},
};
use crate::{
    admission::Admission,
    aside::{LARGE, aside},
    outline::{Fault, Outline},
};

/// The bounds of bodies.
#[derive(Clone, Debug)]
pub(super) struct Bodies {
    /// The memory of all requests.
    pub(super) memory: Memory,
    /// The longest time for a body to arrive.
    pub(super) patience: Duration,
}

/// Passes a request on with its whole body, and with the memory reserved that it needs.
pub(super) async fn bound(State(bodies): State<Bodies>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let client = parts.extensions.get::<Admission>().cloned();
    let body = match bodies.read(&parts.headers, body, client.as_ref()).await {
        Ok(body) => body,
        // The rest of the body is not read, so the connection is of no more use.
        Err(answer) => return and_close(answer),
    };
    let reserved = match bodies.memory.reserve(estimate(&body), client.as_ref()) {
        Ok(reserved) => reserved,
        Err(short) => return refused(short),
    };
    parts.extensions.insert(reserved);
    let is_large = body.len() >= LARGE;
    let is_json = is_json(&parts.headers);
    let handled = next.run(Request::from_parts(parts, Body::from(body.clone())));
    let response = if is_large {
        aside(handled).await
    } else {
        handled.await
    };
    // The library answers so if it cannot read the message.
    match response.status() {
        StatusCode::UNSUPPORTED_MEDIA_TYPE if is_json => unreadable(&body),
        _ => response,
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let media_type = headers.get(header::CONTENT_TYPE);
    let media_type = media_type.and_then(|value| value.to_str().ok());
    media_type.is_some_and(|value| {
        let (essence, _) = value.split_once(';').unwrap_or((value, ""));
        essence.trim().eq_ignore_ascii_case("application/json")
    })
}

/// Returns the answer to a message that cannot be read.
fn unreadable(body: &[u8]) -> Response {
    let status = StatusCode::BAD_REQUEST;
    match Outline::of(body).answer(Fault::Unreadable) {
        Some(answer) => (status, Json(answer)).into_response(),
        None => refusal(status, "unreadable", "the message cannot be read"),
    }
}

impl Bodies {
    async fn read(
        &self,
        headers: &HeaderMap,
        body: Body,
        client: Option<&Admission>,
    ) -> Result<Bytes, Response> {
        let length = length(headers);
        if length > LONGEST_BODY {
            return Err(too_long());
        }
        let _reserved = self.memory.reserve(length, client).map_err(refused)?;
        match timeout(self.patience, to_bytes(body, LONGEST_BODY)).await {
            Ok(Ok(bytes)) => Ok(bytes),
            Ok(Err(_)) => Err(too_long()),
            Err(_) => {
                let message = "the body of the request took too long to arrive";
                let status = StatusCode::REQUEST_TIMEOUT;
                Err(refusal(status, "body_timed_out", message))
            }
        }
    }
}

/// Returns how long a body may be, by its headers.
fn length(headers: &HeaderMap) -> usize {
    if headers.contains_key(header::TRANSFER_ENCODING) {
        return LONGEST_BODY;
    }
    let length = headers.get(header::CONTENT_LENGTH);
    length.map_or(0, |length| {
        let length = length.to_str().ok().and_then(|text| text.parse().ok());
        length.unwrap_or(usize::MAX)
    })
}

fn too_long() -> Response {
    let message = format!("the body of the request is longer than {LONGEST_BODY} bytes");
    refusal(StatusCode::PAYLOAD_TOO_LARGE, "body_too_long", &message)
}

fn refused(short: Short) -> Response {
    match short {
        Short::Now => busy("the requests being handled need all the memory; call again later"),
        Short::Always => refusal(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too_many_values",
            "the request has too many values for the memory of the server; send fewer at a time",
        ),
    }
}
