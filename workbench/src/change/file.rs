//! The change of a file, in the child process: it is complete or did not happen, for every other process, and
//! touches no file that is not the one that was read.
//!
//! The new content is written to a file next to the old one, in the same open folder, and takes its name.
//! If the system can exchange two names, the file that was replaced is compared with the one that was
//! read, and exchanged back if another process was faster.

use std::{
    fs::File,
    io::{Read as _, Write as _},
    os::fd::{AsFd as _, BorrowedFd, OwnedFd},
};
use toolwright_commands::Failure;

use rustix::{
    fs::{AtFlags, Mode, OFlags, RawMode, Stat, fstat, openat, renameat, statat, unlinkat},
    io::Errno,
    process::umask,
};
use serde::{Deserialize, Serialize};
use toolwright_sandbox::{JOBS, Job, RegisteredJob, Repeatable};

use super::{
    Changed,
    place::{Folder, Place},
};
use crate::{
    beneath, diff,
    workspace::{AccessError, is_same, must_be_file},
};

/// The permissions of a file that a change keeps. It sheds the rest, such as to run as another user.
const PERMISSIONS: RawMode = 0o777;

#[linkme::distributed_slice(JOBS)]
static CHANGE_FILE: RegisteredJob = RegisteredJob::new::<ChangeFile>();

/// The job that changes a file.
pub(super) struct ChangeFile;

/// A file to change.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) place: Place,
    pub(super) change: Change,
    /// The size of the largest file, in bytes.
    pub(super) largest_file: u64,
    /// The name of the file with the new content. A call has one at a time.
    pub(super) temporary: String,
}

/// The change of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Change {
    /// Replaces the content of a file, which must exist.
    Write { content: String },
    /// Replaces a string in a file, which must occur once, unless all occurrences are replaced.
    Edit { old: String, new: String, all: bool },
    /// Creates a file, which must not exist.
    Create { content: String, executable: bool },
    /// Deletes a file.
    Delete,
}

/// A file and its content before the change.
struct Existing {
    stat: Stat,
    content: Vec<u8>,
}

/// A file to change, in its open folder.
struct Target<'a> {
    order: &'a Order,
    folder: Folder,
}

impl Job for ChangeFile {
    const NAME: &'static str = "toolwright-change-file";
    type Input = Order;
    type Output = Result<Changed, Failure>;

    fn run(order: Order) -> Result<Self::Output, String> {
        Ok(carry_out(&order))
    }
}

// The files that it opens are closed at its end, and the umask is the child's.
impl Repeatable for ChangeFile {}

impl Change {
    /// Checks whether the change creates the file, and the folders of its path.
    pub(super) const fn creates(&self) -> bool {
        matches!(self, Self::Create { .. })
    }
}

fn carry_out(order: &Order) -> Result<Changed, Failure> {
    let target = Target {
        order,
        folder: order.place.open()?,
    };
    match &order.change {
        Change::Write { content } => {
            let old = target.read()?;
            target.replace(&old, content.as_bytes())
        }
        Change::Edit { old, new, all } => {
            let existing = target.read()?;
            let new = replaced(&existing.content, old, new, *all)?;
            target.replace(&existing, new.as_bytes())
        }
        Change::Create {
            content,
            executable,
        } => target.create(if *executable { 0o777 } else { 0o666 }, content.as_bytes()),
        Change::Delete => {
            let old = target.read()?;
            target.delete(&old)
        }
    }
}

/// Returns the content with one occurrence of a string replaced, or with all of them.
fn replaced(content: &[u8], old: &str, new: &str, all: bool) -> Result<String, Failure> {
    let text = str::from_utf8(content);
    let text = text.map_err(|_| Failure::new("not_text", "the file is not text in UTF-8"))?;
    if old.is_empty() {
        return Err(Failure::new("no_match", "`old_text` is empty"));
    }
    match text.matches(old).count() {
        0 => Err(Failure::new(
            "no_match",
            "`old_text` is not in the file; read the file again and copy the text exactly",
        )),
        1 => Ok(text.replacen(old, new, 1)),
        _ if all => Ok(text.replace(old, new)),
        count => Err(Failure::new(
            "several_matches",
            format!(
                "`old_text` is in the file {count} times; add lines around it, or set `replace_all`"
            ),
        )),
    }
}

