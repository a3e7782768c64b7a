//! Group commit: one wait for the disk serves all events that were written before it.

use std::{
    fs::File,
    io,
    path::PathBuf,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use tokio::{sync::watch, task::spawn_blocking};

/// The events that were written, and those that are on the disk, by tickets.
#[derive(Debug)]
pub(super) struct Syncer {
    state: Mutex<State>,
    /// Wakes threads that wait.
    done: Condvar,
    /// Wakes futures that wait.
    round: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    /// The ticket of the last event that was written.
    written: u64,
    /// The last ticket that is on the disk.
    synced: u64,
    /// The file of the last event.
    file: Option<Arc<File>>,
    /// The folder, until the name of the file is on the disk too.
    folder: Option<PathBuf>,
    /// True while a thread waits for the disk.
    running: bool,
    /// The tickets that the last failure concerned, and the reason.
    failed: Option<(u64, u64, String)>,
}

impl Default for Syncer {
    fn default() -> Self {
        Self {
            state: Mutex::default(),
            done: Condvar::new(),
            round: watch::Sender::new(0),
        }
    }
}

impl Syncer {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that an event was written to a file, and returns its ticket. `folder` is set if the name
    /// of the file may not be on the disk.
    pub(super) fn written(&self, file: &Arc<File>, folder: Option<PathBuf>) -> u64 {
        let mut state = self.state();
        state.written += 1;
        state.file = Some(Arc::clone(file));
        if folder.is_some() {
            state.folder = folder;
        }
        state.written
    }

    /// Notes that everything that was written so far is on the disk.
    pub(super) fn all_synced(&self) {
        let mut state = self.state();
        state.synced = state.written;
    }

    /// Waits until an event is on the disk.
    pub(super) fn wait(&self, ticket: u64) -> Result<(), String> {
        let mut state = self.state();
        loop {
            if let Some(result) = state.result(ticket) {
                return result;
            }
            if state.running {
                state = self
                    .done
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state.running = true;
            drop(state);
            self.sync();
            state = self.state();
        }
    }

    /// Waits as [`Syncer::wait`], without blocking the thread.
    pub(super) async fn wait_async(self: Arc<Self>, ticket: u64) -> Result<(), String> {
        let mut round = self.round.subscribe();
        loop {
            round.mark_unchanged();
            let leads = {
                let mut state = self.state();
                if let Some(result) = state.result(ticket) {
                    return result;
                }
                !std::mem::replace(&mut state.running, true)
            };
            if leads {
                let syncer = Arc::clone(&self);
                // The thread ends its work even if this future is dropped.
                let _ = spawn_blocking(move || syncer.sync()).await;
            } else {
                let _ = round.changed().await;
            }
        }
    }

    /// Begins to write what was written to the disk, on another thread if there is one.
    pub(super) fn begin(self: &Arc<Self>) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let leads = !std::mem::replace(&mut self.state().running, true);
        if leads {
            let syncer = Arc::clone(self);
            runtime.spawn_blocking(move || syncer.sync());
        }
    }

    /// Waits for the disk once. `running` must have been set.
    fn sync(&self) {
        let (file, folder, upto) = {
            let state = self.state();
            (state.file.clone(), state.folder.clone(), state.written)
        };
        let synced = file.map_or(Ok(()), |file| file.sync_data());
        let synced = synced.and_then(|()| folder.as_ref().map_or(Ok(()), sync_folder));
        let mut state = self.state();
        match synced {
            Ok(()) => {
                state.synced = state.synced.max(upto);
                if state.folder == folder {
                    state.folder = None;
                }
            }
            Err(error) => state.failed = Some((state.synced + 1, upto, error.to_string())),
        }
        state.running = false;
        drop(state);
        self.done.notify_all();
        self.round
            .send_modify(|round| *round = round.wrapping_add(1));
    }
}

impl State {
    /// Returns what is known of a ticket.
    fn result(&self, ticket: u64) -> Option<Result<(), String>> {
        if let Some((first, last, reason)) = &self.failed
            && (*first..=*last).contains(&ticket)
        {
            return Some(Err(reason.clone()));
        }
        (self.synced >= ticket).then_some(Ok(()))
    }
}

/// Waits until the names in a folder are on the disk. Only Unix lets a program open a folder.
pub(super) fn sync_folder(folder: &PathBuf) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
