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
    let mut files = BTreeMap::from([("openapi.json".to_owned(), document.as_bytes().to_vec())]);
    let mut input = Input::new("openapi.json").service(service);
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
        self.credentials
            .path()
            .join(".local")
            .join(service)
            .join("api-token.txt")
    }

    /// Calls the tool of an operation.
    pub(crate) async fn call(
        &self,
        operation: &str,
        arguments: Value,
    ) -> Result<ToolOutput, ToolError> {
        let specs = self.view.specs();
        let of = |spec: &&Arc<ToolSpec>| spec.origin.operation_id.as_deref() == Some(operation);
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
