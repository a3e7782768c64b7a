//! The place of a file: its name, and the folder that is there already.

use std::{
    os::fd::{AsFd as _, OwnedFd},
    path::PathBuf,
};

use rustix::{
    fs::{CWD, Mode, OFlags, fstat, mkdirat, openat},
    io::Errno,
};
use serde::{Deserialize, Serialize};
use toolwright::{ToolContext, ToolError};

use crate::{
    beneath::{self, LOOK},
    permitted::join,
    scope::folder_to_write,
    workspace::{AccessError, Entry, Workspace, id},
};

/// The place of a file. It is found by the program, and opened once more by the child.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Place {
    /// The folder of the repository.
    pub(super) root: PathBuf,
    /// The path of the lowest folder that exists, without symbolic links.
    pub(super) folder: String,
    /// The device and the number of this folder.
    id: String,
    /// The names of the folders below it that are to be created.
    missing: Vec<String>,
    /// The name of the file.
    pub(super) name: String,
}

/// The open folder of a file.
#[derive(Debug)]
pub(super) struct Folder {
    root: OwnedFd,
    folder: OwnedFd,
    path: String,
}

impl Place {
    /// Finds the folder of a path. If the call creates the file, the folders of its path need not exist.
    pub(super) fn find(
        ctx: &ToolContext,
        workspace: &Workspace,
        path: &str,
        creates: bool,
    ) -> Result<Self, ToolError> {
        let (mut folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut missing = Vec::new();
        while creates && matches!(workspace.find_folder(folder), Err(AccessError::NotFound)) {
            let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
            missing.push(name.to_owned());
            folder = above;
        }
        missing.reverse();
        let root = workspace.path().canonicalize();
        let root = root.map_err(|_| ToolError::from(AccessError::NoRepository))?;
        let found: Entry = folder_to_write(ctx, workspace, folder)?;
        Ok(Self {
            root,
            folder: found.path().to_owned(),
            id: found.id(),
            missing,
            name: name.to_owned(),
        })
    }

    /// Returns the path of the file without symbolic links: those folders that do not exist are none.
    pub(super) fn path(&self) -> String {
        join(&self.folder_path(), &self.name)
    }

    fn folder_path(&self) -> String {
        let names = self.missing.iter();
        names.fold(self.folder.clone(), |path, name| join(&path, name))
    }

    /// Checks whether the folder is still the one that was found.
    pub(super) fn is_there(&self) -> bool {
        self.open_existing().is_ok()
    }

    /// Opens the root and the folder, if it is still the one that was found.
    fn open_existing(&self) -> Result<(OwnedFd, OwnedFd), AccessError> {
        let flags = LOOK | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = openat(CWD, &self.root, flags, Mode::empty())?;
        let folder = open_folder(&root, &self.folder)?;
        if id_of(&folder)? != self.id {
            return Err(AccessError::Changed);
        }
        Ok((root, folder))
    }

    /// Opens the folder in the child, and creates those below it.
    pub(super) fn open(&self) -> Result<Folder, AccessError> {
        let (root, mut folder) = self.open_existing()?;
        for name in &self.missing {
            match mkdirat(&folder, name.as_str(), Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            folder = beneath::open(folder.as_fd(), name, LOOK | OFlags::DIRECTORY)?;
        }
        let path = self.folder_path();
        Ok(Folder { root, folder, path })
    }
}

impl Folder {
    /// Returns the open folder.
    pub(super) const fn open(&self) -> &OwnedFd {
        &self.folder
    }

    /// Checks that the folder is still at its path.
    pub(super) fn check_place(&self) -> Result<(), AccessError> {
        let again = match open_folder(&self.root, &self.path) {
            Err(AccessError::Link) => return Err(AccessError::Changed),
            again => again?,
        };
        (id_of(&again)? == id_of(&self.folder)?)
            .then_some(())
            .ok_or(AccessError::Changed)
    }
}

fn open_folder(root: &OwnedFd, path: &str) -> Result<OwnedFd, AccessError> {
    if path.is_empty() {
        return Ok(root.try_clone()?);
    }
    Ok(beneath::open(root.as_fd(), path, LOOK | OFlags::DIRECTORY)?)
}

fn id_of(file: &OwnedFd) -> Result<String, AccessError> {
    Ok(id(&fstat(file)?))
}
