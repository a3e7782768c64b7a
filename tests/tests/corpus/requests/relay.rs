//! What stands on both sides of the judge: it passes requests on to the judge, and is the service
//! that the judge passes them on to if they are right.

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

/// Codes of the judge's errors that are about the request.
const REFUSALS: [&str; 7] = [
    "UNPROCESSABLE_ENTITY",
    "UNAUTHORIZED",
    "NO_PATH_MATCHED_ERROR",
    "NO_METHOD_MATCHED_ERROR",
    "NO_SERVER_MATCHED_ERROR",
    "INVALID_CONTENT_TYPE",
    "METHOD_NOT_ALLOWED",
];

/// What the judge says of a request that it has accepted and cannot pass on.
const ACCEPTED: &str = "PROXY_UNSUPPORTED_REQUEST_BODY";

/// What the judge thinks of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It keeps to the document.
    Valid,
    /// It does not, and why.
    Refused(String),
    /// The judge could not say, and why.
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
    judge: Mutex<String>,
    /// What the judge's path begins with, before that of a request.
    beginning: Mutex<String>,
    client: reqwest::Client,
    /// Whether the request has come through.
    arrived: AtomicBool,
    verdict: Mutex<Option<Verdict>>,
}

impl Relay {
    /// Begins to listen, in the runtime of the caller.
    pub(super) async fn start() -> Self {
        let shared = Arc::new(Shared {
            judge: Mutex::default(),
            beginning: Mutex::default(),
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

    /// Where requests go.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.front)
    }

    /// Where requests that are right are to come out.
    pub(super) fn service(&self) -> String {
        format!("http://{}", self.service)
    }

    /// From now on this is where the judge is.
    pub(super) fn judge(&self, url: &str) {
        url.clone_into(&mut locked(&self.shared.judge));
    }

    /// From now on requests begin so at the judge.
    pub(super) fn begin_with(&self, beginning: &str) {
        beginning.clone_into(&mut locked(&self.shared.beginning));
    }

    /// The verdict since it was last asked for.
    pub(super) fn take(&self) -> Option<Verdict> {
        locked(&self.shared.verdict).take()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn serve(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

/// A client for loopback; it insists on knowing how to encrypt, which it never has to.
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
    let judge = locked(&shared.judge).clone();
    let beginning = locked(&shared.beginning).clone();
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
        .request(head.method, format!("{judge}{beginning}{target}"))
        .headers(headers)
        .body(body)
        .send()
        .await;
    let verdict = match sent {
        Ok(_) if shared.arrived.load(Ordering::SeqCst) => Verdict::Valid,
        Ok(answer) => {
            let status = answer.status();
            let said = answer.bytes().await.unwrap_or_default();
            judged(status, &said, sent_as.as_deref())
        }
        Err(error) => Verdict::None(error.to_string()),
    };
    *locked(&shared.verdict) = Some(verdict);
    StatusCode::NO_CONTENT
}

/// The path and the query. The judge takes a part of a path apart at its commas before it knows the
/// style, so they are encoded, and are commas again when it looks at the style.
fn target(uri: &Uri) -> String {
    let path = uri.path().replace(',', "%2C");
    match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path,
    }
}

/// What the judge says of a request that did not come through.
fn judged(status: StatusCode, said: &[u8], sent_as: Option<&str>) -> Verdict {
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
    // A warning alone keeps a request from coming through, such as that a parameter is deprecated.
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
            let errors: Vec<String> = errors.map(|violation| words_of(violation)).collect();
            let kind = sent_as.map(|kind| format!("[{kind}] ")).unwrap_or_default();
            Verdict::Refused(format!("{kind}{}", errors.join("; ")))
        }
        Some(code) if REFUSALS.contains(&code) => {
            Verdict::Refused(format!("{code}: {}", said["detail"]))
        }
        _ => Verdict::None(format!("{status}: {said}")),
    }
}

/// Where a violation is, and what it is.
fn words_of(violation: &Value) -> String {
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
