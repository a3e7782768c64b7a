//! The file of a change, in its open folder: it changes as a whole or not at all, for every other process, and no
//! file is touched that is not the one that was opened.
//!
//! The new content is in a file next to the old one, in the same open folder, and takes its name. If the system can
//! exchange two names, the file that was replaced is compared with the one that was opened, and exchanged back if
//! another process was faster.

use std::{
    fs::{File, Permissions},
    os::{
        fd::{AsFd as _, BorrowedFd},
        unix::fs::PermissionsExt as _,
    },
    path::Path,
};

use rustix::{
    fs::{AtFlags, Mode, OFlags, RawMode, Stat, fstat, openat, renameat, statat, unlinkat},
    io::Errno,
};
use toolwright_commands::Failure;

use super::{
    content::Change,
    place::{Folder, Place},
};
use crate::workspace::{AccessError, Entry, is_same};

/// The permissions of a file that a change keeps. It sheds the rest, such as to run as another user.
const PERMISSIONS: RawMode = 0o777;

/// A file to change. Unless it takes its place, no file of the change is left.
#[derive(Debug)]
pub(super) struct Target {
    folder: Folder,
    name: String,
    files: Files,
    /// The name of the new file, or of the old one while it is deleted. A call has one at a time.
    temporary: String,
}

/// The open files of a change.
#[derive(Debug)]
enum Files {
    Replaced { old: Old, new: File },
    Created { new: File },
    Deleted { old: Old },
}

/// A file before the change, open for reading.
#[derive(Debug)]
struct Old {
    file: File,
    stat: Stat,
}

impl Target {
    /// Opens the file, unless the change creates it, and one for the new content, unless it deletes it. The folders
    /// of its path are created if they are missing.
    pub(super) fn open(
        place: Place,
        change: &Change,
        temporary: String,
    ) -> Result<Self, AccessError> {
        let (folder, name) = place.open()?;
        let new = |mode| {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
            let mode = Mode::from_raw_mode(mode);
            let new = openat(&folder, &temporary, flags | OFlags::CLOEXEC, mode)?;
            Ok::<_, AccessError>(File::from(new))
        };
        let files = match change {
            Change::Write { .. } | Change::Edit { .. } => {
                let old = Old::open(&folder, &name)?;
                let new = new(old.mode())?;
                Files::Replaced { old, new }
            }
            Change::Create { executable, .. } => Files::Created {
                new: new(if *executable { 0o777 } else { 0o666 })?,
            },
            Change::Delete => Files::Deleted {
                old: Old::open(&folder, &name)?,
            },
        };
        let target = Self {
            folder,
            name,
            files,
            temporary,
        };
        if let Files::Replaced { old, new } = &target.files {
            // The file keeps its permissions, whatever those of new files are.
            new.set_permissions(Permissions::from_mode(old.mode()))?;
        }
        Ok(target)
    }

    /// Returns the folder of the repository.
    pub(super) fn root(&self) -> &Path {
        self.folder.root()
    }

    /// Returns the open files: the old one, if there is one, and the one for the new content, if there will be one.
    pub(super) fn files(&self) -> impl Iterator<Item = &File> {
        let (old, new) = match &self.files {
            Files::Replaced { old, new } => (Some(old), Some(new)),
            Files::Created { new } => (None, Some(new)),
            Files::Deleted { old } => (Some(old), None),
        };
        old.map(|old| &old.file).into_iter().chain(new)
    }

    /// Puts the change in place, if the file is still the one that was opened.
    pub(super) fn take_place(self) -> Result<(), Failure> {
        self.folder.check_place()?;
        match &self.files {
            Files::Replaced { old, .. } => Ok(self.replace(&old.stat)?),
            Files::Created { .. } => self.create(),
            Files::Deleted { old } => Ok(self.delete(&old.stat)?),
        }
    }

    /// Gives the new file the name of the old one.
    fn replace(&self, old: &Stat) -> Result<(), AccessError> {
        let (folder, name, new) = (self.folder.as_fd(), &self.name, &self.temporary);
        match exchange(folder, new, name) {
            // The old file has the temporary name now.
            Ok(()) => {
                let replaced = statat(folder, new, AtFlags::SYMLINK_NOFOLLOW)?;
                if is_same(&replaced, old) {
                    return Ok(unlinkat(folder, new, AtFlags::empty())?);
                }
                exchange(folder, new, name)?;
                Err(AccessError::Changed)
            }
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                let current = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
                if !is_same(&current, old) {
                    return Err(AccessError::Changed);
                }
                Ok(renameat(folder, new, folder, name)?)
            }
            Err(Errno::NOENT) => Err(AccessError::Changed),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives the new file its name, which no file has.
    fn create(&self) -> Result<(), Failure> {
        match appear(self.folder.as_fd(), &self.temporary, &self.name) {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) => Err(Failure::new(
                "file_exists",
                "the file exists already; `write-repo-file` replaces its content",
            )),
            Err(error) => Err(AccessError::from(error).into()),
        }
    }

    fn delete(&self, old: &Stat) -> Result<(), AccessError> {
        let (folder, name, aside) = (self.folder.as_fd(), &self.name, &self.temporary);
        // The name is taken away first: the file which is deleted is then the one that is compared.
        renameat(folder, name, folder, aside)?;
        let stat = statat(folder, aside, AtFlags::SYMLINK_NOFOLLOW)?;
        if !is_same(&stat, old) {
            appear(folder, aside, name)?;
            return Err(AccessError::Changed);
        }
        Ok(unlinkat(folder, aside, AtFlags::empty())?)
    }
}

impl Old {
    fn open(folder: &Folder, name: &str) -> Result<Self, AccessError> {
        let found = Entry::look(folder.as_fd(), name)?;
        Ok(Self {
            file: found.open()?,
            stat: *found.stat(),
        })
    }

    /// Returns the permissions that the file keeps.
    const fn mode(&self) -> RawMode {
        self.stat.st_mode & PERMISSIONS
    }
}

impl Drop for Target {
    /// Removes the new file if it has not taken its place. A file of another process is never removed.
    fn drop(&mut self) {
        let (Files::Replaced { new, .. } | Files::Created { new }) = &self.files else {
            return;
        };
        let named = statat(&self.folder, &self.temporary, AtFlags::SYMLINK_NOFOLLOW);
        if let (Ok(named), Ok(new)) = (named, fstat(new))
            && is_same(&named, &new)
        {
            let _ = unlinkat(&self.folder, &self.temporary, AtFlags::empty());
        }
    }
}

/// Exchanges the files of two names.
fn exchange(folder: BorrowedFd<'_>, one: &str, other: &str) -> rustix::io::Result<()> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    {
        use rustix::fs::{RenameFlags, renameat_with};
        renameat_with(folder, one, folder, other, RenameFlags::EXCHANGE)
    }
    #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
    {
        let _ = (folder, one, other);
        Err(Errno::NOSYS)
    }
}

/// Gives a file a name that no file has.
fn appear(folder: BorrowedFd<'_>, from: &str, name: &str) -> rustix::io::Result<()> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    {
        use rustix::fs::{RenameFlags, renameat_with};
        let renamed = renameat_with(folder, from, folder, name, RenameFlags::NOREPLACE);
        if !matches!(renamed, Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP)) {
            return renamed;
        }
    }
    // A new link never replaces a file, on every system.
    rustix::fs::linkat(folder, from, folder, name, AtFlags::empty())?;
    unlinkat(folder, from, AtFlags::empty())
}
