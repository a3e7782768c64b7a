//! The reference service: it lints the Cargo manifests of a folder.
//!
//! Its document is [`DOCUMENT`]. It works on the folder of the request's repository, which must be
//! on this machine. A path in the params that leads out of it is refused.

mod dependencies;
mod interfaces;
mod manifest;
mod rules;

use std::{fs, path::Path};

use serde::Deserialize;
use serde_json::json;
use toolwright_model::eab::{ApiVersion, ErrorCode, Handshake, Readiness};

use crate::{
    protocol::{MethodResult, Refusal, Request},
    router::Service,
};
use manifest::Manifest;

/// The document of the service, as YAML.
pub const DOCUMENT: &str = include_str!("../specs/crates.yaml");

/// The methods, as the document has them.
const METHODS: &[&str] = &[
    "validate",
    "normalise",
    "review_rules",
    "validate_deps",
    "extract_interfaces",
    "dependency_graph",
    "explain_rule",
];

/// The reference service.
#[derive(Clone, Copy, Debug, Default)]
pub struct Crates;

/// The params of most methods.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scope {
    path: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Normalise {
    path: Option<String>,
    #[serde(default)]
    dry_run: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExplainRule {
    rule: String,
}

impl Service for Crates {
    fn handshake(&self) -> Handshake {
        let texts = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Handshake {
            service: "crates".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            api_version: ApiVersion { major: 1, minor: 0 },
            domain: "packaging".to_owned(),
            capabilities: texts(METHODS),
            artifact_types: texts(&["cargo_manifest"]),
            interface_types: texts(&["library", "binary", "feature"]),
            status: Readiness::Ready,
            message: None,
        }
    }

    async fn call(&self, request: Request) -> Result<MethodResult, Refusal> {
        // Reading a folder may take a while, and must not block other requests.
        let work = tokio::task::spawn_blocking(move || carry_out(&request));
        work.await.unwrap_or_else(|_| {
            Err(Refusal {
                code: ErrorCode::InternalError,
                message: "the method stopped unexpectedly".to_owned(),
            })
        })
    }
}

fn carry_out(request: &Request) -> Result<MethodResult, Refusal> {
    match request.method.as_str() {
        "validate" => validate(&manifests(request)?),
        "normalise" => normalise(request),
        "review_rules" => {
            request.params::<NoParams>()?;
            MethodResult::from_result(json!({"rules": rules::ALL}))
        }
        "validate_deps" => dependencies::validate(&manifests(request)?),
        "extract_interfaces" => {
            let contracts = request.interface_contracts.as_ref();
            interfaces::extract(&manifests(request)?, contracts)
        }
        "dependency_graph" => dependencies::graph(&manifests(request)?),
        "explain_rule" => {
            let ExplainRule { rule } = request.params()?;
            let found = rules::ALL.iter().find(|known| known.name == rule);
            let unknown = || Refusal::invalid("unknown rule");
            MethodResult::from_result(found.ok_or_else(unknown)?)
        }
        _ => Err(Refusal {
            code: ErrorCode::UnsupportedMethod,
            message: "unknown method".to_owned(),
        }),
    }
}

/// No params at all.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoParams {}

/// The manifests that the request is about.
fn manifests(request: &Request) -> Result<Vec<Manifest>, Refusal> {
    let Scope { path } = request.params()?;
    manifest::find_below(&request.folder()?, path.as_deref())
}

fn validate(manifests: &[Manifest]) -> Result<MethodResult, Refusal> {
    let packages: Vec<_> = manifests.iter().filter_map(Manifest::name).collect();
    let found =
        MethodResult::from_result(json!({"checked": manifests.len(), "packages": packages}))?;
    let diagnostics = manifests.iter().flat_map(rules::check).collect();
    Ok(found.with_diagnostics(diagnostics))
}

fn normalise(request: &Request) -> Result<MethodResult, Refusal> {
    let Normalise { path, dry_run } = request.params()?;
    let folder = request.folder()?;
    let mut changed = Vec::new();
    for manifest in manifest::find_below(&folder, path.as_deref())? {
        let tidy = tidy_manifest(&manifest.text);
        if tidy == manifest.text {
            continue;
        }
        if !dry_run {
            write(&folder.join(&manifest.path), &tidy)?;
        }
        changed.push(manifest.path);
    }
    MethodResult::from_result(json!({"changed": changed}))
}

/// Removes spaces at line ends and empty lines at the end. Strings of several lines are values: a
/// file that has one stays unchanged.
fn tidy_manifest(text: &str) -> String {
    if text.contains("\"\"\"") || text.contains("'''") {
        return text.to_owned();
    }
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let joined = lines.join("\n");
    format!("{}\n", joined.trim_end_matches('\n'))
}

fn write(path: &Path, text: &str) -> Result<(), Refusal> {
    fs::write(path, text).map_err(|error| Refusal {
        code: ErrorCode::ToolFailed,
        message: format!("a manifest cannot be written: {error}"),
    })
}
