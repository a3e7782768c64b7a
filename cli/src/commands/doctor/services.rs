//! The checks of services: credentials, addresses, and one read of each.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use jiff::{Span, Timestamp};
use serde_json::json;
use toolwright::{
    Category, Registry, Role, ScopedToolView, ServiceName, ToolName, ToolSpec, WorkspaceName,
    config::Config, eab::RunContext,
};
use toolwright_model::{Binding, Method};

use super::finding::{Finding, Findings, Part, Status};
use crate::{
    Failure, commands::call, linked, operator::runtime, output::Progress, state, tools::ChosenTools,
};

/// A tool of each service and role that has one.
type Granted = BTreeMap<(ServiceName, Role), Vec<Arc<ToolSpec>>>;

/// A service, and the workspace of it if it has some.
type Instance = (ServiceName, Option<WorkspaceName>);

/// Checks the credentials and the address of each service, for each role that may call it.
pub(super) fn check(registry: &Registry, findings: &mut Findings) {
    let roles = registry.roles();
    let mut seen = Vec::new();
    let is_checked = |tool: &ToolSpec| tool.mcp().is_none();
    for ((_, role), tools) in granted(registry, &roles, is_checked) {
        let each = tools.into_iter().flat_map(|tool| {
            let workspaces = workspaces(registry, &role, &tool).into_iter();
            workspaces.map(move |workspace| (Arc::clone(&tool), workspace))
        });
        for (tool, workspace) in each {
            let Some(finding) = examine(registry, &role, &tool, workspace.as_ref()) else {
                continue;
            };
            let key = (
                finding.subject.clone(),
                finding.message.clone(),
                finding.notes.clone(),
            );
            if !seen.contains(&key) {
                seen.push(key);
                findings.add(finding);
            }
        }
    }
}

/// Returns the tools that roles are granted, of those that are chosen.
fn granted(registry: &Registry, roles: &[Role], is_chosen: impl Fn(&ToolSpec) -> bool) -> Granted {
    let mut granted = Granted::new();
    for role in roles {
        for spec in registry
            .granted(role)
            .iter()
            .filter_map(|name| registry.spec(name.as_str()))
        {
            if is_chosen(&spec) {
                let key = (spec.service.clone(), role.clone());
                granted.entry(key).or_default().push(spec);
            }
        }
    }
    granted
}

/// Returns the workspaces in which a role may use a tool; one without a name if the service has none.
fn workspaces(registry: &Registry, role: &Role, tool: &ToolSpec) -> Vec<Option<WorkspaceName>> {
    let named = registry.workspaces(role, tool);
    match named.is_empty() {
        true => vec![None],
        false => named.into_iter().map(Some).collect(),
    }
}

/// Returns the view of a role, in a workspace of a service.
fn view(
    registry: &Registry,
    role: &Role,
    service: &ServiceName,
    workspace: Option<&WorkspaceName>,
) -> ScopedToolView {
    let view = registry.for_agent(role);
    let Some(workspace) = workspace else {
        return view;
    };
    let run = RunContext {
        workspace: Some(workspace.to_string()),
        ..RunContext::default()
    };
    view.in_run(run)
        .in_workspace(service.clone(), workspace.clone())
}

/// Returns the name of a service or a workspace in findings.
fn subject(service: &ServiceName, workspace: Option<&WorkspaceName>) -> String {
    match workspace {
        Some(workspace) => format!("{service}/{workspace}"),
        None => service.to_string(),
    }
}

