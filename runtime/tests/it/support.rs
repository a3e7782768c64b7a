//! Shared helpers: a service that records its requests, tools, and a registry of them.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    response::Response,
    serve::ListenerExt,
};
use jiff::{SignedDuration, Timestamp};
use rand::{RngExt, rngs::StdRng};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpSocket};
use toolwright::{
    Credentials, Kind, Registry, RegistryBuilder, Role, ScopedToolView, ToolSpec,
    audit::{AuditEvent, AuditedCall, CallDecision, CallOutcome, MemoryAudit, Reason, What},
    binding::{Binding, Governance, HttpBinding},
};

/// A request as the service saw it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }
}

/// A real HTTP server on the loopback interface.
pub(crate) struct Service {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    connections: Arc<AtomicUsize>,
}

impl Service {
    /// Starts a service that answers requests with this function.
    pub(crate) async fn start<F, R>(answer: F) -> Self
    where
        F: Fn(Seen) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = Response> + Send + 'static,
    {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let recorded = Arc::clone(&seen);
        let app = Router::new().fallback(move |request: Request| {
            let (recorded, answer) = (Arc::clone(&recorded), answer.clone());
            async move {
                let request = read(request).await;
                recorded.lock().unwrap().push(request.clone());
                answer(request).await
            }
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        let listener = listener.tap_io(move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
        });
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self {
            url,
            seen,
            connections,
        }
    }

    /// A service that gives every request the same JSON answer.
    pub(crate) async fn json(status: u16, value: Value) -> Self {
        Self::start(move |_| {
            let text = value.to_string();
            async move { answer(status, "application/json", text) }
        })
        .await
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// The number of connections to the service.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// The only request that came.
    pub(crate) fn one(&self) -> Seen {
        let seen = self.seen();
        assert_eq!(seen.len(), 1, "{seen:?}");
        seen[0].clone()
    }
}

/// The address of a service that is absent: connections to it are refused. A socket that does not listen holds the
/// port, so that no other test gets it.
pub(crate) struct Absent {
    pub(crate) url: String,
    _socket: TcpSocket,
}

impl Absent {
    pub(crate) fn new() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        Self {
            url: format!("http://{}", socket.local_addr().unwrap()),
            _socket: socket,
        }
    }
}

async fn read(request: Request) -> Seen {
    let (parts, body) = request.into_parts();
    let headers = parts.headers.iter();
    Seen {
        method: parts.method.to_string(),
        target: parts.uri.to_string(),
        headers: headers
            .map(|(name, value)| {
                let value = String::from_utf8_lossy(value.as_bytes());
                (name.to_string(), value.into_owned())
            })
            .collect(),
        body: to_bytes(body, usize::MAX).await.unwrap().to_vec(),
    }
}

pub(crate) fn answer(status: u16, media_type: &str, body: impl Into<Body>) -> Response {
    Response::builder()
        .status(status)
        .header("content-type", media_type)
        .body(body.into())
        .unwrap()
}

pub(crate) fn redirect(status: u16, location: &str) -> Response {
    Response::builder()
        .status(status)
        .header("location", location)
        .body(Body::empty())
        .unwrap()
}

/// A tool of the service `depot` with this governance, binding and input schema.
pub(crate) fn spec(name: &str, kind: Kind, http: Value, input_schema: Value) -> ToolSpec {
    let governance = Governance::from_kind(kind, false);
    serde_json::from_value(json!({
        "name": name,
        "service": "depot",
        "title": name,
        "short": "does it",
        "description": "Does it.",
        "section": "Stock items",
        "category": governance.category(),
        "effect": governance.effect(),
        "approval_required": governance.approval_required,
        "hints": governance.hints,
        "enabled_by_default": governance.enabled_by_default,
        "input_schema": input_schema,
        "binding": {"http": http},
        "origin": {"document": "depot.yaml", "pointer": format!("/paths/{name}")},
        "evidence": [],
    }))
    .unwrap()
}

/// `GET /items/{id}?limit=…`.
pub(crate) fn get_item() -> ToolSpec {
    spec(
        "get-depot-item",
        Kind::Read,
        json!({
            "method": "GET", "path": "/items/{id}",
            "parameters": [
                {"name": "id", "location": "path", "value": {"argument": "id"}, "required": true,
                 "style": "simple", "explode": false},
                {"name": "limit", "location": "query", "value": {"argument": "limit"},
                 "style": "form", "explode": true},
            ],
            "answers": [{"status": "200", "media_types": ["application/json"], "content": "json"}],
        }),
        json!({
            "type": "object",
            "properties": {"id": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}},
            "required": ["id"],
            "additionalProperties": false,
        }),
    )
}

/// `POST /items` with a JSON body.
pub(crate) fn create_item() -> ToolSpec {
    spec(
        "create-depot-item",
        Kind::Create,
        json!({
            "method": "POST", "path": "/items",
            "body": {"media_type": "application/json", "content": "json", "required": true,
                     "shape": {"fields": [
                         {"name": "name", "value": {"argument": "name"}},
                         {"name": "note", "value": {"argument": "note"}},
                     ]}},
            "answers": [{"status": "201", "media_types": ["application/json"], "content": "json"}],
        }),
        json!({
            "type": "object",
            "properties": {"name": {"type": "string"}, "note": {"type": "string"}},
            "required": ["name"],
            "additionalProperties": false,
        }),
    )
}

