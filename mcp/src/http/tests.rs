//! HTTP as a client sees it, request by request.

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use toolwright::{Registry, Role, audit::MemoryAudit};

use super::*;
use crate::{caller::Token, limits::CallLimits};

/// A server of an empty view, and its port.
async fn start(token: Option<&str>) -> u16 {
    let registry = Registry::builder().role("reader").audit(MemoryAudit::new());
    let registry = registry.build().unwrap();
    let view = registry.for_agent(&Role::new("reader").unwrap());
    let calls = Calls::new(CallLimits::default());
    let access = match token {
        Some(token) => Access::Token(Token::new(token).unwrap()),
        None => Access::Everyone,
    };
    let parts = HttpParts {
        views: Views::new(Some(view), Views::open_in(&registry)),
        calls,
        changes: Changes::new(),
        registry,
        access: watch::Sender::new(access).subscribe(),
        policy: watch::Sender::new(PolicyStatus::loaded_now(None)).subscribe(),
        limits: HttpLimits::default(),
        notices: Notices::default(),
        uses: Uses::default(),
    };
    let server = HttpServer::bind(0, parts).await.unwrap();
    let port = server.port();
    let (_, shutdown) = Shutdown::on_request();
    tokio::spawn(server.serve(shutdown));
    port
}

/// Asks for the list of tools with these headers; the status and the body.
async fn list(port: u16, headers: &[(&str, &str)]) -> (u16, String) {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list",
                         "params": {"_meta": meta}});
    let body = message.to_string();
    let mut request = format!(
        "POST /mcp HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMcp-Method: tools/list\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nContent-Length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))
        .await
        .unwrap();
    let request = format!("{request}\r\n{body}");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, answer)
}

#[tokio::test]
async fn only_requests_addressed_here_are_answered() {
    let port = start(None).await;
    let here = format!("127.0.0.1:{port}");
    let local = format!("localhost:{port}");
    let (own, other) = (
        format!("http://{here}"),
        format!("http://127.0.0.1:{}", port ^ 1),
    );
    for (host, origin, expected) in [
        (&*here, None, 200),
        (&*local, None, 200),
        (&*here, Some(&*own), 200),
        ("attacker.example", None, 403),
        ("127.0.0.1:1", None, 403),
        (&*here, Some("http://attacker.example"), 403),
        (&*here, Some(&*other), 403),
        (&*here, Some("null"), 403),
    ] {
        let mut headers = vec![("Host", host)];
        headers.extend(origin.map(|origin| ("Origin", origin)));
        let (status, answer) = list(port, &headers).await;
        assert_eq!(status, expected, "{headers:?}\n{answer}");
    }
}

#[tokio::test]
async fn who_shows_the_token_is_answered() {
    let port = start(Some("0123456789abcdef")).await;
    let host = format!("127.0.0.1:{port}");
    let (status, answer) = list(port, &[("Host", &host)]).await;
    assert_eq!(status, 401);
    assert!(
        answer.to_lowercase().contains("www-authenticate: bearer"),
        "{answer}"
    );
    for (header, expected) in [
        ("Bearer 0123456789abcdef", 200),
        ("Bearer 0123456789abcdeF", 401),
    ] {
        let headers = [("Host", &*host), ("Authorization", header)];
        assert_eq!(list(port, &headers).await.0, expected, "{header}");
    }
}

#[tokio::test]
async fn the_list_is_given_over_http() {
    let port = start(None).await;
    let (_, answer) = list(port, &[("Host", &format!("localhost:{port}"))]).await;
    let json = answer.lines().find_map(|line| line.strip_prefix("data: {"));
    let list: Value = serde_json::from_str(&format!("{{{}", json.unwrap())).unwrap();
    assert_eq!(list["result"]["tools"], json!([]));
    assert_eq!(list["result"]["cacheScope"], "private");
}

/// Posts a body of JSON; the status and the body of the answer.
async fn post(port: u16, body: &str) -> (u16, Value) {
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\
         Content-Type: application/json; charset=utf-8\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))
        .await
        .unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    (status, serde_json::from_str(body).unwrap_or_default())
}

#[tokio::test]
async fn a_message_that_cannot_be_read_is_answered_as_the_protocol_says() {
    let port = start(None).await;
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":"a","method":"ping","params":{}"#,
        "[".repeat(200)
    );
    let deep = format!("{deep}{}}}", "]".repeat(200));
    for (body, id, code) in [
        ("not JSON", Value::Null, -32700),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":}}"#,
            json!(7),
            -32700,
        ),
        (r#"{"jsonrpc":"2.0","id":7}"#, json!(7), -32600),
        ("[]", Value::Null, -32600),
        (&*deep, json!("a"), -32600),
    ] {
        let (status, answer) = post(port, body).await;
        assert_eq!(status, 400, "{body}: {answer}");
        assert_eq!(answer["error"]["code"], code, "{body}: {answer}");
        assert_eq!(answer["id"], id, "{body}: {answer}");
    }
}
