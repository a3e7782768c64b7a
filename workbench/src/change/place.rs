//! The place of a file: its name, and the folder that is there already.

use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::Path,
};

use rustix::{
    fs::{Mode, OFlags, fstat, mkdirat},
    io::Errno,
};
use toolwright::{ToolContext, ToolError};

use crate::{
    beneath::{self, LOOK},
    permitted::join,
    scope::folder_to_write,
    workspace::{AccessError, Entry, Workspace, is_same},
};

/// The place of a file.
#[derive(Debug)]
pub(super) struct Place {
    workspace: Workspace,
    /// The lowest folder of its path that exists.
    folder: Entry,
    /// The names of the folders below it that are to be created.
    missing: Vec<String>,
    /// The name of the file.
    name: String,
}

/// The open folder of a file.
#[derive(Debug)]
pub(super) struct Folder {
    workspace: Workspace,
    open: OwnedFd,
    path: String,
}

impl Place {
    /// Finds the folder of a path. If the call creates the file, the folders of its path need not exist.
    pub(super) fn find(
        ctx: &ToolContext,
        workspace: Workspace,
        path: &str,
        creates: bool,
    ) -> Result<Self, ToolError> {
        let (mut folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut missing = Vec::new();
        let mut found = workspace.find_folder(folder);
        while creates && matches!(found, Err(AccessError::NotFound)) {
            let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
            missing.push(name.to_owned());
            folder = above;
            found = workspace.find_folder(folder);
        }
        missing.reverse();
        let folder = folder_to_write(ctx, found)?;
        Ok(Self {
            workspace,
            folder,
            missing,
            name: name.to_owned(),
        })
    }

    /// Returns the path of the file without symbolic links: those folders that do not exist are none.
    pub(super) fn path(&self) -> String {
        join(&self.folder_path(), &self.name)
    }

    fn folder_path(&self) -> String {
        let (names, existing) = (self.missing.iter(), self.folder.path().to_owned());
        names.fold(existing, |path, name| join(&path, name))
    }

    /// Creates the missing folders. Returns the open folder of the file, and the name of the file.
    pub(super) fn open(self) -> Result<(Folder, String), AccessError> {
        let path = self.folder_path();
        let mut open = self.folder.as_fd().try_clone_to_owned()?;
        for name in &self.missing {
            match mkdirat(&open, name.as_str(), Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            open = beneath::open(open.as_fd(), name, LOOK | OFlags::DIRECTORY)?;
        }
        let folder = Folder {
            workspace: self.workspace,
            open,
            path,
        };
        Ok((folder, self.name))
    }
}

impl Folder {
    /// Returns the folder of the repository.
    pub(super) fn root(&self) -> &Path {
        self.workspace.path()
    }

    /// Checks that the folder is still at its path.
    pub(super) fn check_place(&self) -> Result<(), AccessError> {
        if self.path.is_empty() {
            return Ok(());
        }
        let again = match Entry::look(self.workspace.as_fd(), &self.path) {
            Err(AccessError::Link) => return Err(AccessError::Changed),
            again => again?,
        };
        is_same(again.stat(), &fstat(&self.open)?)
            .then_some(())
            .ok_or(AccessError::Changed)
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.open.as_fd()
    }
}
