//! Streams over real HTTP: lines of JSON and server-sent events, sent and received.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use toolwright::{Kind, ToolSpec, audit::MemoryAudit, config::ServiceConfig};

use crate::support::{Service, answer, at, builder, no_credentials, role, spec, view_of};

fn watch(media_types: &[&str], content: &str) -> ToolSpec {
    let answers = json!([{"status": "200", "media_types": media_types, "content": content}]);
    spec(
        "watch-depot-items",
        Kind::Read,
        json!({"method": "GET", "path": "/watch", "answers": answers}),
        json!({"type": "object"}),
    )
}

async fn call_stream(
    media_types: &[&str],
    content: &str,
    sent: &'static str,
    body: &'static str,
) -> Value {
    let service = Service::start(move |_| async move { answer(200, sent, body) }).await;
    let (view, _) = view_of(
        at(watch(media_types, content), &service.url),
        no_credentials(),
    );
    let output = view
        .call_json("watch-depot-items", json!({}))
        .await
        .unwrap();
    output.value
}

#[tokio::test]
async fn streams_become_arrays() {
    let lines = ["application/x-ndjson"];
    let events = ["text/event-stream"];
    for (media_types, content, sent, body, expected) in [
        (
            lines,
            "lines",
            "application/x-ndjson",
            "{\"a\":1}\n[2]\n",
            json!([{"a": 1}, [2]]),
        ),
        (lines, "lines", "application/x-ndjson", "", json!([])),
        (
            events,
            "events",
            "text/event-stream; charset=utf-8",
            "event: made\nid: 1\ndata: {\"a\":1}\n\n: still there\n\ndata: x\n\n",
            json!([{"event": "made", "id": "1", "data": "{\"a\":1}"}, {"data": "x"}]),
        ),
        (
            events,
            "event-data",
            "text/event-stream",
            "data: {\"a\":1}\n\ndata: [DONE]\n\n",
            json!([{"a": 1}]),
        ),
    ] {
        assert_eq!(
            call_stream(&media_types, content, sent, body).await,
            expected
        );
    }
}

#[tokio::test]
async fn an_answer_of_another_declared_type_is_decoded_as_that_type() {
    let either = ["application/json", "text/csv", "text/event-stream"];
    for (sent, body, expected) in [
        ("application/json", "{\"a\":1}", json!({"a": 1})),
        ("text/csv", "a,b", json!("a,b")),
        ("text/event-stream", "data: 1\n\n", json!([{"data": "1"}])),
    ] {
        assert_eq!(call_stream(&either, "json", sent, body).await, expected);
    }
}

#[tokio::test]
async fn the_received_part_of_an_endless_stream_is_an_answer() {
    let url = endless().await;
    let config = ServiceConfig {
        timeout: Some(Duration::from_millis(400)),
        ..ServiceConfig::default()
    };
    let registry = builder(&Arc::new(MemoryAudit::new()))
        .specs([at(watch(&["text/event-stream"], "events"), &url)])
        .grant("reader", "*")
        .service("depot".parse().unwrap(), config)
        .build()
        .unwrap();
    let view = registry.for_agent(&role("reader"));
    let output = view
        .call_json("watch-depot-items", json!({}))
        .await
        .unwrap();
    assert_eq!(output.value, json!([{"data": "1"}]));
    assert!(output.truncated);
}

/// A server that sends an event and a half, and then nothing.
pub(crate) async fn endless() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 4096]).await;
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
        stream
            .write_all(format!("{head}data: 1\n\ndata: 2").as_bytes())
            .await
            .unwrap();
        tokio::time::sleep(Duration::from_secs(60)).await;
    });
    url
}

#[tokio::test]
async fn an_array_is_sent_as_lines() {
    for (media_type, sent) in [
        ("application/x-ndjson", "{\"a\":1}\n\"two\"\n"),
        ("application/json-seq", "\u{1e}{\"a\":1}\n\u{1e}\"two\"\n"),
    ] {
        let service = Service::json(200, Value::Null).await;
        let import = spec(
            "import-depot-items",
            Kind::Annotate,
            json!({"method": "POST", "path": "/items", "body": {
                "media_type": media_type, "content": "lines", "required": true,
                "shape": {"whole": {"argument": "body"}}}}),
            json!({"type": "object", "properties": {"body": {"type": "array"}}}),
        );
        let (view, _) = view_of(at(import, &service.url), no_credentials());
        let arguments = json!({"body": [{"a": 1}, "two"]});
        view.call_json("import-depot-items", arguments)
            .await
            .unwrap();
        let seen = service.one();
        assert_eq!(seen.text(), sent);
        assert_eq!(seen.header("content-type"), Some(media_type));
    }
}
