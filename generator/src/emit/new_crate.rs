//! The parts of the manifest of a new crate. The manifest is written once, and then it is the user's.

use std::path::PathBuf;

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
