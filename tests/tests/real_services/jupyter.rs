//! Jupyter Server: its document mentions no token, and requires the id of a kernel that is yet to be
//! created. An overlay corrects both.

use std::{
    fs,
    time::{Duration, Instant},
};

use reqwest::Method;
use serde_json::json;
use toolwright::{ToolError, private};
use toolwright_tests::{
    real::{Real, RealService},
    shared,
};

use crate::{
    desk::{Desk, generate},
    plain::Plain,
};

const JUPYTER: RealService = RealService {
    name: "jupyter",
    port: 8890,
    path: "/api",
    patience: Duration::from_secs(300),
};

const OVERLAY: &str = include_str!("jupyter.overlay.toml");

/// The token in the script that starts the server.
const TOKEN: &str = "jtoken";

/// A request for a session with a kernel that does not exist yet.
fn session() -> serde_json::Value {
    json!({"path": "a.ipynb", "name": "a", "type": "notebook", "kernel": {"name": "no-such-kernel"}})
}

#[tokio::test]
async fn files_and_sessions_are_managed_with_the_corrections_of_the_overlay() {
    let Some(real) = Real::if_enabled() else {
        return;
    };
    // The server serves its document only with the token, so the recorded one is read.
    let document = shared::folder().join("real/specs/jupyter.yaml");
    let Ok(document) = fs::read_to_string(&document) else {
        eprintln!("skipped: {} does not exist", document.display());
        return;
    };
    let started = real.start(JUPYTER).unwrap();
    let begun = Instant::now();
    let url = JUPYTER.url();

    let desk = Desk::new(
        "jupyter",
        &url,
        generate("jupyter", &document, None).tool_specs(),
    );
    private::write(&desk.token_file("jupyter"), format!("{TOKEN}-of-another")).unwrap();
    let refused = desk.call("GET /api/status", json!({})).await.unwrap_err();
    assert_eq!(refused.status(), Some(403));
    let detail = refused.detail().unwrap();
    assert!(
        detail.contains("authenticated with `api_token` (bearer token)"),
        "{detail}"
    );
    let invalid = desk
        .call("POST /api/sessions", session())
        .await
        .unwrap_err();
    let is_local = matches!(invalid, ToolError::InvalidArguments { .. });
    assert!(is_local && invalid.to_string().contains("id"), "{invalid}");

    let catalog = generate("jupyter", &document, Some(OVERLAY));
    let desk = Desk::new("jupyter", &url, catalog.tool_specs());
    private::write(&desk.token_file("jupyter"), TOKEN).unwrap();
    let status = desk.call("GET /api/status", json!({})).await.unwrap();
    assert!(status.value["started"].is_string(), "{status:?}");
    let answer = desk.call_approved("POST /api/sessions", session()).await;
    let error = answer.unwrap_err();
    assert_eq!(error.code(), "service_error", "{error}");
    assert!(error.to_string().contains("no-such-kernel"), "{error}");
    let shelf = format!("shelf-{}", std::process::id());
    let place = format!("/api/contents/{shelf}");
    let plain = Plain::new(url).with_token(TOKEN);
    let directory = json!({"type": "directory"});
    let (status, _) = plain.send(Method::PUT, &place, Some(&directory)).await;
    assert_eq!(status, 201);
    let listed = json!({"path": shelf});
    let listed = desk.call("GET /api/contents/{path}", listed).await.unwrap();
    assert_eq!(listed.value["content"], json!([]), "{listed:?}");
    assert_eq!(plain.send(Method::DELETE, &place, None).await.0, 204);
    eprintln!(
        "jupyter: ready in {:.1?}, tested in {:.1?}",
        started.took,
        begun.elapsed()
    );
}
