//! Shared helpers: the reference service and made-up ones, registries, and a folder to lint.

use std::{
    fs,
    future::Future,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Bytes,
    extract::Path as UrlPath,
    response::{IntoResponse, Response},
    routing::post,
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::{TcpListener, UnixListener};
use toolwright::{
    Credentials, Registry, RegistryBuilder, Role, ScopedToolView, ServiceName, ToolSpec,
    audit::MemoryAudit,
    binding::TransportKind,
    config::ServiceConfig,
    eab::{Endpoint, Repository},
};
use toolwright_eab::{Service, crates::DOCUMENT, serve_http, serve_unix};
use toolwright_generator::{
    generate::{self, Input, Options},
    load::Memory,
};

/// Both ways of speaking to a service.
pub(crate) const TRANSPORTS: [TransportKind; 2] = [TransportKind::Unix, TransportKind::Http];

/// The tools of a document.
pub(crate) fn tools(document: &str) -> Vec<ToolSpec> {
    let files = Memory([("eab.yaml".to_owned(), document.as_bytes().to_vec())].into());
    let outcome = generate::run(&[Input::new("eab.yaml")], Options::default(), &files);
    assert_eq!(outcome.diagnostics, []);
    outcome.catalog.unwrap().tool_specs()
}

/// The tools of the reference service.
pub(crate) fn crates_tools() -> Vec<ToolSpec> {
    tools(DOCUMENT)
}

pub(crate) fn socket(folder: &Path) -> PathBuf {
    folder.join("service.sock")
}

/// Starts a service on a transport.
pub(crate) async fn start<S: Service>(
    service: S,
    transport: TransportKind,
    folder: &Path,
) -> Endpoint {
    let service = Arc::new(service);
    match transport {
        TransportKind::Unix => {
            let path = socket(folder);
            let bound = path.clone();
            tokio::spawn(async move { serve_unix(&bound, service).await.unwrap() });
            while !path.exists() {
                tokio::task::yield_now().await;
            }
            Endpoint::Unix(path)
        }
        TransportKind::Http => {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = format!("http://{}", listener.local_addr().unwrap());
            tokio::spawn(async move { serve_http(listener, service).await.unwrap() });
            Endpoint::Http(url)
        }
    }
}

/// A service that answers what a function makes of each request, and what it was sent.
pub(crate) struct Fake {
    pub(crate) endpoint: Endpoint,
    seen: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Fake {
    pub(crate) async fn start<F, R>(endpoint: Endpoint, answer: F) -> Self
    where
        F: Fn(String, Value) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = Response> + Send + 'static,
    {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let recorded = Arc::clone(&seen);
        let respond = move |UrlPath(method): UrlPath<String>, body: Bytes| {
            let (recorded, answer) = (Arc::clone(&recorded), answer.clone());
            async move {
                let envelope: Value = serde_json::from_slice(&body).unwrap();
                let entry = (method.clone(), envelope.clone());
                recorded.lock().unwrap().push(entry);
                answer(method, envelope).await
            }
        };
        let app = Router::new().route("/api/v1/{method}", post(respond));
        let endpoint = match endpoint {
            Endpoint::Unix(path) => {
                let listener = UnixListener::bind(&path).unwrap();
                tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
                Endpoint::Unix(path)
            }
            Endpoint::Http(_) => {
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let url = format!("http://{}", listener.local_addr().unwrap());
                tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
                Endpoint::Http(url)
            }
        };
        Self { endpoint, seen }
    }

    /// One that shakes hands as the reference service does, and answers with JSON.
    pub(crate) async fn answering<F>(answer: F) -> Self
    where
        F: Fn(&str, &Value) -> Value + Clone + Send + Sync + 'static,
    {
        Self::start(Endpoint::Http(String::new()), move |method, envelope| {
            let value = answer(&method, &envelope);
            async move { axum::Json(value).into_response() }
        })
        .await
    }

    /// The requests to a method.
    pub(crate) fn seen(&self, method: &str) -> Vec<Value> {
        let seen = self.seen.lock().unwrap();
        let of_method = seen.iter().filter(|(name, _)| name == method);
        of_method.map(|(_, envelope)| envelope.clone()).collect()
    }
}

/// Returns the handshake of the reference service.
pub(crate) fn handshake() -> Value {
    serde_json::to_value(toolwright_eab::crates::Crates.handshake()).unwrap()
}

/// A right answer of `review_rules`.
pub(crate) fn rules(envelope: &Value) -> Value {
    json!({"request_id": envelope["request_id"], "status": "success",
           "result": {"rules": []}, "diagnostics": []})
}

/// A handshake or a right answer of `review_rules`.
pub(crate) fn right(method: &str, envelope: &Value) -> Value {
    if method == "handshake" {
        handshake()
    } else {
        rules(envelope)
    }
}

/// Configuration for a service at a place.
pub(crate) fn at(endpoint: &Endpoint) -> ServiceConfig {
    ServiceConfig {
        transport: Some(endpoint.kind()),
        endpoint: Some(endpoint.to_string()),
        ..ServiceConfig::default()
    }
}

pub(crate) fn builder(config: ServiceConfig) -> RegistryBuilder {
    builder_of(crates_tools(), config)
}

pub(crate) fn builder_of(specs: Vec<ToolSpec>, config: ServiceConfig) -> RegistryBuilder {
    Registry::builder()
        .specs(specs)
        .service(ServiceName::new("crates").unwrap(), config)
        .credentials(Credentials::new("nowhere").with_variables(|_| None))
        .enable("*")
        .grant("linter", "*")
        .audit(Arc::new(MemoryAudit::new()))
}

pub(crate) fn view(config: ServiceConfig, folder: &Path) -> ScopedToolView {
    let repository = Repository {
        path: Some(folder.to_owned()),
        clone_url: Some("https://git.example/crates.git".to_owned()),
        reference: Some("main".to_owned()),
    };
    let registry = builder(config).repository(repository).build().unwrap();
    registry.for_agent(&Role::new("linter").unwrap())
}

/// A folder with two packages, one of which needs the other.
pub(crate) fn packages() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let package = |name: &str, rest: &str| {
        let inner = folder.path().join(name);
        fs::create_dir(&inner).unwrap();
        let text = format!(
            "[package]\nname = \"{name}\"\nversion = \"1.2.3\"\nedition = \"2024\"\n\
             license = \"MIT\"\ndescription = \"One of two.\"\n{rest}"
        );
        fs::write(inner.join("Cargo.toml"), text).unwrap();
    };
    package("base", "[lib]\n[features]\nfast = []\n");
    package("front", "[dependencies]\nbase = { path = \"../base\" }\n");
    folder
}
