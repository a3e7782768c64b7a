//! Reuse of a previous run's result if nothing has changed.

use std::{fmt::Debug, path::Path};

use serde::{Deserialize, Serialize};
use toolwright_generator::{
    emit::OutputTree,
    load::Disk,
    reconcile::{Recorded, Stamp},
};

use super::{Fixes, Summary};
use crate::output::error_line;

/// Decides if the result of a previous run may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reuse {
    /// If nothing changed since then, by the digests of all files.
    Allowed,
    /// Never: everything is generated again, and no stamp is written.
    Never,
}

/// The arguments of a run; `None` if they do not identify it.
pub(super) struct RunRequest(Option<String>);

/// The messages of a run.
#[derive(Serialize, Deserialize)]
pub(super) struct RunMessages {
    pub(super) services: Vec<Summary>,
    /// The rendered warnings.
    pub(super) warnings: String,
}

impl RunRequest {
    /// Collects everything except the content of files that decides the result. This includes the
    /// program, since another build of it may generate something else.
    pub(super) fn new(reuse: Reuse, asked: impl Debug) -> Self {
        Self(match reuse {
            Reuse::Allowed => program().map(|program| format!("{program} {asked:?}")),
            Reuse::Never => None,
        })
    }

    /// Returns the result of the previous run if this one would change nothing.
    pub(super) fn as_before(
        &self,
        folder: &Path,
        fixes: &Fixes,
    ) -> Option<(RunMessages, OutputTree)> {
        if !fixes.lines.is_empty() {
            return None;
        }
        let (stamp, tree) = Stamp::fresh(self.0.as_deref()?, &Disk, folder)?;
        let said: RunMessages = serde_json::from_str(&stamp.said).ok()?;
        if !said.warnings.is_empty() {
            error_line(format_args!("{}\n", said.warnings));
        }
        Some((said, tree))
    }

    /// Returns the stamp of a result.
    pub(super) fn stamp(
        self,
        read: Recorded<'_>,
        tree: &OutputTree,
        said: &RunMessages,
    ) -> Option<Stamp> {
        let said = serde_json::to_string(said).ok()?;
        Some(Stamp::new(self.0?, read, tree, said))
    }
}

/// Returns the digest of this program's file.
fn program() -> Option<String> {
    let path = std::env::current_exe().ok()?;
    let metadata = path.metadata().ok()?;
    let modified = metadata.modified().ok()?;
    Some(format!(
        "{} {} {modified:?}",
        path.display(),
        metadata.len()
    ))
}
