//! Calls of the tools of one document, as an agent would make them.

use std::{path::Path, sync::Arc};

use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use toolwright::{ScopedToolView, ToolError, ToolSpec, audit::MemoryAudit, private};
use toolwright_tests::{Extent, examples, view_of_all};

use super::{
    half::Beginnings,
    relay::{Relay, Verdict},
};

/// A registry of the tools of one document, whose service is the judge.
pub(super) struct Caller {
    runtime: Runtime,
    relay: Relay,
    view: ScopedToolView,
    beginnings: Beginnings,
    _credentials: TempDir,
}

impl Caller {
    /// A registry in which every call is granted and approved.
    pub(super) fn new(mut specs: Vec<ToolSpec>, beginnings: Beginnings) -> Self {
        // Without more threads: the relay answers while the call waits.
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let relay = runtime.block_on(Relay::start());
        let folder = tempfile::tempdir().unwrap();
        write_credentials(folder.path(), &specs, &relay.url());
        for spec in &mut specs {
            at_the_root(spec);
        }
        Self {
            runtime,
            relay,
            view: view_of_all(specs, folder.path(), Arc::new(MemoryAudit::new())),
            beginnings,
            _credentials: folder,
        }
    }

    /// Where the judge is to pass on requests that are right.
    pub(super) fn service(&self) -> String {
        self.relay.service()
    }

    /// From now on this is where the judge is.
    pub(super) fn judge(&self, url: &str) {
        self.relay.judge(url);
    }

    /// Calls a tool with the first attempt at its arguments that the gates let pass; first come
    /// those that are one variant of each union and no other.
    ///
    /// # Errors
    /// When no attempt leads to a request, and why the last one did not.
    pub(super) fn call(&self, spec: &ToolSpec, extent: Extent) -> Result<Verdict, String> {
        let path = spec.http().map(|binding| binding.path.as_str());
        let beginning = path.and_then(|path| self.beginnings.get(path));
        self.relay.begin_with(beginning.map_or("", String::as_str));
        let mut why = String::new();
        for arguments in unambiguous_first(&spec.input_schema, extent) {
            let called = self.view.call_json(spec.name.as_str(), arguments);
            let result = self.runtime.block_on(called);
            if let Some(verdict) = self.relay.take() {
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

/// Attempts at arguments. What is more than one variant is no value of a `oneOf`, of which the
/// schema for agents says no more than that any variant fits.
fn unambiguous_first(schema: &Value, extent: Extent) -> Vec<Value> {
    let mut attempts: Vec<Value> = examples(schema, extent).collect();
    let mut strict = schema.clone();
    if is_of_one_variant(&mut strict)
        && let Ok(validator) = jsonschema::draft202012::new(&strict)
        && !validator.is_valid(&attempts[0])
    {
        attempts.sort_by_cached_key(|attempt| !validator.is_valid(attempt));
    }
    attempts
}

/// Requires that of variants one fits; whether there are any.
fn is_of_one_variant(schema: &mut Value) -> bool {
    let mut found = false;
    match schema {
        Value::Object(keywords) => {
            for value in keywords.values_mut() {
                found |= is_of_one_variant(value);
            }
            if let Some(variants @ Value::Array(_)) = keywords.get("anyOf").cloned() {
                keywords.insert("oneOf".to_owned(), variants);
                found = true;
            }
        }
        Value::Array(items) => {
            for item in items {
                found |= is_of_one_variant(item);
            }
        }
        _ => {}
    }
    found
}

/// The judge knows the paths of a document, without the path of a server.
fn at_the_root(spec: &mut ToolSpec) {
    if let toolwright::Binding::Http(binding) = &mut spec.binding {
        binding.base_url = None;
    }
}

/// A secret for every scheme of the tools.
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
