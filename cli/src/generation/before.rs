//! What a run before gave, for one that would change nothing.

use std::{fmt::Debug, path::Path};

use serde::{Deserialize, Serialize};
use toolwright_generator::{
    load::Disk,
    output::OutputTree,
    reconcile::{Recorded, Stamp},
};

use super::Summary;

/// Whether what a run before gave may be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reuse {
    /// If nothing changed since then, by the digests of all files.
    Allowed,
    /// Never: everything is done anew, and no stamp is left.
    Never,
}

/// What a run was asked for; none if it may not be told from another.
pub(super) struct Request(Option<String>);

/// What a run had to say.
#[derive(Serialize, Deserialize)]
pub(super) struct Said {
    pub(super) services: Vec<Summary>,
    /// The warnings, as text.
    pub(super) warnings: String,
}

impl Request {
    /// All that decides what is generated beside the content of files. This program is part of it:
    /// another build of it may generate something else.
    pub(super) fn new(reuse: Reuse, asked: impl Debug) -> Self {
        Self(match reuse {
            Reuse::Allowed => program().map(|program| format!("{program} {asked:?}")),
            Reuse::Never => None,
        })
    }

    /// What the run before gave, if this one would change nothing.
    pub(super) fn as_before(&self, folder: &Path) -> Option<(Said, OutputTree)> {
        let (stamp, tree) = Stamp::fresh(self.0.as_deref()?, &Disk, folder)?;
        let said: Said = serde_json::from_str(&stamp.said).ok()?;
        if !said.warnings.is_empty() {
            anstream::eprintln!("{}\n", said.warnings);
        }
        Some((said, tree))
    }

    /// The stamp of what a run gave.
    pub(super) fn stamp(self, read: Recorded<'_>, tree: &OutputTree, said: &Said) -> Option<Stamp> {
        let said = serde_json::to_string(said).ok()?;
        Some(Stamp::new(self.0?, read, tree, said))
    }
}

/// The file of this program, as it is now.
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
