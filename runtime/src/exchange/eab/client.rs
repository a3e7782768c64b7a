//! A client of one service, without gates: for checking services rather than calling tools.

use std::time::Duration;

use serde::Serialize;
use toolwright_model::Method;

use super::Endpoint;
use crate::{
    error::ToolError,
    exchange::{
        http::{Executor, Limits, NoCall, Sending, sendable},
        request::PlannedRequest,
    },
    target::Egress,
};

/// Speaks to one service. It is for conformance tests; agents go through a view.
#[derive(Debug)]
pub struct Client {
    executor: Executor,
    endpoint: Endpoint,
    limits: Limits,
}

/// The HTTP response to a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The content type.
    pub content_type: Option<String>,
    /// The body, up to the bound.
    pub bytes: Vec<u8>,
    /// True if the response was longer than the part that was read.
    pub truncated: bool,
}

impl Client {
    /// A client that waits so long for an answer, and reads so much of it.
    #[must_use]
    pub fn new(endpoint: Endpoint, timeout: Duration, max_response_bytes: usize) -> Self {
        Self {
            executor: Executor::default(),
            endpoint,
            limits: Limits {
                timeout,
                max_response_bytes,
            },
        }
    }

    /// Sends a body to a method.
    ///
    /// # Errors
    /// [`ToolError::Transport`] if there is no response.
    pub async fn post(&self, method: &str, body: Vec<u8>) -> Result<Reply, ToolError> {
        let request = request(&self.endpoint, method, body)?;
        let sent = self.endpoint.sent_request(method);
        let (no_call, egress) = (NoCall::default(), Egress::unrestricted());
        let sending = Sending {
            socket: self.endpoint.socket(),
            grpc: None,
            ..no_call.sending(&request, &sent, &egress, self.limits)
        };
        let raw = self.executor.exchange(&sending).await?;
        Ok(Reply {
            status: raw.status,
            content_type: raw.content_type,
            bytes: raw.bytes,
            truncated: raw.cut.is_some(),
        })
    }
}

/// The request that carries a body to a method.
pub(super) fn request(
    endpoint: &Endpoint,
    method: &str,
    body: Vec<u8>,
) -> Result<PlannedRequest, ToolError> {
    Ok(PlannedRequest {
        method: Method::Post,
        url: sendable(&endpoint.url(method))?,
        headers: ["Content-Type", "Accept"]
            .map(|name| (name.to_owned(), "application/json".to_owned()))
            .into(),
        body: Some(body),
        files: Vec::new(),
    })
}

/// An envelope as bytes.
pub(super) fn encoded(envelope: &impl Serialize) -> Result<Vec<u8>, ToolError> {
    serde_json::to_vec(envelope).map_err(|error| ToolError::Undecided {
        message: format!("the request cannot be written: {error}"),
    })
}
