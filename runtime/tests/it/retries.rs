//! Repetitions of requests, and the keys by which services recognise them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use axum::response::Response;
use serde_json::{Value, json};
use toolwright::{
    Kind, ScopedToolView, ToolError, ToolOutput, ToolSpec,
    audit::{CallOutcome, Done, MemoryAudit},
    config::ServiceConfig,
};

use crate::support::{
    Absent, Seen, Service, answer, at, builder, call_of, create_item, delete_item, get_item,
    outcomes, role, spec,
};

/// A view whose requests may be repeated, and its audit.
struct Bench {
    view: ScopedToolView,
    audit: Arc<MemoryAudit>,
}

impl Bench {
    fn new(tool: ToolSpec, url: &str, retries: u32) -> Self {
        let audit = Arc::new(MemoryAudit::new());
        let config = ServiceConfig {
            retries,
            timeout: Some(Duration::from_secs(5)),
            ..ServiceConfig::default()
        };
        let tool = ToolSpec {
            approval_required: false,
            ..at(tool, url)
        };
        let registry = builder(&audit)
            .specs([tool])
            .service("depot".parse().unwrap(), config)
            .enable("*")
            .grant("agent", "*")
            .build()
            .unwrap();
        let view = registry.for_agent(&role("agent"));
        Self { view, audit }
    }

    async fn call(&self, arguments: Value) -> Result<ToolOutput, ToolError> {
        let name = self.view.specs()[0].name.to_string();
        self.view.call_json(&name, arguments).await
    }

    fn outcome(&self) -> CallOutcome {
        outcomes(&self.audit.events()).last().unwrap().clone()
    }
}

/// A service that answers so many requests with this status, and then with 200.
async fn failing(times: usize, status: u16, retry_after: Option<&'static str>) -> Service {
    let count = Arc::new(AtomicUsize::new(0));
    Service::start(move |_| {
        let failed = count.fetch_add(1, Ordering::SeqCst) < times;
        async move {
            if !failed {
                return answer(200, "application/json", "1");
            }
            let mut response = answer(status, "text/plain", "busy");
            if let Some(value) = retry_after {
                let value = value.parse().unwrap();
                response.headers_mut().insert("retry-after", value);
            }
            response
        }
    })
    .await
}

/// `POST /items` whose document declares a key.
fn keyed(schema: Value) -> ToolSpec {
    spec(
        "create-depot-item",
        Kind::Create,
        json!({
            "method": "POST", "path": "/items",
            "parameters": [{"name": "Idempotency-Key", "location": "header",
                            "value": {"argument": "idempotency_key"}, "style": "simple",
                            "explode": false}],
            "body": {"media_type": "application/json", "content": "json", "required": true,
                     "shape": {"fields": [{"name": "name", "value": {"argument": "name"}}]}},
        }),
        json!({
            "type": "object",
            "properties": {"name": {"type": "string"}, "idempotency_key": schema},
            "additionalProperties": false,
        }),
    )
}

fn keys(seen: &[Seen]) -> Vec<Option<&str>> {
    let keys = seen.iter().map(|seen| seen.header("idempotency-key"));
    keys.collect()
}

#[tokio::test]
async fn a_busy_service_is_asked_again_only_if_the_operator_allows_it() {
    for (retries, requests) in [(0, 1), (1, 2), (2, 3)] {
        for status in [429, 502, 503, 504] {
            let service = failing(2, status, Some("0")).await;
            let bench = Bench::new(get_item(), &service.url, retries);
            let called = bench.call(json!({"id": "1"})).await;
            assert_eq!(called.is_ok(), retries == 2, "{retries} {status}");
            assert_eq!(service.seen().len(), requests, "{retries} {status}");
            let attempts = u32::try_from(requests).ok().filter(|count| *count > 1);
            assert_eq!(bench.outcome().attempts, attempts);
            if let Err(error) = called {
                assert_eq!(error.request().unwrap().attempts as usize, requests);
            }
        }
    }
}

#[tokio::test]
async fn only_a_request_without_a_further_effect_is_sent_again() {
    let refused = |status| async move { failing(1, status, Some("0")).await };
    let mut delete = delete_item();
    delete.hints.idempotent = true;
    for (tool, status, requests) in [
        (get_item(), 503, 2),
        (get_item(), 500, 1),
        (get_item(), 404, 1),
        (delete, 503, 2),
        (delete_item(), 503, 1),
        (create_item(), 503, 1),
        (create_item(), 429, 1),
        (keyed(json!({"type": "string"})), 503, 2),
    ] {
        let service = refused(status).await;
        let name = tool.name.clone();
        let arguments = match name.as_str() {
            "create-depot-item" => json!({"name": "bolt"}),
            _ => json!({"id": "1"}),
        };
        let _ = Bench::new(tool, &service.url, 3).call(arguments).await;
        assert_eq!(service.seen().len(), requests, "{name} {status}");
    }
}

#[tokio::test]
async fn a_request_that_nobody_received_is_sent_again_whatever_it_does() {
    let absent = Absent::new();
    let bench = Bench::new(create_item(), &absent.url, 2);
    let error = bench.call(json!({"name": "bolt"})).await.unwrap_err();
    assert_eq!(
        (error.code(), error.done()),
        ("connect_failed", Some(Done::No))
    );
    assert!(error.is_retryable());
    let outcome = bench.outcome();
    assert_eq!((outcome.attempts, outcome.done), (Some(3), Some(Done::No)));
}