/// Checks the settings and credentials of a tool's service; none if the tool needs no service.
fn examine(
    registry: &Registry,
    role: &Role,
    tool: &ToolSpec,
    workspace: Option<&WorkspaceName>,
) -> Option<Finding> {
    let service = &tool.service;
    let of = subject(service, workspace);
    let finding = |status, message: String| Finding::new(status, Part::Service, &of, message);
    let view = view(registry, role, service, workspace);
    let access = match view.check_access(&tool.name) {
        Ok(Some(access)) => access,
        Ok(None) => return None,
        Err(error) => {
            let mut finding = finding(Status::Error, error.to_string());
            finding
                .notes
                .extend(error.detail().map(|detail| detail.into_owned()));
            return Some(finding.help(call::fix(&error).unwrap_or_else(|| {
                format!("run `toolwright inspect` on the specification of `{service}` to see what its auth file must contain")
            })));
        }
    };
    let credentials = match (access.file, access.token_endpoint) {
        (None, _) => "no credentials are needed".to_owned(),
        (Some(file), None) => format!("the credentials in `{file}` are complete"),
        (Some(file), Some(endpoint)) => format!(
            "the credentials in `{file}` are complete, and obtain access tokens from `{endpoint}`"
        ),
    };
    let now = Timestamp::now();
    let fix = "get a new token from the service, and replace the old one";
    Some(match access.expires {
        Some(end) if end <= now => {
            finding(Status::Error, format!("the token has expired at {end:.0}")).help(fix)
        }
        Some(end) if now + Span::new().hours(24) >= end => {
            finding(Status::Warning, format!("the token expires at {end:.0}")).help(fix)
        }
        _ => finding(Status::Ok, format!("at `{}`: {credentials}", access.target)),
    })
}

/// Calls one harmless read of each service, as a role that may call it.
pub(super) fn call(
    tools: &ChosenTools<'_>,
    config: &Config,
    findings: &mut Findings,
    progress: &Progress,
) -> Result<(), Failure> {
    runtime()?.block_on(async {
        let state = state::open(config).await?;
        let availability = state.availability(config.state.grace).await?;
        let registry = tools
            .registry()
            .config(config.clone())
            .default_approvals(Arc::new(state))
            .availability(availability)
            .build()
            .map_err(|error| linked::wrong(&error))?;
        let mut services: BTreeMap<Instance, Option<(Role, ToolName)>> = BTreeMap::new();
        let roles = registry.roles();
        let is_request =
            |tool: &ToolSpec| matches!(tool.binding, Binding::Http(_) | Binding::Eab(_));
        for ((service, role), tools) in granted(&registry, &roles, is_request) {
            let each = tools
                .iter()
                .flat_map(|tool| workspaces(&registry, &role, tool));
            for workspace in each.collect::<BTreeSet<_>>() {
                let view = view(&registry, &role, &service, workspace.as_ref());
                let offered = |tool: &&Arc<ToolSpec>| view.spec(tool.name.as_str()).is_some();
                let read = tools.iter().filter(|tool| is_harmless(tool)).find(offered);
                let read = read.map(|tool| (role.clone(), tool.name.clone()));
                let chosen = services.entry((service.clone(), workspace)).or_default();
                *chosen = chosen.take().or(read);
            }
        }
        for ((service, workspace), read) in services {
            let of = subject(&service, workspace.as_ref());
            progress.step(format!("calling `{of}`"));
            let read = read.map(|(role, tool)| {
                let view = view(&registry, &role, &service, workspace.as_ref());
                (view, tool)
            });
            findings.add(read_once(&of, read).await);
        }
        Ok(())
    })
}

/// Checks whether a tool is a GET that reads, without required arguments and without approval.
fn is_harmless(tool: &ToolSpec) -> bool {
    let Binding::Http(binding) = &tool.binding else {
        return false;
    };
    let schema = tool.input_schema.whole();
    let required = schema.get("required").and_then(|names| names.as_array());
    binding.method == Method::Get
        && tool.category == Category::Observe
        && !tool.approval_required
        && required.is_none_or(Vec::is_empty)
}

async fn read_once(service: &str, read: Option<(ScopedToolView, ToolName)>) -> Finding {
    let finding = |status, message: String| Finding::new(status, Part::Service, service, message);
    let Some((view, tool)) = read else {
        let message = "not called: no role may call a read without required arguments";
        return finding(Status::Ok, message.to_owned());
    };
    let role = view.role();
    match view.call_json(tool.as_str(), json!({})).await {
        Ok(_) => finding(Status::Ok, format!("it answers `{tool}` for `{role}`")),
        Err(error) => {
            let mut finding = finding(Status::Error, format!("`{tool}` for `{role}`: {error}"));
            let request = error
                .request()
                .map(|request| format!("the request was `{request}`"));
            finding.notes.extend(request);
            let detail = error.detail().map(|detail| detail.into_owned());
            finding.notes.extend(detail);
            finding.help(call::fix(&error).unwrap_or_else(|| {
                "check that the service runs, its base URL, and its credentials".to_owned()
            }))
        }
    }
}
