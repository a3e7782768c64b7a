//! The server as a client of another implementation sees it: the client of `rmcp`, over a pipe and over
//! streamable HTTP.
#![cfg(test)]

mod waiting;

use std::{sync::Arc, time::Duration};

use rmcp::{
    ClientHandler, RoleClient, ServiceExt,
    model::{CallToolRequestParams, ReadResourceRequestParams},
    service::{NotificationContext, RunningService},
    transport::{
        StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::{Map, Value, json};
use tokio::{sync::Notify, time::timeout};
use toolwright::{
    Registry, Role, RoleEnum, ToolContext, ToolError, ToolSpec,
    audit::MemoryAudit,
    files::{FileLimits, FileStore},
    tool,
};
use toolwright_mcp::{Access, CallLimits, HttpLimits, Server, Shutdown, Token};

const TOKEN: &str = "0123456789abcdef";

/// The longest that a step of a test may take.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(RoleEnum)]
enum AgentRole {
    Reader,
    Writer,
}

/// Count the letters of a text.
#[tool(name = "count-text-letters", category = observe, roles(AgentRole::Reader, AgentRole::Writer))]
async fn count_letters(_: &ToolContext, text: String) -> Result<usize, ToolError> {
    Ok(text.chars().filter(|c| c.is_alphabetic()).count())
}

/// Erase a text.
#[tool(name = "delete-text-page", category = execute, roles(AgentRole::Writer))]
async fn delete_page(_: &ToolContext, id: u64) -> Result<u64, ToolError> {
    Ok(id)
}

/// A client that notes when its list of tools has changed.
#[derive(Clone, Default)]
struct Listener(Arc<Notify>);

impl ClientHandler for Listener {
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.notify_one();
    }
}

type Client = RunningService<RoleClient, Listener>;

fn registry() -> (Registry, Arc<MemoryAudit>) {
    let audit = Arc::new(MemoryAudit::new());
    let registry = Registry::builder()
        .linked_tools()
        .audit(Arc::clone(&audit))
        .build()
        .unwrap();
    (registry, audit)
}

fn reader() -> Role {
    AgentRole::Reader.role()
}

async fn over_pipe(server: Server) -> Client {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (_, shutdown) = Shutdown::on_request();
    tokio::spawn(server.serve(theirs, shutdown));
    let client = Listener::default().serve(ours);
    timeout(PATIENCE, client).await.unwrap().unwrap()
}

fn http(url: String, token: Option<&str>) -> StreamableHttpClientTransport<reqwest::Client> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut config = StreamableHttpClientTransportConfig::with_uri(url);
    if let Some(token) = token {
        config = config.auth_header(token);
    }
    StreamableHttpClientTransport::from_config(config)
}

async fn names(client: &Client) -> Vec<String> {
    let tools = timeout(PATIENCE, client.list_all_tools()).await.unwrap();
    tools
        .unwrap()
        .into_iter()
        .map(|tool| tool.name.into_owned())
        .collect()
}

