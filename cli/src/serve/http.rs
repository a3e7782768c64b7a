//! MCP over streamable HTTP on the loopback interface.

use std::{net::Ipv4Addr, sync::Arc};

use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use tokio::net::TcpListener;

use super::{server::ViewServer, token::Token};
use crate::Failure;

/// The path at which clients find the server.
const PATH: &str = "/mcp";

/// How HTTP is served.
#[derive(Clone, Copy, Debug)]
pub(super) struct HttpConfig {
    /// The port on the loopback interface; 0 takes any that is free.
    pub(super) port: u16,
    /// The token that clients have to show, if any.
    pub(super) token: Option<Token>,
}

/// Serves clients on the loopback interface until the program is interrupted.
pub(super) async fn serve(server: ViewServer, config: HttpConfig) -> Result<(), Failure> {
    let port = config.port;
    let refused = |error| Failure::new(format!("port {port} is not to be had: {error}"));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
    let listener = listener.map_err(refused)?;
    let port = listener.local_addr().map_err(refused)?.port();
    anstream::eprintln!("{server} at http://127.0.0.1:{port}{PATH}, Ctrl-C ends this");

    let transport = transport(port);
    let ending = transport.cancellation_token.clone();
    let interrupted = async move {
        // Where interrupts cannot be heard, the system ends the program by itself.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        ending.cancel();
    };
    axum::serve(listener, router(server, transport, config.token))
        .with_graceful_shutdown(interrupted)
        .await
        .map_err(|error| Failure::new(format!("the server broke off: {error}")))
}

/// The transport, which answers only requests that were addressed to this server and that no web
/// page of another origin made.
fn transport(port: u16) -> StreamableHttpServerConfig {
    let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{port}"));
    let origins = hosts.clone().map(|host| format!("http://{host}"));
    StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
}

fn router(server: ViewServer, config: StreamableHttpServerConfig, token: Option<Token>) -> Router {
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, config);
    let router = Router::new().route_service(PATH, service);
    match token {
        None => router,
        Some(token) => router.layer(middleware::from_fn_with_state(token, check_token)),
    }
}

/// Lets a request pass that shows the token.
async fn check_token(State(token): State<Token>, request: Request, next: Next) -> Response {
    if shows(request.headers(), token) {
        return next.run(request).await;
    }
    let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
    (StatusCode::UNAUTHORIZED, challenge).into_response()
}

fn shows(headers: &HeaderMap, token: Token) -> bool {
    let header = headers.get(header::AUTHORIZATION);
    let text = header.and_then(|value| value.to_str().ok());
    text.is_some_and(|text| token.is_shown_by(text))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpStream,
    };
    use toolwright::{Registry, Role, audit::MemoryAudit};

    use super::*;

    /// A server of an empty view, and its port.
    async fn start(token: Option<&str>) -> u16 {
        let registry = Registry::builder().role("reader").audit(MemoryAudit::new());
        let view = registry.build().unwrap();
        let server = ViewServer::new(view.for_agent(&Role::new("reader").unwrap()));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let token = token.map(|token| Token::new(token).unwrap());
        let router = router(server, transport(port), token);
        tokio::spawn(async move { axum::serve(listener, router).await });
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
}
