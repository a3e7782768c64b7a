//! The executor: sends a planned request and reads the response.

mod answer;
mod ask;
mod authorise;
mod blocks;
#[cfg(feature = "brotli")]
mod brotli;
mod client;
#[cfg(feature = "gzip")]
mod deflate;
mod fault;
mod graphql;
#[cfg(feature = "grpc")]
mod grpc;
#[cfg(not(feature = "grpc"))]
#[path = "http/no_grpc.rs"]
mod grpc;
#[cfg(feature = "gzip")]
mod gzip;
#[cfg(not(feature = "gzip"))]
#[path = "http/no_gzip.rs"]
mod gzip;
mod link;
mod receive;
mod resolver;
mod retry;
mod save;
mod send;
mod shown;
mod stream;
mod trace;
mod upload;
#[cfg(feature = "zstd")]
mod zstd;

use std::{path::Path, time::Duration};

pub(crate) use answer::failure;
pub(crate) use ask::OwnAnswer;
pub(crate) use authorise::{Placement, authorise};
use client::Clients;
pub(crate) use fault::sendable;
use graphql::Judgement;
pub(crate) use grpc::check as check_message;
pub(crate) use receive::RawAnswer;
use reqwest::{Client, Url};
use retry::Budgets;
pub(crate) use retry::Retries;
pub(crate) use save::{Place, Saving, StorePlace};
pub(crate) use shown::shown_url;
use tokio::time::{Instant, sleep};
use toolwright_model::{GrpcCall, HttpBinding};
use toolwright_policy::TargetScope;
use tracing::Instrument;
pub(crate) use upload::Attachments;

#[cfg(feature = "grpc")]
use crate::credentials::CredentialsError;
use crate::{
    done::Attempts,
    error::{SentRequest, ToolError},
    exchange::{redact::Redactor, request::PlannedRequest},
    output::ToolOutput,
    progress::Listener,
    target::Egress,
};

/// Sends requests. Connections are kept and used again; tokens are not kept.
#[derive(Debug, Default)]
pub(crate) struct Executor {
    clients: Clients,
    budgets: Budgets,
}

/// The place of a call for a request that belongs to none.
#[derive(Default)]
pub(crate) struct NoCall {
    redactor: Redactor,
    targets: TargetScope,
    attempts: Attempts,
}

impl NoCall {
    /// Returns a request that is sent once, without credentials, over the network.
    pub(crate) const fn sending<'a>(
        &'a self,
        request: &'a PlannedRequest,
        sent: &'a SentRequest,
        egress: &'a Egress,
        limits: Limits,
    ) -> Sending<'a> {
        Sending {
            request,
            sent,
            placements: &[],
            redactor: &self.redactor,
            egress,
            socket: None,
            grpc: None,
            limits,
            targets: &self.targets,
            saving: None,
            attachments: None,
            attempts: &self.attempts,
            retries: None,
            headers: &[],
            progress: None,
        }
    }
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
    /// The method of a gRPC service, if it is one.
    pub(crate) grpc: Option<&'a GrpcCall>,
    pub(crate) limits: Limits,
    /// The targets that a redirect may lead to.
    pub(crate) targets: &'a TargetScope,
    /// How a successful answer is saved, if it does not become a value.
    pub(crate) saving: Option<Saving<'a>>,
    /// The owner of the files that the request sends.
    pub(crate) attachments: Option<Attachments<'a>>,
    /// The attempts to carry out the call.
    pub(crate) attempts: &'a Attempts,
    /// The repetitions that the call may have; none if it is sent once.
    pub(crate) retries: Option<Retries<'a>>,
    /// Headers that the runtime adds to the planned ones, and that are no secrets.
    pub(crate) headers: &'a [(String, String)],
    /// The function that receives the progress of the transfers.
    pub(crate) progress: Option<&'a Listener>,
}

/// The limits on a service's response: its time and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// From the beginning of the request to the last byte of the answer.
    pub(crate) timeout: Duration,
    /// The longest answer that becomes a value, in bytes.
    pub(crate) max_response_bytes: usize,
}

impl Sending<'_> {
    /// Returns the time for the call. It is longer if the request sends files.
    fn timeout(&self) -> Duration {
        match self.attachments {
            Some(files) if !self.request.files.is_empty() => files.store.limits().transfer,
            _ => self.limits.timeout,
        }
    }
}

impl Executor {
    /// Returns a client for requests to a URL.
    pub(crate) fn client_for(&self, url: &Url, egress: &Egress) -> Result<Client, ToolError> {
        self.clients.client_for(url, egress)
    }

    /// Asks a gRPC server for the descriptors of its services.
    #[cfg(feature = "grpc")]
    pub(crate) async fn reflect(&self, url: &Url, egress: &Egress) -> Result<Vec<u8>, ToolError> {
        egress.check(url).map_err(CredentialsError::from)?;
        let client = self.clients.grpc_client_for(url, egress)?;
        grpc::reflect(&client, url).await
    }

    /// Sends a request and decodes the response according to the binding.
    pub(crate) async fn execute(
        &self,
        binding: &HttpBinding,
        sending: Sending<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let raw = self.exchange(&sending).await?;
        let output = answer::decode_answer(binding, &raw)?;
        if binding.graphql().is_none() {
            return Ok(output);
        }
        match graphql::judge(output.value, &raw) {
            Judgement::Data(value) => Ok(ToolOutput { value, ..output }),
            Judgement::Failure(error, done) => {
                sending.attempts.set_done(done);
                Err(error)
            }
        }
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

    /// Sends a request and returns the raw response. The time for the call limits all of its
    /// attempts.
    pub(crate) async fn exchange(&self, sending: &Sending<'_>) -> Result<RawAnswer, ToolError> {
        let span = trace::begin(sending.sent);
        let exchange = async {
            let client = self.clients.client(sending)?;
            let deadline = Instant::now() + sending.timeout();
            if let Some(retries) = sending.retries {
                self.budgets.add_call(retries.service);
            }
            loop {
                let result = match sending.grpc {
                    Some(call) => grpc::send(&client, sending, call, deadline).await,
                    None => send::send(&client, sending, deadline, &span).await,
                };
                match self.budgets.delay(sending, &result, deadline) {
                    Some(delay) => {
                        span.record(trace::RESENDS, sending.attempts.count());
                        sleep(delay).await;
                    }
                    None => return result,
                }
            }
        };
        let result = exchange.instrument(span.clone()).await;
        trace::end(&span, &result);
        result
    }
}
