//! The exchange with a real server: answers, redirects, time-outs and bounds.

use std::{sync::Arc, time::Duration};

use axum::{body::Body, response::Response};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use toolwright::{
    Kind, ToolError, ToolOutput, ToolSpec, TransportFault,
    audit::{Ending, MemoryAudit},
    config::ServiceConfig,
};

use crate::support::{
    Seen, Service, answer, at, auth_file, builder, create_item, get_item, no_credentials, outcomes,
    redirect, role, spec, view_of, with_binding,
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
async fn answers_are_decoded_by_the_table_and_else_by_their_type() {
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
async fn an_answer_that_is_not_what_it_says_is_an_error() {
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
        let expected = ToolError::Service {
            status,
            message: message.to_owned(),
        };
        assert_eq!(error, expected);
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

/// Calls a tool of a service that redirects, with a token.
async fn redirected(
    tool: ToolSpec,
    respond: impl Fn(Seen) -> Response + Clone + Send + Sync + 'static,
) -> (Result<Value, ToolError>, Vec<Seen>) {
    let service = Service::start(move |seen| {
        let response = respond(seen);
        async move { response }
    })
    .await;
    let (_folder, credentials) = auth_file(&json!({"base_url": service.url, "api_token": "t0ken"}));
    let name = tool.name.to_string();
    let mut tool = tool;
    tool.approval_required = false;
    let (view, _) = view_of(tool, credentials);
    let output = view
        .call_json(&name, json!({"id": "1", "name": "bolt"}))
        .await;
    (output.map(|output| output.value), service.seen())
}

/// The tools of the redirect tests take any arguments.
fn open(mut spec: ToolSpec) -> ToolSpec {
    spec.input_schema = json!({"type": "object"});
    spec
}

#[tokio::test]
async fn a_redirect_within_the_origin_is_followed_with_the_token() {
    let (result, seen) = redirected(open(get_item()), |seen| match seen.target.as_str() {
        "/items/1" => redirect(302, "/moved?x=1"),
        "/moved?x=1" => redirect(307, "again"),
        _ => answer(200, "application/json", r#""there""#),
    })
    .await;
    assert_eq!(result.unwrap(), "there");
    let targets: Vec<_> = seen.iter().map(|seen| seen.target.as_str()).collect();
    assert_eq!(targets, ["/items/1", "/moved?x=1", "/again"]);
    for hop in &seen {
        assert_eq!(hop.header("authorization"), Some("Bearer t0ken"));
    }
}

#[tokio::test]
async fn a_redirect_to_another_origin_is_refused_and_nothing_goes_there() {
    let other = Service::json(200, json!("stolen")).await;
    let target = format!("{}/collect", other.url);
    for location in [target.clone(), target.replacen("http://", "//", 1)] {
        let (result, _) = redirected(open(get_item()), move |_| redirect(302, &location)).await;
        let error = result.unwrap_err();
        assert_eq!(error.code(), "redirect_refused");
        assert!(!error.is_retryable());
        assert!(error.to_string().contains(&other.url), "{error}");
    }
    for location in [
        "https://127.0.0.1/x",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://",
    ] {
        let (result, _) = redirected(open(get_item()), move |_| redirect(302, location)).await;
        assert_eq!(result.unwrap_err().code(), "redirect_refused", "{location}");
    }
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn redirects_are_counted() {
    let (result, seen) = redirected(open(get_item()), |_| redirect(302, "/items/1")).await;
    assert_eq!(result.unwrap_err().code(), "redirect_refused");
    assert_eq!(seen.len(), 6);
}

#[tokio::test]
async fn a_redirect_never_turns_a_change_into_a_read() {
    for status in [301, 302] {
        let (result, seen) =
            redirected(open(create_item()), move |_| redirect(status, "/items/")).await;
        assert_eq!(result.unwrap_err().code(), "redirect_refused");
        assert_eq!(seen.len(), 1, "{seen:?}");
    }
    for status in [307, 308] {
        let (result, seen) = redirected(open(create_item()), move |seen| {
            match seen.target.as_str() {
                "/items" => redirect(status, "/items/"),
                _ => answer(201, "application/json", "1"),
            }
        })
        .await;
        assert_eq!(result.unwrap(), 1);
        assert_eq!(
            (seen[1].method.as_str(), seen[1].text().as_str()),
            ("POST", r#"{"name":"bolt"}"#)
        );
    }
    let (result, seen) = redirected(open(create_item()), |seen| match seen.method.as_str() {
        "POST" => redirect(303, "/items/7"),
        _ => answer(200, "application/json", "7"),
    })
    .await;
    assert_eq!(result.unwrap(), 7);
    assert_eq!((seen[1].method.as_str(), seen[1].body.len()), ("GET", 0));
    assert_eq!(seen[1].header("content-type"), None);
}

/// A view whose service has these limits.
fn limited(spec: ToolSpec, config: ServiceConfig) -> toolwright::ScopedToolView {
    let registry = builder(&Arc::new(MemoryAudit::new()))
        .specs([spec])
        .grant("reader", "*")
        .service("depot".parse().unwrap(), config)
        .build()
        .unwrap();
    registry.for_agent(&role("reader"))
}

#[tokio::test]
async fn a_slow_service_is_given_up_on() {
    let timeout = Duration::from_millis(150);
    let config = || ServiceConfig {
        timeout,
        ..ServiceConfig::default()
    };
    let silent = Service::start(|_| async {
        tokio::time::sleep(Duration::from_secs(60)).await;
        answer(200, "text/plain", "late")
    })
    .await;
    for url in [silent.url, trickling().await] {
        let started = std::time::Instant::now();
        let view = limited(at(get_item(), &url), config());
        let error = view
            .call_json("get-depot-item", json!({"id": "1"}))
            .await
            .unwrap_err();
        assert!(started.elapsed() < Duration::from_secs(10));
        assert_eq!(error.code(), "timeout");
        assert!(error.is_retryable());
        assert_eq!(
            error.to_string(),
            "the service gave no whole answer within 0.15 s"
        );
    }
}

/// A server whose answer never ends and comes a byte at a time.
async fn trickling() -> String {
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
async fn a_long_answer_is_cut_and_says_so() {
    let config = || ServiceConfig {
        max_response_bytes: 10,
        ..ServiceConfig::default()
    };
    for (media_type, body, expected) in [
        (
            "application/json",
            "[1,2,3,4,5,6,7]",
            json!("[1,2,3,4,5\n[truncated: the answer is longer than 10 bytes]"),
        ),
        (
            "text/plain",
            "0123456789a",
            json!("0123456789\n[truncated: the answer is longer than 10 bytes]"),
        ),
        (
            "image/png",
            "0123456789a",
            json!({"media_type": "image/png", "size": 10, "content": "MDEyMzQ1Njc4OQ==", "truncated": true}),
        ),
    ] {
        let service = Service::start(move |_| async move { answer(200, media_type, body) }).await;
        let view = limited(at(get_item(), &service.url), config());
        let output = view
            .call_json("get-depot-item", json!({"id": "1"}))
            .await
            .unwrap();
        assert_eq!(output.value, expected);
        assert!(output.truncated);
    }
    let service = Service::start(|_| async { answer(200, "text/plain", "0123456789") }).await;
    let view = limited(at(get_item(), &service.url), config());
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
    let view = limited(at(get_item(), &trickling().await), config);
    let output = view
        .call_json("get-depot-item", json!({"id": "1"}))
        .await
        .unwrap();
    assert!(output.truncated);
    assert!(output.value.as_str().unwrap().starts_with("...\n"));
}

#[tokio::test]
async fn a_service_that_is_not_there_is_told_without_the_whole_url() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let tool = with_binding(get_item(), |binding| {
        binding.path.push_str("?key=in-the-url")
    });
    let (view, audit) = view_of(
        at(tool, &format!("http://{address}/base")),
        no_credentials(),
    );
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
        text.starts_with(&format!(
            "the service at `http://{address}` could not be reached: "
        )),
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
async fn what_is_not_http_is_an_error() {
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
