//! Responses to requests that are refused before they reach the MCP server.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;

use crate::answer::BUSY;

/// Returns an answer that reports why a request is refused.
pub(super) fn refusal(status: StatusCode, code: &str, message: &str) -> Response {
    let error = json!({"error": {"code": code, "message": message}});
    (status, Json(error)).into_response()
}

/// Returns the answer to a request that may be made again later.
pub(super) fn busy(message: &str) -> Response {
    let mut answer = refusal(StatusCode::SERVICE_UNAVAILABLE, BUSY, message);
    let soon = HeaderValue::from_static("1");
    answer.headers_mut().insert(header::RETRY_AFTER, soon);
    answer
}

/// Makes an answer the last one of its connection.
pub(super) fn and_close(mut answer: Response) -> Response {
    let close = HeaderValue::from_static("close");
    answer.headers_mut().insert(header::CONNECTION, close);
    answer
}
