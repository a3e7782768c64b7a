//! Calls the tools of one document like an agent.

use std::{path::Path, sync::Arc};

use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use toolwright::{ScopedToolView, ToolError, ToolSpec, audit::MemoryAudit, private};
use toolwright_tests::{Extent, examples, view_of_all};

use super::{
    half::Prefixes,
    relay::{Relay, Verdict},
};

/// A registry of one document's tools that sends its requests to the validator.
pub(super) struct Caller {
    runtime: Runtime,
    relay: Relay,
    view: ScopedToolView,
    prefixes: Prefixes,
    _credentials: TempDir,
}

impl Caller {
    /// Creates a registry with every call granted and approved.
    pub(super) fn new(mut specs: Vec<ToolSpec>, prefixes: Prefixes) -> Self {
        // One thread is enough: the relay answers while the call waits.
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let relay = runtime.block_on(Relay::start());
        let folder = tempfile::tempdir().unwrap();
        write_credentials(folder.path(), &specs, &relay.url());
        for spec in &mut specs {
            remove_base_url(spec);
        }
        Self {
            runtime,
            relay,
            view: view_of_all(specs, folder.path(), Arc::new(MemoryAudit::new())),
            prefixes,
            _credentials: folder,
        }
    }

    /// The URL that the validator forwards valid requests to.
    pub(super) fn service(&self) -> String {
        self.relay.service()
    }

    /// Sets the URL of the validator.
    pub(super) fn set_validator(&self, url: &str) {
        self.relay.set_validator(url);
    }

    /// Calls a tool with the first arguments that pass the gates. Tries arguments first that match
    /// exactly one variant of each union.
    ///
    /// # Errors
    /// If no arguments lead to a request, with the reason of the last attempt.
    pub(super) fn call(&self, spec: &ToolSpec, extent: Extent) -> Result<Verdict, String> {
        let path = spec.http().map(|binding| binding.path.as_str());
        let prefix = path.and_then(|path| self.prefixes.get(path));
        self.relay.set_prefix(prefix.map_or("", String::as_str));
        let mut why = String::new();
        for arguments in unambiguous_first(spec.input_schema.whole(), extent) {
            let called = self.view.call_json(spec.name.as_str(), arguments);
            let result = self.runtime.block_on(called);
            if let Some(verdict) = self.relay.take_verdict() {
                return Ok(verdict);
            }
            why = match result {
                Err(error @ ToolError::InvalidArguments { .. }) => error.to_string(),
                other => format!("{other:?}"),
            };
        }
        Err(why)
    }
}

/// Returns attempts at arguments. A value of several variants violates a `oneOf`, but the agent's
/// schema only requires any variant.
fn unambiguous_first(schema: &Value, extent: Extent) -> Vec<Value> {
    let mut attempts: Vec<Value> = examples(schema, extent).collect();
    let mut strict = schema.clone();
    if require_one_variant(&mut strict)
        && let Ok(validator) = jsonschema::draft202012::new(&strict)
        && !validator.is_valid(&attempts[0])
    {
        attempts.sort_by_cached_key(|attempt| !validator.is_valid(attempt));
    }
    attempts
}

/// Turns each `anyOf` into a `oneOf`. Returns true if there are any.
fn require_one_variant(schema: &mut Value) -> bool {
    let mut found = false;
    match schema {
        Value::Object(keywords) => {
            for value in keywords.values_mut() {
                found |= require_one_variant(value);
            }
            if let Some(variants @ Value::Array(_)) = keywords.get("anyOf").cloned() {
                keywords.insert("oneOf".to_owned(), variants);
                found = true;
            }
        }
        Value::Array(items) => {
            for item in items {
                found |= require_one_variant(item);
            }
        }
        _ => {}
    }
    found
}

/// Removes the base URL: the validator knows paths without the server's path.
fn remove_base_url(spec: &mut ToolSpec) {
    if let toolwright::binding::Binding::Http(binding) = &mut spec.binding {
        binding.base_url = None;
    }
}

/// Writes a secret for every scheme of the tools.
fn write_credentials(folder: &Path, specs: &[ToolSpec], url: &str) {
    let local = folder.join(".local").join(specs[0].service.as_str());
    let bindings = specs.iter().filter_map(ToolSpec::http);
    let wanted = bindings.flat_map(|binding| binding.security.iter().flatten());
    let api_keys: Map<String, Value> = wanted
        .map(|requirement| (requirement.scheme.clone(), json!("k3y")))
        .collect();
    let auth = json!({
        "base_url": url, "api_token": "t0ken", "username": "somebody", "password": "s3cret",
        "api_keys": api_keys,
    });
    private::write(&local.join("admin-auth.json"), auth.to_string()).unwrap();
}
