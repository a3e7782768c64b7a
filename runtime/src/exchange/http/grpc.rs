//! The methods of gRPC services: a planned request has the JSON of a message, and so has its answer.
//!
//! `tonic` frames the messages and reads the status. The requests go through the same HTTP client as all
//! others, so the checks of targets and certificates are the same.

mod channel;
mod codec;
mod json;
mod messages;
mod reflect;
mod status;

use std::{borrow::Cow, error::Error as _};

use http::uri::PathAndQuery;
use http_body_util::BodyExt as _;
use reqwest::{Client, Request, header::CONTENT_TYPE};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};
use tonic::{Status, client::Grpc};
use toolwright_model::GrpcCall;

pub(in crate::exchange) use self::reflect::reflect;
use self::{
    channel::{Channel, Failed},
    codec::Bytewise,
    messages::Messages,
};
use super::{
    Sending,
    authorise::apply,
    fault,
    receive::{Cut, RawAnswer},
    send::{peer, planned_headers},
    upload,
};
use crate::{
    done::Done,
    error::ToolError,
    exchange::request::{PlanError, PlannedRequest},
    progress::{Direction, Meter},
    schema::Violation,
};

/// The most messages of a stream that become a result.
const MOST_MESSAGES: usize = 1000;

/// The outcome of a call.
enum Outcome {
    /// The JSON of the messages, a line each, and why there are no more of them.
    Messages(Vec<u8>, Option<Cut>),
    /// The service's status.
    Failed(Status),
}

/// Checks that a planned request has the JSON of the message that the method receives.
///
/// # Errors
/// [`PlanError`] with the place that does not fit.
pub(crate) fn check(call: &GrpcCall, request: &PlannedRequest) -> Result<(), PlanError> {
    let messages = Messages::of(call).map_err(PlanError::Binding)?;
    if !request.files.is_empty() {
        return Ok(());
    }
    let body = request.body.as_deref().unwrap_or_default();
    let encoded = messages.encode(&call.request, body);
    encoded.map(drop).map_err(|misfit| {
        PlanError::Argument(Violation {
            pointer: misfit.pointer,
            message: misfit.message,
        })
    })
}

/// Calls the method and reads its answer, up to the bounds.
pub(super) async fn send(
    client: &Client,
    sending: &Sending<'_>,
    call: &GrpcCall,
    deadline: Instant,
) -> Result<RawAnswer, ToolError> {
    let messages = Messages::of(call).map_err(|problem| fault::unsendable(&problem))?;
    let json = body(sending).await?;
    let message = messages.encode(&call.request, &json);
    let message = message.map_err(|misfit| fault::unsendable(&misfit.message))?;
    let url = sending.request.url.clone();
    let peer = peer(sending, &url);
    let mut request = Request::new(reqwest::Method::POST, url);
    *request.headers_mut() = planned_headers(sending)?;
    request.headers_mut().remove(CONTENT_TYPE);
    apply(sending.placements, &mut request)?;
    let channel = Channel::new(client.clone(), request);
    let failed = channel.failed();
    let exchange = Exchange {
        sending,
        call,
        messages: &messages,
        deadline,
    };
    sending.attempts.begin();
    let outcome = exchange.run(channel, message.into()).await?;
    if let Some(failed) = failed.take() {
        return exchange.not_grpc(&peer, failed);
    }
    match outcome {
        Outcome::Messages(bytes, cut) => {
            sending.attempts.set_done(Done::Yes);
            Ok(exchange.answer(200, bytes, cut))
        }
        Outcome::Failed(status) => exchange.failure(&peer, &status),
    }
}

/// Returns the JSON of the request, with its files.
async fn body<'s>(sending: &'s Sending<'_>) -> Result<Cow<'s, [u8]>, ToolError> {
    let bytes = sending.request.body.as_deref().unwrap_or_default();
    if sending.request.files.is_empty() {
        return Ok(Cow::Borrowed(bytes));
    }
    let body = upload::body(
        sending.request,
        bytes,
        sending.attachments,
        sending.progress,
    )?;
    let body = body.collect().await;
    let body = body.map_err(|error| fault::unanswered("", &error))?;
    Ok(Cow::Owned(body.to_bytes().into()))
}

struct Exchange<'s> {
    sending: &'s Sending<'s>,
    call: &'s GrpcCall,
    messages: &'s Messages,
    deadline: Instant,
}

