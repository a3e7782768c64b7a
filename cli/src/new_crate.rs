//! The options of commands that write a new crate, and the manifest of a crate that exists.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use clap::Args;
use toml_edit::{Array, DocumentMut, Item, Table, Value};
use toolwright::ServiceName;
use toolwright_generator::{
    check::CheckedService,
    emit::{CrateOptions, ServiceFeature},
};

use crate::Failure;

/// The relation of a new crate to Toolwright and to the workspace around it.
#[derive(Debug, Args)]
pub(crate) struct NewCrateArguments {
    /// Let a new crate depend on the checkout of Toolwright in this folder, rather than on the
    /// published version
    #[arg(long, value_name = "DIR")]
    toolwright_path: Option<PathBuf>,

    /// Make a new crate a workspace of its own; otherwise it can be a member of yours
    #[arg(long)]
    own_workspace: bool,
}

impl NewCrateArguments {
    /// Checks whether an option is given.
    pub(crate) const fn is_given(&self) -> bool {
        self.toolwright_path.is_some() || self.own_workspace
    }

    pub(crate) fn options(&self) -> Result<CrateOptions, Failure> {
        Ok(CrateOptions {
            checkout: self.toolwright_path.as_deref().map(checkout).transpose()?,
            own_workspace: self.own_workspace,
        })
    }
}

/// Returns the folder of a checkout as an absolute path.
fn checkout(path: &Path) -> Result<PathBuf, Failure> {
    let folder = fs::canonicalize(path).map_err(|error| Failure::file("find", path, &error))?;
    let manifest = folder.join("runtime/Cargo.toml");
    if manifest.is_file() {
        return Ok(folder);
    }
    Err(
        Failure::new(format!("there is no `{}`", manifest.display()))
            .help("`--toolwright-path` must be the folder of a checkout of Toolwright"),
    )
}

/// Returns the features of a crate with all of these services, some of which were read.
pub(crate) fn features(names: &[ServiceName], read: &[CheckedService]) -> Vec<ServiceFeature> {
    let read: BTreeMap<_, _> = (read.iter().map(ServiceFeature::new))
        .map(|feature| (feature.service.clone(), feature))
        .collect();
    let feature = |name: &ServiceName| match read.get(name) {
        Some(feature) => feature.clone(),
        None => ServiceFeature {
            service: name.clone(),
            needs: BTreeSet::new(),
        },
    };
    names.iter().map(feature).collect()
}

/// Returns the manifest of the crate in this folder with a feature for each service, if the file
/// exists. Everything else in it stays as it is.
pub(crate) fn with_features(
    folder: &Path,
    services: &[ServiceFeature],
) -> Result<Option<String>, Failure> {
    let path = folder.join("Cargo.toml");
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::file("read", &path, &error)),
    };
    let invalid = |error: &dyn std::fmt::Display| {
        Failure::new(format!("`{}` is not a manifest", path.display())).note(error.to_string())
    };
    let mut manifest: DocumentMut = text.parse().map_err(|error| invalid(&error))?;
    let features = manifest
        .entry("features")
        .or_insert_with(|| Item::Table(Table::new()));
    let features = features.as_table_like_mut();
    let features = features.ok_or_else(|| invalid(&"`features` is not a table"))?;
    let mut new = Vec::new();
    for service in services {
        let name = service.service.as_str();
        let item = features.entry(name).or_insert_with(|| {
            new.push(name);
            toml_edit::value(Array::new())
        });
        if let Some(enabled) = item.as_array_mut() {
            for feature in service.enabled() {
                if !enabled.iter().any(|known| known.as_str() == Some(&feature)) {
                    enabled.push(feature);
                }
            }
        }
    }
    if new.is_empty() {
        return Ok(Some(manifest.to_string()));
    }
    let default = features
        .entry("default")
        .or_insert_with(|| toml_edit::value(Array::new()));
    if let Some(default) = default.as_value_mut().and_then(Value::as_array_mut) {
        default.extend(new);
    }
    Ok(Some(manifest.to_string()))
}
