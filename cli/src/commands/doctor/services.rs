//! The checks of services: credentials, addresses, and one read of each.

use std::{collections::BTreeMap, sync::Arc};

use jiff::{Span, Timestamp};
use serde_json::json;
use toolwright::{Category, Registry, Role, ServiceName, ToolName, ToolSpec, config::Config};
use toolwright_model::{Binding, Method};

use super::finding::{Finding, Findings, Part, Status};
use crate::{
    Failure, commands::call, linked, operator::runtime, output::Progress, state, tools::ChosenTools,
};

/// A tool of each service and role that has one.
type Granted<'r> = BTreeMap<(ServiceName, Role), Vec<&'r ToolSpec>>;

/// Checks the credentials and the address of each service, for each role that may call it.
pub(super) fn check(registry: &Registry, findings: &mut Findings) {
    let roles = registry.roles();
    let mut seen = Vec::new();
    for ((service, role), tools) in granted(registry, &roles) {
        for tool in tools {
            let finding = examine(registry, &service, &role, tool);
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

fn granted<'r>(registry: &'r Registry, roles: &'r [Role]) -> Granted<'r> {
    let specs: BTreeMap<&ToolName, &ToolSpec> = registry
        .tools()
        .map(|(spec, _)| (&spec.name, spec))
        .collect();
    let mut granted = Granted::new();
    for role in roles {
        for spec in registry.granted(role).filter_map(|name| specs.get(name)) {
            if !matches!(spec.binding, Binding::Native) {
                let key = (spec.service.clone(), role.clone());
                granted.entry(key).or_default().push(*spec);
            }
        }
    }
    granted
}

fn examine(registry: &Registry, service: &ServiceName, role: &Role, tool: &ToolSpec) -> Finding {
    let finding =
        |status, message: String| Finding::new(status, Part::Service, service.as_str(), message);
    let access = match registry.for_agent(role).check_access(&tool.name) {
        Ok(Some(access)) => access,
        Ok(None) => return finding(Status::Ok, "needs no service".to_owned()),
        Err(error) => {
            let mut finding = finding(Status::Error, error.to_string());
            finding
                .notes
                .extend(error.detail().map(|detail| detail.into_owned()));
            return finding.help(call::fix(&error).unwrap_or_else(|| {
                format!("run `toolwright inspect` on the specification of `{service}` to see what its auth file must contain")
            }));
        }
    };
    let of = match (access.file, access.token_endpoint) {
        (None, _) => "no credentials are needed".to_owned(),
        (Some(file), None) => format!("the credentials in `{file}` are complete"),
        (Some(file), Some(endpoint)) => format!(
            "the credentials in `{file}` are complete, and obtain access tokens from `{endpoint}`"
        ),
    };
    let now = Timestamp::now();
    let fix = "get a new token from the service, and replace the old one";
    match access.expires {
        Some(end) if end <= now => {
            finding(Status::Error, format!("the token has expired at {end:.0}")).help(fix)
        }
        Some(end) if now + Span::new().hours(24) >= end => {
            finding(Status::Warning, format!("the token expires at {end:.0}")).help(fix)
        }
        _ => finding(Status::Ok, format!("at `{}`: {of}", access.target)),
    }
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
        let mut services: BTreeMap<ServiceName, Option<(Role, ToolName)>> = BTreeMap::new();
        let roles = registry.roles();
        for ((service, role), tools) in granted(&registry, &roles) {
            let view = registry.for_agent(&role);
            let offered = |tool: &&&ToolSpec| view.spec(tool.name.as_str()).is_some();
            let read = tools.iter().filter(|tool| is_harmless(tool)).find(offered);
            let read = read.map(|tool| (role.clone(), tool.name.clone()));
            let chosen = services.entry(service).or_default();
            *chosen = chosen.take().or(read);
        }
        for (service, read) in services {
            progress.step(format!("calling `{service}`"));
            findings.add(read_once(&registry, &service, read).await);
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

async fn read_once(
    registry: &Registry,
    service: &ServiceName,
    read: Option<(Role, ToolName)>,
) -> Finding {
    let finding =
        |status, message: String| Finding::new(status, Part::Service, service.as_str(), message);
    let Some((role, tool)) = read else {
        let message = "not called: no role may call a read without required arguments";
        return finding(Status::Ok, message.to_owned());
    };
    match registry
        .for_agent(&role)
        .call_json(tool.as_str(), json!({}))
        .await
    {
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
