//! The handshake goes before the first call, is kept for a while, and says what can be called.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use toolwright::{ToolError, config::ServiceConfig};

use crate::support::{Fake, at, handshake, right, rules, view};

async fn refused(change: impl Fn(&mut Value) + Clone + Send + Sync + 'static) -> ToolError {
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
        let error = refused(move |said| said["api_version"] = json!(spoken)).await;
        assert_eq!(error.code(), "api_version_mismatch");
        let text = error.to_string();
        assert!(text.contains(spoken) && text.contains("1.0"), "{text}");
    }
}

#[tokio::test]
async fn what_the_service_lacks_is_unavailable_with_the_reason() {
    let error = refused(|said| said["capabilities"] = json!(["validate"])).await;
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

    let error = refused(|said| {
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
        let error = refused(move |said| said[field] = json!(value)).await;
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
        let error = refused(move |said| said[field] = value.clone()).await;
        assert_eq!(error.code(), "unusable_answer");
        assert!(error.to_string().contains(place), "{error}");
    }
}

#[tokio::test]
async fn a_handshake_is_kept_and_asked_again_after_an_interval() {
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
async fn after_an_error_the_service_is_asked_again() {
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