impl Target<'_> {
    /// Reads the file before it is changed.
    fn read(&self) -> Result<Existing, Failure> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = beneath::open(self.folder(), &self.order.place.name, flags);
        let file = file.map_err(AccessError::from)?;
        let stat = fstat(&file).map_err(AccessError::from)?;
        must_be_file(&stat)?;
        let largest = self.order.largest_file;
        let mut content = Vec::new();
        let mut limited = File::from(file).take(largest.saturating_add(1));
        limited
            .read_to_end(&mut content)
            .map_err(AccessError::from)?;
        self.check_size(content.len())?;
        Ok(Existing { stat, content })
    }

    /// Replaces the content of the file, if it is still the one that was read.
    fn replace(&self, old: &Existing, new: &[u8]) -> Result<Changed, Failure> {
        self.check_size(new.len())?;
        if old.content != new {
            // The file keeps its permissions, whatever those of new files are.
            umask(Mode::empty());
            let mode = Mode::from_raw_mode(old.stat.st_mode & PERMISSIONS);
            let temporary = Temporary::create(self, mode, new)?;
            self.folder.check_place()?;
            temporary.replace(&self.order.place.name, &old.stat)?;
        }
        Ok(self.changed(Some(&old.content), Some(new)))
    }

    /// Creates the file, which must not exist.
    fn create(&self, mode: RawMode, new: &[u8]) -> Result<Changed, Failure> {
        self.check_size(new.len())?;
        let temporary = Temporary::create(self, Mode::from_raw_mode(mode), new)?;
        self.folder.check_place()?;
        temporary.appear(&self.order.place.name)?;
        Ok(self.changed(None, Some(new)))
    }

    /// Deletes the file, if it is still the one that was read.
    fn delete(&self, old: &Existing) -> Result<Changed, Failure> {
        self.folder.check_place()?;
        let (folder, name, aside) = (self.folder(), &self.order.place.name, &self.order.temporary);
        // The name is taken away first: the file which is deleted is then the one that is compared.
        renameat(folder, name, folder, aside).map_err(AccessError::from)?;
        let stat = statat(folder, aside, AtFlags::SYMLINK_NOFOLLOW).map_err(AccessError::from)?;
        if !is_same(&stat, &old.stat) {
            appear(folder, aside, name).map_err(AccessError::from)?;
            return Err(AccessError::Changed.into());
        }
        unlinkat(folder, aside, AtFlags::empty()).map_err(AccessError::from)?;
        Ok(self.changed(Some(&old.content), None))
    }

    fn folder(&self) -> BorrowedFd<'_> {
        self.folder.open().as_fd()
    }

    fn check_size(&self, size: usize) -> Result<(), Failure> {
        let largest = self.order.largest_file;
        if u64::try_from(size).is_ok_and(|size| size <= largest) {
            return Ok(());
        }
        let message = format!("the file would be, or is, larger than {largest} bytes");
        Err(Failure::new("file_too_large", message))
    }

    fn changed(&self, old: Option<&[u8]>, new: Option<&[u8]>) -> Changed {
        let path = self.order.place.path();
        Changed {
            diff: diff::unified(&path, old, new),
            size_bytes: new.map(<[u8]>::len),
            path,
        }
    }
}

/// New content, in a file that is removed unless it takes its name.
struct Temporary<'a> {
    folder: BorrowedFd<'a>,
    name: &'a str,
}

impl<'a> Temporary<'a> {
    fn create(target: &'a Target<'_>, mode: Mode, content: &[u8]) -> Result<Self, Failure> {
        let (folder, name) = (target.folder(), target.order.temporary.as_str());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let file: OwnedFd =
            openat(folder, name, flags | OFlags::CLOEXEC, mode).map_err(AccessError::from)?;
        let temporary = Self { folder, name };
        let written = File::from(file).write_all(content);
        written.map_err(AccessError::from)?;
        Ok(temporary)
    }

    /// Takes the name of a file, if it is still the checked one.
    fn replace(self, name: &str, checked: &Stat) -> Result<(), AccessError> {
        let folder = self.folder;
        match exchange(folder, self.name, name) {
            // The old file has the temporary name now, and is removed with it.
            Ok(()) => {
                let replaced = statat(folder, self.name, AtFlags::SYMLINK_NOFOLLOW)?;
                if is_same(&replaced, checked) {
                    return Ok(());
                }
                exchange(folder, self.name, name)?;
                Err(AccessError::Changed)
            }
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                let current = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
                if !is_same(&current, checked) {
                    return Err(AccessError::Changed);
                }
                Ok(renameat(folder, self.name, folder, name)?)
            }
            Err(Errno::NOENT) => Err(AccessError::Changed),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes a name that no file has.
    fn appear(self, name: &str) -> Result<(), Failure> {
        match appear(self.folder, self.name, name) {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) => Err(Failure::new(
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
        let _ = unlinkat(self.folder, self.name, AtFlags::empty());
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
