//! The socket for programs of agents, with hostile clients.
#![cfg(test)]
#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::UnixStream,
    task::JoinHandle,
    time::{sleep, timeout},
};
use toolwright::{Kind, Registry, Role, Tool, ToolSpec, audit::MemoryAudit, binding::Governance};
use toolwright_mcp::{CallLimits, ServeError, Server, Shutdown, ShutdownHandle};

const MOMENT: Duration = Duration::from_secs(10);

struct Stage {
    folder: TempDir,
    audit: Arc<MemoryAudit>,
    ended: Arc<AtomicUsize>,
    handle: ShutdownHandle,
    served: JoinHandle<Result<(), ServeError>>,
}

/// Counts when it is dropped.
struct Ends(Arc<AtomicUsize>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn spec(name: &str) -> ToolSpec {
    let governance = Governance::from_kind(Kind::Read, false);
    serde_json::from_value(json!({
        "name": name, "service": "depot", "title": name, "short": "does it",
        "description": "Does it.", "section": "Items", "category": governance.category(),
        "effect": governance.effect(), "approval_required": false, "hints": governance.hints,
        "enabled_by_default": true, "input_schema": {"type": "object"}, "binding": "native",
        "origin": {"document": "test", "pointer": name}, "evidence": [],
    }))
    .unwrap()
}

impl Stage {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (audit, ended) = (Arc::new(MemoryAudit::new()), Arc::default());
        let counted = Arc::clone(&ended);
        let echo = Tool::native(spec("get-depot-item"), |_, arguments| async move {
            Ok(json!({"echo": arguments}))
        });
        let slow = Tool::native(spec("get-depot-report"), move |_, _| {
            let ends = Ends(Arc::clone(&counted));
            async move {
                sleep(Duration::from_secs(600)).await;
                drop(ends);
                Ok(Value::Null)
            }
        });
        let registry = Registry::builder()
            .tools([echo, slow])
            .tool(Tool::native(spec("list-depot-secrets"), |_, _| async {
                Ok(json!("s"))
            }))
            .grant("reader", "get-depot-*")
            .grant("admin", "*")
            .audit(Arc::clone(&audit))
            .build()
            .unwrap();
        let limits = CallLimits {
            all: 4,
            per_session: 4,
            shutdown: Duration::from_millis(200),
        };
        let server = Server::new(&registry, &Role::new("reader").unwrap()).limits(limits);
        let path = folder.path().join("code.sock");
        let (handle, shutdown) = Shutdown::on_request();
        let served = tokio::spawn({
            let path = path.clone();
            async move { server.serve_socket(&path, shutdown).await }
        });
        for _ in 0..500 {
            if path.exists() && UnixStream::connect(&path).await.is_ok() {
                break;
            }
            sleep(Duration::from_millis(10)).await;
        }
        Self {
            folder,
            audit,
            ended,
            handle,
            served,
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("code.sock")
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        let request = json!({"tool": tool, "arguments": arguments}).to_string();
        send(&self.path(), request.as_bytes()).await
    }

    async fn end(self) {
        self.handle.request();
        timeout(MOMENT, self.served)
            .await
            .unwrap()
            .unwrap()
            .unwrap();
    }
}

async fn open(path: &Path, request: &[u8]) -> UnixStream {
    let mut connection = UnixStream::connect(path).await.unwrap();
    let length = u32::try_from(request.len()).unwrap();
    connection.write_u32(length).await.unwrap();
    connection.write_all(request).await.unwrap();
    connection
}

/// Sends a request, and returns the only answer on the connection.
async fn send(path: &Path, request: &[u8]) -> Value {
    let mut connection = open(path, request).await;
    answer(&mut connection).await
}

async fn answer(connection: &mut UnixStream) -> Value {
    let mut answer = Vec::new();
    let read = timeout(MOMENT, connection.read_to_end(&mut answer)).await;
    read.unwrap().unwrap();
    let (length, json) = answer.split_at(4);
    assert_eq!(
        u32::from_be_bytes(length.try_into().unwrap()) as usize,
        json.len()
    );
    serde_json::from_slice(json).unwrap()
}

fn code(answer: &Value) -> &str {
    answer["error"]["code"].as_str().unwrap()
}

#[tokio::test]
async fn a_program_calls_the_tools_of_its_role_and_no_others() {
    let stage = Stage::new().await;
    let answer = stage.call("get-depot-item", json!({"id": 1})).await;
    assert_eq!(answer, json!({"result": {"echo": {"id": 1}}}));
    let refused = stage.call("list-depot-secrets", json!({})).await;
    let unknown = stage.call("list-depot-nothing", json!({})).await;
    assert_eq!(code(&refused), "tool_not_permitted");
    assert_eq!(code(&refused), code(&unknown));
    assert!(stage.audit.events().len() >= 3);
    stage.end().await;
}

#[tokio::test]
async fn malformed_requests_are_refused_and_harm_nobody() {
    let stage = Stage::new().await;
    for (request, expected) in [
        (&b"{"[..], "malformed_request"),
        (b"[]", "malformed_request"),
        (b"{\"arguments\": {}}", "malformed_request"),
        (b"{\"tool\": 7}", "malformed_request"),
        (b"\xff\xfe", "malformed_request"),
        (b"", "malformed_request"),
        (
            b"{\"tool\": \"get-depot-item\", \"arguments\": \"x\"}",
            "invalid_arguments",
        ),
    ] {
        let answer = send(&stage.path(), request).await;
        assert_eq!(code(&answer), expected, "{request:?}");
    }
    let mut connection = UnixStream::connect(stage.path()).await.unwrap();
    connection.write_u32(u32::MAX).await.unwrap();
    assert_eq!(code(&answer(&mut connection).await), "request_too_long");
    let deep = format!(
        "{{\"tool\": \"get-depot-item\", \"arguments\": {}",
        "[".repeat(100_000)
    );
    assert_eq!(
        code(&send(&stage.path(), deep.as_bytes()).await),
        "malformed_request"
    );
    // One that never ends its request does not keep the others from calling.
    let mut idle = Vec::new();
    for _ in 0..8 {
        let mut connection = UnixStream::connect(stage.path()).await.unwrap();
        connection.write_all(&[0, 0]).await.unwrap();
        idle.push(connection);
    }
    let answer = stage.call("get-depot-item", json!({})).await;
    assert!(answer["result"].is_object());
    stage.end().await;
}

#[tokio::test]
async fn a_client_that_goes_away_cancels_its_call() {
    let stage = Stage::new().await;
    let request = json!({"tool": "get-depot-report", "arguments": {}}).to_string();
    let connection = open(&stage.path(), request.as_bytes()).await;
    sleep(Duration::from_millis(100)).await;
    assert_eq!(stage.ended.load(Ordering::SeqCst), 0);
    drop(connection);
    for _ in 0..500 {
        if stage.ended.load(Ordering::SeqCst) == 1 {
            break;
        }
        sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(stage.ended.load(Ordering::SeqCst), 1);
    stage.end().await;
}

#[tokio::test]
async fn the_calls_of_all_programs_are_limited() {
    let stage = Stage::new().await;
    let request = json!({"tool": "get-depot-report", "arguments": {}}).to_string();
    let mut open_calls = Vec::new();
    for _ in 0..4 {
        open_calls.push(open(&stage.path(), request.as_bytes()).await);
    }
    sleep(Duration::from_millis(200)).await;
    let busy = stage.call("get-depot-item", json!({})).await;
    assert_eq!(code(&busy), "server_busy");
    stage.end().await;
}

#[tokio::test]
async fn the_socket_is_private_and_leaves_nothing_behind() {
    let stage = Stage::new().await;
    let path = stage.path();
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let ended = Arc::clone(&stage.ended);
    let request = json!({"tool": "get-depot-report", "arguments": {}}).to_string();
    let connection = open(&path, request.as_bytes()).await;
    sleep(Duration::from_millis(100)).await;
    stage.handle.request();
    timeout(MOMENT, stage.served)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    assert!(!path.exists());
    assert_eq!(ended.load(Ordering::SeqCst), 1, "the call is abandoned");
    drop(connection);
}

#[tokio::test]
async fn a_left_socket_is_replaced_and_a_file_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let registry = Registry::builder()
        .role("reader")
        .audit(MemoryAudit::new())
        .build()
        .unwrap();
    let server = Server::new(&registry, &Role::new("reader").unwrap());
    let (handle, shutdown) = Shutdown::on_request();
    handle.request();
    server.clone().serve_socket(&path, shutdown).await.unwrap();
    assert!(!path.exists());
    fs::write(&path, "a file").unwrap();
    let (_, shutdown) = Shutdown::on_request();
    let error = server
        .clone()
        .serve_socket(&path, shutdown)
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("cannot create the socket"),
        "{error}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), "a file");
    fs::remove_file(&path).unwrap();
    let _serving = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let (_, shutdown) = Shutdown::on_request();
    assert!(
        server.serve_socket(&path, shutdown).await.is_err(),
        "another server has it"
    );
}
