//! A registry of a service's tools, and approvals of their calls.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use serde_json::Value;
use tempfile::TempDir;
use toolwright::{
    Credentials, Registry, Role, ScopedToolView, ServiceName, ToolError, ToolOutput, ToolSpec,
    approval::{Decision, Verdict},
    audit::MemoryAudit,
    binding::Binding,
    config::ServiceConfig,
};
use toolwright_generator::{
    check::CheckedCatalog,
    generate::{self, Input, Options, Unnameable},
    load::Memory,
};

/// A role with every tool of one service granted and enabled.
pub(crate) struct Desk {
    credentials: TempDir,
    registry: Registry,
    view: ScopedToolView,
    pub(crate) audit: Arc<MemoryAudit>,
}

/// Generates the tools of a document that a service serves.
pub(crate) fn generate(service: &str, document: &str, overlay: Option<&str>) -> CheckedCatalog {
    let begun = Instant::now();
    let path = match document.trim_start().starts_with('{') {
        true => "openapi.json",
        false => "openapi.yaml",
    };
    let mut files = BTreeMap::from([(path.to_owned(), document.as_bytes().to_vec())]);
    let mut input = Input::new(path).service(service);
    if let Some(overlay) = overlay {
        files.insert("overlay.toml".to_owned(), overlay.as_bytes().to_vec());
        input = input.overlay("overlay.toml");
    }
    let options = Options {
        unnameable: Unnameable::LeaveOut,
        ..Options::default()
    };
    let outcome = generate::run(&[input], options, &Memory(files));
    let catalog = outcome
        .catalog
        .unwrap_or_else(|| panic!("{:#?}", outcome.diagnostics));
    let (operations, took) = (outcome.overviews[0].operations, begun.elapsed());
    let tools = catalog.tool_specs().len();
    eprintln!("{service}: {tools} tools of {operations} operations, generated in {took:.1?}");
    catalog
}

impl Desk {
    pub(crate) fn new(service: &str, url: &str, specs: Vec<ToolSpec>) -> Self {
        let credentials = tempfile::tempdir().unwrap();
        let audit = Arc::new(MemoryAudit::new());
        let config = ServiceConfig {
            base_url: Some(url.to_owned()),
            timeout: Some(Duration::from_secs(60)),
            ..ServiceConfig::default()
        };
        let found = Credentials::new(credentials.path()).with_variables(|_| None);
        let registry = Registry::builder()
            .specs(specs)
            .service(ServiceName::new(service).unwrap(), config)
            .credentials(found)
            .audit(Arc::clone(&audit))
            .grant("operator", "*")
            .enable("*")
            .build()
            .unwrap();
        let view = registry.for_agent(&Role::new("operator").unwrap());
        Self {
            credentials,
            registry,
            view,
            audit,
        }
    }

    /// The token file of a service.
    pub(crate) fn token_file(&self, service: &str) -> PathBuf {
        self.file(service, "api-token.txt")
    }

    /// The auth file of a service.
    pub(crate) fn auth_file(&self, service: &str) -> PathBuf {
        self.file(service, "admin-auth.json")
    }

    fn file(&self, service: &str, name: &str) -> PathBuf {
        let folder = self.credentials.path().join(".local").join(service);
        folder.join(name)
    }

    /// Calls the tool of an operation: by its id, or by its method and path if it has none.
    pub(crate) async fn call(
        &self,
        operation: &str,
        arguments: Value,
    ) -> Result<ToolOutput, ToolError> {
        let specs = self.view.specs();
        let of = |spec: &&Arc<ToolSpec>| match (&spec.origin.operation_id, &spec.binding) {
            (Some(id), _) => id == operation,
            (None, Binding::Http(http)) => format!("{} {}", http.method, http.path) == operation,
            (None, _) => false,
        };
        let spec = specs
            .iter()
            .find(of)
            .unwrap_or_else(|| panic!("no tool of `{operation}`"));
        self.view.call_json(spec.name.as_str(), arguments).await
    }

    /// Calls a tool that requires approval, approves the call and repeats it.
    pub(crate) async fn call_approved(
        &self,
        operation: &str,
        arguments: Value,
    ) -> Result<ToolOutput, ToolError> {
        let waits = self.call(operation, arguments.clone()).await;
        let Err(ToolError::ApprovalRequired { id, .. }) = waits else {
            panic!("`{operation}` does not require approval: {waits:?}");
        };
        let decision = Decision::new(Verdict::Approved, "operator", Timestamp::now()).unwrap();
        let approvals = self.registry.approvals();
        let mut pending = approvals
            .pending(Timestamp::now())
            .await
            .unwrap()
            .into_iter();
        let request = pending.find(|request| request.id == id).unwrap();
        approvals.decide(request.handle, decision).await.unwrap();
        self.call(operation, arguments).await
    }
}
