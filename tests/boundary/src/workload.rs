//! Registries of any number of tools and roles, with scopes, forbidden calls and switches.

use std::{fmt::Write, path::Path, sync::Arc, time::Instant};

use jiff::Timestamp;
use serde_json::{Value, json};
use toolwright::{
    Credentials, Registry, RegistryBuilder, Role, ScopedToolView, Tool, ToolSpec,
    approval::MemoryApprovals,
    audit::{AuditError, AuditEvent, AuditSink},
    availability::{Override, Overrides},
    config::Config,
};

/// The tools of one service.
pub(crate) const PER_SERVICE: usize = 100;

/// The profiles that roles share.
pub(crate) const PROFILES: usize = 20;

/// The role that is granted every tool.
pub(crate) const EVERYTHING: &str = "role-0";

/// An audit that keeps nothing, so that only the boundary is measured.
pub(crate) struct Discard;

impl AuditSink for Discard {
    fn record(&self, _: &AuditEvent) -> Result<(), AuditError> {
        Ok(())
    }
}

/// Returns the name of a tool.
pub(crate) fn name(number: usize) -> String {
    format!("get-{}-item-{number}", service(number))
}

fn service(number: usize) -> String {
    format!("s{}", number / PER_SERVICE)
}

/// Returns a tool that sends a request to this address.
pub(crate) fn spec(number: usize, url: &str) -> Result<ToolSpec, String> {
    let parameter = |name: &str, location: &str, style: &str| {
        json!({"name": name, "location": location, "value": {"argument": name},
               "required": location == "path", "style": style, "explode": false})
    };
    let record = json!({
        "name": name(number), "service": service(number), "title": "Get an item",
        "short": "Get an item of a shelf", "description": "Returns one item of a shelf.",
        "section": "items", "category": "observe", "effect": "read", "approval_required": false,
        "hints": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
                  "openWorldHint": true},
        "enabled_by_default": true,
        "input_schema": {
            "type": "object", "required": ["id"], "additionalProperties": false,
            "properties": {
                "id": {"type": "string", "description": "The identifier of the item."},
                "shelf": {"type": "string", "description": "The shelf.", "maxLength": 40},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100},
            }},
        "binding": {"http": {
            "method": "GET", "path": "/items/{id}", "base_url": url,
            "parameters": [parameter("id", "path", "simple"), parameter("shelf", "query", "form"),
                           parameter("limit", "query", "form")],
            "answers": [{"status": "200", "media_types": ["application/json"], "content": "json"}],
        }},
        "origin": {"document": "shop.yaml", "pointer": "/paths/~1items~1{id}/get"},
        "evidence": [],
    });
    serde_json::from_value(record).map_err(|error| error.to_string())
}

pub(crate) fn specs(tools: usize, url: &str) -> Result<Vec<ToolSpec>, String> {
    (0..tools).map(|number| spec(number, url)).collect()
}

/// Returns a tool that is a function which does nothing.
pub(crate) fn native(spec: ToolSpec) -> Tool {
    Tool::native(spec, |_, _| async { Ok(Value::Null) })
}

/// Returns a policy: roles that share profiles, each profile with the tools of some services and
/// with scopes, one profile with all tools, and forbidden calls.
pub(crate) fn policy(tools: usize, roles: usize) -> Result<Config, String> {
    let services = tools.div_ceil(PER_SERVICE);
    let mut text = String::new();
    let mut write = |line: std::fmt::Arguments<'_>| {
        // Writing to a `String` cannot fail.
        let _ = text.write_fmt(line);
    };
    for role in 0..roles {
        write(format_args!(
            "[roles.role-{role}]\nprofiles = [\"p{}\"]\n",
            role % PROFILES
        ));
    }
    for profile in 0..PROFILES.min(roles.max(1)) {
        let selectors = match profile {
            0 => "\"*\"".to_owned(),
            _ => {
                let own = (0..services).filter(|service| service % PROFILES == profile);
                let own: Vec<_> = own
                    .take(50)
                    .map(|service| format!("\"service:s{service}\""))
                    .collect();
                own.join(", ")
            }
        };
        write(format_args!(
            "[profiles.p{profile}]\ntools = [{selectors}]\n[[profiles.p{profile}.scopes]]\n\
             allowed_urls = [\"http://127.0.0.1/\", \"http://localhost/\"]\n\
             arguments.id = {{ pattern = \"[a-z0-9-]{{1,40}}\" }}\n\
             arguments.shelf = {{ values = [\"a\", \"b\"], optional = true }}\n\
             max_response_bytes = 65536\n"
        ));
    }
    for number in 0..10 {
        write(format_args!(
            "[[forbid]]\ntools = \"service:s0\"\nwhen.id = {{ values = [\"secret-{number}\"] }}\n"
        ));
    }
    Config::parse(Path::new("toolwright.toml"), &text).map_err(|error| error.to_string())
}

/// Returns the policy for tools that make no request: it has no URLs.
pub(crate) fn native_policy(tools: usize, roles: usize) -> Result<Config, String> {
    let mut config = policy(tools, roles)?;
    for profile in config.policy.profiles.values_mut() {
        for rule in &mut profile.scopes {
            rule.scope.allowed_urls = None;
        }
    }
    Ok(config)
}

pub(crate) fn builder(config: Config) -> RegistryBuilder {
    Registry::builder()
        .config(config)
        .audit(Discard)
        .approvals(Arc::new(MemoryApprovals::new()))
        .credentials(Credentials::new("/nowhere").with_variables(|_| None))
}

/// Switches a hundred tools off and one on, as an operator does.
pub(crate) fn switch(registry: &Registry, tools: usize) -> Result<(), String> {
    let switched = (1..tools).step_by((tools / 100).max(1));
    publish(
        registry,
        switched.map(|number| (name(number), number % 2 == 0)),
    )
}

/// Publishes these overrides of switches: true for on.
pub(crate) fn publish(
    registry: &Registry,
    switches: impl Iterator<Item = (String, bool)>,
) -> Result<(), String> {
    let mut overrides = Overrides::new();
    for (tool, enabled) in switches {
        let entry = Override::new(enabled, "ann", "measured", Timestamp::UNIX_EPOCH);
        let entry = entry.map_err(|error| error.to_string())?;
        let tool = tool
            .parse()
            .map_err(|_| "not a name of a tool".to_owned())?;
        overrides.insert(tool, entry);
    }
    registry.availability().publish(overrides, Instant::now());
    Ok(())
}

pub(crate) fn view(registry: &Registry, role: &str) -> Result<ScopedToolView, String> {
    let role = Role::new(role).map_err(|error| error.to_string())?;
    Ok(registry.for_agent(&role))
}

/// Returns a runtime with one thread: all figures are of one core.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, String> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())
}
