//! The folder that the tools work on, and the files in it.

mod error;

use std::{
    fs::File,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::fs::{CWD, FileType, Mode, OFlags, Stat, fstat, openat};
use toolwright::{ToolContext, ToolError};

pub(crate) use error::AccessError;

use crate::beneath::{self, LOOK};

/// The open folder of a repository.
#[derive(Debug)]
pub(crate) struct Workspace {
    root: OwnedFd,
    path: PathBuf,
}

/// A file or a folder that was found, and not opened for reading yet.
#[derive(Debug)]
pub(crate) struct Entry {
    found: OwnedFd,
    /// The path below the root, without symbolic links.
    path: String,
    stat: Stat,
}

impl Workspace {
    /// Opens the folder of the repository that a call works on.
    pub(crate) fn of_call(ctx: &ToolContext) -> Result<Self, ToolError> {
        let path = ctx.repository().path.as_deref();
        let path = path.ok_or_else(|| ToolError::from(AccessError::NoRepository))?;
        Self::open(path).map_err(|_| AccessError::NoRepository.into())
    }

    /// Opens a folder.
    pub(crate) fn open(path: &Path) -> Result<Self, AccessError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = openat(CWD, path, flags, Mode::empty())?;
        let path = path.to_owned();
        Ok(Self { root, path })
    }

    /// Returns the path of the folder, for a walk by names.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens an ordinary file with one name for reading, given its path without symbolic links.
    pub(crate) fn open_file(&self, path: &str) -> Result<(File, Stat), AccessError> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = beneath::open(self.root.as_fd(), path, flags)?;
        let stat = fstat(&file)?;
        must_be_file(&stat)?;
        Ok((file.into(), stat))
    }

    /// Returns the size in bytes of the file, the folder or the link at a path without symbolic links.
    pub(crate) fn size_of(&self, path: &str) -> Result<u64, AccessError> {
        let found = beneath::open(self.root.as_fd(), path, LOOK | OFlags::NOFOLLOW)?;
        Ok(u64::try_from(fstat(&found)?.st_size).unwrap_or_default())
    }

    /// Finds a folder. The root has the empty path.
    pub(crate) fn find_folder(&self, path: &str) -> Result<Entry, AccessError> {
        if path.is_empty() {
            return Entry::new(self.root.try_clone()?, String::new());
        }
        let entry = self.find(path)?;
        entry
            .is_folder()
            .then_some(entry)
            .ok_or(AccessError::NotFolder)
    }

    /// Finds what a path names, and its path without symbolic links.
    pub(crate) fn find(&self, path: &str) -> Result<Entry, AccessError> {
        match Entry::look(self.root.as_fd(), path) {
            Err(AccessError::Link) => self.find_by_link(path),
            found => found,
        }
    }

    fn find_by_link(&self, path: &str) -> Result<Entry, AccessError> {
        let found = beneath::follow(self.root.as_fd(), path, LOOK)?;
        let real = self.real_path(&found)?;
        let entry = Entry::new(found, real)?;
        // The name of the descriptor may be out of date, so it is looked up.
        let again = beneath::open(self.root.as_fd(), &entry.path, LOOK)?;
        let again = fstat(&again)?;
        is_same(&again, &entry.stat)
            .then_some(entry)
            .ok_or(AccessError::Changed)
    }

    /// Returns the path of an open file below the root.
    #[cfg(target_os = "linux")]
    fn real_path(&self, found: &OwnedFd) -> Result<String, AccessError> {
        let [root, path] = [&self.root, found].map(name_of_descriptor);
        let (root, path) = (root?, path?);
        let path = path.strip_prefix(root);
        let path = path.map_err(|_| AccessError::Outside)?;
        let path = path.to_str().ok_or(AccessError::NotUnicode)?;
        Ok(path.to_owned())
    }

    #[cfg(not(target_os = "linux"))]
    fn real_path(&self, _: &OwnedFd) -> Result<String, AccessError> {
        Err(AccessError::Link)
    }
}

#[cfg(target_os = "linux")]
fn name_of_descriptor(descriptor: &OwnedFd) -> Result<PathBuf, AccessError> {
    Ok(std::fs::read_link(descriptor_path(descriptor))?)
}

/// Returns the path by which the process opens one of its descriptors again.
#[cfg(target_os = "linux")]
fn descriptor_path(descriptor: &OwnedFd) -> String {
    use std::os::fd::AsRawFd as _;
    format!("/proc/self/fd/{}", descriptor.as_raw_fd())
}

impl Entry {
    fn new(found: OwnedFd, path: String) -> Result<Self, AccessError> {
        let stat = fstat(&found)?;
        Ok(Self { found, path, stat })
    }

    /// Looks at a path below an open folder, without following a symbolic link.
    pub(crate) fn look(folder: BorrowedFd<'_>, path: &str) -> Result<Self, AccessError> {
        Self::new(beneath::open(folder, path, LOOK)?, path.to_owned())
    }

    /// Returns the path that it was found by, without symbolic links: below the root, or below the open folder.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Returns the status of the file when it was found.
    pub(crate) const fn stat(&self) -> &Stat {
        &self.stat
    }

    /// Returns the size in bytes.
    pub(crate) fn size(&self) -> u64 {
        u64::try_from(self.stat.st_size).unwrap_or_default()
    }

    pub(crate) fn is_folder(&self) -> bool {
        FileType::from_raw_mode(self.stat.st_mode).is_dir()
    }

    /// Opens the file that was found for reading.
    pub(crate) fn open(&self) -> Result<File, AccessError> {
        must_be_file(&self.stat)?;
        #[cfg(target_os = "linux")]
        return Ok(File::open(descriptor_path(&self.found))?);
        #[cfg(not(target_os = "linux"))]
        return Ok(self.found.try_clone()?.into());
    }
}

impl AsFd for Workspace {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }
}

impl AsFd for Entry {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.found.as_fd()
    }
}

/// Checks that this is an ordinary file with one name. Another name of it may be outside of the repository,
/// or denied.
pub(crate) fn must_be_file(stat: &Stat) -> Result<(), AccessError> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile if stat.st_nlink > 1 => Err(AccessError::HardLink),
        FileType::RegularFile => Ok(()),
        FileType::Directory => Err(AccessError::Folder),
        FileType::Symlink => Err(AccessError::Link),
        _ => Err(AccessError::Special),
    }
}

/// Returns the device and the number of a file, for a comparison in another process.
pub(crate) fn id(stat: &Stat) -> String {
    format!("{}:{}", stat.st_dev, stat.st_ino)
}

/// Checks whether two statuses are of the same file.
pub(crate) const fn is_same(one: &Stat, other: &Stat) -> bool {
    one.st_dev == other.st_dev && one.st_ino == other.st_ino
}
