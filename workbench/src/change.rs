//! Changes of files: each is complete or did not happen, for every other process, and none touches a file
//! that is not the one that was checked.
//!
//! The new content is written to a file next to the old one, in the same open folder, and takes its name.
//! If the system can exchange two names, the file that was replaced is compared with the one that was
//! checked, and exchanged back if another process was faster.

use std::{
    fs::File,
    io::{Read as _, Write as _},
    os::fd::{AsFd as _, OwnedFd},
};

use rustix::{
    fs::{
        AtFlags, Mode, OFlags, RawMode, Stat, fchmod, fstat, mkdirat, openat, renameat, statat,
        unlinkat,
    },
    io::Errno,
};
use toolwright::{ToolContext, ToolError};

use crate::{
    beneath, diff,
    failure::failed,
    scope::{check_write, folder_to_write, largest_file},
    workspace::{AccessError, Entry, Workspace, is_same, must_be_file},
};

/// The permissions of a file that a change keeps. It sheds the rest, such as to run as another user.
const PERMISSIONS: RawMode = 0o777;

/// A change of a file.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct Changed {
    /// The path of the file, without symbolic links.
    pub(crate) path: String,
    /// The size of the file in bytes; absent if it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) size_bytes: Option<usize>,
    /// The change, as a unified diff; empty if the file has this content already.
    pub(crate) diff: String,
}

/// A file that a call may change: its name, and the open folder with it.
#[derive(Debug)]
pub(crate) struct Target<'a> {
    ctx: &'a ToolContext,
    workspace: Workspace,
    folder: Entry,
    name: String,
    path: String,
}

/// A file and its content before the change.
#[derive(Debug)]
pub(crate) struct Existing {
    stat: Stat,
    pub(crate) content: Vec<u8>,
}

impl<'a> Target<'a> {
    /// Finds the folder of a path, and checks the path without symbolic links.
    pub(crate) fn find(ctx: &'a ToolContext, path: &str) -> Result<Self, ToolError> {
        Self::find_with(ctx, path, |ctx, workspace, folder, _| {
            folder_to_write(ctx, workspace, folder)
        })
    }

    /// The same, and creates the folders that do not exist. None of them is created if the path may not be
    /// written.
    pub(crate) fn find_or_create(ctx: &'a ToolContext, path: &str) -> Result<Self, ToolError> {
        Self::find_with(ctx, path, create_folders)
    }

    fn find_with(
        ctx: &'a ToolContext,
        path: &str,
        find: impl FnOnce(&ToolContext, &Workspace, &str, &str) -> Result<Entry, ToolError>,
    ) -> Result<Self, ToolError> {
        let workspace = Workspace::of_call(ctx)?;
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = find(ctx, &workspace, parent, name)?;
        let path = join(folder.path(), name);
        check_write(ctx, &path)?;
        Ok(Self {
            ctx,
            workspace,
            folder,
            name: name.to_owned(),
            path,
        })
    }

    /// Reads the file before it is changed.
    pub(crate) fn read(&self) -> Result<Existing, ToolError> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = beneath::open(self.folder.as_fd(), &self.name, flags);
        let file = file.map_err(AccessError::from)?;
        let stat = fstat(&file).map_err(AccessError::from)?;
        must_be_file(&stat)?;
        let largest = largest_file(self.ctx)?;
        let mut content = Vec::new();
        let mut limited = File::from(file).take(largest.saturating_add(1));
        limited
            .read_to_end(&mut content)
            .map_err(AccessError::from)?;
        check_size(content.len(), largest)?;
        Ok(Existing { stat, content })
    }

    /// Replaces the content of the file, if it is still the one that was read.
    pub(crate) fn replace(self, old: &Existing, new: &[u8]) -> Result<Changed, ToolError> {
        check_size(new.len(), largest_file(self.ctx)?)?;
        if old.content != new {
            let mode = Mode::from_raw_mode(old.stat.st_mode & PERMISSIONS);
            let temporary = Temporary::create(&self, mode, new)?;
            fchmod(&temporary.file, mode).map_err(AccessError::from)?;
            self.workspace.check_place(&self.folder)?;
            temporary.replace(&self.name, &old.stat)?;
        }
        Ok(self.changed(Some(&old.content), Some(new)))
    }

    /// Creates the file, which must not exist.
    pub(crate) fn create(self, mode: RawMode, new: &[u8]) -> Result<Changed, ToolError> {
        check_size(new.len(), largest_file(self.ctx)?)?;
        let temporary = Temporary::create(&self, Mode::from_raw_mode(mode), new)?;
        self.workspace.check_place(&self.folder)?;
        temporary.appear(&self.name)?;
        Ok(self.changed(None, Some(new)))
    }

    /// Deletes the file, if it is still the one that was read.
    pub(crate) fn delete(self, old: &Existing) -> Result<Changed, ToolError> {
        self.workspace.check_place(&self.folder)?;
        let aside = temporary_name(self.ctx);
        let folder = self.folder.as_fd();
        // The name is taken away first: the file which is deleted is then the one that is compared.
        renameat(folder, &self.name, folder, &aside).map_err(AccessError::from)?;
        let stat = statat(folder, &aside, AtFlags::SYMLINK_NOFOLLOW).map_err(AccessError::from)?;
        if !is_same(&stat, &old.stat) {
            appear(folder, &aside, &self.name).map_err(AccessError::from)?;
            return Err(AccessError::Changed.into());
        }
        unlinkat(folder, &aside, AtFlags::empty()).map_err(AccessError::from)?;
        Ok(self.changed(Some(&old.content), None))
    }

    fn changed(self, old: Option<&[u8]>, new: Option<&[u8]>) -> Changed {
        Changed {
            diff: diff::unified(&self.path, old, new),
            size_bytes: new.map(<[u8]>::len),
            path: self.path,
        }
    }
}

