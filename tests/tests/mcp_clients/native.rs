//! The client of `rmcp`, which takes the steps of `tests/real/mcp_client.py` with a revision of the protocol.

use std::{
    fs::OpenOptions,
    io::Write as _,
    process::Stdio,
    time::{Duration, Instant},
};

use rmcp::{
    Peer, RoleClient, ServiceError,
    model::{
        CallToolRequestParams, CallToolResponse, ClientCapabilities, ClientConfig, Implementation,
        PaginatedRequestParams, ProtocolVersion,
    },
    service::{ClientLifecycleMode, ClientServiceExt as _, RunningService},
};
use serde_json::{Value, json};
use tokio::{
    process::{Child, Command},
    runtime::Runtime,
    task::JoinSet,
    time::timeout,
};

/// The longest time of a step.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client and its server.
struct Pair {
    client: RunningService<RoleClient, ClientConfig>,
    server: Child,
}

/// Takes steps with a revision of the protocol, and returns what the client saw of each.
pub(crate) fn drive(revision: &str, server: &[String], steps: &Value) -> Vec<Value> {
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let mut pair = Pair::begin(revision, server).await;
        let mut taken = Vec::new();
        for step in steps.as_array().unwrap() {
            let seen = timeout(PATIENCE, pair.take(step)).await;
            taken.push(seen.unwrap_or_else(|_| panic!("no answer: {step}")));
            if step["do"] == "restart" {
                pair = Pair::begin(revision, server).await;
            }
        }
        taken
    })
}

impl Pair {
    async fn begin(revision: &str, command: &[String]) -> Self {
        let mut server = Command::new(&command[0]);
        let mut server = server
            .args(&command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let pipes = (server.stdout.take().unwrap(), server.stdin.take().unwrap());
        let revision: ProtocolVersion = serde_json::from_value(json!(revision)).unwrap();
        let lifecycle = if revision < ProtocolVersion::NO_INITIALIZE {
            ClientLifecycleMode::Initialize
        } else {
            let preferred_versions = vec![revision.clone()];
            ClientLifecycleMode::Discover { preferred_versions }
        };
        let this = Implementation::new("test", "1");
        let config = ClientConfig::new(ClientCapabilities::default(), this);
        let config = config.with_protocol_version(revision.clone());
        let client = config.serve_with_lifecycle(pipes, lifecycle);
        let client = timeout(PATIENCE, client).await.unwrap().unwrap();
        let agreed = client.peer_info().unwrap().protocol_version.clone();
        assert_eq!(agreed, revision);
        Self { client, server }
    }

    async fn take(&mut self, step: &Value) -> Value {
        match step["do"].as_str().unwrap() {
            "list" => self.list().await,
            "call" => self.call(step).await,
            "parallel" => self.parallel(step).await,
            "cancel" => {
                let after = Duration::from_secs(step["after"].as_u64().unwrap());
                let ended = timeout(after, self.call(step)).await;
                json!({"given_up": ended.is_err()})
            }
            "raw" => {
                let process = self.server.id().unwrap();
                let pipe = format!("/proc/{process}/fd/0");
                let mut pipe = OpenOptions::new().write(true).open(pipe).unwrap();
                for line in step["lines"].as_array().unwrap() {
                    writeln!(pipe, "{}", line.as_str().unwrap()).unwrap();
                }
                json!({})
            }
            "restart" => {
                self.server.kill().await.unwrap();
                self.call(step).await
            }
            other => panic!("{other}"),
        }
    }

    async fn list(&self) -> Value {
        let mut pages = Vec::new();
        let mut cursor = None;
        loop {
            let params = PaginatedRequestParams::default().with_cursor(cursor);
            let page = self.client.list_tools(Some(params)).await.unwrap();
            cursor = page.next_cursor.clone();
            pages.push(serde_json::to_value(page).unwrap());
            if cursor.is_none() {
                break;
            }
        }
        let tools = pages
            .iter()
            .flat_map(|page| page["tools"].as_array().unwrap());
        let tools: Vec<&Value> = tools.collect();
        json!({"tools": tools, "pages": pages.len(), "cacheScope": pages[0]["cacheScope"]})
    }

    async fn call(&self, step: &Value) -> Value {
        call(&self.client, step).await
    }

    async fn parallel(&self, step: &Value) -> Value {
        let count = usize::try_from(step["count"].as_u64().unwrap()).unwrap();
        let mut calls = JoinSet::new();
        for _ in 0..count {
            let (client, step) = (self.client.peer().clone(), step.clone());
            calls.spawn(async move { call(&client, &step).await });
        }
        let mut other = calls.join_all().await;
        other.retain(|ended| ended["result"]["isError"] != json!(false));
        let ok = count - other.len();
        other.truncate(3);
        json!({"ok": ok, "other": other})
    }
}

async fn call(client: &Peer<RoleClient>, step: &Value) -> Value {
    let mut arguments = step["arguments"].as_object().unwrap().clone();
    for (name, size) in step["fill"].as_object().into_iter().flatten() {
        let size = usize::try_from(size.as_u64().unwrap()).unwrap();
        arguments.insert(name.clone(), "x".repeat(size).into());
    }
    let name = step["name"].as_str().unwrap().to_owned();
    let begun = Instant::now();
    let call = CallToolRequestParams::new(name).with_arguments(arguments);
    let ended = client.call_tool_once(call).await;
    let seconds = begun.elapsed().as_secs_f64();
    match ended {
        Ok(CallToolResponse::Complete(result)) => {
            json!({"result": result, "seconds": seconds})
        }
        Ok(other) => panic!("{other:?}"),
        Err(ServiceError::McpError(error)) => {
            let (code, message) = (error.code.0, error.message);
            json!({"error": {"code": code, "message": message}, "seconds": seconds})
        }
        Err(error) => {
            json!({"error": {"code": null, "message": error.to_string()}, "seconds": seconds})
        }
    }
}
