//! What a server reports at its start: roles without tools, services that cannot be called, and the audit.

use std::collections::{BTreeMap, BTreeSet};

use toolwright::{Registry, Role, ServiceName, config::Config};
use toolwright_model::Binding;

use crate::output::printable;

/// The most services that are named.
const MOST: usize = 5;

/// Returns the lines of the report. With a role, it is about this role; otherwise about all roles.
pub(super) fn report(registry: &Registry, role: Option<&Role>, config: &Config) -> Vec<String> {
    let roles = role.map_or_else(|| registry.roles(), |role| vec![role.clone()]);
    let mut lines = vec![audit(config)];
    lines.extend(grants(registry, &roles));
    lines.extend(credentials(registry, &roles));
    lines
}

fn audit(config: &Config) -> String {
    format!("the audit is `{}`", config.audit.file.display())
}

/// Returns a line for each role that has no tools, and one for the tools that are off.
fn grants(registry: &Registry, roles: &[Role]) -> Vec<String> {
    let mut lines = Vec::new();
    for role in roles {
        let granted = registry.granted(role).len();
        let offered = registry.for_agent(role).specs().len();
        if granted == 0 {
            lines.push(format!(
                "warning: the role `{role}` has no tools: its grants select none"
            ));
        } else if offered == 0 {
            lines.push(format!(
                "warning: the role `{role}` has no tools: all that it was granted are off"
            ));
        }
    }
    lines
}

/// Returns a line about the services whose calls will fail for lack of credentials, if there are any.
fn credentials(registry: &Registry, roles: &[Role]) -> Option<String> {
    let mut problems: BTreeMap<ServiceName, String> = BTreeMap::new();
    for role in roles {
        let view = registry.for_agent(role);
        let mut seen = BTreeSet::new();
        for spec in view.specs().iter() {
            let is_native = matches!(spec.binding, Binding::Mcp(_) | Binding::Native);
            // A service with workspaces has credentials for each of them: `doctor` checks these.
            let has_workspaces = !registry.workspaces(role, spec).is_empty();
            if is_native || has_workspaces || !seen.insert(spec.service.clone()) {
                continue;
            }
            if let Err(error) = view.check_access(&spec.name) {
                problems.insert(spec.service.clone(), error.to_string());
            }
        }
    }
    let count = problems.len();
    let only = if count == 1 {
        problems.values().next()
    } else {
        None
    };
    let because = only.map_or_else(String::new, |problem| format!(": {}", printable(problem)));
    let more = match count.saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more services"),
    };
    let names: Vec<_> = problems
        .keys()
        .take(MOST)
        .map(|name| format!("`{name}`"))
        .collect();
    (count > 0).then(|| {
        format!(
            "warning: calls of {}{more} will fail{because}; `toolwright doctor` shows what they need",
            names.join(", ")
        )
    })
}
