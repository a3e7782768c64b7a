//! Services that are not there, and services that mean ill: a call ends in time, with a clear
//! error, and takes no more memory than it may.

use std::{
    fs,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpSocket, UnixListener},
    sync::Notify,
};
use toolwright::{Role, ToolError, binding::TransportKind, config::ServiceConfig, eab::Endpoint};
use toolwright_eab::crates::DOCUMENT;

use crate::support::{TRANSPORTS, at, builder_of, handshake, rules, socket, tools, view};

/// The timeout of calls that must end before it, even on a busy machine.
const LONG: Duration = Duration::from_secs(20);

/// The timeout of calls that only it ends.
const SHORT: Duration = Duration::from_millis(700);

/// The bytes that a hostile service sends instead of a response.
type Answer = fn(Value) -> Vec<u8>;

async fn call(endpoint: &Endpoint, timeout: Duration) -> Result<Value, ToolError> {
    let config = ServiceConfig {
        timeout: Some(timeout),
        ..at(endpoint)
    };
    let begun = Instant::now();
    let result = view(config, Path::new("."))
        .call_json("review-crates-rules", json!({}))
        .await;
    assert!(
        begun.elapsed() < timeout + Duration::from_secs(30),
        "{:?}",
        begun.elapsed()
    );
    result.map(|output| output.value)
}

/// The listener of a service that speaks only the protocol of its test.
enum Listener {
    Unix(UnixListener),
    Http(TcpListener),
}

/// A connection of either transport.
trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

impl Listener {
    async fn new(transport: TransportKind, folder: &Path) -> (Self, Endpoint) {
        match transport {
            TransportKind::Unix => {
                let path = socket(folder);
                let listener = UnixListener::bind(&path).unwrap();
                (Self::Unix(listener), Endpoint::Unix(path))
            }
            TransportKind::Http => {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let url = format!("http://{}", listener.local_addr().unwrap());
                (Self::Http(listener), Endpoint::Http(url))
            }
        }
    }

    async fn accept(&self) -> Box<dyn Duplex> {
        match self {
            Self::Unix(listener) => Box::new(listener.accept().await.unwrap().0),
            Self::Http(listener) => Box::new(listener.accept().await.unwrap().0),
        }
    }
}

/// Reads a request, and gives the method and the envelope.
pub(crate) async fn request(stream: &mut (impl AsyncRead + Unpin)) -> Option<(String, Value)> {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 4096];
        let read = stream
            .read(&mut chunk)
            .await
            .ok()
            .filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        if let Ok(envelope) = serde_json::from_str(body) {
            let method = head.split_whitespace().nth(1)?.rsplit('/').next()?;
            return Some((method.to_owned(), envelope));
        }
    }
}

