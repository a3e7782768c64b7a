//! The service that every server calls. It answers at once.

use axum::{Json, Router, extract::Path, routing::get};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::Failure;

/// The document of the service.
pub(crate) const DOCUMENT: &str = r#"
openapi: 3.1.0
info: { title: Shop, version: "1" }
paths:
  /items/{id}:
    get:
      operationId: getItem
      summary: Get an item
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer } }
      responses:
        "200":
          description: The item.
          content:
            application/json:
              schema:
                type: object
                required: [id, name, count]
                properties:
                  id: { type: integer }
                  name: { type: string }
                  count: { type: integer }
"#;

/// Starts the service on this runtime, and returns its URL.
pub(crate) async fn start() -> Result<String, Failure> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let url = format!("http://{}", listener.local_addr()?);
    let router = Router::new()
        .route("/items/{id}", get(item))
        .fallback(|| async { Json(json!({})) });
    let listener = axum::serve::ListenerExt::tap_io(listener, |stream| {
        // A delayed acknowledgement would be the longest part of a call.
        let _ = stream.set_nodelay(true);
    });
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(url)
}

async fn item(Path(id): Path<u64>) -> Json<Value> {
    Json(json!({"id": id, "name": "Desk lamp, brass", "count": 12}))
}
