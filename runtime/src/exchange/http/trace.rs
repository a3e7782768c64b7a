//! The span of a request, with the names of OpenTelemetry's conventions for HTTP clients.

use reqwest::Url;
use tracing::{
    Span,
    field::{Empty, display},
    info_span,
};

use super::receive::RawAnswer;
use crate::error::{SentRequest, ToolError};

/// The first status that is an error.
const FIRST_ERROR: u16 = 400;

/// The number of redirects that were followed, and of repetitions.
pub(super) const RESENDS: &str = "http.request.resend_count";

/// Begins the span of a request. It holds what the operator may see of it.
pub(super) fn begin(sent: &SentRequest) -> Span {
    let span = info_span!(
        target: "toolwright",
        "request",
        otel.name = sent.method.word(),
        otel.kind = "client",
        http.request.method = sent.method.word(),
        url.full = sent.url,
        server.address = Empty,
        server.port = Empty,
        http.request.resend_count = Empty,
        http.response.status_code = Empty,
        "error.type" = Empty,
        otel.status_code = Empty,
    );
    if span.is_disabled() {
        return span;
    }
    match (&sent.socket, Url::parse(&sent.url)) {
        (Some(socket), _) => {
            span.record("server.address", display(socket.display()));
        }
        (None, Ok(url)) => {
            span.record("server.address", url.host_str());
            span.record("server.port", url.port_or_known_default());
        }
        (None, Err(_)) => {}
    }
    span
}

/// Records the end of a request.
pub(super) fn end(span: &Span, result: &Result<RawAnswer, ToolError>) {
    match result {
        Ok(answer) => {
            span.record("http.response.status_code", answer.status);
            if answer.status >= FIRST_ERROR {
                span.record("error.type", display(answer.status));
                span.record("otel.status_code", "ERROR");
            }
        }
        Err(error) => {
            span.record("error.type", error.code());
            span.record("otel.status_code", "ERROR");
        }
    }
}
