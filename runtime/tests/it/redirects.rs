//! Redirects: followed within the origin, and never to somewhere else.

use axum::response::Response;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use toolwright::{ToolError, ToolSpec};

use crate::support::{Seen, Service, answer, auth_file, create_item, get_item, redirect, view_of};

/// Calls a tool of a service that redirects, with a token.
async fn call_redirected(
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
    spec.input_schema = json!({"type": "object"}).into();
    spec
}

#[tokio::test]
async fn a_redirect_within_the_origin_is_followed_with_the_token() {
    let (result, seen) = call_redirected(open(get_item()), |seen| match seen.target.as_str() {
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

/// A service cannot replace the credentials of a call, nor name another host before a backslash.
#[tokio::test]
async fn the_user_of_a_redirect_is_not_sent() {
    let (result, seen) = call_redirected(open(get_item()), |seen| match seen.target.as_str() {
        "/items/1" => {
            let host = seen.header("host").unwrap();
            redirect(302, &format!("http://eve:pw@{host}/moved"))
        }
        "/moved" => {
            let host = seen.header("host").unwrap();
            redirect(302, &format!("//{host}\\@evil.example/again"))
        }
        _ => answer(200, "application/json", r#""there""#),
    })
    .await;
    assert_eq!(result.unwrap(), "there");
    let targets: Vec<_> = seen.iter().map(|seen| seen.target.as_str()).collect();
    assert_eq!(targets, ["/items/1", "/moved", "/@evil.example/again"]);
    for hop in &seen {
        assert_eq!(hop.header("authorization"), Some("Bearer t0ken"));
    }
}

#[tokio::test]
async fn a_redirect_to_another_origin_is_refused_and_nothing_goes_there() {
    let other = Service::json(200, json!("stolen")).await;
    let target = format!("{}/collect", other.url);
    for location in [target.clone(), target.replacen("http://", "//", 1)] {
        let (result, _) =
            call_redirected(open(get_item()), move |_| redirect(302, &location)).await;
        let error = result.unwrap_err();
        assert_eq!(error.code(), "redirect_refused");
        assert!(!error.is_retryable());
        assert!(!error.to_string().contains(&other.url), "{error}");
        assert!(error.detail().unwrap().contains(&other.url), "{error:?}");
    }
    for location in [
        "https://127.0.0.1/x",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://",
    ] {
        let (result, _) = call_redirected(open(get_item()), move |_| redirect(302, location)).await;
        assert_eq!(result.unwrap_err().code(), "redirect_refused", "{location}");
    }
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn redirects_are_counted() {
    let (result, seen) = call_redirected(open(get_item()), |_| redirect(302, "/items/1")).await;
    assert_eq!(result.unwrap_err().code(), "redirect_refused");
    assert_eq!(seen.len(), 6);
}

#[tokio::test]
async fn a_redirect_never_turns_a_change_into_a_read() {
    for status in [301, 302] {
        let (result, seen) =
            call_redirected(open(create_item()), move |_| redirect(status, "/items/")).await;
        assert_eq!(result.unwrap_err().code(), "redirect_refused");
        assert_eq!(seen.len(), 1, "{seen:?}");
    }
    for status in [307, 308] {
        let (result, seen) = call_redirected(open(create_item()), move |seen| {
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
    let (result, seen) = call_redirected(open(create_item()), |seen| match seen.method.as_str() {
        "POST" => redirect(303, "/items/7"),
        _ => answer(200, "application/json", "7"),
    })
    .await;
    assert_eq!(result.unwrap(), 7);
    assert_eq!((seen[1].method.as_str(), seen[1].body.len()), ("GET", 0));
    assert_eq!(seen[1].header("content-type"), None);
}

#[tokio::test]
async fn a_failure_after_a_redirect_counts_as_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        drop(listener);
        let _ = stream.read(&mut [0; 4096]).await.unwrap();
        let answer = "HTTP/1.1 303 See Other\r\nlocation: /items/7\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        stream.write_all(answer.as_bytes()).await.unwrap();
    });
    let mut tool = open(create_item());
    tool.approval_required = false;
    let (_folder, credentials) = auth_file(&json!({"base_url": url}));
    let (view, _) = view_of(tool, credentials);
    let called = view
        .call_json("create-depot-item", json!({"name": "bolt"}))
        .await;
    assert_eq!(called.unwrap_err().code(), "connection_broken");
    served.await.unwrap();
}
