//! `[repository]`: the files that domain services work on.

use std::path::PathBuf;

/// The repository that a domain service works on. A service on a Unix socket runs on this machine
/// and is given the path. Any other service is given the URL to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repository {
    /// The folder, on this machine.
    pub path: Option<PathBuf>,
    /// The URL to clone.
    pub clone_url: Option<String>,
    /// The branch, tag or commit.
    pub reference: Option<String>,
}
