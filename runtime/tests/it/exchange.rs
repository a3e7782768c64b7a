//! The exchange with a real server: what is sent, and how answers are decoded.

use std::sync::Arc;

use axum::{body::Body, response::Response};
use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt, net::TcpListener};
use toolwright::{
    Kind, ToolError, ToolOutput, ToolSpec,
    audit::{Ending, MemoryAudit},
    error::TransportFault,
};

use crate::support::{
    Absent, Service, answer, at, builder, create_item, get_item, no_credentials, outcomes, role,
    spec, view_of, with_binding,
};

/// `GET /file` with these answers.
fn download(answers: Value) -> ToolSpec {
    let http = json!({"method": "GET", "path": "/file", "answers": answers});
    spec(
        "get-depot-file",
        Kind::Read,
        http,
        json!({"type": "object"}),
    )
}

async fn fetch(answers: Value, response: fn() -> Response) -> Result<ToolOutput, ToolError> {
    let service = Service::start(move |_| async move { response() }).await;
    let (view, _) = view_of(at(download(answers), &service.url), no_credentials());
    view.call_json("get-depot-file", json!({})).await
}

/// The answers of a document, what the service answers, and the result.
type Case<'a> = (&'a Value, fn() -> Response, Value);

#[tokio::test]
async fn answers_are_decoded_as_declared_or_by_their_type() {
    let json_answer =
        json!([{"status": "200", "media_types": ["application/json"], "content": "json"}]);
    let text_answer = json!([{"status": "2XX", "media_types": ["text/*"], "content": "text"}]);
    let octets =
        json!([{"status": "default", "media_types": ["application/json"], "content": "binary"}]);
    let empty = json!([{"status": "200", "content": "empty"}]);
    let cases: [Case<'_>; 14] = [
        (
            &json_answer,
            || answer(200, "application/json; charset=utf-8", "[1]"),
            json!([1]),
        ),
        (
            &json_answer,
            || answer(200, "text/plain", "[1]"),
            json!("[1]"),
        ),
        (
            &json_answer,
            || answer(200, "application/vnd.x+json", "[1]"),
            json!([1]),
        ),
        (
            &json_answer,
            || answer(200, "application/json", ""),
            Value::Null,
        ),
        (
            &json_answer,
            || Response::new(Body::from("[1]")),
            json!([1]),
        ),
        (
            &text_answer,
            || answer(201, "TEXT/Markdown", "# a"),
            json!("# a"),
        ),
        (
            &json_answer,
            || answer(200, "application/json", "\u{feff}[1]"),
            json!([1]),
        ),
        (&text_answer, || answer(200, "text/plain", ""), json!("")),
        (
            &octets,
            || answer(200, "application/json", "[1]"),
            json!({"media_type": "application/json", "size": 3, "content": "WzFd"}),
        ),
        (
            &empty,
            || answer(200, "application/json", "{\"a\":1}"),
            json!({"a": 1}),
        ),
        (&empty, || answer(204, "text/plain", ""), json!("")),
        (
            &json!([]),
            || answer(200, "image/png", vec![0_u8, 255]),
            json!({"media_type": "image/png", "size": 2, "content": "AP8="}),
        ),
        (
            &json!([]),
            || answer(200, "application/xml", "<a/>"),
            json!("<a/>"),
        ),
        (
            &json!([]),
            || Response::new(Body::from("plain words")),
            json!("plain words"),
        ),
    ];
    for (index, (answers, response, expected)) in cases.into_iter().enumerate() {
        let output = fetch(answers.clone(), response).await.unwrap();
        assert_eq!(output.value, expected, "case {index}");
        assert!(!output.truncated);
    }
}

#[tokio::test]
async fn an_answer_that_contradicts_its_type_is_an_error() {
    let json_answer =
        json!([{"status": "200", "media_types": ["application/json"], "content": "json"}]);
    let error = fetch(json_answer, || answer(200, "application/json", "{hunter2"))
        .await
        .unwrap_err();
    assert_eq!(
        error.to_json(),
        json!({"error": {
        "code": "unusable_answer", "message": "the service's answer is not JSON at line 1, column 2",
        "status": 200, "retryable": false}})
    );
}

