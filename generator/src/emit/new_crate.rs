//! The parts of the manifest of a new crate. The manifest is written once, and then it is the user's.

use std::{collections::BTreeSet, path::PathBuf};

use toolwright_model::ServiceName;

use crate::{check::CheckedService, ir::types::Shape};

/// The relation of a new crate to Toolwright and to the workspace around it.
#[derive(Clone, Debug, Default)]
pub struct CrateOptions {
    /// The folder of a checkout of Toolwright to depend on. Without it, the crate depends on the
    /// published version.
    pub checkout: Option<PathBuf>,
    /// True if the crate is a workspace of its own. Otherwise it can become a member of the
    /// workspace around it.
    pub own_workspace: bool,
}

/// The cargo feature of a service in the crate of a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceFeature {
    /// The service. The feature has its name.
    pub service: ServiceName,
    /// The features of the adapter crate that the service's types need.
    pub needs: BTreeSet<&'static str>,
}

impl ServiceFeature {
    /// Returns the feature of a service whose types are known.
    #[must_use]
    pub fn new(service: &CheckedService) -> Self {
        let service = service.service();
        let features = service.types.iter().filter_map(|(_, ty)| match ty.shape {
            Shape::Formatted(format) => format.feature(),
            _ => None,
        });
        Self {
            service: service.name.clone(),
            needs: features.collect(),
        }
    }

    /// Returns the features that it enables, as a manifest names them.
    pub fn enabled(&self) -> impl Iterator<Item = String> {
        self.needs
            .iter()
            .map(|need| format!("toolwright-adapter/{need}"))
    }
}

impl CrateOptions {
    /// Returns the source of a crate of Toolwright, as the content of an inline table. `folder` is
    /// the folder of the crate in the checkout.
    pub(super) fn source(&self, folder: &str) -> String {
        match &self.checkout {
            Some(checkout) => {
                let path = checkout.join(folder);
                format!("path = {}", toml_string(&path.to_string_lossy()))
            }
            None => format!("version = {}", toml_string(env!("CARGO_PKG_VERSION"))),
        }
    }

    /// Returns the end of the manifest.
    pub(super) const fn workspace(&self) -> &'static str {
        if self.own_workspace {
            "\n# This crate is its own workspace.\n[workspace]\n"
        } else {
            ""
        }
    }
}

fn toml_string(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
