//! A server over HTTP.

use axum::{Json, Router, http::HeaderMap, routing::post};
use serde_json::{Value, json};
use toolwright::config::Config;

use crate::world::World;

/// The token that the server requires.
const TOKEN: &str = "a-token-of-the-http-server";

async fn answer(
    headers: HeaderMap,
    Json(message): Json<Value>,
) -> (axum::http::StatusCode, Json<Value>) {
    use axum::http::StatusCode;
    let expected = format!("Bearer {TOKEN}");
    let given = headers
        .get("authorization")
        .and_then(|value| value.to_str().ok());
    if given != Some(expected.as_str()) {
        return (StatusCode::FORBIDDEN, Json(json!({})));
    }
    let Some(id) = message.get("id") else {
        return (StatusCode::ACCEPTED, Json(json!({})));
    };
    let tool = |name: &str, description: &str| {
        json!({
            "name": name, "description": description,
            "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
        })
    };
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}}, "serverInfo": {"name": "test", "version": "1"},
        }),
        Some("tools/list") => json!({"tools": [
            tool("get_note", "Gets a note."), tool("delete_note", "Deletes a note."),
        ]}),
        _ => json!({"content": [{"type": "text", "text": format!("over HTTP, with {expected}")}]}),
    };
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
    (StatusCode::OK, Json(answer))
}

pub(crate) async fn a_server_over_http_is_called() {
    use std::os::unix::fs::PermissionsExt as _;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let router = Router::new().route("/mcp", post(answer));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let world = World::new().await;
    let root = world.folder.path();
    let file = root.join("token.txt");
    std::fs::write(&file, TOKEN).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let text =
        format!("[mcp.notes]\nurl = \"http://127.0.0.1:{port}/mcp\"\ntoken_file = \"token.txt\"");
    let config = Config::parse(&root.join("toolwright.toml"), &text).unwrap();
    let called = World::read(&world.view_with(&config))
        .await
        .unwrap()
        .to_string();
    // The server repeats the token, and the caller does not receive it.
    assert!(
        called.contains("over HTTP") && !called.contains(TOKEN),
        "{called}"
    );
}

pub(crate) async fn a_target_that_is_not_allowed_is_refused() {
    for url in [
        "http://mcp.example/mcp",
        "https://10.0.0.1/mcp",
        "file:///etc/passwd",
        "https://a:b@mcp.example",
    ] {
        let text = format!("[mcp.notes]\nurl = {url:?}");
        let error = Config::parse("toolwright.toml".as_ref(), &text).unwrap_err();
        assert_eq!(error.problems.len(), 1, "{url}: {error}");
    }
}
