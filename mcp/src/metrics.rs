//! The endpoint of metrics, at an address of the operator.

use std::{io, pin::Pin, sync::Arc};

use axum::{Router, http::header, routing::get};
use tokio::net::TcpListener;

/// The content type of the text format of Prometheus.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Returns the text of the metrics at this time.
pub type MetricsText = dyn Fn() -> Pin<Box<dyn Future<Output = String> + Send>> + Send + Sync;

/// Answers `GET /metrics` with a text, until it is dropped. There are no credentials: whoever can reach
/// the address can read the metrics.
///
/// # Errors
/// When the listener fails.
pub async fn serve_metrics(listener: TcpListener, text: Arc<MetricsText>) -> io::Result<()> {
    let answer = move || {
        let text = text();
        async move { ([(header::CONTENT_TYPE, TEXT)], text.await) }
    };
    let router = Router::new().route("/metrics", get(answer));
    axum::serve(listener, router).await
}
