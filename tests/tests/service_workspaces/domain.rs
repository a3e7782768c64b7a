//! A domain service with two workspaces: two real services, one behind a socket and one over HTTP.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value, json};
use toolwright::{
    Credentials, Registry, Role, ScopedToolView, ToolError,
    audit::{MemoryAudit, What},
    config::Config,
    eab::RunContext,
};
use toolwright_eab::{
    Handshake, MethodResult, Refusal, Request, Service, crates::Crates, serve_http, serve_unix,
};

use super::NAMES;

/// A service that keeps what it was asked. It knows its own name, as a real one knows its data.
struct Named {
    name: &'static str,
    handshakes: AtomicUsize,
    asked: Mutex<Vec<Value>>,
}

impl Service for Named {
    fn handshake(&self) -> Handshake {
        self.handshakes.fetch_add(1, Ordering::SeqCst);
        Crates.handshake()
    }

    async fn call(&self, request: Request) -> Result<MethodResult, Refusal> {
        self.asked.lock().unwrap().push(request.params.clone());
        if request.params == json!({"rule": "fail"}) {
            return Err(Refusal::invalid(format!("{} has no such rule", self.name)));
        }
        Crates.call(request).await
    }
}

impl Named {
    fn new(name: &'static str) -> Arc<Self> {
        Arc::new(Self {
            name,
            handshakes: AtomicUsize::new(0),
            asked: Mutex::default(),
        })
    }

    fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }
}

struct Stage {
    north: Arc<Named>,
    south: Arc<Named>,
    registry: Registry,
    audit: Arc<MemoryAudit>,
    _folder: tempfile::TempDir,
}

impl Stage {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let [north, south] = NAMES.map(Named::new);
        let socket = folder.path().join("north.sock");
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let text = format!(
            "[roles.reviewer]\ngrant = [\"service:crates\"]\n\
             [services.crates.workspaces.north]\nendpoint = \"unix:{}\"\n\
             [services.crates.workspaces.south]\nendpoint = \"{url}\"\n",
            socket.display()
        );
        let service = Arc::clone(&north);
        tokio::spawn(async move { serve_unix(&socket, service).await });
        let service = Arc::clone(&south);
        tokio::spawn(async move { serve_http(listener, service).await });
        let config = Config::parse(&folder.path().join("toolwright.toml"), &text).unwrap();
        let audit = Arc::new(MemoryAudit::new());
        let registry = Registry::builder()
            .embedded(toolwright_generated::crates::TOOLS)
            .enable("*")
            .credentials(Credentials::none())
            .config(config)
            .audit(Arc::clone(&audit))
            .build()
            .unwrap();
        Self {
            north,
            south,
            registry,
            audit,
            _folder: folder,
        }
    }

    fn view(&self) -> ScopedToolView {
        self.registry.for_agent(&Role::new("reviewer").unwrap())
    }
}

async fn explain(view: &ScopedToolView, at: Option<&str>, rule: &str) -> Result<Value, ToolError> {
    let mut arguments = json!({"rule": rule});
    if let Some(at) = at {
        arguments["source_workspace_id"] = at.into();
    }
    let called = view.call_json("explain-crates-rule", arguments).await;
    called.map(|output| output.value)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_workspaces_of_a_domain_service_are_apart() {
    let stage = Stage::start().await;
    let view = stage.view();
    let spec = view.spec("explain-crates-rule").unwrap();
    let schema = spec.input_schema.whole().to_string();
    assert!(schema.contains("source_workspace_id"), "{schema}");
    // Without a choice there is no call; an unknown workspace is none.
    for at in [None, Some("east")] {
        explain(&view, at, "missing-license").await.unwrap_err();
    }
    let asked = || (stage.north.asked().len(), stage.south.asked().len());
    assert_eq!(asked(), (0, 0));
    // Each call reaches its own service, over its own transport.
    let rules = view
        .call_json(
            "review-crates-rules",
            json!({"source_workspace_id": "north"}),
        )
        .await;
    let rules = rules.unwrap().value;
    let rule = rules["result"]["rules"][0]["name"]
        .as_str()
        .unwrap()
        .to_owned();
    let of_south = explain(&view, Some("south"), &rule).await.unwrap();
    assert_eq!(of_south["result"]["name"], rule, "{of_south}");
    assert_eq!(asked(), (1, 1));
    assert_eq!(
        stage.south.asked(),
        [json!({"rule": rule})],
        "the choice is no argument of the service"
    );
    // An error of one never mentions the other.
    for (name, other) in [("north", "south"), ("south", "north")] {
        let error = explain(&view, Some(name), "fail")
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(name) && !error.contains(other), "{error}");
    }
    // Each has a handshake of its own.
    for named in [&stage.north, &stage.south] {
        assert!(
            named.handshakes.load(Ordering::SeqCst) >= 1,
            "{}",
            named.name
        );
    }
    the_caller_and_the_audit_have_the_workspace(&stage).await;
}

async fn the_caller_and_the_audit_have_the_workspace(stage: &Stage) {
    let run = RunContext {
        workspace: Some("south".to_owned()),
        ..RunContext::default()
    };
    let before = stage.south.asked().len();
    explain(&stage.view().in_run(run), None, "missing-license")
        .await
        .ok();
    assert_eq!(
        stage.south.asked().len(),
        before + 1,
        "the workspace of the caller"
    );
    let mut seen = 0;
    for event in stage.audit.events() {
        let (Some(call), What::Outcome(_)) = (event.call, &event.what) else {
            continue;
        };
        let at = call.source_workspace.expect("the call has a workspace");
        let is_socket = call
            .target
            .is_some_and(|target| target.starts_with("unix:"));
        assert_eq!(is_socket, at.as_str() == "north", "{at}");
        seen += 1;
    }
    assert!(seen >= 5, "{seen}");
}
