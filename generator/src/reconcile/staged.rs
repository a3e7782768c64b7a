//! Files that are written but not yet renamed into place.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{Reconciliation, State, at_path};
use crate::emit::OutputTree;

/// Files in a hidden folder, ready to be renamed into place. Dropping it before the commit changes
/// nothing.
#[derive(Debug)]
pub struct Staged {
    folder: PathBuf,
    /// The hidden folder of the files, in the same file system.
    scratch: PathBuf,
    /// The paths of the new files.
    new: Vec<String>,
    /// The paths of the files to remove.
    orphans: Vec<String>,
}

impl Staged {
    /// Writes the stale and missing files into a hidden folder.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn new(tree: &OutputTree, folder: &Path, before: &Reconciliation) -> io::Result<Self> {
        let paths = |asked: &[State]| {
            before
                .in_state(|state| asked.contains(&state))
                .map(ToOwned::to_owned)
                .collect()
        };
        let staged = Self {
            folder: folder.to_owned(),
            scratch: Self::scratch(folder),
            new: paths(&[State::Stale, State::Missing]),
            orphans: paths(&[State::Orphan]),
        };
        create_folder(&staged.scratch)?;
        for path in &staged.new {
            let file = staged.scratch.join(path);
            create_parent(&file)?;
            let content = tree.file(path).unwrap_or_default();
            fs::write(&file, content).map_err(|error| at_path(&file, &error))?;
        }
        Ok(staged)
    }

    /// Returns the hidden folder of this process below a folder. It is useless after an interrupted
    /// run.
    #[must_use]
    pub fn scratch(folder: &Path) -> PathBuf {
        folder.join(format!(".toolwright-{}", std::process::id()))
    }

    /// Renames the files into place and removes the orphans.
    ///
    /// # Errors
    /// Fails if a file cannot be renamed or removed.
    pub fn commit(self) -> io::Result<()> {
        for path in &self.new {
            let target = self.folder.join(path);
            create_parent(&target)?;
            fs::rename(self.scratch.join(path), &target)
                .map_err(|error| at_path(&target, &error))?;
        }
        for path in &self.orphans {
            let orphan = self.folder.join(path);
            fs::remove_file(&orphan).map_err(|error| at_path(&orphan, &error))?;
            remove_empty_parents(&orphan, &self.folder);
        }
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // Ignore a failure: the folder is hidden and harmless.
        let _ = fs::remove_dir_all(&self.scratch);
    }
}

fn create_parent(file: &Path) -> io::Result<()> {
    file.parent().map_or(Ok(()), create_folder)
}

fn create_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder).map_err(|error| at_path(folder, &error))
}

/// Removes the folders that a removed file leaves empty, up to `top`.
fn remove_empty_parents(file: &Path, top: &Path) {
    for folder in file.ancestors().skip(1).take_while(|folder| *folder != top) {
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
}
