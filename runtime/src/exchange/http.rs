//! The executor: sends a planned request and reads the response.

mod answer;
mod ask;
mod authorise;
mod client;
mod fault;
mod link;
mod receive;
mod resolver;
mod save;
mod send;
mod shown;
mod stream;
mod trace;
mod upload;

use std::{path::Path, time::Duration};

pub(crate) use answer::failure;
pub(crate) use ask::OwnAnswer;
pub(crate) use authorise::{Placement, authorise};
use client::Clients;
pub(crate) use receive::RawAnswer;
pub(crate) use save::{Place, Saving, StorePlace};
pub(crate) use shown::shown_url;
use toolwright_model::HttpBinding;
use toolwright_policy::TargetScope;
use tracing::Instrument;
pub(crate) use upload::Attachments;

use crate::{
    error::{SentRequest, ToolError},
    exchange::{redact::Redactor, request::PlannedRequest},
    output::ToolOutput,
    target::Egress,
};

/// Sends requests. Connections are kept and used again; tokens are not kept.
#[derive(Debug, Default)]
pub(crate) struct Executor {
    clients: Clients,
}

/// A request with all that it is sent with.
pub(crate) struct Sending<'a> {
    pub(crate) request: &'a PlannedRequest,
    /// The request as the operator sees it.
    pub(crate) sent: &'a SentRequest,
    pub(crate) placements: &'a [Placement],
    /// The secrets that a truncated response must not end within.
    pub(crate) redactor: &'a Redactor,
    pub(crate) egress: &'a Egress,
    /// The Unix socket that carries it, rather than the network.
    pub(crate) socket: Option<&'a Path>,
    pub(crate) limits: Limits,
    /// The targets that a redirect may lead to.
    pub(crate) targets: &'a TargetScope,
    /// How a successful answer is saved, if it does not become a value.
    pub(crate) saving: Option<Saving<'a>>,
    /// The owner of the files that the request sends.
    pub(crate) attachments: Option<Attachments<'a>>,
}

/// The limits on a service's response: its time and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// From the beginning of the request to the last byte of the answer.
    pub(crate) timeout: Duration,
    /// The longest answer that becomes a value, in bytes.
    pub(crate) max_response_bytes: usize,
}

impl Executor {
    /// Sends a request and decodes the response according to the binding.
    pub(crate) async fn execute(
        &self,
        binding: &HttpBinding,
        sending: Sending<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let raw = self.exchange(&sending).await?;
        answer::decode_answer(binding, &raw)
    }

    /// Sends a request without credentials to a target that the operator names, and returns the
    /// status of the response. Nothing else of it is read, and no redirect is followed.
    pub(crate) async fn post(
        &self,
        request: &PlannedRequest,
        egress: &Egress,
        timeout: Duration,
    ) -> Result<u16, ToolError> {
        send::post(&self.clients, request, egress, timeout).await
    }

    /// Sends a request and returns the raw response.
    pub(crate) async fn exchange(&self, sending: &Sending<'_>) -> Result<RawAnswer, ToolError> {
        let span = trace::begin(sending.sent);
        let exchange = async {
            let client = self.clients.client(sending)?;
            send::send(&client, sending, &span).await
        };
        let result = exchange.instrument(span.clone()).await;
        trace::end(&span, &result);
        result
    }
}