pub(crate) fn ok(body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

/// A service that shakes hands, and then writes these bytes and closes.
fn serve(listener: Listener, answer: Answer) {
    tokio::spawn(async move {
        loop {
            let mut stream = listener.accept().await;
            tokio::spawn(async move {
                while let Some((method, envelope)) = request(&mut stream).await {
                    if method == "handshake" {
                        let bytes = ok(handshake().to_string().as_bytes());
                        stream.write_all(&bytes).await.unwrap();
                    } else {
                        let _ = stream.write_all(&answer(envelope)).await;
                        return;
                    }
                }
            });
        }
    });
}

#[tokio::test]
async fn answers_that_cannot_be_used_are_refused() {
    let cases: [(&str, Answer, &str); 10] = [
        (
            "another id",
            |mut envelope| {
                envelope["request_id"] = json!("00000000-0000-4000-8000-000000000000");
                ok(rules(&envelope).to_string().as_bytes())
            },
            "unusable_answer",
        ),
        ("no json", |_| ok(b"<html>"), "unusable_answer"),
        (
            "no utf-8",
            |_| ok(b"{\"status\": \"\xff\xfe\"}"),
            "unusable_answer",
        ),
        ("nothing", |_| ok(b""), "unusable_answer"),
        (
            "deep",
            |_| ok("[".repeat(500_000).as_bytes()),
            "unusable_answer",
        ),
        (
            "deep in a result",
            |envelope| {
                let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
                let id = &envelope["request_id"];
                let body = format!(
                    "{{\"request_id\": {id}, \"status\": \"success\", \"diagnostics\": [], \"result\": {deep}}}"
                );
                ok(body.as_bytes())
            },
            "unusable_answer",
        ),
        (
            "a gigantic text",
            |envelope| {
                let mut answer = rules(&envelope);
                answer["metadata"] = json!({"text": "x".repeat(4 << 20)});
                ok(answer.to_string().as_bytes())
            },
            "answer_too_large",
        ),
        (
            "no http",
            |_| b"hello\r\n\r\n".to_vec(),
            "connection_broken",
        ),
        ("closed at once", |_| Vec::new(), "connection_broken"),
        (
            "closed in the middle",
            |envelope| {
                let mut whole = ok(rules(&envelope).to_string().as_bytes());
                whole.truncate(whole.len() - 20);
                whole
            },
            "connection_broken",
        ),
    ];
    for (what, answer, code) in cases {
        for transport in TRANSPORTS {
            let folder = tempfile::tempdir().unwrap();
            let (listener, endpoint) = Listener::new(transport, folder.path()).await;
            serve(listener, answer);
            let error = call(&endpoint, LONG).await.unwrap_err();
            assert_eq!(error.code(), code, "{what} over {transport}: {error}");
            assert!(error.to_string().len() < 1000, "{what}: {error}");
        }
    }
}

#[tokio::test]
async fn an_absent_or_refusing_socket_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = socket(folder.path());
    let endpoint = Endpoint::Unix(path.clone());
    let begun = Instant::now();
    let absent = call(&endpoint, LONG).await.unwrap_err();
    assert_eq!(
        (absent.code(), absent.is_retryable()),
        ("connect_failed", true)
    );
    assert!(
        absent.detail().unwrap().contains("service.sock"),
        "{absent:?}"
    );
    // It is tried again after 100, 200, 400 and 800 ms.
    assert!(begun.elapsed() >= Duration::from_millis(1500));
    drop(UnixListener::bind(&path).unwrap());
    let refusing = call(&endpoint, LONG).await.unwrap_err();
    assert_eq!(refusing.code(), "connect_failed");
    fs::remove_file(&path).unwrap();
    fs::write(&path, "no socket").unwrap();
    assert_eq!(
        call(&endpoint, LONG).await.unwrap_err().code(),
        "connect_failed"
    );
}

#[tokio::test]
async fn a_port_without_a_listener_is_reported() {
    // This socket does not listen, and no other test gets its port.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}", socket.local_addr().unwrap());
    let refusing = call(&Endpoint::Http(url.clone()), LONG).await.unwrap_err();
    assert_eq!(
        (refusing.code(), refusing.is_retryable()),
        ("connect_failed", true)
    );
    assert!(refusing.detail().unwrap().contains(&url), "{refusing:?}");
    assert!(!refusing.to_string().contains(&url), "{refusing}");
}

#[tokio::test]
async fn a_returning_service_is_reached_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(250)).await;
        let (listener, _) = Listener::new(TransportKind::Unix, &path).await;
        serve(listener, |envelope| {
            ok(rules(&envelope).to_string().as_bytes())
        });
    });
    let endpoint = Endpoint::Unix(socket(folder.path()));
    assert_eq!(call(&endpoint, LONG).await.unwrap()["status"], "success");
}

