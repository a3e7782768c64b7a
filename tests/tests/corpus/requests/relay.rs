//! Two servers around the validator: one forwards requests to it, the other receives the requests
//! that it accepts.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use axum::{
    Router,
    body::to_bytes,
    extract::{Request, State},
    http::{StatusCode, Uri},
};
use serde_json::Value;
use tokio::net::TcpListener;

/// The validator's error codes for invalid requests.
const REFUSALS: [&str; 7] = [
    "UNPROCESSABLE_ENTITY",
    "UNAUTHORIZED",
    "NO_PATH_MATCHED_ERROR",
    "NO_METHOD_MATCHED_ERROR",
    "NO_SERVER_MATCHED_ERROR",
    "INVALID_CONTENT_TYPE",
    "METHOD_NOT_ALLOWED",
];

/// The error code of a valid request that the validator cannot forward.
const ACCEPTED: &str = "PROXY_UNSUPPORTED_REQUEST_BODY";

/// The validator's verdict on a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The request matches the document.
    Valid,
    /// The request does not match, with the reason.
    Refused(String),
    /// The validator gave no verdict, with the reason.
    None(String),
}

/// The two servers.
pub(super) struct Relay {
    front: SocketAddr,
    service: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    validator: Mutex<String>,
    /// The path prefix of the validator.
    prefix: Mutex<String>,
    client: reqwest::Client,
    /// True if the request has arrived at the service.
    arrived: AtomicBool,
    verdict: Mutex<Option<Verdict>>,
}

impl Relay {
    /// Starts both servers in the caller's runtime.
    pub(super) async fn start() -> Self {
        let shared = Arc::new(Shared {
            validator: Mutex::default(),
            prefix: Mutex::default(),
            client: client(),
            arrived: AtomicBool::new(false),
            verdict: Mutex::new(None),
        });
        let front = Router::new().fallback(pass_on);
        let service = Router::new().fallback(arrive);
        Self {
            front: serve(front.with_state(Arc::clone(&shared))).await,
            service: serve(service.with_state(Arc::clone(&shared))).await,
            shared,
        }
    }

    /// The URL for requests.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.front)
    }

    /// The URL for accepted requests.
    pub(super) fn service(&self) -> String {
        format!("http://{}", self.service)
    }

    /// Sets the URL of the validator.
    pub(super) fn set_validator(&self, url: &str) {
        url.clone_into(&mut lock(&self.shared.validator));
    }

    /// Sets the path prefix of later requests at the validator.
    pub(super) fn set_prefix(&self, prefix: &str) {
        prefix.clone_into(&mut lock(&self.shared.prefix));
    }

    /// Returns the verdict since the last call.
    pub(super) fn take_verdict(&self) -> Option<Verdict> {
        lock(&self.shared.verdict).take()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

/// Returns a client for loopback. It needs a TLS provider but never uses it.
fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    client.build().unwrap()
}

async fn arrive(State(shared): State<Arc<Shared>>) -> StatusCode {
    shared.arrived.store(true, Ordering::SeqCst);
    StatusCode::NO_CONTENT
}

async fn pass_on(State(shared): State<Arc<Shared>>, request: Request) -> StatusCode {
    let (head, body) = request.into_parts();
    let target = target(&head.uri);
    let validator = lock(&shared.validator).clone();
    let prefix = lock(&shared.prefix).clone();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let mut headers = head.headers;
    headers.remove("host");
    let sent_as = headers
        .get("content-type")
        .and_then(|value| value.to_str().ok());
    let sent_as = sent_as.map(|value| value.split(';').next().unwrap_or_default().to_owned());
    shared.arrived.store(false, Ordering::SeqCst);
    let sent = shared
        .client
        .request(head.method, format!("{validator}{prefix}{target}"))
        .headers(headers)
        .body(body)
        .send()
        .await;
    let verdict = match sent {
        Ok(_) if shared.arrived.load(Ordering::SeqCst) => Verdict::Valid,
        Ok(answer) => {
            let status = answer.status();
            let said = answer.bytes().await.unwrap_or_default();
            read_verdict(status, &said, sent_as.as_deref())
        }
        Err(error) => Verdict::None(error.to_string()),
    };
    *lock(&shared.verdict) = Some(verdict);
    StatusCode::NO_CONTENT
}

/// Returns the path and the query. Encodes commas in the path because the validator splits at them
/// before it looks at the style, and decodes them later.
fn target(uri: &Uri) -> String {
    let path = uri.path().replace(',', "%2C");
    match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path,
    }
}

/// Returns the verdict on a request that did not arrive.
fn read_verdict(status: StatusCode, said: &[u8], sent_as: Option<&str>) -> Verdict {
    let Ok(said) = serde_json::from_slice::<Value>(said) else {
        return Verdict::None(format!("{status}: {}", String::from_utf8_lossy(said)));
    };
    let kind = said["type"].as_str().unwrap_or_default();
    let code = kind.split_once("prism/errors#").map(|(_, code)| code);
    let violations: Vec<&Value> = said["validation"]
        .as_array()
        .into_iter()
        .flatten()
        .collect();
    // A warning, such as a deprecated parameter, is enough to stop a request.
    let warnings = |violation: &&Value| violation["severity"] == "Warning";
    match code {
        Some(ACCEPTED) => Verdict::Valid,
        Some("UNPROCESSABLE_ENTITY")
            if !violations.is_empty() && violations.iter().all(warnings) =>
        {
            Verdict::Valid
        }
        Some("UNPROCESSABLE_ENTITY") => {
            let errors = violations.iter().filter(|violation| !warnings(violation));
            let errors: Vec<String> = errors.map(|violation| describe(violation)).collect();
            let kind = sent_as.map(|kind| format!("[{kind}] ")).unwrap_or_default();
            Verdict::Refused(format!("{kind}{}", errors.join("; ")))
        }
        Some(code) if REFUSALS.contains(&code) => {
            Verdict::Refused(format!("{code}: {}", said["detail"]))
        }
        _ => Verdict::None(format!("{status}: {said}")),
    }
}

/// Returns the location and the message of a violation.
fn describe(violation: &Value) -> String {
    let steps = violation["location"].as_array().into_iter().flatten();
    let steps = steps.map(|step| {
        step.as_str()
            .map_or_else(|| step.to_string(), str::to_owned)
    });
    let place: Vec<String> = steps.collect();
    format!(
        "{} `{}`: {}",
        violation["code"].as_str().unwrap_or_default(),
        place.join("/"),
        violation["message"].as_str().unwrap_or_default()
    )
}
