//! A service that records the tokens that it receives, and a registry with one tool of it.

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

use axum::{Json, Router, http::HeaderMap, routing::get};
use serde_json::{Value, json};
use tempfile::TempDir;
use toolwright::{
    Credentials, Kind, Registry, Role, ScopedToolView, ToolError, ToolSpec, audit::MemoryAudit,
    binding::Governance, config::Config, private,
};

/// A folder with a configuration, its registry and its audit.
pub(crate) struct Desk {
    pub(crate) folder: TempDir,
    pub(crate) audit: Arc<MemoryAudit>,
    registry: Registry,
}

/// A service that takes any token.
pub(crate) struct Recorder {
    pub(crate) url: String,
    tokens: Arc<Mutex<Vec<String>>>,
}

impl Recorder {
    pub(crate) async fn start() -> Self {
        let tokens = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&tokens);
        let item = get(move |headers: HeaderMap| {
            let token = headers.get("authorization").map(|value| value.to_str());
            let token = token.unwrap_or(Ok("none")).unwrap().to_owned();
            seen.lock().unwrap().push(token);
            async { Json(json!({})) }
        });
        let app = Router::new().route("/items/{id}", item);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { url, tokens }
    }

    pub(crate) fn last(&self) -> String {
        self.tokens.lock().unwrap().last().unwrap().clone()
    }

    pub(crate) fn count(&self) -> usize {
        self.tokens.lock().unwrap().len()
    }
}

impl Desk {
    /// Sets a project up. `config` is added to that of the roles; `files` are private.
    pub(crate) fn new(config: &str, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, content) in files {
            private::write(&folder.path().join(path), content).unwrap();
        }
        let roles = "[roles.reader]\ngrant = [\"*\"]\n[roles.clerk]\ngrant = [\"*\"]\ncredentials = \"clerk\"\n";
        let text = format!("{roles}{config}");
        let config = Config::parse(&folder.path().join("toolwright.toml"), &text).unwrap();
        let credentials = Credentials::from_config(&config).with_variables(|_| None);
        let audit = Arc::new(MemoryAudit::new());
        let registry = Registry::builder()
            .audit(Arc::clone(&audit))
            .credentials(credentials)
            .config(config)
            .specs([get_item()])
            .build()
            .unwrap();
        Self {
            folder,
            audit,
            registry,
        }
    }

    pub(crate) fn path(&self, file: &str) -> std::path::PathBuf {
        Path::join(self.folder.path(), file)
    }

    pub(crate) fn view(&self, role: &str) -> ScopedToolView {
        self.registry.for_agent(&Role::new(role).unwrap())
    }

    pub(crate) async fn call(&self, role: &str, limit: Option<u64>) -> Result<Value, ToolError> {
        let mut arguments = json!({"id": "1"});
        if let Some(limit) = limit {
            arguments["limit"] = limit.into();
        }
        let view = self.view(role);
        let output = view.call_json("get-depot-item", arguments).await;
        output.map(|output| output.value)
    }

    /// Returns what the operator reads about a failed call, and checks that it shows none of these
    /// secrets.
    pub(crate) async fn refusal(&self, role: &str, secrets: &[&str]) -> String {
        let error = self.call(role, None).await.unwrap_err();
        let detail = error.detail().unwrap_or_default();
        let everything = format!("{error} {error:?} {detail} {:?}", self.audit.events());
        for secret in secrets {
            assert!(!everything.contains(secret), "{everything}");
        }
        format!("{}: {detail}", error.code())
    }
}

/// `GET /items/{id}?limit=…` with a bearer token.
fn get_item() -> ToolSpec {
    let parameter = |name: &str, location: &str, style: &str| {
        json!({"name": name, "location": location, "value": {"argument": name},
               "required": location == "path", "style": style, "explode": false})
    };
    let governance = Governance::from_kind(Kind::Read, false);
    let spec = json!({
        "name": "get-depot-item", "service": "depot", "title": "Get an item", "short": "gets it",
        "description": "Gets it.", "section": "Items", "category": governance.category(),
        "effect": governance.effect(), "hints": governance.hints, "approval_required": false,
        "enabled_by_default": true,
        "input_schema": {
            "type": "object", "additionalProperties": false, "required": ["id"],
            "properties": {"id": {"type": "string"}, "limit": {"type": "integer"}},
        },
        "binding": {"http": {
            "method": "GET", "path": "/items/{id}",
            "parameters": [parameter("id", "path", "simple"), parameter("limit", "query", "form")],
            "security": [[{"scheme": "o", "kind": "o-auth2"}]],
            "answers": [{"status": "200", "media_types": ["application/json"], "content": "json"}],
        }},
        "origin": {"document": "depot.yaml", "pointer": "/paths"}, "evidence": [],
    });
    serde_json::from_value(spec).unwrap()
}
