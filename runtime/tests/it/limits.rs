//! Limits on the time and the size of a service's response.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use toolwright::{ToolSpec, audit::MemoryAudit, config::ServiceConfig};

use crate::support::{Service, answer, at, builder, get_item, role};

/// A view whose service has these limits.
fn limited_view(spec: ToolSpec, config: ServiceConfig) -> toolwright::ScopedToolView {
    let registry = builder(&Arc::new(MemoryAudit::new()))
        .specs([spec])
        .grant("reader", "*")
        .service("depot".parse().unwrap(), config)
        .build()
        .unwrap();
    registry.for_agent(&role("reader"))
}

#[tokio::test]
async fn a_slow_service_times_out() {
    let timeout = Duration::from_millis(150);
    let config = || ServiceConfig {
        timeout: Some(timeout),
        ..ServiceConfig::default()
    };
    let silent = Service::start(|_| async {
        tokio::time::sleep(Duration::from_secs(60)).await;
        answer(200, "text/plain", "late")
    })
    .await;
    for url in [silent.url, start_trickling().await] {
        let started = std::time::Instant::now();
        let view = limited_view(at(get_item(), &url), config());
        let error = view
            .call_json("get-depot-item", json!({"id": "1"}))
            .await
            .unwrap_err();
        assert!(started.elapsed() < Duration::from_secs(10));
        assert_eq!(error.code(), "timeout");
        assert!(error.is_retryable());
        assert_eq!(
            error.to_string(),
            "the service did not complete its answer within 0.15 s"
        );
    }
}

/// A server whose answer never ends and comes a byte at a time.
async fn start_trickling() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 4096]).await;
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n";
        stream.write_all(head.as_bytes()).await.unwrap();
        while stream.write_all(b"1\r\n.\r\n").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    url
}

#[tokio::test]
async fn an_answer_over_the_limit_is_an_error() {
    let config = || ServiceConfig {
        max_response_bytes: 10,
        ..ServiceConfig::default()
    };
    for (media_type, body) in [
        ("application/json", "[1,2,3,4,5,6,7]"),
        ("text/plain", "0123456789a"),
        ("image/png", "0123456789a"),
        ("application/x-ndjson", "1\n2\n3\n4\n5\n6\n"),
        ("text/event-stream", "data: 1\n\ndata: 2\n\n"),
    ] {
        let service = Service::start(move |_| async move { answer(200, media_type, body) }).await;
        let view = limited_view(at(get_item(), &service.url), config());
        let error = view
            .call_json("get-depot-item", json!({"id": "1"}))
            .await
            .unwrap_err();
        let message = error.to_string();
        assert_eq!(
            error.to_json(),
            json!({"error": {
                "code": "answer_too_large", "message": message, "status": 200, "limit": 10,
                "size": body.len(), "retryable": false,
            }}),
        );
        assert!(message.contains("--output FILE"), "{message}");
    }
    let service = Service::start(|_| async { answer(200, "text/plain", "0123456789") }).await;
    let view = limited_view(at(get_item(), &service.url), config());
    let output = view
        .call_json("get-depot-item", json!({"id": "1"}))
        .await
        .unwrap();
    assert_eq!(
        (output.value, output.truncated),
        (json!("0123456789"), false)
    );
}

#[tokio::test]
async fn a_huge_answer_is_not_read_to_its_end() {
    let config = ServiceConfig {
        max_response_bytes: 3,
        ..ServiceConfig::default()
    };
    let view = limited_view(at(get_item(), &start_trickling().await), config);
    let error = view
        .call_json("get-depot-item", json!({"id": "1"}))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "answer_too_large");
    assert_eq!(error.to_json()["error"].get("size"), None);
}

/// A server that answers with the head, and then with the same piece without end.
async fn start_repeating(head: &'static str, piece: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 4096]).await;
        let _ = stream.write_all(head.as_bytes()).await;
        while !piece.is_empty() && stream.write_all(piece.as_bytes()).await.is_ok() {}
    });
    url
}

/// Heads, trailers and interim answers without end, and answers with two lengths or none that HTTP knows.
#[tokio::test]
async fn answers_that_break_the_rules_of_http_end_soon() {
    const CHUNKED: &str = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let config = || ServiceConfig {
        timeout: Some(Duration::from_secs(2)),
        ..ServiceConfig::default()
    };
    for (head, piece, code) in [
        (
            "",
            "HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n".to_owned(),
            "timeout",
        ),
        (
            "HTTP/1.1 200 OK\r\n",
            "x-a: b\r\n".repeat(100),
            "connection_broken",
        ),
        (
            CHUNKED,
            format!("1;{}", "x".repeat(100_000)),
            "connection_broken",
        ),
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 5\r\n\r\n{}abc",
            String::new(),
            "connection_broken",
        ),
        ("{}", String::new(), "connection_broken"),
        (
            "HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
            String::new(),
            "service_error",
        ),
    ] {
        let url = start_repeating(head, piece).await;
        let started = std::time::Instant::now();
        let view = limited_view(at(get_item(), &url), config());
        let called = view.call_json("get-depot-item", json!({"id": "1"})).await;
        assert_eq!(called.unwrap_err().code(), code, "{head}");
        assert!(started.elapsed() < Duration::from_secs(30));
    }
}
