//! The interfaces of packages.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::manifest::Manifest;
use crate::protocol::{ConstraintResult, MethodResult, Refusal};

#[derive(PartialEq, Eq, Serialize)]
struct Interface {
    package: String,
    kind: &'static str,
    name: String,
}

/// Returns the interfaces of the manifests, and whether the contracts hold: each names an interface
/// by its `package`, `kind` and `name`, all optional.
pub(super) fn extract(
    manifests: &[Manifest],
    contracts: Option<&Map<String, Value>>,
) -> Result<MethodResult, Refusal> {
    let interfaces: Vec<Interface> = manifests.iter().flat_map(of_manifest).collect();
    let mut found = MethodResult::from_result(json!({"interfaces": interfaces}))?;
    found.constraint_results = contracts.map(|contracts| {
        let results = contracts.iter();
        results
            .map(|(name, contract)| judge(name, contract, &interfaces))
            .collect()
    });
    Ok(found)
}

fn of_manifest(manifest: &Manifest) -> Vec<Interface> {
    let Some(package) = manifest.name() else {
        return Vec::new();
    };
    let interface = |kind, name: &str| Interface {
        package: package.to_owned(),
        kind,
        name: name.to_owned(),
    };
    let name_in = |table: &toml::Table| Some(table.get("name")?.as_str()?.to_owned());
    let mut all = Vec::new();
    if let Some(library) = manifest.table("lib") {
        let name = name_in(library).unwrap_or_else(|| package.replace('-', "_"));
        all.push(interface("library", &name));
    }
    let content = manifest.content.as_ref().ok();
    let binaries = content.and_then(|content| content.get("bin")?.as_array());
    let binaries = binaries
        .into_iter()
        .flatten()
        .filter_map(toml::Value::as_table);
    all.extend(
        binaries
            .filter_map(name_in)
            .map(|name| interface("binary", &name)),
    );
    let features = manifest.table("features").into_iter().flatten();
    all.extend(features.map(|(name, _)| interface("feature", name)));
    all
}

fn judge(name: &str, contract: &Value, interfaces: &[Interface]) -> ConstraintResult {
    let fits = |key: &str, value: &str| {
        let wanted = contract.get(key);
        wanted.is_none_or(|wanted| wanted.as_str() == Some(value))
    };
    let satisfied = contract.is_object()
        && interfaces.iter().any(|interface| {
            fits("package", &interface.package)
                && fits("kind", interface.kind)
                && fits("name", &interface.name)
        });
    let message = if satisfied {
        "an interface fits"
    } else {
        "no interface fits"
    };
    ConstraintResult {
        contract: name.to_owned(),
        satisfied,
        message: message.to_owned(),
    }
}
