//! Speaks the protocol for a service: the routes, the checks of a request, the envelope of an
//! answer.

use std::{io, path::Path, sync::Arc};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, Path as UrlPath, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::post,
};
use serde_json::{Map, Value, json};
use tokio::net::{TcpListener, UnixListener};
use toolwright_model::eab::{ErrorCode, HANDSHAKE, Handshake, PATH, Status};

use crate::protocol::{MethodResult, Refusal, Request};

/// The longest request that is read, in bytes.
const LONGEST_REQUEST: usize = 8 << 20;

/// A domain service.
pub trait Service: Send + Sync + 'static {
    /// Returns the service's handshake.
    fn handshake(&self) -> Handshake;

    /// Carries out a method that [`Service::handshake`] names.
    ///
    /// # Errors
    /// [`Refusal`] when the method could not run.
    fn call(&self, request: Request) -> impl Future<Output = Result<MethodResult, Refusal>> + Send;
}

/// The routes of a service.
pub fn router<S: Service>(service: Arc<S>) -> Router {
    Router::new()
        .route(&format!("{PATH}{{method}}"), post(answer::<S>))
        .layer(DefaultBodyLimit::max(LONGEST_REQUEST))
        .with_state(service)
}

/// Serves over HTTP until the future is dropped.
///
/// # Errors
/// When the listener fails.
pub async fn serve_http<S: Service>(listener: TcpListener, service: Arc<S>) -> io::Result<()> {
    axum::serve(listener, router(service)).await
}

/// Serves over a Unix socket until the future is dropped. An unused socket is replaced.
///
/// # Errors
/// Fails if the socket cannot be made, or is in use by another process.
pub async fn serve_unix<S: Service>(path: &Path, service: Arc<S>) -> io::Result<()> {
    axum::serve(listen(path)?, router(service)).await
}

fn listen(path: &Path) -> io::Result<UnixListener> {
    match UnixListener::bind(path) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            if std::os::unix::net::UnixStream::connect(path).is_ok() {
                return Err(error);
            }
            std::fs::remove_file(path)?;
            UnixListener::bind(path)
        }
        result => result,
    }
}

async fn answer<S: Service>(
    State(service): State<Arc<S>>,
    UrlPath(method): UrlPath<String>,
    body: Bytes,
) -> Response {
    let fields: Map<String, Value> = match serde_json::from_slice(&body) {
        Ok(fields) => fields,
        Err(error) => {
            let refusal = Refusal::invalid(format!("the body is not a JSON object: {error}"));
            return refusal_response(StatusCode::BAD_REQUEST, Value::Null, refusal);
        }
    };
    let request_id = fields.get("request_id").cloned().unwrap_or_default();
    let handshake = service.handshake();
    let request = match check_envelope(fields, &method, &handshake) {
        Ok(request) => request,
        Err(refusal) => return refusal_response(status_of(&refusal), request_id, refusal),
    };
    if method == HANDSHAKE {
        return Json(handshake).into_response();
    }
    match service.call(request).await {
        Ok(found) => Json(envelope(&request_id, found)).into_response(),
        Err(refusal) => refusal_response(StatusCode::OK, request_id, refusal),
    }
}

/// The request, if it can be given to the service.
fn check_envelope(
    fields: Map<String, Value>,
    method: &str,
    handshake: &Handshake,
) -> Result<Request, Refusal> {
    let known = || handshake.capabilities.iter().any(|known| known == method);
    if method != HANDSHAKE && !known() {
        return Err(Refusal {
            code: ErrorCode::UnsupportedMethod,
            message: format!("`{}` has no such method", handshake.service),
        });
    }
    let request: Result<Request, _> = serde_path_to_error::deserialize(Value::Object(fields));
    let request = request.map_err(|error| {
        let place = error.path().to_string();
        Refusal::invalid(format!("the envelope at `{place}`: {}", error.inner()))
    })?;
    if request.request_id.is_empty() {
        return Err(Refusal::invalid("`request_id` is empty"));
    }
    if request.method != method {
        let message = "`method` differs from the method in the path";
        return Err(Refusal::invalid(message));
    }
    // A client may not know the version before the handshake: the handshake exists to learn it.
    if method != HANDSHAKE && !handshake.api_version.serves(request.api_version) {
        let message = format!(
            "the service implements version {}, the request has {}",
            handshake.api_version, request.api_version
        );
        return Err(Refusal {
            code: ErrorCode::ApiVersionMismatch,
            message,
        });
    }
    Ok(request)
}

fn envelope(request_id: &Value, found: MethodResult) -> Value {
    let mut answer = json!({
        "request_id": request_id,
        "status": found.status(),
        "result": found.result,
        "diagnostics": found.diagnostics,
    });
    if let Some(fields) = answer.as_object_mut() {
        if let Some(results) = found.constraint_results {
            fields.insert("constraint_results".to_owned(), json!(results));
        }
        if let Some(metadata) = found.metadata {
            fields.insert("metadata".to_owned(), Value::Object(metadata));
        }
    }
    answer
}

fn refusal_response(status: StatusCode, request_id: Value, refusal: Refusal) -> Response {
    let answer = json!({
        "request_id": request_id,
        "status": Status::Error,
        "diagnostics": [],
        "error": {"code": refusal.code, "message": refusal.message},
    });
    (status, Json(answer)).into_response()
}

/// The HTTP status of a request that no method was given.
const fn status_of(refusal: &Refusal) -> StatusCode {
    match refusal.code {
        ErrorCode::UnsupportedMethod => StatusCode::NOT_FOUND,
        _ => StatusCode::BAD_REQUEST,
    }
}