#[tokio::test]
async fn the_service_decides_how_long_to_wait_within_the_time_for_the_call() {
    let service = failing(1, 503, Some("1")).await;
    let begun = Instant::now();
    let bench = Bench::new(get_item(), &service.url, 1);
    bench.call(json!({"id": "1"})).await.unwrap();
    assert!(begun.elapsed() >= Duration::from_secs(1));

    for patience in ["10", "Wed, 21 Oct 2099 07:28:00 GMT"] {
        let service = failing(1, 503, Some(patience)).await;
        let begun = Instant::now();
        let bench = Bench::new(get_item(), &service.url, 1);
        let error = bench.call(json!({"id": "1"})).await.unwrap_err();
        assert_eq!(error.status(), Some(503));
        assert!(begun.elapsed() < Duration::from_secs(3), "{patience}");
        assert_eq!(service.seen().len(), 1, "{patience}");
    }
}

#[tokio::test]
async fn a_service_that_fails_for_long_is_not_asked_twice_as_often() {
    let service = failing(usize::MAX, 503, Some("0")).await;
    let bench = Bench::new(get_item(), &service.url, 1);
    for _ in 0..40 {
        let called = bench.call(json!({"id": "1"})).await;
        assert_eq!(called.unwrap_err().status(), Some(503));
    }
    let requests = service.seen().len();
    assert!(
        (50..=54).contains(&requests),
        "{requests} requests of 40 calls"
    );
}

#[tokio::test]
async fn all_attempts_of_a_call_carry_one_key_and_the_audit_has_it() {
    let service = failing(2, 503, Some("0")).await;
    let bench = Bench::new(keyed(json!({"type": "string"})), &service.url, 2);
    bench.call(json!({"name": "bolt"})).await.unwrap();
    bench.call(json!({"name": "bolt"})).await.unwrap();
    let events = bench.audit.events();
    let id = |index: usize| call_of(&events[index]).correlation_id.to_string();
    let (first, second) = (id(0), id(2));
    assert_ne!(first, second);
    let (first, second) = (Some(first.as_str()), Some(second.as_str()));
    assert_eq!(keys(&service.seen()), [first, first, first, second]);
}

#[tokio::test]
async fn a_key_of_the_caller_or_of_the_operator_wins_and_must_fit_its_schema() {
    let own = json!({"name": "bolt", "idempotency_key": "mine-0001"});
    let none = json!({"name": "bolt"});
    for (schema, arguments, expected) in [
        (json!({"type": "string"}), &own, Some("mine-0001".len())),
        (json!({"type": "string"}), &none, Some(36)),
        (json!({"type": "string", "maxLength": 32}), &none, Some(32)),
        (
            json!({"type": "string", "pattern": "^[0-9]+$"}),
            &none,
            None,
        ),
        (json!({"type": "integer"}), &none, None),
    ] {
        let service = Service::json(201, json!({})).await;
        let bench = Bench::new(keyed(schema.clone()), &service.url, 2);
        bench.call(arguments.clone()).await.unwrap();
        let seen = service.one();
        let key = seen.header("idempotency-key").map(str::len);
        assert_eq!(key, expected, "{schema} {arguments}");
    }
}

#[tokio::test]
async fn an_agent_learns_how_to_repeat_a_call_that_may_have_been_carried_out() {
    let crash = |_: Seen| async { answer(500, "text/plain", "") };
    let service = Service::start(crash).await;
    let bench = Bench::new(keyed(json!({"type": "string"})), &service.url, 2);
    let error = bench.call(json!({"name": "bolt"})).await.unwrap_err();
    let id = call_of(&bench.audit.events()[0]).correlation_id.to_string();
    assert_eq!(
        error.to_json(),
        json!({"error": {
            "code": "service_error",
            "message": "the service answered 500; the service may have carried out the call: repeat it with the arguments of `repeat_with` in addition, so that it is carried out once",
            "status": 500, "retryable": false, "done": "unknown",
            "repeat_with": {"idempotency_key": id}}}),
    );
    let own = json!({"name": "bolt", "idempotency_key": id});
    let error = bench.call(own).await.unwrap_err();
    assert_eq!(error.to_json()["error"].get("repeat_with"), None);
    assert!(
        error.to_string().ends_with("repeating it is safe"),
        "{error}"
    );

    let refuse = |_: Seen| async { answer(422, "text/plain", "no") };
    let service = Service::start(refuse).await;
    let bench = Bench::new(create_item(), &service.url, 2);
    let error = bench.call(json!({"name": "bolt"})).await.unwrap_err();
    assert_eq!(
        error.to_json(),
        json!({"error": {"code": "service_error", "message": "the service answered 422: no",
                         "status": 422, "retryable": false, "done": "no"}}),
    );
}

#[tokio::test]
async fn a_change_without_a_key_is_not_retryable_if_it_may_have_been_carried_out() {
    let busy = |_: Seen| async { answer(503, "text/plain", "") as Response };
    let service = Service::start(busy).await;
    let bench = Bench::new(create_item(), &service.url, 2);
    let error = bench.call(json!({"name": "bolt"})).await.unwrap_err();
    assert!(!error.is_retryable());
    assert_eq!(error.done(), Some(Done::Unknown));
    assert!(
        error.to_string().contains("read what it would change"),
        "{error}"
    );
    let read = Bench::new(get_item(), &service.url, 0);
    let error = read.call(json!({"id": "1"})).await.unwrap_err();
    assert!(error.is_retryable());
    assert_eq!(error.done(), None);
}