/// `DELETE /items/{id}`.
pub(crate) fn delete_item() -> ToolSpec {
    spec(
        "delete-depot-item",
        Kind::Delete,
        json!({
            "method": "DELETE", "path": "/items/{id}",
            "parameters": [
                {"name": "id", "location": "path", "value": {"argument": "id"}, "required": true,
                 "style": "simple", "explode": false},
            ],
            "answers": [{"status": "204", "content": "empty"}],
        }),
        json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}),
    )
}

/// The same spec, spoken to at this URL.
pub(crate) fn at(spec: ToolSpec, url: &str) -> ToolSpec {
    with_binding(spec, |binding| binding.base_url = Some(url.to_owned()))
}

/// The same spec with another binding.
pub(crate) fn with_binding(mut spec: ToolSpec, change: impl FnOnce(&mut HttpBinding)) -> ToolSpec {
    match &mut spec.binding {
        Binding::Http(binding) => change(binding),
        Binding::Eab(_) | Binding::Mcp(_) | Binding::Native => {
            panic!("the tool has no HTTP binding")
        }
    }
    spec
}

/// No credentials at all.
pub(crate) fn no_credentials() -> Credentials {
    Credentials::new("/nowhere").with_variables(|_| None)
}

/// Credentials from an auth file of the service `depot` with this content.
pub(crate) fn auth_file(content: &Value) -> (tempfile::TempDir, Credentials) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".local/depot/admin-auth.json");
    toolwright::private::write(&file, content.to_string()).unwrap();
    let credentials = Credentials::new(folder.path()).with_variables(|_| None);
    (folder, credentials)
}

/// A registry that audits into memory, without credentials.
pub(crate) fn builder(audit: &Arc<MemoryAudit>) -> RegistryBuilder {
    Registry::builder()
        .audit(Arc::clone(audit))
        .credentials(no_credentials())
}

pub(crate) fn role(name: &str) -> Role {
    Role::new(name).unwrap()
}

/// The view of the role `reader`, which may do everything with the tool.
pub(crate) fn view_of(
    spec: ToolSpec,
    credentials: Credentials,
) -> (ScopedToolView, Arc<MemoryAudit>) {
    let audit = Arc::new(MemoryAudit::new());
    let registry = builder(&audit)
        .credentials(credentials)
        .specs([spec])
        .enable("*")
        .grant("reader", "*")
        .build()
        .unwrap();
    (registry.for_agent(&role("reader")), audit)
}

/// The decisions of an audit.
pub(crate) fn decisions(events: &[AuditEvent]) -> Vec<CallDecision> {
    let decisions = events.iter().filter_map(|event| match &event.what {
        What::Decision(decision) => Some(decision.clone()),
        _ => None,
    });
    decisions.collect()
}

/// The call that an event is about.
#[track_caller]
pub(crate) fn call_of(event: &AuditEvent) -> &AuditedCall {
    event.call.as_ref().expect("the event is about a call")
}

/// The names of the arguments of the call that an event is about.
#[track_caller]
pub(crate) fn argument_names(event: &AuditEvent) -> &[String] {
    let arguments = call_of(event).arguments.as_ref();
    &arguments.expect("the event describes the arguments").names
}

/// The outcomes of an audit.
pub(crate) fn outcomes(events: &[AuditEvent]) -> Vec<CallOutcome> {
    let outcomes = events.iter().filter_map(|event| match &event.what {
        What::Outcome(outcome) => Some(outcome.clone()),
        _ => None,
    });
    outcomes.collect()
}

/// The reason of the last decision.
pub(crate) fn last_reason(audit: &MemoryAudit) -> Reason {
    decisions(&audit.events()).last().unwrap().reason
}

/// A clock that moves only by hand.
#[derive(Clone, Debug)]
pub(crate) struct HandClock(Arc<Mutex<Timestamp>>);

impl HandClock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Mutex::new(
            "2026-11-21T12:00:00Z".parse().unwrap(),
        )))
    }

    pub(crate) fn now(&self) -> Timestamp {
        *self.0.lock().unwrap()
    }

    pub(crate) fn advance(&self, seconds: i64) {
        *self.0.lock().unwrap() += SignedDuration::from_secs(seconds);
    }

    pub(crate) fn as_clock(&self) -> impl toolwright::system::Clock + 'static {
        let clock = self.clone();
        move || clock.now()
    }
}

/// Some of the items.
pub(crate) fn some<T: Clone>(random: &mut StdRng, items: &[T]) -> Vec<T> {
    items.iter().filter(|_| random.random()).cloned().collect()
}

/// Environment variables of a test.
pub(crate) fn variables(
    pairs: &[(&str, String)],
) -> impl Fn(&str) -> Option<String> + Send + Sync + use<> {
    let map: BTreeMap<String, String> = pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    move |name| map.get(name).cloned()
}
