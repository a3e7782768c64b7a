//! The files below a folder that the scope of a role lets it read.
//!
//! A walk of many entries goes by names, on all cores: each file is opened below the root afterwards, so a name that
//! another process exchanges in the meantime leads to nothing outside. [`near`] walks the others.

mod near;

use std::{
    os::fd::AsFd as _,
    path::{Path, PathBuf},
    sync::mpsc,
};

use ignore::{DirEntry, WalkBuilder, WalkParallel, WalkState};
use toolwright::{ToolContext, ToolError, policy::ScopeValues};

use crate::{
    scope::{READ_PATHS, folder_to_read},
    workspace::{AccessError, Workspace},
};
use near::Near;

/// The folder of git itself, whose files do not belong to the repository.
const GIT: &str = ".git";

/// The part of a repository to walk.
#[derive(Debug)]
pub(crate) struct Walk {
    builder: WalkBuilder,
    root: PathBuf,
    filter: Filter,
    with_ignored: bool,
    /// The deepest level of entries. Those of the root have the level 1.
    deepest: usize,
}

/// What a walk shows.
#[derive(Clone, Debug)]
struct Filter {
    scope: ScopeValues,
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
    seen: Seen,
}

/// What a walk has seen of a step.
#[derive(Clone, Copy, Debug)]
enum Seen {
    /// A name, which may lead out of the repository by now.
    Name,
    /// A name in an open folder of the repository.
    Entry,
    /// The size in bytes of an entry.
    Size(u64),
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
        let start = path.map(|path| folder_to_read(ctx, workspace, path));
        let filter = Filter {
            scope: ctx.scope().clone(),
            start: Start(start.transpose()?),
        };
        Ok(Self::of(workspace.path(), filter, with_ignored))
    }

    fn of(root: &Path, filter: Filter, with_ignored: bool) -> Self {
        // The walk begins at the root, for its `.gitignore`. The files of the repository alone decide:
        // neither its parents nor the user's settings do.
        let mut builder = WalkBuilder::new(root);
        builder
            .standard_filters(false)
            .git_ignore(!with_ignored)
            .ignore(!with_ignored)
            .require_git(false)
            .follow_links(false);
        let (above, within) = (root.to_owned(), filter.clone());
        builder.filter_entry(move |entry| {
            let Some(path) = below(&above, entry.path()) else {
                return entry.depth() == 0;
            };
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            within.shows(&path, is_folder)
        });
        Self {
            builder,
            root: root.to_owned(),
            filter,
            with_ignored,
            deepest: usize::MAX,
        }
    }

    /// Limits the number of folders below each other. One is the folder itself.
    pub(crate) fn depth(&mut self, depth: usize) {
        let start = self.filter.start.0.as_ref();
        let above = start.map_or(0, |start| start.split('/').count());
        self.deepest = above.saturating_add(depth);
        self.builder.max_depth(Some(self.deepest));
    }

    /// Returns everything below the start in the order of the paths, and finds out the sizes of the first ones.
    ///
    /// A walk in order would read each folder beside the way to the start before the filter leaves it out.
    pub(crate) fn sorted(self, workspace: &Workspace, sizes: usize) -> impl Iterator<Item = Step> {
        let near = Near::new(&self, sizes).steps(workspace.as_fd());
        near.unwrap_or_else(|| self.far()).into_iter()
    }

    /// Returns everything below the start in the order of the paths, by a walk on all cores.
    fn far(&self) -> Vec<Step> {
        let (sender, receiver) = mpsc::channel();
        self.builder.build_parallel().run(|| {
            let sender = sender.clone();
            Box::new(move |entry| {
                let step = entry.ok().and_then(|entry| Step::new(&self.root, &entry));
                if let Some(step) = step.filter(|step| self.filter.start.has_below(step)) {
                    // The receiver outlives the walk.
                    let _ = sender.send(step);
                }
                WalkState::Continue
            })
        });
        drop(sender);
        let mut steps: Vec<_> = receiver.into_iter().collect();
        steps.sort_by(|a, b| a.path.split('/').cmp(b.path.split('/')));
        steps
    }

    /// Walks on all cores, in no order. [`Step::new`] reads the entries.
    pub(crate) fn parallel(self) -> WalkParallel {
        self.builder.build_parallel()
    }
}

impl Filter {
    /// Checks whether the walk shows a path, or goes through the folder.
    fn shows(&self, path: &str, is_folder: bool) -> bool {
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        if name == GIT {
            return false;
        }
        if is_folder {
            return self.start.leads_to(path) && self.scope.leads_to("allowed_read_paths", path);
        }
        let may_read = || READ_PATHS.iter().all(|one| self.scope.allows(one, path));
        self.start.has(path) && may_read()
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
    fn has_below(&self, step: &Step) -> bool {
        let is_start = step.kind == Kind::Folder && Some(&step.path) == self.0.as_ref();
        self.has(&step.path) && !is_start
    }

    /// Returns the next name on the way from a folder to the start; none if the folder is below it.
    fn next_name(&self, folder: &str) -> Option<&str> {
        let rest = self.0.as_ref()?.strip_prefix(folder)?;
        let rest = match folder {
            "" => rest,
            _ => rest.strip_prefix('/')?,
        };
        rest.split('/').next()
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
        let seen = Seen::Name;
        Some(Self { path, kind, seen })
    }

    /// Returns the size in bytes, if it is below the root.
    pub(crate) fn size(&self, workspace: &Workspace) -> Result<u64, AccessError> {
        match self.seen {
            Seen::Size(size) => Ok(size),
            Seen::Name | Seen::Entry => workspace.size_of(&self.path),
        }
    }

    /// Checks that it is below the root.
    pub(crate) fn is_below(&self, workspace: &Workspace) -> bool {
        !matches!(self.seen, Seen::Name) || workspace.size_of(&self.path).is_ok()
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_near_walk_gives_up_in_a_large_or_a_deep_tree() {
        let folder = tempfile::tempdir().unwrap();
        let mut path = folder.path().to_owned();
        for _ in 0..70 {
            path.push("d");
        }
        fs::create_dir_all(&path).unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        let filter = Filter {
            scope: ScopeValues::default(),
            start: Start(None),
        };
        let walk = Walk::of(workspace.path(), filter, false);
        assert!(Near::new(&walk, 0).steps(workspace.as_fd()).is_none());
        assert_eq!(walk.sorted(&workspace, 0).count(), 70);
    }
}