fn arguments(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// Calls the tool that the reader has, and one that it does not have.
async fn uses_its_tools_and_no_others(client: &Client) {
    assert_eq!(names(client).await, ["count-text-letters"]);
    let call = CallToolRequestParams::new("count-text-letters")
        .with_arguments(arguments(json!({"text": "to be"})));
    let result = client.call_tool(call).await.unwrap();
    assert_ne!(result.is_error, Some(true));
    assert_eq!(result.content[0].as_text().unwrap().text, "4");
    for name in ["delete-text-page", "delete-text-nothing"] {
        let call = CallToolRequestParams::new(name).with_arguments(arguments(json!({"id": 1})));
        let error = client.call_tool(call).await.unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_on_a_pipe_uses_the_tools_of_its_role() {
    let (registry, audit) = registry();
    let client = over_pipe(Server::new(&registry, &reader())).await;
    uses_its_tools_and_no_others(&client).await;
    let events = audit.events();
    let calls: Vec<_> = events
        .iter()
        .filter_map(|event| event.call.as_ref())
        .collect();
    assert!(calls.len() >= 3, "{events:?}");
    assert!(calls.iter().all(|call| call.role == reader()), "{calls:?}");
    let text = format!("{events:?}");
    assert!(text.contains("ClientContext { name: Some("), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_over_http_shows_the_token() {
    let (registry, _) = registry();
    let access = Access::Token(Token::new(TOKEN).unwrap());
    let server = Server::new(&registry, &reader());
    let server = server.bind_http(0, access, HttpLimits::default());
    let server = server.await.unwrap();
    let url = server.url();
    let (handle, shutdown) = Shutdown::on_request();
    let served = tokio::spawn(server.serve(shutdown));

    for wrong in [None, Some("0123456789abcdeF")] {
        let client = Listener::default().serve(http(url.clone(), wrong));
        assert!(timeout(PATIENCE, client).await.unwrap().is_err());
    }
    let client = Listener::default().serve(http(url, Some(TOKEN)));
    let client = timeout(PATIENCE, client).await.unwrap().unwrap();
    uses_its_tools_and_no_others(&client).await;
    handle.request();
    timeout(PATIENCE, served).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_are_told_that_their_tools_have_changed() {
    let (registry, _) = registry();
    let server = Server::new(&registry, &reader());
    let changes = server.changes();
    let client = over_pipe(server).await;
    assert_eq!(names(&client).await, ["count-text-letters"]);
    registry.revoke(&reader());
    changes.announce();
    let told = client.service().0.notified();
    timeout(PATIENCE, told).await.unwrap();
    assert_eq!(names(&client).await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_of_any_size_are_accepted() {
    let (registry, _) = registry();
    let calls = CallLimits {
        all: usize::MAX,
        per_session: usize::MAX,
        shutdown: Duration::MAX,
    };
    let limits = HttpLimits {
        connections: usize::MAX,
        sessions: usize::MAX,
        memory: usize::MAX,
        session_idle: Duration::MAX,
        header: Duration::MAX,
        body: Duration::MAX,
    };
    let server = Server::new(&registry, &reader()).limits(calls);
    let server = server.bind_http(0, Access::Everyone, limits).await.unwrap();
    let url = server.url();
    let (handle, shutdown) = Shutdown::on_request();
    let served = tokio::spawn(server.serve(shutdown));
    let client = Listener::default().serve(http(url, None));
    let client = timeout(PATIENCE, client).await.unwrap().unwrap();
    assert_eq!(names(&client).await, ["count-text-letters"]);
    client.cancel().await.unwrap();
    handle.request();
    timeout(PATIENCE, served).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_client_that_does_not_speak_mcp_is_an_error() {
    let (registry, _) = registry();
    let (mut ours, theirs) = tokio::io::duplex(1 << 10);
    let (_, shutdown) = Shutdown::on_request();
    let served = tokio::spawn(Server::new(&registry, &reader()).serve(theirs, shutdown));
    let hello = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nothing\"}\n";
    tokio::io::AsyncWriteExt::write_all(&mut ours, hello)
        .await
        .unwrap();
    drop(ours);
    // The client is gone before it said anything of use: that is its end, or an error, and no panic.
    let ended = timeout(PATIENCE, served).await.unwrap().unwrap();
    if let Err(error) = ended {
        assert!(
            error
                .to_string()
                .starts_with("cannot understand the client"),
            "{error}"
        );
    }
}

/// A tool of a service that downloads `GET /SIZE`.
fn download(url: &str, media_type: &str) -> ToolSpec {
    let file = json!({"type": "object", "properties": {"file": {"type": "string"}, "size": {"type": "integer"}},
                      "required": ["media_type", "size"]});
    serde_json::from_value(json!({
        "name": "get-archive-file", "service": "archive", "title": "Get", "short": "Gets a file.",
        "description": "Gets a file.", "section": "Files", "category": "observe", "effect": "read",
        "approval_required": false,
        "hints": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": true},
        "enabled_by_default": true,
        "input_schema": {"type": "object", "properties": {"size": {"type": "string"}}},
        "output_schema": file,
        "binding": {"http": {
            "method": "GET", "path": "/{size}", "base_url": url,
            "parameters": [{"name": "size", "location": "path", "value": {"argument": "size"}, "required": true,
                            "style": "simple", "explode": false}],
            "answers": [{"status": "200", "media_types": [media_type], "content": "binary"}],
        }},
        "origin": {"document": "archive", "pointer": "/"}, "evidence": [],
    }))
    .unwrap()
}

async fn archive() -> String {
    let of = |media_type: &'static str| {
        axum::routing::get(async move || ([("content-type", media_type)], vec![7_u8; 3]))
    };
    let app = axum::Router::new();
    let app = app.route("/picture", of("image/png"));
    let app = app.route("/sound", of("audio/wav"));
    let app = app.route(
        "/{size}",
        axum::routing::get(
            async |axum::extract::Path(size): axum::extract::Path<usize>| {
                ([("content-type", "text/csv")], "x".repeat(size))
            },
        ),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    url
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_reads_the_files_of_its_role_as_resources() {
    let folder = std::env::temp_dir().join(format!("toolwright-mcp-files-{}", std::process::id()));
    let audit = Arc::new(MemoryAudit::new());
    let registry = Registry::builder()
        .specs([download(&archive().await, "text/csv")])
        .grant("reader", "*")
        .grant("writer", "*")
        .audit(Arc::clone(&audit))
        .files(FileStore::new(&folder, FileLimits::default()))
        .build()
        .unwrap();
    let client = over_pipe(Server::new(&registry, &reader())).await;
    let capabilities = &client.peer_info().unwrap().capabilities;
    assert!(capabilities.resources.is_some());
    let get = async |size: usize| {
        let call = CallToolRequestParams::new("get-archive-file")
            .with_arguments(arguments(json!({"size": size.to_string()})));
        client.call_tool(call).await.unwrap()
    };
    let result = get(3).await;
    let content = result.structured_content.unwrap();
    let uri = format!("toolwright://files/{}", content["file"].as_str().unwrap());
    let blocks = serde_json::to_value(&result.content).unwrap();
    assert_eq!(
        blocks[1]["resource"],
        json!({"uri": uri, "mimeType": "text/csv", "text": "xxx"}),
        "a short text is a block, too"
    );
    let link = result.content[2].as_resource_link().unwrap();
    assert_eq!((link.uri.as_str(), link.size), (uri.as_str(), Some(3)));
    assert_eq!(link.mime_type.as_deref(), Some("text/csv"));
    let listed = client.list_all_resources().await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].uri, uri);
    let read = client.read_resource(ReadResourceRequestParams::new(uri.clone()));
    let read = serde_json::to_value(read.await.unwrap()).unwrap();
    assert_eq!(
        read["contents"],
        json!([{"uri": uri, "mimeType": "text/csv", "text": "xxx"}])
    );
    let events = serde_json::to_string(&audit.events()).unwrap();
    assert!(
        events.contains("\"event\":\"file_read\",\"file\":{\"handle\":\"file-"),
        "{events}"
    );

    let long = get((16 << 10) + 1).await;
    assert!(
        long.content[1].as_resource_link().is_some(),
        "a long text is only a link"
    );
    let large = get((1 << 20) + 1).await.structured_content.unwrap();
    let large = format!("toolwright://files/{}", large["file"].as_str().unwrap());
    let refused = client
        .read_resource(ReadResourceRequestParams::new(large))
        .await;
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("toolwright files save file-"), "{refused}");

    let other = over_pipe(Server::new(&registry, &AgentRole::Writer.role())).await;
    assert!(other.list_all_resources().await.unwrap().is_empty());
    let unknown = format!("toolwright://files/file-{}", "0".repeat(32));
    let messages = [uri, unknown, "file:///etc/passwd".to_owned()].map(async |uri| {
        let read = other.read_resource(ReadResourceRequestParams::new(uri));
        read.await.unwrap_err().to_string()
    });
    let mut seen = Vec::new();
    for message in messages {
        seen.push(message.await);
    }
    assert!(
        seen[0].contains("there is no such file, or it has expired"),
        "{seen:?}"
    );
    assert!(seen.iter().all(|message| *message == seen[0]), "{seen:?}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_store_there_are_no_resources() {
    let (registry, _) = registry();
    let client = over_pipe(Server::new(&registry, &reader())).await;
    assert!(client.peer_info().unwrap().capabilities.resources.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_or_a_sound_is_a_block_that_a_model_can_see_or_hear() {
    let folder = std::env::temp_dir().join(format!("toolwright-mcp-media-{}", std::process::id()));
    for (name, media_type, kind) in [
        ("picture", "image/png", "image"),
        ("sound", "audio/wav", "audio"),
    ] {
        let registry = Registry::builder()
            .specs([download(&archive().await, media_type)])
            .grant("reader", "*")
            .audit(MemoryAudit::new())
            .files(FileStore::new(&folder, FileLimits::default()))
            .build()
            .unwrap();
        let client = over_pipe(Server::new(&registry, &reader())).await;
        let call = CallToolRequestParams::new("get-archive-file")
            .with_arguments(arguments(json!({"size": name})));
        let result = client.call_tool(call).await.unwrap();
        let blocks = serde_json::to_value(&result.content).unwrap();
        let block = json!({"type": kind, "data": "BwcH", "mimeType": media_type});
        assert_eq!(blocks[1], block, "{blocks}");
        assert_eq!(blocks[2]["type"], "resource_link", "{blocks}");
        // The bytes are in the block only.
        assert!(!blocks[0].to_string().contains("BwcH"), "{blocks}");
        assert_eq!(result.structured_content.unwrap()["size"], 3);
    }
    std::fs::remove_dir_all(folder).unwrap();
}
