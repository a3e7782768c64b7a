//! A mounted server with what a person accepted of it.

use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};
use toolwright::{
    Registry, Role, ScopedToolView, ServiceName, ToolError, ToolSpec,
    audit::{AuditEvent, AuditSink as _, DefinitionChanged, MemoryAudit, Reason, What},
    config::Config,
};
use toolwright_generator::{
    generate::{self, Input, Options, Unnameable},
    load::Disk,
};
use toolwright_mounts::{Acceptance, DOCUMENT_FILE, Document, Listing, Lock, Mount};

use crate::server::SERVER;

/// A folder with the accepted definitions of the plain server.
pub(crate) struct World {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) document: Document,
    pub(crate) lock: Lock,
    pub(crate) audit: Arc<MemoryAudit>,
    pub(crate) changes: Arc<Mutex<Vec<DefinitionChanged>>>,
}

pub(crate) fn service() -> ServiceName {
    ServiceName::new("notes").unwrap()
}

/// Returns the configuration of the server with a behaviour.
pub(crate) fn config(root: &Path, behaviour: &str, more: &str) -> Config {
    let program = env::current_exe().unwrap();
    let text = format!(
        "[mcp.notes]\ncommand = [{program:?}, {SERVER:?}, {behaviour:?}]\nexecute = [{program:?}]\n\
         start_seconds = 5\ntimeout_seconds = 5\n{more}"
    );
    Config::parse(&root.join("toolwright.toml"), &text).unwrap()
}

fn mount_of(config: &Config, lock: Lock, document: &Document) -> Mount {
    let server = config.mcp[&service()].value.clone();
    Mount::new(service(), server, lock, document, |_| {})
}

/// Returns what a server lists.
pub(crate) async fn listing(behaviour: &str) -> Result<Listing, String> {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path(), behaviour, "");
    let mount = mount_of(&config, Lock::default(), &Document::default());
    mount.listing().await.map_err(|error| error.to_string())
}

fn accept(listing: &Listing) -> (Document, Lock) {
    let document = Document::new(listing.definitions.values().cloned());
    let mut lock = Lock::default();
    for definition in document.definitions() {
        let accepted = Acceptance {
            definition: definition.digest(),
            by: "ann".to_owned(),
            why: "a test".to_owned(),
            at: "2026-01-02T03:04:05Z".parse().unwrap(),
        };
        lock.insert(definition.name(), accepted);
    }
    (document, lock)
}

impl World {
    /// Accepts what the plain server lists.
    pub(crate) async fn new() -> Self {
        Self::accepting("plain").await
    }

    /// Accepts what a server lists.
    pub(crate) async fn accepting(behaviour: &str) -> Self {
        let (document, lock) = accept(&listing(behaviour).await.unwrap());
        Self {
            folder: tempfile::tempdir().unwrap(),
            document,
            lock,
            audit: Arc::new(MemoryAudit::new()),
            changes: Arc::default(),
        }
    }

    /// Returns the records of the accepted tools.
    pub(crate) fn specs(&self) -> Vec<ToolSpec> {
        let path: PathBuf = self.folder.path().join(DOCUMENT_FILE);
        fs::write(&path, self.document.to_text(&service(), ("test", "1"))).unwrap();
        let options = Options {
            unnameable: Unnameable::LeaveOut,
            ..Options::default()
        };
        let input = Input::new(path.to_string_lossy());
        let outcome = generate::run(&[input], options, &Disk);
        assert!(outcome.catalog.is_some(), "{:?}", outcome.diagnostics);
        outcome.catalog.unwrap().tool_specs()
    }

    /// Returns a view of all tools, whose calls go to a server with a behaviour.
    pub(crate) fn view(&self, behaviour: &str) -> ScopedToolView {
        self.view_with(&config(self.folder.path(), behaviour, ""))
    }

    pub(crate) fn view_with(&self, config: &Config) -> ScopedToolView {
        let registry = self.registry(config);
        registry.for_agent(&Role::new("all").unwrap())
    }

    /// Returns a registry of all tools, whose calls go to the server of a configuration.
    pub(crate) fn registry(&self, config: &Config) -> Registry {
        let (changes, audit) = (Arc::clone(&self.changes), Arc::clone(&self.audit));
        let server = config.mcp[&service()].value.clone();
        let record = move |event: AuditEvent| {
            audit.record(&event).unwrap();
            if let What::DefinitionChanged(change) = event.what {
                changes.lock().unwrap().push(change);
            }
        };
        let mount = Mount::new(service(), server, self.lock.clone(), &self.document, record);
        Registry::builder()
            .tools(self.specs().into_iter().map(|spec| mount.tool(spec)))
            .grant("all", "*")
            .enable("*")
            .audit(Arc::clone(&self.audit))
            .build()
            .unwrap()
    }

    /// Calls the tool that reads.
    pub(crate) async fn read(view: &ScopedToolView) -> Result<Value, ToolError> {
        let called = view.call_json(READ, json!({"path": "a"})).await;
        called.map(|output| output.value)
    }

    /// Returns the reason of the last decision.
    pub(crate) fn reason(&self) -> Option<Reason> {
        let events = self.audit.events();
        let mut decisions = events.iter().rev().filter_map(|event| match &event.what {
            What::Decision(decision) => Some(decision.reason),
            _ => None,
        });
        decisions.next()
    }
}

/// The name of the tool that reads.
pub(crate) const READ: &str = "get-notes-note";
