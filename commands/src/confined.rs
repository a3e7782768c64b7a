//! The sandbox of the tools that change files and run programs.

use std::{collections::BTreeSet, path::Path};

use toolwright::{
    ToolContext, ToolError,
    policy::{SandboxLayer, ScopeValues},
};
use toolwright_sandbox::{Confinement, Error, Network, Sandbox};

use crate::failure::failed;

/// Returns the layers that the machine lacks for a call without a network.
#[must_use]
pub fn lacking_layers(_: &ScopeValues) -> BTreeSet<SandboxLayer> {
    lacking_for(&Network::None)
}

/// Returns the layers that the machine lacks for a call with this network. If it cannot be found out, there
/// are none: the sandbox then refuses to start anything, with its reason.
#[must_use]
pub fn lacking_for(network: &Network) -> BTreeSet<SandboxLayer> {
    let support = Sandbox::new().support();
    support.map_or_else(|_| BTreeSet::new(), |support| support.lacking(network))
}

/// Returns a confinement that starts in a folder, and permits nothing yet. It requires what the role requires.
#[must_use]
pub fn confinement(ctx: &ToolContext, folder: &Path) -> Confinement {
    let mut confinement = Confinement::new(folder);
    confinement.required = ctx.sandbox();
    confinement
}

/// Returns the error of something that did not run.
#[must_use]
pub fn not_started(error: &Error, code: &str) -> ToolError {
    match error {
        Error::Unsupported(_) => failed(
            "sandbox_unavailable",
            format!("{error}; the operator finds out more with `toolwright sandbox check`"),
        ),
        error => failed(code, error.to_string()),
    }
}

/// Checks that the machine can cover files in the place of which a program must find nothing. `subject` needs
/// it.
///
/// # Errors
/// `sandbox_unavailable` if the machine grants no mount namespace.
pub fn check_covering(subject: &str) -> Result<(), ToolError> {
    if Sandbox::new().support().is_ok_and(|support| support.mount) {
        return Ok(());
    }
    let message = format!(
        "{subject} needs a mount namespace, which this machine does not grant; the operator finds out more with \
         `toolwright sandbox check`"
    );
    Err(failed("sandbox_unavailable", message))
}
