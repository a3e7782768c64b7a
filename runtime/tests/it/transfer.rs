//! The transfer of answers: compression, the versions of HTTP, and the connections.

use std::{
    io::Write,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{Router, extract::Request, response::Response};
use flate2::{
    Compression,
    write::{DeflateEncoder, GzEncoder, ZlibEncoder},
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
    service::TowerToHyperService,
};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::{Value, json};
use tokio::{io::AsyncBufReadExt, net::TcpListener, time::timeout};
use tokio_rustls::TlsAcceptor;
use toolwright::{
    Direction, Registry, ToolError, ToolOutput,
    audit::{Done, Ending, MemoryAudit},
    config::ServiceConfig,
    files::AnswerWriter,
    target::Allowance,
};

use crate::support::{
    Seen, Service, answer, at, auth_file, builder, create_item, get_item, no_credentials, outcomes,
    role, view_of,
};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A function that compresses.
type Encode = fn(&[u8]) -> Vec<u8>;

/// The encoding `deflate` as the standard defines it.
fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The encoding `deflate` as some services send it.
fn bare(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = brotli::CompressorWriter::new(Vec::new(), 4096, 5, 22);
    encoder.write_all(bytes).unwrap();
    encoder.into_inner()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

/// An answer with an encoding.
fn encoded(encoding: &str, body: Vec<u8>) -> Response {
    let mut response = answer(200, "application/json", body);
    let encoding = encoding.parse().unwrap();
    response.headers_mut().insert("content-encoding", encoding);
    response
}

async fn call(body: Vec<u8>, encoding: &'static str) -> Result<ToolOutput, ToolError> {
    let service = Service::start(move |_| {
        let response = encoded(encoding, body.clone());
        async move { response }
    })
    .await;
    let (view, _) = view_of(at(get_item(), &service.url), no_credentials());
    let output = view.call_json("get-depot-item", json!({"id": "1"})).await;
    assert_eq!(
        service.one().header("accept-encoding"),
        Some("gzip, deflate, br, zstd")
    );
    output
}

#[tokio::test]
async fn a_compressed_answer_is_decompressed() {
    let text = json!({"names": vec!["bolt"; 10_000]});
    for encoding in ["gzip", "x-gzip", "GZIP"] {
        let output = call(gzip(text.to_string().as_bytes()), encoding).await;
        assert_eq!(output.unwrap().value, text, "{encoding}");
    }
    let others: [(Encode, _); 4] = [
        (zlib, "deflate"),
        (bare, "deflate"),
        (brotli, "br"),
        (zstd, "zstd"),
    ];
    for (encode, encoding) in others {
        let output = call(encode(text.to_string().as_bytes()), encoding).await;
        assert_eq!(output.unwrap().value, text, "{encoding}");
        let output = call(encode(b"{}"), encoding).await;
        assert_eq!(output.unwrap().value, json!({}), "{encoding}");
    }
    let output = call(text.to_string().into_bytes(), "identity").await;
    assert_eq!(output.unwrap().value, text);
    let empty = call(Vec::new(), "gzip").await;
    assert_eq!(empty.unwrap().value, Value::Null);
}

#[tokio::test]
async fn a_damaged_or_an_unknown_encoding_is_an_error() {
    let whole = gzip(br#"{"name": "bolt"}"#);
    let mut damaged = whole.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0xff;
    let cut = whole[..whole.len() - 3].to_vec();
    let longer = [whole.as_slice(), b"more"].concat();
    let mut changed = zlib(br#"{"name": "bolt"}"#);
    // The checksum is at the end.
    *changed.last_mut().unwrap() ^= 0xff;
    let text = br#"{"name": "bolt", "names": ["bolt", "bolt", "bolt"]}"#;
    // So is that of Zstandard.
    let mut altered = zstd(text);
    *altered.last_mut().unwrap() ^= 0xff;
    let without_end = |body: &[u8]| body[..body.len() - 1].to_vec();
    let with_more = |body: &[u8]| [body, b"more"].concat();
    for (body, encoding, message) in [
        (changed, "deflate", "compressed answer is damaged"),
        (
            without_end(&zlib(b"{}")),
            "deflate",
            "damaged or incomplete",
        ),
        (
            without_end(&bare(b"{}")),
            "deflate",
            "damaged or incomplete",
        ),
        (
            with_more(&zlib(b"{}")),
            "deflate",
            "compressed answer is damaged",
        ),
        (
            with_more(&bare(b"{}")),
            "deflate",
            "compressed answer is damaged",
        ),
        (without_end(&brotli(text)), "br", "damaged or incomplete"),
        (without_end(&zstd(text)), "zstd", "damaged or incomplete"),
        (
            with_more(&brotli(text)),
            "br",
            "compressed answer is damaged",
        ),
        (
            with_more(&zstd(text)),
            "zstd",
            "compressed answer is damaged",
        ),
        (whole.clone(), "br", "compressed answer is damaged"),
        (whole.clone(), "zstd", "compressed answer is damaged"),
        (altered, "zstd", "compressed answer is damaged"),
        (b"x".to_vec(), "deflate", "damaged or incomplete"),
        (whole.clone(), "deflate", "compressed answer is damaged"),
        (damaged, "gzip", "compressed answer is damaged"),
        (cut, "gzip", "compressed answer is damaged or incomplete"),
        (longer, "gzip", "compressed answer is damaged"),
        (b"{}".to_vec(), "gzip", "compressed answer is damaged"),
        (
            whole.clone(),
            "compress",
            "encoded as `compress`, which was not accepted",
        ),
        (whole.clone(), "gzip, gzip", "encoded as `gzip, gzip`"),
        (whole, "<script>", "encoded as `something`"),
    ] {
        let error = call(body, encoding).await.unwrap_err();
        assert_eq!(
            (error.code(), error.status()),
            ("unusable_answer", Some(200))
        );
        assert!(error.to_string().contains(message), "{encoding}: {error}");
    }
}

#[tokio::test]
async fn the_limits_concern_the_decompressed_answer() {
    let large = call(gzip(&vec![b'1'; 2 << 20]), "gzip").await.unwrap_err();
    let mut random = vec![0_u8; 1 << 20];
    rand::fill(random.as_mut_slice());
    let random: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let dense = call(gzip(random.as_bytes()), "gzip").await.unwrap_err();
    assert_eq!(dense.code(), "answer_too_large");
    assert_eq!(
        dense.to_json()["error"].get("size"),
        None,
        "the size is that of the compressed one"
    );
    assert!(
        ["answer_too_large", "unusable_answer"].contains(&large.code()),
        "{large}"
    );
}

#[tokio::test]
async fn a_saved_answer_is_decompressed_and_a_bomb_is_refused() {
    let encodings: [(&str, Encode); 5] = [
        ("gzip", gzip),
        ("deflate", zlib),
        ("deflate", bare),
        ("br", brotli),
        ("zstd", zstd),
    ];
    let bodies = [
        (b"a report ".repeat(20_000), false),
        (vec![b' '; 64 << 20], true),
    ];
    let cases = encodings.iter().flat_map(|(encoding, encode)| {
        let cases = bodies.iter();
        cases.map(move |(body, is_bomb)| (*encoding, encode(body), body, *is_bomb))
    });
    for (encoding, compressed, body, is_bomb) in cases {
        let service = Service::start(move |_| {
            let response = encoded(encoding, compressed.clone());
            async move { response }
        })
        .await;
        let (view, _) = view_of(at(get_item(), &service.url), no_credentials());
        let saved = Arc::new(Mutex::new(Vec::new()));
        let writer = AnswerWriter::new(Shared(Arc::clone(&saved)));
        let called = view
            .call_to("get-depot-item", json!({"id": "1"}), writer)
            .await;
        if is_bomb {
            let error = called.unwrap_err();
            assert!(
                error.to_string().contains("expands by more than"),
                "{error}"
            );
            assert!(saved.lock().unwrap().len() < 3 << 20);
        } else {
            assert_eq!(called.unwrap().value["size"], body.len());
            assert_eq!(*saved.lock().unwrap(), *body);
        }
    }
}

/// A writer whose content a test can read.
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Starts a server with TLS that chooses among these protocols and answers with the version of
/// HTTP. Returns its URL.
async fn secure(protocols: &[&str]) -> String {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    config.alpn_protocols = protocols
        .iter()
        .map(|name| name.as_bytes().to_vec())
        .collect();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let app = Router::new().fallback(|request: Request| async move {
        let version = format!("{:?}", request.version());
        answer(200, "application/json", json!(version).to_string())
    });
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, app) = (acceptor.clone(), app.clone());
            tokio::spawn(async move {
                let stream = TokioIo::new(acceptor.accept(stream).await.unwrap());
                let service = TowerToHyperService::new(app);
                let server = auto::Builder::new(TokioExecutor::new());
                let _ = server.serve_connection(stream, service).await;
            });
        }
    });
    format!("https://localhost:{port}")
}

