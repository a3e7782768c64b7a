//! What an interrupt does while files are replaced: all of the old ones stay, or all of the new
//! ones are there.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use toolwright_generator::{
    output::OutputTree,
    reconcile::{Reconciliation, Staged},
};

use crate::Failure;

/// The exit code of a command that was interrupted, as shells report it.
const INTERRUPTED: i32 = 130;

/// The folder that is of no use once the run was interrupted. Whoever holds the lock holds the
/// interrupt back.
static SCRATCH: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Puts the files of a folder right. An interrupt leaves them as they were, or comes into effect
/// when all of them are as they should be.
pub(crate) fn replace(
    tree: &OutputTree,
    folder: &Path,
    before: &Reconciliation,
) -> Result<(), Failure> {
    let failed = |error| Failure::new(format!("cannot write {error}"));
    *lock() = Some(Staged::scratch(folder));
    ctrlc::set_handler(end).map_err(|error| {
        Failure::new("cannot listen for interrupts, so nothing was written").note(error.to_string())
    })?;
    let staged = Staged::new(tree, folder, before).map_err(failed)?;
    let _held_back = lock();
    staged.commit().map_err(failed)
}

/// Ends the program; it is called on a thread of its own.
fn end() {
    let scratch = lock();
    if let Some(folder) = scratch.as_ref() {
        // What cannot be removed is hidden and in nobody's way.
        let _ = std::fs::remove_dir_all(folder);
    }
    std::process::exit(INTERRUPTED);
}

fn lock() -> MutexGuard<'static, Option<PathBuf>> {
    SCRATCH.lock().unwrap_or_else(PoisonError::into_inner)
}
