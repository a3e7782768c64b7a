//! The files below a folder that the scope of a role lets it read.
//!
//! The walk goes by names, as every walk does: each file is opened below the root afterwards, so a name that
//! another process exchanges in the meantime leads to nothing outside.

use std::{
    path::{Path, PathBuf},
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
};

use ignore::{DirEntry, WalkBuilder, WalkParallel, WalkState};
use toolwright::{ToolContext, ToolError};

use crate::{
    scope::{READ_PATHS, folder_to_read},
    workspace::Workspace,
};

/// The folder of git itself, whose files do not belong to the repository.
const GIT: &str = ".git";

/// The most entries for which one thread is fast.
///
/// A thread that waits for another to find folders sleeps for a millisecond at a time.
const FEW: usize = 2_000;

/// The part of a repository to walk.
#[derive(Debug)]
pub(crate) struct Walk {
    builder: WalkBuilder,
    root: PathBuf,
    start: Start,
}

/// The folder or the file to begin at, below the root. None is the root itself.
#[derive(Clone, Debug)]
struct Start(Option<String>);

/// A file or folder that the walk came to.
#[derive(Debug)]
pub(crate) struct Step {
    /// The path below the root of the repository.
    pub(crate) path: String,
    pub(crate) kind: Kind,
}

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    File,
    Folder,
    SymbolicLink,
    /// A device, a pipe or a socket.
    Special,
}

impl Walk {
    /// Prepares the walk below a folder, or of one file; of the whole repository without a path.
    pub(crate) fn new(
        ctx: &ToolContext,
        workspace: &Workspace,
        path: Option<&str>,
        with_ignored: bool,
    ) -> Result<Self, ToolError> {
        let root = workspace.path();
        let start = path.map(|path| folder_to_read(ctx, workspace, path));
        let start = Start(start.transpose()?);
        // The walk begins at the root, for its `.gitignore`. The files of the repository alone decide:
        // neither its parents nor the user's settings do.
        let mut builder = WalkBuilder::new(root);
        builder
            .standard_filters(false)
            .git_ignore(!with_ignored)
            .ignore(!with_ignored)
            .require_git(false)
            .follow_links(false);
        let (scope, above, within) = (ctx.scope().clone(), root.to_owned(), start.clone());
        builder.filter_entry(move |entry| {
            if entry.file_name() == GIT {
                return false;
            }
            let Some(path) = below(&above, entry.path()) else {
                return entry.depth() == 0;
            };
            let may_read = || READ_PATHS.iter().all(|one| scope.allows(one, &path));
            match entry.file_type() {
                Some(kind) if kind.is_dir() => {
                    within.leads_to(&path) && scope.leads_to("allowed_read_paths", &path)
                }
                _ => within.has(&path) && may_read(),
            }
        });
        let root = root.to_owned();
        Ok(Self {
            builder,
            root,
            start,
        })
    }

    /// Limits the number of folders below each other. One is the folder itself.
    pub(crate) fn depth(&mut self, depth: usize) {
        let above = self.start.0.as_ref();
        let above = above.map_or(0, |start| start.split('/').count());
        self.builder.max_depth(Some(above.saturating_add(depth)));
    }

    /// Returns everything below the start in the order of the paths.
    ///
    /// A walk in order would read each folder beside the way to the start before the filter leaves it out.
    pub(crate) fn sorted(self) -> impl Iterator<Item = Step> {
        let few = self.steps(self.builder.clone().threads(1), FEW);
        let steps = few.or_else(|| self.steps(&self.builder, usize::MAX));
        let mut steps = steps.unwrap_or_default();
        steps.sort_by(|a, b| a.path.split('/').cmp(b.path.split('/')));
        steps.into_iter()
    }

    /// Returns everything below the start in no order; none if the walk comes to more entries.
    fn steps(&self, builder: &WalkBuilder, most: usize) -> Option<Vec<Step>> {
        let (sender, receiver) = mpsc::channel();
        let seen = AtomicUsize::new(0);
        builder.build_parallel().run(|| {
            let (sender, seen) = (sender.clone(), &seen);
            Box::new(move |entry| {
                if seen.fetch_add(1, Ordering::Relaxed) >= most {
                    return WalkState::Quit;
                }
                let step = entry.ok().and_then(|entry| Step::new(&self.root, &entry));
                if let Some(step) = step.filter(|step| self.start.shows(step)) {
                    // The receiver outlives the walk.
                    let _ = sender.send(step);
                }
                WalkState::Continue
            })
        });
        drop(sender);
        let is_whole = seen.into_inner() <= most;
        is_whole.then(|| receiver.into_iter().collect())
    }

    /// Walks on all cores, in no order. [`Step::new`] reads the entries.
    pub(crate) fn parallel(self) -> WalkParallel {
        self.builder.build_parallel()
    }
}

impl Start {
    /// Checks whether a path is the file to begin at, or below the folder.
    fn has(&self, path: &str) -> bool {
        let Some(start) = &self.0 else {
            return true;
        };
        let rest = path.strip_prefix(start.as_str());
        rest.is_some_and(|rest| rest.starts_with('/') || rest.is_empty())
    }

    /// Checks whether a step is below the folder, or the file. The folder itself is not.
    fn shows(&self, step: &Step) -> bool {
        let is_start = step.kind == Kind::Folder && Some(&step.path) == self.0.as_ref();
        self.has(&step.path) && !is_start
    }

    /// Checks whether a folder is on the way to the start, or below it.
    fn leads_to(&self, folder: &str) -> bool {
        let Some(start) = &self.0 else {
            return true;
        };
        let is_above = start.strip_prefix(folder);
        is_above.is_some_and(|rest| rest.starts_with('/')) || self.has(folder)
    }
}

impl Step {
    /// Returns a step of the walk; none for the root itself, and for a name that is not Unicode.
    pub(crate) fn new(root: &Path, entry: &DirEntry) -> Option<Self> {
        let kind = entry.file_type()?;
        let kind = if kind.is_file() {
            Kind::File
        } else if kind.is_dir() {
            Kind::Folder
        } else if kind.is_symlink() {
            Kind::SymbolicLink
        } else {
            Kind::Special
        };
        let path = below(root, entry.path())?;
        Some(Self { path, kind })
    }
}

/// Returns the path below the root; none for the root itself.
fn below(root: &Path, path: &Path) -> Option<String> {
    let path = path.strip_prefix(root).ok()?.to_str()?;
    (!path.is_empty()).then(|| path.to_owned())
}

/// Files that a walk or a search came to and did not show, by the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct LeftOut {
    /// Results beyond the limit.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) beyond_limit: usize,
    /// Binary files.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) binary_files: usize,
    /// Files that are larger than the operator allows.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) large_files: usize,
    /// Files that cannot be opened, or have several names (hard links).
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) closed_files: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl LeftOut {
    /// Returns none if nothing was left out.
    pub(crate) fn unless_empty(self) -> Option<Self> {
        (self != Self::default()).then_some(self)
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.beyond_limit += other.beyond_limit;
        self.binary_files += other.binary_files;
        self.large_files += other.large_files;
        self.closed_files += other.closed_files;
    }
}