impl Exchange<'_> {
    async fn run(&self, channel: Channel, message: bytes::Bytes) -> Result<Outcome, ToolError> {
        let path = PathAndQuery::from_maybe_shared(self.call.path());
        let path = path.map_err(|_| fault::unsendable("the name of its method is invalid"))?;
        let mut request = tonic::Request::new(message);
        let left = self.deadline.saturating_duration_since(Instant::now());
        request.set_timeout(left);
        let limit = self.sending.limits.max_response_bytes;
        let mut client = Grpc::new(channel).max_decoding_message_size(limit);
        let timed_out = |_| fault::timed_out(self.sending.timeout());
        if self.call.server_streaming {
            let opened = client.server_streaming(request, path, Bytewise);
            let opened = timeout_at(self.deadline, opened).await.map_err(timed_out)?;
            return match opened {
                Ok(stream) => self.collect(stream.into_inner()).await,
                Err(status) => Ok(Outcome::Failed(status)),
            };
        }
        let answered = client.unary(request, path, Bytewise);
        let answered = timeout_at(self.deadline, answered)
            .await
            .map_err(timed_out)?;
        match answered {
            Ok(answer) => {
                let message = answer.into_inner();
                Meter::new(self.sending.progress, Direction::Received, None).add(message.len());
                let json = self.decode(&message)?;
                // A message without fields is an empty answer.
                let is_empty = self.messages.is_empty(&self.call.response);
                let bytes = if is_empty { Vec::new() } else { line(&json) };
                Ok(Outcome::Messages(bytes, None))
            }
            Err(status) if is_too_large(&status) => {
                let limit = limit as u64;
                let cut = Cut::Size { limit, size: None };
                Ok(Outcome::Messages(Vec::new(), Some(cut)))
            }
            Err(status) => Ok(Outcome::Failed(status)),
        }
    }

    /// Collects the messages of a stream, up to the limits. The messages that arrived in time are the
    /// answer.
    async fn collect(
        &self,
        mut stream: tonic::Streaming<bytes::Bytes>,
    ) -> Result<Outcome, ToolError> {
        let most = self.sending.limits.max_response_bytes;
        let mut meter = Meter::new(self.sending.progress, Direction::Received, None);
        let mut lines = Vec::new();
        for _ in 0..MOST_MESSAGES {
            let message = match timeout_at(self.deadline, stream.message()).await {
                Ok(Ok(Some(message))) => message,
                Ok(Ok(None)) => return Ok(Outcome::Messages(lines, None)),
                // The service may notice the deadline first.
                Ok(Err(status)) if !lines.is_empty() && self.is_over(&status) => {
                    return Ok(Outcome::Messages(lines, Some(Cut::Time)));
                }
                Ok(Err(status)) => return Ok(Outcome::Failed(status)),
                Err(_) if lines.is_empty() => {
                    return Err(fault::timed_out(self.sending.timeout()));
                }
                Err(_) => return Ok(Outcome::Messages(lines, Some(Cut::Time))),
            };
            meter.add(message.len());
            let line = line(&self.decode(&message)?);
            if lines.len() + line.len() > most {
                return Ok(Outcome::Messages(lines, Some(Cut::Messages)));
            }
            lines.extend(line);
        }
        let next = timeout_at(self.deadline, stream.message()).await;
        let cut = match next {
            Ok(Ok(None)) => None,
            Ok(Err(status)) => return Ok(Outcome::Failed(status)),
            Ok(Ok(Some(_))) | Err(_) => Some(Cut::Messages),
        };
        Ok(Outcome::Messages(lines, cut))
    }

    /// Checks whether the time of the call ended a stream.
    fn is_over(&self, status: &Status) -> bool {
        status.code() == tonic::Code::DeadlineExceeded || Instant::now() >= self.deadline
    }

    fn decode(&self, message: &bytes::Bytes) -> Result<Value, ToolError> {
        let decoded = self.messages.decode(&self.call.response, message);
        decoded.map_err(|problem| fault::unusable(200, problem))
    }

    fn answer(&self, status: u16, mut bytes: Vec<u8>, cut: Option<Cut>) -> RawAnswer {
        if cut.is_some() {
            self.sending.redactor.cut(&mut bytes);
        }
        let content_type = match self.call.server_streaming && status == 200 {
            true => "application/x-ndjson",
            false => "application/json",
        };
        RawAnswer::new(status, content_type, bytes, cut)
    }

    /// Returns the answer for a status of the service, or the error of a connection that broke.
    fn failure(&self, peer: &str, status: &Status) -> Result<RawAnswer, ToolError> {
        let mut cause = status.source();
        while let Some(error) = cause {
            if let Some(error) = error.downcast_ref::<reqwest::Error>() {
                return Err(fault::unanswered(peer, error));
            }
            cause = error.source();
        }
        let code = status.code();
        self.sending.attempts.set_done(status::done(code));
        let failure = status::failure(status, self.messages);
        Ok(self.answer(status::http(code), line(&failure), None))
    }

    /// Returns the error of an exchange that was none of gRPC.
    fn not_grpc(&self, peer: &str, failed: Failed) -> Result<RawAnswer, ToolError> {
        match failed {
            Failed::Unanswered(error) => {
                let error = fault::unanswered(peer, &error);
                if error.has_sent_nothing() {
                    self.sending.attempts.set_unsent();
                }
                Err(error)
            }
            Failed::Body => Err(fault::unsendable("its message cannot be read")),
            Failed::Http(200) => {
                let message = "the service does not answer in gRPC".to_owned();
                Err(fault::unusable(200, message))
            }
            Failed::Http(status) => {
                let method = toolwright_model::Method::Post;
                self.sending
                    .attempts
                    .set_done(Done::from_status(method, status));
                Ok(self.answer(status, Vec::new(), None))
            }
        }
    }
}

/// Checks whether the message was larger than the limit, which `tonic` reports as a status.
fn is_too_large(status: &Status) -> bool {
    status.code() == tonic::Code::OutOfRange
        && status
            .message()
            .starts_with("Error, decoded message length too large")
}

fn line(value: &Value) -> Vec<u8> {
    let mut line = value.to_string().into_bytes();
    line.push(b'\n');
    line
}
