//! An agent at a server of MCP over HTTP.
#![cfg(test)]

use std::time::Duration;

use reqwest::{Client, Response};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use toolwright::eab::RunContext;
use toolwright_mcp::{Access, HttpLimits, Server, Shutdown, ShutdownHandle};

use crate::world::World;

/// An agent that is connected to a server of the role `clerk`.
pub(crate) struct Agent {
    client: Client,
    url: String,
    session: String,
    end: ShutdownHandle,
    served: JoinHandle<()>,
}

impl Agent {
    /// Starts a server, whose calls wait for a person, and connects to it.
    pub(crate) async fn connect(world: &World) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let role = "clerk".parse().unwrap();
        let run = RunContext {
            run: Some("run-9".to_owned()),
            ..RunContext::default()
        };
        let view = world.registry.for_agent(&role).in_run(run);
        let server = Server::new(&world.registry, &role)
            .of_view(view)
            .waiting_for(Duration::from_secs(60));
        let limits = HttpLimits::default();
        let server = server.bind_http(0, Access::Everyone, limits).await.unwrap();
        let url = server.url();
        let (end, ended) = Shutdown::on_request();
        let served = tokio::spawn(server.serve(ended));
        let client = Client::new();
        let hello = json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "test-agent", "version": "1"},
            },
        });
        let answer = post(&client, &url, "", &hello).await;
        let session = answer.headers()["mcp-session-id"]
            .to_str()
            .unwrap()
            .to_owned();
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        post(&client, &url, &session, &ready).await;
        Self {
            client,
            url,
            session,
            end,
            served,
        }
    }

    /// Calls a tool and waits for its result.
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> JoinHandle<Value> {
        let call = json!({
            "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        });
        let (client, url, session) = (self.client.clone(), self.url.clone(), self.session.clone());
        tokio::spawn(async move {
            let answer = post(&client, &url, &session, &call).await;
            let text = answer.text().await.unwrap();
            let messages = text
                .lines()
                .map(|line| line.trim_start_matches("data:").trim());
            let mut messages = messages.filter_map(|text| serde_json::from_str::<Value>(text).ok());
            let result = messages.find(|message| message["id"] == 2);
            result.unwrap_or_else(|| panic!("{text}"))["result"].clone()
        })
    }

    /// Ends the server.
    pub(crate) async fn end(self) {
        self.end.request();
        self.end.request();
        self.served.await.unwrap();
    }
}

async fn post(client: &Client, url: &str, session: &str, message: &Value) -> Response {
    let request = client
        .post(url)
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .body(message.to_string());
    let request = match session {
        "" => request,
        session => request.header("mcp-session-id", session),
    };
    let answer = request.send().await.unwrap();
    assert!(answer.status().is_success(), "{answer:?}");
    answer
}
