//! The handshake precedes the first call, is kept for a while, and determines which calls are
//! possible.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::net::TcpListener;
use toolwright::{ToolError, binding::TransportKind, config::ServiceConfig, eab::Endpoint};
use toolwright_eab::{crates::Crates, serve_http, serve_unix};

use crate::support::{Fake, at, handshake, packages, right, rules, socket, view};

async fn refusal_of(change: impl Fn(&mut Value) + Clone + Send + Sync + 'static) -> ToolError {
    let fake = Fake::answering(move |method, envelope| {
        let mut answer = right(method, envelope);
        if method == "handshake" {
            change(&mut answer);
        }
        answer
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let view = view(at(&fake.endpoint), folder.path());
    let error = view
        .call_json("review-crates-rules", json!({}))
        .await
        .unwrap_err();
    assert!(
        fake.seen("review_rules").is_empty(),
        "the method is not called"
    );
    error
}

#[tokio::test]
async fn a_version_mismatch_names_both_versions() {
    for spoken in ["2.0", "0.9"] {
        let error = refusal_of(move |said| said["api_version"] = json!(spoken)).await;
        assert_eq!(error.code(), "api_version_mismatch");
        let text = error.to_string();
        assert!(text.contains(spoken) && text.contains("1.0"), "{text}");
    }
}

#[tokio::test]
async fn a_missing_capability_is_unavailable_with_the_reason() {
    let error = refusal_of(|said| said["capabilities"] = json!(["validate"])).await;
    assert_eq!(
        (error.code(), error.is_retryable()),
        ("tool_unavailable", false)
    );
    assert!(
        error
            .to_string()
            .contains("does not have the method `review_rules`"),
        "{error}"
    );

    let error = refusal_of(|said| {
        said["status"] = json!("unavailable");
        said["message"] = json!("the disk is full");
    })
    .await;
    assert_eq!(
        (error.code(), error.is_retryable()),
        ("tool_unavailable", true)
    );
    assert!(error.to_string().contains("the disk is full"), "{error}");
}

#[tokio::test]
async fn another_service_is_refused() {
    for (field, value) in [("service", "kicad"), ("domain", "electrical")] {
        let error = refusal_of(move |said| said[field] = json!(value)).await;
        assert_eq!(error.code(), "service_mismatch");
        assert!(error.to_string().contains(value), "{error}");
    }
}

#[tokio::test]
async fn a_handshake_that_does_not_conform_is_refused_with_the_place() {
    for (field, value, place) in [
        ("api_version", json!("one"), "/api_version"),
        ("capabilities", json!([1]), "/capabilities/0"),
        ("status", json!("fine"), "/status"),
        ("domain", Value::Null, "/domain"),
    ] {
        let error = refusal_of(move |said| said[field] = value.clone()).await;
        assert_eq!(error.code(), "unusable_answer");
        assert!(error.to_string().contains(place), "{error}");
    }
}

#[tokio::test]
async fn a_handshake_is_cached_and_repeated_after_an_interval() {
    let fake = Fake::answering(right).await;
    let folder = tempfile::tempdir().unwrap();
    let config = ServiceConfig {
        handshake_interval: Duration::from_millis(200),
        ..at(&fake.endpoint)
    };
    let view = view(config, folder.path());
    for _ in 0..3 {
        view.call_json("review-crates-rules", json!({}))
            .await
            .unwrap();
    }
    assert_eq!(fake.seen("handshake").len(), 1);
    tokio::time::sleep(Duration::from_millis(250)).await;
    view.call_json("review-crates-rules", json!({}))
        .await
        .unwrap();
    assert_eq!(fake.seen("handshake").len(), 2);
}

#[tokio::test]
async fn a_handshake_is_repeated_after_an_error() {
    let broken = Arc::new(AtomicBool::new(true));
    let (calls, seen) = (Arc::new(AtomicUsize::new(0)), Arc::clone(&broken));
    let fake = Fake::answering(move |method, envelope| {
        if method == "handshake" {
            calls.fetch_add(1, Ordering::SeqCst);
            return handshake();
        }
        let mut answer = rules(envelope);
        if seen.load(Ordering::SeqCst) {
            answer["result"] = json!(7);
        }
        answer
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let view = view(at(&fake.endpoint), folder.path());
    let error = view
        .call_json("review-crates-rules", json!({}))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "unusable_answer");
    assert!(error.to_string().contains("at `/result`"), "{error}");
    broken.store(false, Ordering::SeqCst);
    view.call_json("review-crates-rules", json!({}))
        .await
        .unwrap();
    assert_eq!(fake.seen("handshake").len(), 2);
}

#[tokio::test]
async fn a_restarted_service_is_reached_again() {
    for transport in [TransportKind::Unix, TransportKind::Http] {
        let (run, folder) = (tempfile::tempdir().unwrap(), packages());
        // A free port, to come back to.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = port.local_addr().unwrap();
        drop(port);
        let path = socket(run.path());
        let endpoint = match transport {
            TransportKind::Unix => Endpoint::Unix(path.clone()),
            TransportKind::Http => Endpoint::Http(format!("http://{address}")),
        };
        let view = view(at(&endpoint), folder.path());
        for _ in 0..5 {
            // A service's tasks end with its runtime: connections, too.
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .enable_all()
                .build()
                .unwrap();
            let path = path.clone();
            runtime.spawn(async move {
                match transport {
                    TransportKind::Unix => serve_unix(&path, Arc::new(Crates)).await.unwrap(),
                    TransportKind::Http => {
                        let listener = TcpListener::bind(address).await.unwrap();
                        serve_http(listener, Arc::new(Crates)).await.unwrap();
                    }
                }
            });
            for _ in 0..2 {
                view.call_json("review-crates-rules", json!({}))
                    .await
                    .unwrap();
            }
            // The end of a connection is noticed before the next call, as with a service that takes
            // a while to start.
            tokio::task::spawn_blocking(move || runtime.shutdown_timeout(Duration::from_secs(5)))
                .await
                .unwrap();
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}
