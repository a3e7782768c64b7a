//! An abandoned call: its method is cancelled in the service itself.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use tokio::sync::Notify;
use toolwright::{ToolError, config::ServiceConfig};
use toolwright_eab::{Handshake, MethodResult, Refusal, Request, Service, crates::Crates};

use crate::support::{TRANSPORTS, at, packages, start, view};

/// The reference service, but no method of it ever ends.
#[derive(Clone, Default)]
struct Endless {
    begun: Arc<Notify>,
    broken_off: Arc<Notify>,
    ended: Arc<AtomicUsize>,
}

/// Tells when a method is broken off.
struct Guard(Endless);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.broken_off.notify_one();
    }
}

impl Service for Endless {
    fn handshake(&self) -> Handshake {
        Crates.handshake()
    }

    async fn call(&self, _request: Request) -> Result<MethodResult, Refusal> {
        let _guard = Guard(self.clone());
        self.begun.notify_one();
        std::future::pending::<()>().await;
        self.ended.fetch_add(1, Ordering::SeqCst);
        MethodResult::from_result(json!({"rules": []}))
    }
}

async fn within_seconds(notified: &Notify) {
    let waiting = tokio::time::timeout(Duration::from_secs(10), notified.notified());
    waiting.await.unwrap();
}

#[tokio::test]
async fn a_dropped_call_ends_its_method() {
    for transport in TRANSPORTS {
        let (run, folder) = (tempfile::tempdir().unwrap(), packages());
        let service = Endless::default();
        let endpoint = start(service.clone(), transport, run.path()).await;
        let view = view(at(&endpoint), folder.path());
        let running =
            tokio::spawn(async move { view.call_json("review-crates-rules", json!({})).await });
        within_seconds(&service.begun).await;
        running.abort();
        within_seconds(&service.broken_off).await;
        assert_eq!(service.ended.load(Ordering::SeqCst), 0);
    }
}

#[tokio::test]
async fn a_timed_out_call_ends_its_method() {
    for transport in TRANSPORTS {
        let (run, folder) = (tempfile::tempdir().unwrap(), packages());
        let service = Endless::default();
        let endpoint = start(service.clone(), transport, run.path()).await;
        let config = ServiceConfig {
            timeout: Some(Duration::from_millis(300)),
            ..at(&endpoint)
        };
        let view = view(config, folder.path());
        let result = view.call_json("review-crates-rules", json!({})).await;
        let error: ToolError = result.unwrap_err();
        assert_eq!((error.code(), error.is_retryable()), ("timeout", true));
        within_seconds(&service.broken_off).await;
    }
}
