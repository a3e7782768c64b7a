//! The executor: sends a planned request and reads what comes back.

mod answer;
mod authorise;
mod client;
mod fault;
mod send;
mod stream;

use std::time::Duration;

pub(crate) use authorise::{Placement, authorise};
use client::Clients;
use toolwright_model::HttpBinding;

use crate::{error::ToolError, request::PlannedRequest, secret::Redactor, tool::ToolOutput};

/// Sends requests. Connections are kept and used again; tokens are not kept.
#[derive(Debug, Default)]
pub(crate) struct Executor {
    clients: Clients,
}

/// A request with all that it is sent with.
pub(crate) struct Sending<'a> {
    pub(crate) request: &'a PlannedRequest,
    pub(crate) placements: &'a [Placement],
    pub(crate) redactor: &'a Redactor,
    pub(crate) verify_tls: bool,
    pub(crate) limits: Limits,
}

/// How long a service may take, and how much it may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// From the beginning of the request to the last byte of the answer.
    pub(crate) timeout: Duration,
    /// The longest answer that is read, in bytes.
    pub(crate) max_response_bytes: usize,
}

impl Executor {
    /// Sends a request and decodes the answer as the binding says.
    pub(crate) async fn execute(
        &self,
        binding: &HttpBinding,
        sending: Sending<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let client = self.clients.client(sending.request, sending.verify_tls)?;
        let raw = send::send(client, &sending).await?;
        answer::decode_answer(binding, raw, sending.redactor)
    }
}
