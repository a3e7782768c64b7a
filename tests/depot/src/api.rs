//! The HTTP interface: the table of routes and the check of the token.

mod body;
mod comments;
mod files;
mod items;
mod path;
mod query;
mod stock;

use std::sync::Arc;

use axum::{
    Router,
    extract::{DefaultBodyLimit, Request, State},
    http::header::{AUTHORIZATION, CONTENT_TYPE},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::{MethodRouter, delete, get, patch, post},
};

use crate::{
    OPENAPI, Token,
    error::{ApiError, Code},
    store::Store,
};

/// The path prefix of all operations.
pub(crate) const BASE_PATH: &str = "/api/v1";

/// The path of the OpenAPI document.
pub(crate) const DOCUMENT_PATH: &str = "/openapi.yaml";

/// The maximum length of a JSON body in bytes.
const MAX_BODY: usize = 64 << 10;

/// The state that every operation uses.
#[derive(Clone, Debug)]
pub(crate) struct App {
    pub(crate) store: Store,
    pub(crate) token: Arc<Token>,
}

/// One operation that the service answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Route {
    /// The HTTP method, in capital letters.
    pub method: &'static str,
    /// The path below the base URL, with `{name}` for each path parameter.
    pub path: &'static str,
}

/// Returns every operation that the service answers, for a comparison with the document.
#[must_use]
pub fn routes() -> Vec<Route> {
    table().into_iter().map(|(route, _)| route).collect()
}

/// Builds the whole interface for a store.
pub(crate) fn router(app: App) -> Router {
    let operations = table()
        .into_iter()
        .fold(Router::new(), |router, (route, answer)| {
            router.route(route.path, answer)
        })
        .fallback(no_such_path)
        .method_not_allowed_fallback(no_such_method)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn_with_state(app.clone(), check_token));
    Router::new()
        .nest(BASE_PATH, operations)
        .route(DOCUMENT_PATH, get(document))
        .fallback(no_such_path)
        .method_not_allowed_fallback(no_such_method)
        .with_state(app)
}

/// The only table of operations.
fn table() -> Vec<(Route, MethodRouter<App>)> {
    let row = |method, path, answer| (Route { method, path }, answer);
    let item = "/items/{item_id}";
    let transition = "/items/{item_id}/transition";
    let comments = "/items/{item_id}/comments";
    let files = "/items/{item_id}/files";
    let content = "/items/{item_id}/files/{file_id}/content";
    let upload = post(files::upload).layer(DefaultBodyLimit::max(files::MAX_UPLOAD));
    vec![
        row("GET", "/items", get(items::list)),
        row("POST", "/items", post(items::create)),
        row("GET", "/items/search", get(items::search)),
        row("GET", item, get(items::show)),
        row("PATCH", item, patch(items::update)),
        row("DELETE", item, delete(items::remove)),
        row("POST", transition, post(items::transition)),
        row("GET", comments, get(comments::list)),
        row("POST", comments, post(comments::add)),
        row("GET", files, get(files::list)),
        row("POST", files, upload),
        row("GET", content, get(files::download)),
        row("GET", "/reports/stock", get(stock::report)),
        row("POST", "/orders/simulate", post(stock::simulate)),
    ]
}

async fn check_token(State(app): State<App>, request: Request, next: Next) -> Response {
    let header = request.headers().get(AUTHORIZATION);
    let header = header
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    if app.token.is_carried_by(header) {
        return next.run(request).await;
    }
    let message = "the request carries no valid bearer token";
    ApiError::new(Code::Unauthorized, message).into_response()
}

async fn document() -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/yaml")], OPENAPI)
}

async fn no_such_path() -> ApiError {
    ApiError::new(Code::NotFound, "there is no such path")
}

async fn no_such_method() -> ApiError {
    ApiError::new(
        Code::MethodNotAllowed,
        "the path does not support this method",
    )
}