#[tokio::test]
async fn an_error_keeps_its_status_and_the_services_own_words() {
    let cases: [(u16, &str, &str, &str); 9] = [
        (
            404,
            "application/json",
            r#"{"error": {"message": "no such item"}}"#,
            "no such item",
        ),
        (
            400,
            "application/json",
            r#"{"error": "bad", "message": "worse"}"#,
            "worse",
        ),
        (
            400,
            "application/problem+json",
            r#"{"title": "t", "detail": "d"}"#,
            "d",
        ),
        (
            422,
            "application/json",
            r#"{"errors": [{"message": "m"}]}"#,
            "m",
        ),
        (
            400,
            "application/json",
            r#"{"name": ["is required"]}"#,
            r#"{"name":["is required"]}"#,
        ),
        (
            500,
            "text/plain",
            "  line\r\n two\t\u{1b}[31m ",
            "line two [31m",
        ),
        (502, "text/html", "<html><body>oops</body></html>", ""),
        (503, "application/json", "not json", "not json"),
        (429, "application/json", "", ""),
    ];
    for (status, media_type, body, message) in cases {
        let service =
            Service::start(move |_| async move { answer(status, media_type, body) }).await;
        let (view, audit) = view_of(at(get_item(), &service.url), no_credentials());
        let error = view
            .call_json("get-depot-item", json!({"id": "1"}))
            .await
            .unwrap_err();
        let whole = serde_json::from_str(body).unwrap_or_else(|_| match body {
            "" => Value::Null,
            text => text.into(),
        });
        assert_eq!(error.body(), Some(&whole));
        let expected = ToolError::Service {
            status,
            message: message.to_owned(),
            body: Box::new(whole),
            request: error.request().cloned().map(Box::new),
            detail: None,
        };
        assert_eq!(error, expected);
        let request = error.request().unwrap().to_string();
        assert_eq!(request, format!("GET {}/items/1", service.url));
        assert_eq!(
            error.is_retryable(),
            [429, 502, 503].contains(&status),
            "{status}"
        );
        let outcome = &outcomes(&audit.events())[0];
        assert_eq!(
            (outcome.outcome, outcome.status),
            (Ending::Error, Some(status))
        );
    }
}

#[tokio::test]
async fn the_services_words_are_bounded() {
    let service =
        Service::start(|_| async { answer(500, "text/plain", "é".repeat(100_000)) }).await;
    let (view, _) = view_of(at(get_item(), &service.url), no_credentials());
    let error = view
        .call_json("get-depot-item", json!({"id": "1"}))
        .await
        .unwrap_err();
    assert!(error.to_string().chars().count() < 600);
}

#[tokio::test]
async fn an_absent_service_is_reported_without_the_whole_url() {
    let absent = Absent::new();
    let tool = with_binding(get_item(), |binding| {
        binding.path.push_str("?key=in-the-url")
    });
    let (view, audit) = view_of(at(tool, &format!("{}/base", absent.url)), no_credentials());
    let error = view
        .call_json("get-depot-item", json!({"id": "hunter2"}))
        .await
        .unwrap_err();
    assert!(
        matches!(
            error,
            ToolError::Transport {
                fault: TransportFault::Connect,
                ..
            }
        ),
        "{error:?}"
    );
    assert!(error.is_retryable());
    let text = error.to_string();
    assert!(
        text.starts_with("the service could not be reached: "),
        "{text}"
    );
    assert!(
        !text.contains("hunter2") && !text.contains("in-the-url"),
        "{text}"
    );
    assert_eq!(
        outcomes(&audit.events())[0].error.as_deref(),
        Some("connect_failed")
    );
}

#[tokio::test]
async fn a_response_that_is_not_http_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            stream.write_all(b"SSH-2.0-hello\r\n\r\n").await.unwrap();
        }
    });
    let (view, _) = view_of(at(get_item(), &url), no_credentials());
    let error = view
        .call_json("get-depot-item", json!({"id": "1"}))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "connection_broken");
}

#[tokio::test]
async fn connections_are_used_again_by_calls_of_all_views() {
    let service = Service::json(200, json!({})).await;
    let registry = builder(&Arc::new(MemoryAudit::new()))
        .specs([at(get_item(), &service.url)])
        .grant("a", "*")
        .grant("b", "*")
        .build()
        .unwrap();
    for name in ["a", "b", "a"] {
        let view = registry.for_agent(&role(name));
        view.call_json("get-depot-item", json!({"id": "1"}))
            .await
            .unwrap();
    }
    assert_eq!(service.seen().len(), 3);
    assert_eq!(service.connections(), 1);
}

#[tokio::test]
async fn requests_carry_a_user_agent_and_a_length() {
    let service = Service::json(201, json!({})).await;
    let mut tool = create_item();
    tool.approval_required = false;
    let (view, _) = view_of(at(tool, &service.url), no_credentials());
    view.call_json("create-depot-item", json!({"name": "bolt"}))
        .await
        .unwrap();
    let seen = service.one();
    assert_eq!(
        seen.header("user-agent"),
        Some(concat!("toolwright/", env!("CARGO_PKG_VERSION")))
    );
    assert_eq!(seen.header("content-length"), Some("15"));
    assert_eq!(seen.header("content-type"), Some("application/json"));
    assert_eq!(seen.text(), r#"{"name":"bolt"}"#);
}
