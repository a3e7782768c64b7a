//! The operations in a Rust router, which decodes values after routing.

use axum::{
    Json, Router,
    extract::{Path, RawQuery},
    routing::get,
};
use serde_json::{Value, json};

/// Starts the router on a free port. It runs until the process ends.
pub(crate) fn start() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    listener.set_nonblocking(true).unwrap();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.unwrap().block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            axum::serve(listener, router()).await.unwrap();
        });
    });
    port
}

fn router() -> Router {
    let reached =
        |op: &'static str| move |RawQuery(query): RawQuery| async move { Json(answer(op, query)) };
    let item = |Path(id): Path<String>, RawQuery(query): RawQuery| async move {
        let op = if id.ends_with(":cancel") {
            "cancel"
        } else {
            "item"
        };
        Json(answer(op, query))
    };
    Router::new()
        .route("/items/search", get(reached("search")))
        .route("/items/{id}", get(item))
        .route("/items/{id}/secrets", get(reached("secrets")))
        .route("/items/{id}/notes", get(reached("notes")))
        .fallback(get(reached("other")))
}

fn answer(op: &str, query: Option<String>) -> Value {
    let query = query.unwrap_or_default();
    let pairs = url::form_urlencoded::parse(query.as_bytes());
    let project = pairs.filter(|(name, _)| name == "project_id");
    let project: Vec<_> = project.map(|(_, value)| value.into_owned()).collect();
    json!({"op": op, "method": "GET", "project": project})
}
