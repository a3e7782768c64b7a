//! A receiver of OpenTelemetry: each event is a log record, and each call that has ended a span.
//!
//! Deliveries are made here rather than by an SDK, whose exporters drop what they cannot send.

mod metrics;
mod records;
mod values;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use opentelemetry_proto::tonic::collector::{
    logs::v1::ExportLogsServiceResponse, trace::v1::ExportTraceServiceResponse,
};
use prost::Message;
use records::Records;
use reqwest::{
    Client,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};
use rustls::{ClientConfig, crypto::ring::default_provider};
use rustls_platform_verifier::BuilderVerifierExt;
use toolwright::{
    config::SinkConfig,
    private::{self, Links},
};
use toolwright_audit::TailEvent;

use crate::{
    metrics::Family,
    sink::{Delivery, Sink, SinkError},
};

/// The timeout of a request.
const REQUEST_LIMIT: Duration = Duration::from_secs(10);

/// The greatest length of the file of headers, in bytes.
const LONGEST_HEADERS: u64 = 1 << 16;

/// The greatest length of an answer that is read, in bytes.
const LONGEST_ANSWER: usize = 1 << 16;

/// A receiver of OpenTelemetry over HTTP.
pub struct OtlpSink {
    receiver: Receiver,
    records: Records,
}

/// A receiver of metrics over HTTP. Its connection is used again.
pub struct OtlpMetrics {
    receiver: Receiver,
    /// The time at which the counts began, in nanoseconds since 1970.
    started: u64,
}

/// The address of a receiver.
struct Receiver {
    client: Client,
    url: String,
    /// The file with further headers. It is read for each request, so it may be replaced.
    headers: Option<PathBuf>,
}

impl OtlpSink {
    /// The receiver of a configuration.
    ///
    /// # Errors
    /// When the headers cannot be read, or connections cannot be encrypted.
    pub fn new(config: &SinkConfig) -> Result<Self, SinkError> {
        Ok(Self {
            receiver: Receiver::new(config)?,
            records: Records::default(),
        })
    }

    async fn export(&mut self, instance: &str, events: &[TailEvent]) -> Result<(), SinkError> {
        let spans = self.records.spans(instance, events);
        let logs = self.records.logs(instance, events);
        if let Some(spans) = spans {
            let answer = self.receiver.post("traces", &spans).await?;
            let answer = ExportTraceServiceResponse::decode(answer.as_slice()).unwrap_or_default();
            let rejected = answer.partial_success.unwrap_or_default();
            check(rejected.rejected_spans, &rejected.error_message)?;
        }
        let answer = self.receiver.post("logs", &logs).await?;
        let answer = ExportLogsServiceResponse::decode(answer.as_slice()).unwrap_or_default();
        let rejected = answer.partial_success.unwrap_or_default();
        check(rejected.rejected_log_records, &rejected.error_message)
    }
}

impl Sink for OtlpSink {
    fn deliver<'a>(&'a mut self, instance: &'a str, events: &'a [TailEvent]) -> Delivery<'a> {
        Box::pin(self.export(instance, events))
    }
}

impl OtlpMetrics {
    /// The receiver of a configuration. `started` is the time at which the counts began, in
    /// nanoseconds since 1970.
    ///
    /// # Errors
    /// When the headers cannot be read, or connections cannot be encrypted.
    pub fn new(config: &SinkConfig, started: u64) -> Result<Self, SinkError> {
        Ok(Self {
            receiver: Receiver::new(config)?,
            started,
        })
    }

    /// Sends metrics.
    ///
    /// # Errors
    /// When the receiver does not take them.
    pub async fn push(&self, families: &[Family]) -> Result<(), SinkError> {
        let request = metrics::request(families, self.started);
        self.receiver.post("metrics", &request).await.map(drop)
    }
}

/// A rejected event would be lost, so it is delivered again, and the operator is told.
fn check(rejected: i64, message: &str) -> Result<(), SinkError> {
    if rejected == 0 {
        return Ok(());
    }
    Err(SinkError(format!(
        "the receiver rejected {rejected} records: {message}"
    )))
}

impl Receiver {
    fn new(config: &SinkConfig) -> Result<Self, SinkError> {
        let tls = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(BuilderVerifierExt::with_platform_verifier);
        let tls = tls.map_err(|error| SinkError(format!("cannot encrypt: {error}")))?;
        let client = Client::builder()
            .tls_backend_preconfigured(tls.with_no_client_auth())
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(REQUEST_LIMIT)
            .build();
        // A file that cannot be used is told at the start.
        headers(config.secret_file.as_deref())?;
        Ok(Self {
            client: client.map_err(|error| SinkError(described(&error)))?,
            url: config.url.value.trim_end_matches('/').to_owned(),
            headers: config.secret_file.clone(),
        })
    }

    /// Sends a message, and returns the answer.
    async fn post(&self, signal: &str, message: &impl Message) -> Result<Vec<u8>, SinkError> {
        let request = self
            .client
            .post(format!("{}/v1/{signal}", self.url))
            .headers(headers(self.headers.as_deref())?)
            .header(CONTENT_TYPE, "application/x-protobuf")
            .body(message.encode_to_vec());
        let fault = |error: reqwest::Error| SinkError(described(&error.without_url()));
        let mut answer = request.send().await.map_err(fault)?;
        let status = answer.status();
        if !status.is_success() {
            return Err(SinkError(format!(
                "the receiver answers {status} for {signal}"
            )));
        }
        let mut body = Vec::new();
        while let Some(part) = answer.chunk().await.map_err(fault)? {
            if body.len() + part.len() > LONGEST_ANSWER {
                break;
            }
            body.extend_from_slice(&part);
        }
        Ok(body)
    }
}

/// Reads the further headers of the requests. Errors do not repeat them.
fn headers(file: Option<&Path>) -> Result<HeaderMap, SinkError> {
    let mut headers = HeaderMap::new();
    let Some(file) = file else {
        return Ok(headers);
    };
    let text = private::read(file, Links::Follow, LONGEST_HEADERS);
    let name = file.display();
    let text = text.map_err(|error| SinkError(format!("cannot read `{name}`: {error}")))?;
    for (line, number) in text.lines().zip(1..) {
        let header = line.split_once(':').and_then(|(name, value)| {
            let name: HeaderName = name.trim().parse().ok()?;
            let mut value: HeaderValue = value.trim().parse().ok()?;
            value.set_sensitive(true);
            Some((name, value))
        });
        match header {
            Some((name, value)) => {
                headers.append(name, value);
            }
            None if line.trim().is_empty() => {}
            None => return Err(SinkError(format!("`{name}:{number}` is not a header"))),
        }
    }
    Ok(headers)
}

/// Describes an error with its causes, which the library leaves out.
fn described(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
