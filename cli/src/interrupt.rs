//! Interrupts during the replacement of files: either all old files remain, or all new ones are
//! there.

use std::{
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
};

use toolwright_generator::reconcile::{Reconciliation, Staged};

use crate::{Failure, generation::Files};

/// The exit code of a command that was interrupted, as shells report it.
const INTERRUPTED: i32 = 130;

/// The folders that are of no use once the run was interrupted. Whoever holds the lock holds the
/// interrupt back.
static SCRATCH: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Writes files that differ from the expected ones. An interrupt leaves them unchanged, or takes
/// effect after the last one.
pub(crate) fn replace(found: &[(&Files, Reconciliation)]) -> Result<(), Failure> {
    let failed = |error| Failure::new(format!("cannot write {error}"));
    let stale = || found.iter().filter(|(_, before)| !before.is_fresh());
    let scratch = stale().map(|(files, _)| Staged::scratch(&files.folder));
    *lock() = scratch.collect();
    ctrlc::set_handler(end).map_err(|error| {
        Failure::new("cannot listen for interrupts, so nothing was written").note(error.to_string())
    })?;
    // An interrupt between two services removes what was staged, and nothing is staged after it.
    let staged = stale()
        .map(|(files, before)| {
            let _held_back = lock();
            Staged::new(&files.tree, &files.folder, before)
        })
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    let _held_back = lock();
    staged
        .into_iter()
        .try_for_each(Staged::commit)
        .map_err(failed)
}

/// Ends the program; it is called on a thread of its own.
fn end() {
    let scratch = lock();
    for folder in scratch.iter() {
        // A folder that cannot be removed is hidden, and nothing depends on it.
        let _ = std::fs::remove_dir_all(folder);
    }
    std::process::exit(INTERRUPTED);
}

fn lock() -> MutexGuard<'static, Vec<PathBuf>> {
    SCRATCH.lock().unwrap_or_else(PoisonError::into_inner)
}
