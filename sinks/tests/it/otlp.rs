//! A receiver of OpenTelemetry: a stand-in that decodes what it receives with the official definitions.
//! `collector.rs` tries a real one.
#![cfg(test)]

use std::sync::{Arc, Mutex};

use axum::{Router, body::Bytes, extract::State, http::StatusCode, routing::post};
use opentelemetry_proto::tonic::{
    collector::{
        logs::v1::{ExportLogsPartialSuccess, ExportLogsServiceRequest, ExportLogsServiceResponse},
        metrics::v1::ExportMetricsServiceRequest,
        trace::v1::ExportTraceServiceRequest,
    },
    common::v1::{KeyValue, any_value::Value},
    logs::v1::LogRecord,
    metrics::v1::metric::Data,
};
use prost::Message as _;
use toolwright_sinks::metrics::Family;

use crate::{
    support::{Place, Wire, goes_away_and_returns, is_killed_and_resumes},
    tls::Certificate,
};

/// What a receiver has received.
#[derive(Clone, Default)]
struct Received {
    logs: Arc<Mutex<Vec<LogRecord>>>,
    metrics: Arc<Mutex<Vec<ExportMetricsServiceRequest>>>,
    rejects: Arc<Mutex<bool>>,
}

impl Received {
    /// Starts a receiver, and returns its address.
    async fn listen(&self) -> &'static str {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let router = Router::new()
            .route("/v1/logs", post(logs))
            .route("/v1/traces", post(traces))
            .route("/v1/metrics", post(metrics))
            .with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        address.leak()
    }

    /// Returns the bodies, those of records with the same id once.
    fn lines(&self) -> Vec<String> {
        let mut ids = std::collections::HashSet::new();
        let logs = self.logs.lock().unwrap();
        let new = logs
            .iter()
            .filter(|log| ids.insert(attribute(&log.attributes, "log.record.uid")));
        new.map(|log| string(log.body.as_ref().unwrap().value.as_ref()))
            .collect()
    }
}

fn string(value: Option<&Value>) -> String {
    match value {
        Some(Value::StringValue(text)) => text.clone(),
        other => format!("{other:?}"),
    }
}

fn attribute(attributes: &[KeyValue], key: &str) -> String {
    let found = attributes.iter().find(|attribute| attribute.key == key);
    string(found.and_then(|found| found.value.as_ref()?.value.as_ref()))
}

async fn logs(State(received): State<Received>, body: Bytes) -> (StatusCode, Vec<u8>) {
    let request = ExportLogsServiceRequest::decode(body).unwrap();
    if *received.rejects.lock().unwrap() {
        let answer = ExportLogsServiceResponse {
            partial_success: Some(ExportLogsPartialSuccess {
                rejected_log_records: 1,
                error_message: "too old".to_owned(),
            }),
        };
        return (StatusCode::OK, answer.encode_to_vec());
    }
    for resource in request.resource_logs {
        let instance = attribute(
            &resource.resource.unwrap().attributes,
            "service.instance.id",
        );
        assert!(!instance.is_empty());
        for scope in resource.scope_logs {
            received.logs.lock().unwrap().extend(scope.log_records);
        }
    }
    (StatusCode::OK, Vec::new())
}

async fn traces(body: Bytes) {
    ExportTraceServiceRequest::decode(body).unwrap();
}

async fn metrics(State(received): State<Received>, body: Bytes) {
    let request = ExportMetricsServiceRequest::decode(body).unwrap();
    received.metrics.lock().unwrap().push(request);
}

fn place(address: &str) -> Place {
    place_at(&format!("http://{address}"))
}

fn place_at(url: &str) -> Place {
    Place::new(&format!(
        "[audit.otlp]\nurl = \"{url}\"\nmost_waiting = 40\n"
    ))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_goes_away_misses_nothing() {
    let received = Received::default();
    let address = received.listen().await;
    let wire = Wire::to(address).await;
    let place = place(&format!("127.0.0.1:{}", wire.port));
    let written = goes_away_and_returns(&place, &wire).await;
    assert_eq!(received.lines(), written);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_over_https_is_verified() {
    let (received, certificate) = (Received::default(), Certificate::new());
    let port = certificate.before(received.listen().await).await;
    let place = place_at(&format!("https://localhost:{port}"));
    place.record(&place.audit.open(), 3);
    let refused = place.refused().await;
    assert!(refused.contains("certificate"), "{refused}");
    assert_eq!((received.lines().len(), place.waiting()), (0, 3));
    place.forward_trusting(&certificate).await;
    assert_eq!(received.lines(), place.lines());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_process_resumes_at_its_cursor() {
    let received = Received::default();
    let place = place(received.listen().await);
    let written = is_killed_and_resumes(&place).await;
    assert_eq!(received.lines(), written);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_that_the_receiver_rejects_wait() {
    let received = Received::default();
    let place = place(received.listen().await);
    place.record(&place.audit.open(), 2);
    *received.rejects.lock().unwrap() = true;
    let mut forwarder = toolwright_sinks::forwarders(&place.audit)
        .unwrap()
        .remove(0);
    let error = forwarder.drain().await.unwrap_err().to_string();
    assert_eq!(error, "the receiver rejected 1 records: too old");
    assert_eq!(place.waiting(), 2);
    *received.rejects.lock().unwrap() = false;
    assert_eq!(forwarder.drain().await, Ok(Some(2)));
    let logs = received.logs.lock().unwrap().clone();
    assert_eq!(logs[0].event_name, "toolwright.login_refused");
    assert_eq!(logs[0].severity_text, "WARN");
    assert_eq!(attribute(&logs[0].attributes, "toolwright.reason"), "0");
    assert_eq!(
        attribute(&logs[0].attributes, "client.address"),
        "127.0.0.1"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_are_pushed() {
    let received = Received::default();
    let place = place(received.listen().await);
    let family = Family::value("toolwright_approvals_waiting", "Calls that wait.", 3);
    let metrics = toolwright_sinks::OtlpMetrics::new(&place.audit.sinks[0], 7).unwrap();
    metrics.push(&[family]).await.unwrap();
    let requests = received.metrics.lock().unwrap().clone();
    let metric = &requests[0].resource_metrics[0].scope_metrics[0].metrics[0];
    assert_eq!(metric.name, "toolwright_approvals_waiting");
    let Some(Data::Gauge(gauge)) = &metric.data else {
        panic!("{metric:?}");
    };
    assert_eq!(gauge.data_points.len(), 1);
}
