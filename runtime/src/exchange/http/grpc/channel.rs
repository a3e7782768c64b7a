//! The way of a call through the HTTP client.

use std::{
    future::{Future, ready},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use http_body_util::BodyExt as _;
use reqwest::{Client, Request, header::CONTENT_TYPE};
use tower_service::Service;

/// The media type of gRPC, which may have a suffix and parameters.
const MEDIA_TYPE: &str = "application/grpc";

/// The reason why an exchange has no status.
#[derive(Debug)]
pub(super) enum Failed {
    /// The request was not answered.
    Unanswered(reqwest::Error),
    /// The message of the request cannot be read.
    Body,
    /// The answer has this HTTP status, and is not in gRPC.
    Http(u16),
}

/// The place of a failure.
#[derive(Clone, Debug, Default)]
pub(super) struct FailedSlot(Arc<Mutex<Option<Failed>>>);

/// Sends one request, whose URL and headers are prepared.
pub(super) struct Channel {
    client: Client,
    request: Option<Request>,
    failed: FailedSlot,
}

impl FailedSlot {
    /// Returns the failure, if there was one.
    pub(super) fn take(&self) -> Option<Failed> {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slot.take()
    }

    fn set(&self, failed: Failed) -> tonic::Status {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = Some(failed);
        tonic::Status::unknown("the exchange failed")
    }
}

impl Channel {
    pub(super) fn new(client: Client, request: Request) -> Self {
        Self {
            client,
            request: Some(request),
            failed: FailedSlot::default(),
        }
    }

    pub(super) fn failed(&self) -> FailedSlot {
        self.failed.clone()
    }
}

type Answer = Result<http::Response<reqwest::Body>, tonic::Status>;

impl Service<http::Request<tonic::body::Body>> for Channel {
    type Response = http::Response<reqwest::Body>;
    type Error = tonic::Status;
    type Future = Pin<Box<dyn Future<Output = Answer> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, framed: http::Request<tonic::body::Body>) -> Self::Future {
        let (client, failed) = (self.client.clone(), self.failed.clone());
        let Some(mut request) = self.request.take() else {
            return Box::pin(ready(Err(failed.set(Failed::Body))));
        };
        Box::pin(async move {
            let (parts, body) = framed.into_parts();
            // What the operator and the arguments set does not replace the protocol's own headers.
            for (name, value) in &parts.headers {
                request.headers_mut().insert(name, value.clone());
            }
            let Ok(body) = body.collect().await else {
                return Err(failed.set(Failed::Body));
            };
            *request.body_mut() = Some(body.to_bytes().into());
            match client.execute(request).await {
                Ok(response) if is_grpc(&response) => Ok(response.into()),
                Ok(response) => Err(failed.set(Failed::Http(response.status().as_u16()))),
                Err(error) => Err(failed.set(Failed::Unanswered(error))),
            }
        })
    }
}

/// Checks whether an answer is one of gRPC.
fn is_grpc(response: &reqwest::Response) -> bool {
    let content_type = response.headers().get(CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok());
    response.status() == 200 && content_type.is_some_and(|kind| kind.starts_with(MEDIA_TYPE))
}
