//! The walk below a folder with few entries: on this thread, and by open folders, so that whatever it comes to is
//! below the root.

use std::{
    os::fd::{AsFd as _, BorrowedFd},
    path::Path,
};

use ignore::gitignore::Gitignore;
use rustix::fs::{AtFlags, FileType, OFlags, statat};

use super::{Kind, Seen, Step, Walk};
use crate::{beneath, entries::entries, permitted::join};

/// The most entries for which one thread is fast.
const ENTRIES: usize = 2_000;

/// The most folders that are open at a time.
const OPEN: usize = 64;

/// A walk.
pub(super) struct Near<'a> {
    walk: &'a Walk,
    /// The number of steps to find the sizes of.
    sizes: usize,
    /// The number of entries that it may still come to.
    left: usize,
    steps: Vec<Step>,
}

/// What the files of a folder and of those above it ignore.
struct Ignored<'a> {
    above: Option<&'a Self>,
    /// The patterns of `.ignore`.
    own: Gitignore,
    /// The patterns of `.gitignore`.
    git: Gitignore,
}

/// A folder on the way of the walk.
struct Folder<'a> {
    open: BorrowedFd<'a>,
    path: &'a str,
    level: usize,
    ignored: Option<Ignored<'a>>,
}

impl<'a> Near<'a> {
    pub(super) fn new(walk: &'a Walk, sizes: usize) -> Self {
        Self {
            walk,
            sizes,
            left: ENTRIES,
            steps: Vec::new(),
        }
    }

    /// Returns the steps in the order of their paths; none if there are too many entries.
    pub(super) fn steps(mut self, root: BorrowedFd<'_>) -> Option<Vec<Step>> {
        self.enter(root, "", 0, None)?;
        Some(self.steps)
    }

    /// Visits the entries of a folder, or the one that leads to the start.
    fn enter(
        &mut self,
        open: BorrowedFd<'_>,
        path: &str,
        level: usize,
        above: Option<&Ignored<'_>>,
    ) -> Option<()> {
        if level >= OPEN {
            return None;
        }
        let ignored =
            (!self.walk.with_ignored).then(|| Ignored::of(&self.walk.root.join(path), above));
        let folder = Folder {
            open,
            path,
            level,
            ignored,
        };
        if let Some(name) = self.walk.filter.start.next_name(path) {
            let kind = statat(open, name, AtFlags::SYMLINK_NOFOLLOW);
            let kind = kind.map(|found| FileType::from_raw_mode(found.st_mode));
            return kind.map_or(Some(()), |kind| self.visit(&folder, name, kind));
        }
        // A folder that cannot be read is shown without entries.
        let mut entries = entries(open).unwrap_or_default();
        self.left = self.left.checked_sub(entries.len())?;
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        entries
            .into_iter()
            .try_for_each(|entry| match entry.name.to_str() {
                Ok(name) => self.visit(&folder, name, entry.kind),
                Err(_) => Some(()),
            })
    }

    /// Visits an entry of a folder, and those below it.
    fn visit(&mut self, folder: &Folder<'_>, name: &str, kind: FileType) -> Option<()> {
        let path = join(folder.path, name);
        let (is_folder, level) = (kind.is_dir(), folder.level + 1);
        if !self.walk.filter.shows(&path, is_folder) {
            return Some(());
        }
        let ignored = folder.ignored.as_ref();
        if ignored.is_some_and(|ignored| ignored.has(&self.walk.root.join(&path), is_folder)) {
            return Some(());
        }
        let mut step = Step {
            path: path.clone(),
            kind: kind_of(kind),
            seen: Seen::Entry,
        };
        if self.walk.filter.start.has_below(&step) {
            if self.steps.len() < self.sizes {
                let Ok(found) = statat(folder.open, name, AtFlags::SYMLINK_NOFOLLOW) else {
                    // It is gone.
                    return Some(());
                };
                step.seen = Seen::Size(u64::try_from(found.st_size).unwrap_or_default());
            }
            self.steps.push(step);
        }
        if !is_folder || level >= self.walk.deepest {
            return Some(());
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let opened = beneath::open(folder.open, name, flags);
        opened.map_or(Some(()), |opened| {
            self.enter(opened.as_fd(), &path, level, ignored)
        })
    }
}

impl<'a> Ignored<'a> {
    /// Reads the patterns of a folder.
    fn of(folder: &Path, above: Option<&'a Self>) -> Self {
        // A file that is absent or in part not valid has the patterns that are.
        let read = |name: &str| Gitignore::new(folder.join(name)).0;
        Self {
            above,
            own: read(".ignore"),
            git: read(".gitignore"),
        }
    }

    /// Checks whether a path is ignored: a match in `.ignore` decides, or else one in `.gitignore`, and of several files
    /// the one in the lowest folder.
    fn has(&self, path: &Path, is_folder: bool) -> bool {
        let levels = || std::iter::successors(Some(self), |level| level.above);
        let by_own = levels().map(|level| level.own.matched(path, is_folder));
        let by_git = levels().map(|level| level.git.matched(path, is_folder));
        let mut matches = by_own.chain(by_git);
        matches
            .find(|matched| !matched.is_none())
            .is_some_and(|matched| matched.is_ignore())
    }
}

const fn kind_of(kind: FileType) -> Kind {
    match kind {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Folder,
        FileType::Symlink => Kind::SymbolicLink,
        _ => Kind::Special,
    }
}
