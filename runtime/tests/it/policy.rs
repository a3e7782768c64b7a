//! The policy at work, against real services and files: helpers of the scenarios and of the scopes.

mod scenarios;
mod scopes;

use std::{fs, path::Path, sync::Arc};

use serde_json::{Value, json};
use toolwright::{
    Kind, Registry, RegistryBuilder, ScopedToolView, Tool, ToolError,
    audit::MemoryAudit,
    config::Config,
    error::RefusalReason,
    policy::{ParameterCheck, ScopeParameter},
};

use crate::support::{Service, at, builder, create_item, decisions, delete_item, get_item, spec};

/// A registry of the tools of `depot` at a service, with this configuration.
pub(super) fn depot(audit: &Arc<MemoryAudit>, service: &Service, policy: &str) -> RegistryBuilder {
    let specs = [get_item(), create_item(), delete_item()];
    builder(audit)
        .specs(specs.map(|spec| at(spec, &service.url)))
        .approvals(Arc::new(toolwright::approval::MemoryApprovals::new()))
        .credentials(crate::support::no_credentials())
        .config(config(&policy.replace("{url}", &service.url)))
}

pub(super) fn config(text: &str) -> Config {
    Config::parse(Path::new("toolwright.toml"), text).unwrap()
}

pub(super) async fn get(view: &ScopedToolView, id: &str) -> Result<Value, ToolError> {
    let output = view.call_json("get-depot-item", json!({"id": id})).await;
    output.map(|output| output.value)
}

/// The reason and the rule of a refusal by the policy.
#[track_caller]
pub(super) fn refusal(
    called: Result<impl std::fmt::Debug, ToolError>,
) -> (RefusalReason, Option<String>) {
    match called.unwrap_err() {
        ToolError::OutOfScope { reason, rule, .. } => (reason, rule),
        other => panic!("{other:?}"),
    }
}

pub(super) fn violation(rule: &str) -> (RefusalReason, Option<String>) {
    (RefusalReason::ScopeViolation, Some(rule.to_owned()))
}

pub(super) fn last_rule(audit: &MemoryAudit) -> Option<String> {
    decisions(&audit.events()).pop().unwrap().rule
}

/// A tool that writes a file below a folder, and declares the paths that it may write to.
pub(super) fn file_tool(name: &str, folder: &Path) -> Tool {
    let folder = folder.to_owned();
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}},
                        "required": ["path"], "additionalProperties": false});
    let mut spec = spec(
        name,
        Kind::Overwrite,
        json!({"method": "GET", "path": "/"}),
        schema,
    );
    spec.enabled_by_default = true;
    let native = Tool::native(spec, move |_, arguments: Value| {
        let path = folder.join(arguments["path"].as_str().unwrap_or_default());
        async move {
            fs::write(path, "written").map_err(ToolError::failed)?;
            Ok(json!("written"))
        }
    });
    let allowed = ScopeParameter::required(ParameterCheck::AllowedPaths, "path");
    let denied = ScopeParameter::optional(ParameterCheck::DeniedPaths, "path");
    native.with_scope_parameters(
        [
            ("allowed_write_paths".to_owned(), allowed),
            ("denied_write_paths".to_owned(), denied),
        ]
        .into(),
    )
}

pub(super) fn files(audit: &Arc<MemoryAudit>, folder: &Path, policy: &str) -> Registry {
    let writer = file_tool("write-repo-file", folder);
    let reader = file_tool("list-repo-files", folder);
    let builder = builder(audit).tools([writer, reader]);
    builder
        .audit(Arc::clone(audit))
        .config(config(policy))
        .approvals(Arc::new(toolwright::approval::MemoryApprovals::new()))
        .build()
        .unwrap()
}