#[tokio::test]
async fn a_hanging_or_trickling_service_times_out() {
    for (transport, drips) in TRANSPORTS
        .into_iter()
        .flat_map(|it| [(it, false), (it, true)])
    {
        let folder = tempfile::tempdir().unwrap();
        let (listener, endpoint) = Listener::new(transport, folder.path()).await;
        tokio::spawn(async move {
            loop {
                let mut stream = listener.accept().await;
                tokio::spawn(async move {
                    request(&mut stream).await;
                    let head = b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n{";
                    if drips {
                        stream.write_all(head).await.unwrap();
                    }
                    loop {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                        if drips && stream.write_all(b" ").await.is_err() {
                            return;
                        }
                    }
                });
            }
        });
        let error = call(&endpoint, SHORT).await.unwrap_err();
        assert_eq!(
            (error.code(), error.is_retryable()),
            ("timeout", true),
            "{error}"
        );
    }
}

#[tokio::test]
async fn the_timeout_of_the_method_applies() {
    let folder = tempfile::tempdir().unwrap();
    let (listener, endpoint) = Listener::new(TransportKind::Unix, folder.path()).await;
    tokio::spawn(async move {
        let mut open = Vec::new();
        loop {
            let mut stream = listener.accept().await;
            let (method, _) = request(&mut stream).await.unwrap();
            if method == "handshake" {
                let bytes = ok(handshake().to_string().as_bytes());
                stream.write_all(&bytes).await.unwrap();
                let _ = request(&mut stream).await;
            }
            open.push(stream);
        }
    });
    let summary = "    summary: List the rules by which manifests are checked";
    let document = DOCUMENT.replace(summary, &format!("{summary}\n    timeout_seconds: 1"));
    let registry = builder_of(tools(&document), at(&endpoint)).build().unwrap();
    let view = registry.for_agent(&Role::new("linter").unwrap());
    let begun = Instant::now();
    let result = view.call_json("review-crates-rules", json!({})).await;
    let error = result.unwrap_err();
    assert_eq!(error.code(), "timeout");
    assert!(error.to_string().contains("within 1 s"), "{error}");
    assert!(begun.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn a_hundred_megabytes_are_not_read() {
    const SIZE: usize = 100 << 20;
    for transport in TRANSPORTS {
        let folder = tempfile::tempdir().unwrap();
        let (listener, endpoint) = Listener::new(transport, folder.path()).await;
        let written = tokio::spawn(async move {
            let mut stream = listener.accept().await;
            request(&mut stream).await;
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {SIZE}\r\n\r\n\"");
            stream.write_all(head.as_bytes()).await.unwrap();
            let chunk = vec![b'x'; 64 << 10];
            let mut written = 0;
            while written < SIZE && stream.write_all(&chunk).await.is_ok() {
                written += chunk.len();
            }
            written
        });
        let error = call(&endpoint, LONG).await.unwrap_err();
        assert_eq!(error.code(), "answer_too_large");
        assert!(
            error
                .to_string()
                .contains("larger than the limit of 1048576 bytes"),
            "{error}"
        );
        // The kernel's buffers for the connection count, too.
        let written = written.await.unwrap();
        assert!(
            written < SIZE / 4,
            "{written} bytes were taken from the service"
        );
    }
}

#[tokio::test]
async fn a_dropped_call_is_cancelled_at_the_service() {
    for transport in TRANSPORTS {
        let folder = tempfile::tempdir().unwrap();
        let (listener, endpoint) = Listener::new(transport, folder.path()).await;
        let (begun, ended) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (tell_begun, tell_ended) = (Arc::clone(&begun), Arc::clone(&ended));
        tokio::spawn(async move {
            let mut stream = listener.accept().await;
            request(&mut stream).await;
            tell_begun.notify_one();
            // Nothing more comes but the end of the connection.
            let mut byte = [0];
            assert!(matches!(stream.read(&mut byte).await, Ok(0) | Err(_)));
            tell_ended.notify_one();
        });
        let running = tokio::spawn(async move { call(&endpoint, LONG).await });
        begun.notified().await;
        running.abort();
        tokio::time::timeout(Duration::from_secs(5), ended.notified())
            .await
            .unwrap();
    }
}