/// A registry whose role may read from a service with a certificate of its own, and the folder of
/// the credentials, which are read for each call.
fn trusting(url: &str) -> (tempfile::TempDir, Registry) {
    let (folder, credentials) = auth_file(&json!({"base_url": url, "verify_ssl": false}));
    let config = ServiceConfig {
        allow: [Allowance::UnverifiedTls].into(),
        ..ServiceConfig::default()
    };
    let registry = builder(&Arc::default())
        .credentials(credentials)
        .specs([get_item()])
        .service("depot".parse().unwrap(), config)
        .grant("reader", "*")
        .build();
    (folder, registry.unwrap())
}

#[tokio::test]
async fn a_service_chooses_the_version_of_http() {
    for (protocols, version) in [
        (&["h2", "http/1.1"][..], "HTTP/2.0"),
        (&["http/1.1"], "HTTP/1.1"),
        (&["h2"], "HTTP/2.0"),
        (&[], "HTTP/1.1"),
    ] {
        let (_folder, registry) = trusting(&secure(protocols).await);
        let view = registry.for_agent(&role("reader"));
        let output = view.call_json("get-depot-item", json!({"id": "1"})).await;
        assert_eq!(output.unwrap().value, version, "{protocols:?}");
    }
}

#[tokio::test]
async fn two_roles_share_a_connection_and_no_credentials() {
    let service = Service::start(|_| async {
        let mut response = answer(200, "application/json", "1");
        let cookie = "session=of-another-role; Path=/".parse().unwrap();
        response.headers_mut().insert("set-cookie", cookie);
        response
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    for (account, token) in [("admin", "t0ken-a"), ("clerk", "t0ken-b")] {
        let file = folder
            .path()
            .join(format!(".local/depot/{account}-auth.json"));
        let auth = json!({"base_url": service.url, "api_token": token});
        toolwright::private::write(&file, auth.to_string()).unwrap();
    }
    let policy =
        "[roles.a]\ngrant = [\"*\"]\n[roles.b]\ngrant = [\"*\"]\ncredentials = \"clerk\"\n";
    let config = toolwright::config::Config::parse(std::path::Path::new("x.toml"), policy);
    let registry = builder(&Arc::default())
        .credentials(toolwright::Credentials::new(folder.path()).with_variables(|_| None))
        .specs([get_item()])
        .config(config.unwrap())
        .build()
        .unwrap();
    for name in ["a", "b", "a", "b"] {
        let view = registry.for_agent(&role(name));
        let called = view.call_json("get-depot-item", json!({"id": "1"})).await;
        called.unwrap();
    }
    let seen = service.seen();
    let headers = |name: &str| -> Vec<_> { seen.iter().map(|seen| seen.header(name)).collect() };
    let (a, b) = (Some("Bearer t0ken-a"), Some("Bearer t0ken-b"));
    assert_eq!(headers("authorization"), [a, b, a, b]);
    assert_eq!(headers("cookie"), [None; 4]);
    assert_eq!(service.connections(), 1);
}

#[tokio::test]
async fn a_call_that_is_dropped_drops_its_request_and_its_connection() {
    let finished = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&finished);
    let service = Service::start(move |seen: Seen| {
        let counted = Arc::clone(&counted);
        async move {
            if seen.text().contains("slow") {
                tokio::time::sleep(Duration::from_millis(300)).await;
                *counted.lock().unwrap() += 1;
            }
            answer(201, "application/json", json!(seen.text()).to_string())
        }
    })
    .await;
    let audit = Arc::new(MemoryAudit::new());
    let mut tool = at(create_item(), &service.url);
    tool.approval_required = false;
    let registry = builder(&audit)
        .specs([tool])
        .enable("*")
        .grant("agent", "*")
        .build()
        .unwrap();
    let view = registry.for_agent(&role("agent"));
    let create = |name: &'static str| view.call_json("create-depot-item", json!({"name": name}));
    create("first").await.unwrap();
    let dropped = timeout(Duration::from_millis(100), create("slow")).await;
    assert!(dropped.is_err());
    let output = create("last").await.unwrap();
    assert_eq!(
        output.value, r#"{"name":"last"}"#,
        "the answer is the one of this call"
    );
    assert_eq!(service.connections(), 2);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(*finished.lock().unwrap(), 0, "the service noticed");
    let outcomes = outcomes(&audit.events());
    let ends: Vec<_> = outcomes
        .iter()
        .map(|outcome| (outcome.outcome, outcome.done))
        .collect();
    let (ok, cancelled) = (Ending::Ok, Ending::Cancelled);
    let (yes, unknown) = (Some(Done::Yes), Some(Done::Unknown));
    assert_eq!(ends, [(ok, yes), (cancelled, unknown), (ok, yes)]);
}

/// A server of Node.js: TLS, HTTP/2, gzip and Brotli that this project has not written.
const NODE_SERVER: &str = r#"
const { createSecureServer } = require("node:http2");
const { brotliCompressSync, gzipSync } = require("node:zlib");
const encodings = [["gzip", gzipSync], ["br", brotliCompressSync]];
let answers = 0;
const { CERTIFICATE: cert, KEY: key } = process.env;
const server = createSecureServer({ cert, key, allowHTTP1: true }, (request, response) => {
  const encoding = request.headers["accept-encoding"] ?? "none";
  const [used, compress] = encodings[answers++ % 2];
  const body = compress(JSON.stringify({ version: request.httpVersion, encoding, used }));
  response.setHeader("content-type", "application/json");
  response.setHeader("content-encoding", used);
  response.end(body);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
"#;

#[tokio::test]
async fn a_server_of_another_project_is_spoken_to_with_http_2_and_gzip() {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let started = tokio::process::Command::new("node")
        .args(["--eval", NODE_SERVER])
        .env("CERTIFICATE", cert.pem())
        .env("KEY", signing_key.serialize_pem())
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn();
    let mut node = match started {
        Ok(node) => node,
        Err(error) => return println!("skipped: Node.js cannot be started: {error}"),
    };
    let stdout = tokio::io::BufReader::new(node.stdout.take().unwrap());
    let port = stdout.lines().next_line().await.unwrap().unwrap();
    let (_folder, registry) = trusting(&format!("https://localhost:{port}"));
    let view = registry.for_agent(&role("reader"));
    let accepted = "gzip, deflate, br, zstd";
    for used in ["gzip", "br"] {
        let output = view.call_json("get-depot-item", json!({"id": "1"})).await;
        let expected = json!({"version": "2.0", "encoding": accepted, "used": used});
        assert_eq!(output.unwrap().value, expected);
    }
}

#[tokio::test]
async fn a_program_receives_the_progress_of_a_transfer() {
    let (sender, chunks) = tokio::sync::mpsc::channel::<Result<&str, std::io::Error>>(1);
    let chunks = Arc::new(Mutex::new(Some(chunks)));
    let service = Service::start(move |_| {
        let mut chunks = chunks.lock().unwrap().take().unwrap();
        let body = polled(move |context| chunks.poll_recv(context));
        async move { answer(200, "text/plain", axum::body::Body::from_stream(body)) }
    })
    .await;
    tokio::spawn(async move {
        for _ in 0..8 {
            sender.send(Ok("part")).await.unwrap();
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    });
    let (view, _) = view_of(at(get_item(), &service.url), no_credentials());
    let reported = Arc::new(Mutex::new(Vec::new()));
    let reports = Arc::clone(&reported);
    let view = view.reporting_to(move |progress| reports.lock().unwrap().push(progress));
    view.call_json("get-depot-item", json!({"id": "1"}))
        .await
        .unwrap();
    let reported = reported.lock().unwrap();
    assert!((1..=3).contains(&reported.len()), "{reported:?}");
    let is_right = |progress: &toolwright::Progress| {
        progress.direction == Direction::Received && progress.total.is_none()
    };
    assert!(reported.iter().all(is_right), "{reported:?}");
    assert!(
        reported.is_sorted_by(|a, b| a.bytes < b.bytes),
        "{reported:?}"
    );
}

/// Returns a stream of what a function polls.
fn polled<T>(
    poll: impl FnMut(&mut std::task::Context<'_>) -> std::task::Poll<Option<T>> + Unpin,
) -> impl toolwright::Stream<Item = T> {
    struct Polled<F>(F);
    impl<T, F> toolwright::Stream for Polled<F>
    where
        F: FnMut(&mut std::task::Context<'_>) -> std::task::Poll<Option<T>> + Unpin,
    {
        type Item = T;

        fn poll_next(
            mut self: std::pin::Pin<&mut Self>,
            context: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Option<T>> {
            (self.0)(context)
        }
    }
    Polled(poll)
}
