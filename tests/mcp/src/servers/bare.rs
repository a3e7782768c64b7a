//! A server of the protocol library alone: one tool, which sends one request. If it is the floor, its calls have the least of
//! checks and records.

use std::sync::Arc;

use axum::Router;
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt as _,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, JsonObject, ListToolsResult,
        PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
    transport::{
        stdio,
        streamable_http_server::{
            StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
        },
    },
};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::{ServeArguments, Server, Transport, floor::Floor};
use crate::Failure;

/// The server.
#[derive(Clone, Debug)]
struct Bare {
    client: reqwest::Client,
    upstream: Arc<str>,
    floor: Option<Arc<Floor>>,
}

/// Serves the one tool.
pub(super) async fn serve(arguments: &ServeArguments) -> Result<(), Failure> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let folder = tempfile::tempdir()?;
    let floor = match arguments.server {
        Server::Floor => Some(Arc::new(Floor::new(folder.path())?)),
        _ => None,
    };
    let server = Bare {
        client: reqwest::Client::builder().no_proxy().build()?,
        upstream: arguments.upstream.as_str().into(),
        floor,
    };
    match arguments.transport {
        Transport::Stdio => {
            server.serve(stdio()).await?.waiting().await?;
        }
        Transport::Http => {
            let listener = TcpListener::bind(("127.0.0.1", arguments.port)).await?;
            let sessions = Arc::new(LocalSessionManager::default());
            let service = StreamableHttpService::new(
                move || Ok(server.clone()),
                sessions,
                StreamableHttpServerConfig::default(),
            );
            let listener = axum::serve::ListenerExt::tap_io(listener, |stream| {
                let _ = stream.set_nodelay(true);
            });
            axum::serve(listener, Router::new().route_service("/mcp", service)).await?;
        }
    }
    Ok(())
}

impl Bare {
    async fn item(&self, arguments: &Value) -> Result<Value, Failure> {
        let id = arguments
            .get("id")
            .and_then(Value::as_u64)
            .unwrap_or_default();
        let url = format!("{}/items/{id}", self.upstream);
        let mut request = self.client.get(url);
        if let Some(floor) = &self.floor {
            request = request.bearer_auth(floor.before(arguments)?);
        }
        let answer = request.send().await?.json().await?;
        if let Some(floor) = &self.floor {
            floor.after(&answer)?;
        }
        Ok(answer)
    }
}

impl ServerHandler for Bare {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = json!({"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]});
        let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
        let tool = Tool::new("get_item", "Get an item", schema);
        Ok(ListToolsResult::with_all_items(vec![tool]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let item = self.item(&arguments).await;
        let item = item.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(CallToolResponse::Complete(CallToolResult::structured(item)))
    }
}
