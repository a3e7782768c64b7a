//! The files of the repository that a command must not read.
//!
//! The sandbox opens the repository as a whole, so these files are covered one by one. They are found by their
//! names before the command starts: a file that another process creates afterwards is open to the command.

use std::{
    collections::BTreeSet,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use ignore::{DirEntry, WalkBuilder};
use toolwright::{ToolContext, ToolError};
use toolwright_commands::{confined::check_covering, failed};

use crate::permitted::Denied;

/// The most paths that are covered. Each is a mount.
const MOST: usize = 1_000;

/// The name of a file that no repository has.
const NO_NAME: &str = "\u{1}";

/// Returns the paths to cover: folders whose files are all denied, denied files, and the other names of these.
pub(super) fn denied_paths(ctx: &ToolContext, root: &Path) -> Result<Vec<PathBuf>, ToolError> {
    let Some(denied) = Denied::to_read(ctx) else {
        return Ok(Vec::new());
    };
    check_covering("`denied_read_paths`")?;
    let mut found = Found::default();
    let mut walk = WalkBuilder::new(root);
    walk.standard_filters(false).follow_links(false);
    let (above, patterns) = (root.to_owned(), denied.clone());
    // A folder that is covered as a whole is not read.
    walk.filter_entry(move |entry| {
        let parent = entry
            .path()
            .parent()
            .and_then(|parent| below(&above, parent));
        parent.is_none_or(|parent| !is_whole(&patterns, &parent))
    });
    for entry in walk.build() {
        let entry = entry.map_err(|error| failed("command_not_started", error.to_string()))?;
        found.add(&denied, root, &entry);
    }
    found.paths()
}

/// What the walk came to.
#[derive(Default)]
struct Found {
    covered: Vec<PathBuf>,
    /// The files of the denied names, and the files that have several names.
    denied: BTreeSet<(u64, u64)>,
    several: Vec<(PathBuf, (u64, u64))>,
}

impl Found {
    fn add(&mut self, denied: &Denied, root: &Path, entry: &DirEntry) {
        let Some(path) = below(root, entry.path()) else {
            return;
        };
        let kind = entry.file_type();
        let is_folder = kind.is_some_and(|kind| kind.is_dir());
        let is_denied = denied.has(&path) || is_folder && is_whole(denied, &path);
        if is_denied {
            self.covered.push(entry.path().to_owned());
        }
        let Ok(stat) = entry.metadata() else {
            return;
        };
        if stat.nlink() > 1 && !is_folder {
            let file = (stat.dev(), stat.ino());
            if is_denied {
                self.denied.insert(file);
            } else {
                self.several.push((entry.path().to_owned(), file));
            }
        }
    }

    fn paths(mut self) -> Result<Vec<PathBuf>, ToolError> {
        let others = self.several.into_iter();
        let others = others.filter(|(_, file)| self.denied.contains(file));
        self.covered.extend(others.map(|(path, _)| path));
        if self.covered.len() > MOST {
            let message = format!(
                "{} files match `denied_read_paths`, and at most {MOST} can be covered; the operator denies whole folders, \
                 such as `secrets/**`",
                self.covered.len()
            );
            return Err(failed("command_misconfigured", message));
        }
        Ok(self.covered)
    }
}

/// Checks whether every file below a folder is denied, at any depth.
fn is_whole(denied: &Denied, folder: &str) -> bool {
    let child = format!("{folder}/{NO_NAME}");
    denied.has(&child) && denied.has(&format!("{child}/{NO_NAME}"))
}

/// Returns the path below the root; none for the root itself. A name that is not Unicode has replacements.
fn below(root: &Path, path: &Path) -> Option<String> {
    let path = path.strip_prefix(root).ok()?;
    (!path.as_os_str().is_empty()).then(|| path.to_string_lossy().into_owned())
}