/// New content, in a file that is removed unless it takes its name.
struct Temporary<'a> {
    folder: &'a Entry,
    name: String,
    file: OwnedFd,
}

impl<'a> Temporary<'a> {
    fn create(target: &'a Target<'_>, mode: Mode, content: &[u8]) -> Result<Self, ToolError> {
        let name = temporary_name(target.ctx);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let file = openat(target.folder.as_fd(), &name, flags | OFlags::CLOEXEC, mode);
        let file = file.map_err(AccessError::from)?;
        let temporary = Self {
            folder: &target.folder,
            name,
            file,
        };
        let copy = temporary.file.try_clone().map_err(AccessError::from)?;
        let written = File::from(copy).write_all(content);
        written.map_err(AccessError::from)?;
        Ok(temporary)
    }

    /// Takes the name of a file, if it is still the checked one.
    fn replace(self, name: &str, checked: &Stat) -> Result<(), AccessError> {
        let folder = self.folder.as_fd();
        match exchange(folder, &self.name, name) {
            // The old file has the temporary name now, and is removed with it.
            Ok(()) => {
                let replaced = statat(folder, &self.name, AtFlags::SYMLINK_NOFOLLOW)?;
                if is_same(&replaced, checked) {
                    return Ok(());
                }
                exchange(folder, &self.name, name)?;
                Err(AccessError::Changed)
            }
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                let current = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
                if !is_same(&current, checked) {
                    return Err(AccessError::Changed);
                }
                Ok(renameat(folder, &self.name, folder, name)?)
            }
            Err(Errno::NOENT) => Err(AccessError::Changed),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes a name that no file has.
    fn appear(self, name: &str) -> Result<(), ToolError> {
        match appear(self.folder.as_fd(), &self.name, name) {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) => Err(failed(
                "file_exists",
                "the file exists already; `write-repo-file` replaces its content",
            )),
            Err(error) => Err(AccessError::from(error).into()),
        }
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        // If the file has taken its name, there is none to remove.
        let _ = unlinkat(self.folder.as_fd(), &self.name, AtFlags::empty());
    }
}

/// Exchanges the files of two names.
fn exchange(folder: std::os::fd::BorrowedFd<'_>, one: &str, other: &str) -> rustix::io::Result<()> {
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
fn appear(folder: std::os::fd::BorrowedFd<'_>, from: &str, name: &str) -> rustix::io::Result<()> {
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

/// Returns the name of the file with the new content. A call has one at a time.
fn temporary_name(ctx: &ToolContext) -> String {
    format!(".toolwright-{}", ctx.correlation_id)
}

/// Opens a folder below the root, and creates what does not exist of it, for a file below it. By a symbolic
/// link, the folder would be created elsewhere, so the real path of the file is checked before.
fn create_folders(
    ctx: &ToolContext,
    workspace: &Workspace,
    path: &str,
    file: &str,
) -> Result<Entry, ToolError> {
    match workspace.find_folder(path) {
        Err(AccessError::NotFound) => {}
        _ => return folder_to_write(ctx, workspace, path),
    }
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    let file = join(name, file);
    let above = create_folders(ctx, workspace, parent, &file)?;
    check_write(ctx, &join(above.path(), &file))?;
    match mkdirat(above.as_fd(), name, Mode::from_raw_mode(0o777)) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(error) => return Err(AccessError::from(error).into()),
    }
    folder_to_write(ctx, workspace, &join(above.path(), name))
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        return name.to_owned();
    }
    format!("{folder}/{name}")
}

fn check_size(size: usize, largest: u64) -> Result<(), ToolError> {
    if u64::try_from(size).is_ok_and(|size| size <= largest) {
        return Ok(());
    }
    Err(failed(
        "file_too_large",
        format!("the file would be, or is, larger than {largest} bytes"),
    ))
}
