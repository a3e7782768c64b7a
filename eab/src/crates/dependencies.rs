//! The dependencies of packages.

use std::collections::BTreeMap;

use serde_json::json;
use toml::Value;

use super::{
    manifest::Manifest,
    rules::{ANY_VERSION, PATH},
};
use crate::protocol::{MethodResult, Refusal};

/// Checks each dependency by itself.
pub(super) fn validate(manifests: &[Manifest]) -> Result<MethodResult, Refusal> {
    let packages = by_folder(manifests);
    let mut diagnostics = Vec::new();
    let mut count = 0;
    for manifest in manifests {
        for (name, dependency) in manifest.dependencies() {
            count += 1;
            let place = manifest.location_of(name);
            let version = dependency
                .as_str()
                .or_else(|| dependency.get("version")?.as_str());
            if version == Some("*") {
                let message = format!("the requirement on `{name}` accepts any version");
                diagnostics.push(ANY_VERSION.diagnostic(place.clone(), message));
            }
            if path_of(manifest, dependency).is_some_and(|path| !packages.contains_key(&path)) {
                let message = format!("the repository has no package at the path of `{name}`");
                diagnostics.push(PATH.diagnostic(place, message));
            }
        }
    }
    Ok(MethodResult::from_result(json!({"dependencies": count}))?.with_diagnostics(diagnostics))
}

/// The packages, and which needs which by a path.
pub(super) fn graph(manifests: &[Manifest]) -> Result<MethodResult, Refusal> {
    let packages = by_folder(manifests);
    let mut edges = Vec::new();
    for manifest in manifests {
        let Some(from) = manifest.name() else {
            continue;
        };
        let dependencies = manifest.dependencies();
        let needed = dependencies.filter_map(|(_, dependency)| {
            let path = path_of(manifest, dependency)?;
            packages.get(&path).copied()
        });
        let mut needed: Vec<&str> = needed.collect();
        needed.sort_unstable();
        needed.dedup();
        edges.extend(needed.iter().map(|to| json!({"from": from, "to": to})));
    }
    let mut nodes: Vec<&str> = packages.into_values().collect();
    nodes.sort_unstable();
    MethodResult::from_result(json!({"nodes": nodes, "edges": edges}))
}

/// The names of the packages by their folders.
fn by_folder(manifests: &[Manifest]) -> BTreeMap<String, &str> {
    let named = manifests.iter().filter_map(|manifest| {
        let folder = folder(&manifest.path);
        Some((normalise(folder), manifest.name()?))
    });
    named.collect()
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the folder of a dependency, relative to the repository.
fn path_of(manifest: &Manifest, dependency: &Value) -> Option<String> {
    let path = dependency.get("path")?.as_str()?;
    Some(normalise(&format!("{}/{path}", folder(&manifest.path))))
}

fn normalise(path: &str) -> String {
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." if steps.last().is_some_and(|last| *last != "..") => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    steps.join("/")
}
