//! What stands between the runtime and the judge, and overhears the verdict.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use serde_json::Value;
use tokio::net::TcpListener;

/// Codes of the judge's errors that are about the request.
const REFUSALS: [&str; 8] = [
    "UNPROCESSABLE_ENTITY",
    "UNAUTHORIZED",
    "NO_PATH_MATCHED_ERROR",
    "NO_METHOD_MATCHED_ERROR",
    "NO_SERVER_MATCHED_ERROR",
    "NOT_ACCEPTABLE",
    "INVALID_CONTENT_TYPE",
    "METHOD_NOT_ALLOWED",
];

/// Codes that only the making of an answer has; the request has been accepted before.
const ANSWERS: [&str; 7] = [
    "NO_RESPONSE_DEFINED",
    "NO_RESPONSE_RESPONSE_DEFINED",
    "NO_SUCCESS_RESPONSE_DEFINED",
    "NO_COMPLEX_OBJECT_TEXT",
    "SCHEMA_TOO_COMPLEX",
    "NOT_FOUND",
    "VIOLATIONS",
];

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

/// A server that passes on what it gets.
pub(super) struct Relay {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    judge: String,
    client: reqwest::Client,
    verdict: Mutex<Option<Verdict>>,
}

impl Relay {
    /// Begins to listen, in the runtime of the caller.
    pub(super) async fn start(judge: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            judge,
            client: client(),
            verdict: Mutex::new(None),
        });
        let router = Router::new()
            .fallback(pass_on)
            .with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, shared }
    }

    /// `http://127.0.0.1:…`.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The verdict since it was last asked for.
    pub(super) fn take(&self) -> Option<Verdict> {
        self.shared
            .verdict
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

/// A client for loopback; it insists on knowing how to encrypt, which it never has to.
fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    client.build().unwrap()
}

async fn pass_on(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let target = head
        .uri
        .path_and_query()
        .map_or("/", |target| target.as_str());
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let mut headers = head.headers;
    headers.remove("host");
    let sent = shared
        .client
        .request(head.method, format!("{}{target}", shared.judge))
        .headers(headers)
        .body(body)
        .send()
        .await;
    let verdict;
    let response = match sent {
        Ok(answer) => {
            let (status, headers) = (answer.status(), answer.headers().clone());
            let bytes = answer.bytes().await.unwrap_or_default();
            verdict = judged(status, &headers, &bytes);
            let media_type = headers.get("content-type").cloned();
            let mut response = Response::new(Body::from(bytes));
            *response.status_mut() = status;
            if let Some(media_type) = media_type {
                response.headers_mut().insert("content-type", media_type);
            }
            response
        }
        Err(error) => {
            verdict = Verdict::None(error.to_string());
            StatusCode::BAD_GATEWAY.into_response()
        }
    };
    *shared
        .verdict
        .lock()
        .unwrap_or_else(PoisonError::into_inner) = Some(verdict);
    response
}

fn judged(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Verdict {
    let violations = headers.get("sl-violations");
    let violations = violations.and_then(|text| serde_json::from_slice(text.as_bytes()).ok());
    let of_request = violations.iter().flat_map(errors_of_request);
    let of_request: Vec<_> = of_request.map(Value::to_string).collect();
    if !of_request.is_empty() {
        return Verdict::Refused(of_request.join(", "));
    }
    let said: Value = serde_json::from_slice(body).unwrap_or_default();
    let kind = said["type"].as_str().unwrap_or_default();
    match kind.split_once("prism/errors#").map(|(_, code)| code) {
        None => Verdict::Valid,
        Some(code) if ANSWERS.contains(&code) => Verdict::Valid,
        Some(code) if REFUSALS.contains(&code) => {
            let detail = said.get("validation").unwrap_or(&said["detail"]);
            Verdict::Refused(format!("{code}: {detail}"))
        }
        Some(code) => Verdict::None(format!("{status}: {code}: {}", said["detail"])),
    }
}

/// The violations that are about the request and more than a warning.
fn errors_of_request(violations: &Value) -> impl Iterator<Item = &Value> {
    let all = violations.as_array().into_iter().flatten();
    all.filter(|violation| {
        violation["location"][0] == "request" && violation["severity"] == "Error"
    })
}
