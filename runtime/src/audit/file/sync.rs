//! Group commit: one wait for the disk serves all events that were written before it.

use std::{
    collections::VecDeque,
    fs::File,
    io,
    path::PathBuf,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use tokio::{sync::oneshot, task::spawn_blocking};

/// The events that were written, and those that are on the disk, by tickets.
#[derive(Debug, Default)]
pub(super) struct Syncer {
    state: Mutex<State>,
    /// Wakes threads that wait.
    done: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The ticket of the last event that was written.
    written: u64,
    /// The last ticket that must be on the disk.
    wanted: u64,
    /// The last ticket that is on the disk.
    synced: u64,
    /// The futures that wait, by their tickets.
    waiting: VecDeque<(u64, oneshot::Sender<Result<(), String>>)>,
    /// The file of the last event.
    file: Option<Arc<File>>,
    /// The folder, until the name of the file is on the disk too.
    folder: Option<PathBuf>,
    /// True while a thread waits for the disk.
    running: bool,
    /// The tickets that the last failure concerned, and the reason.
    failed: Option<(u64, u64, String)>,
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
            state.wanted = state.wanted.max(ticket);
            if state.running {
                state = self
                    .done
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state.running = true;
            drop(state);
            self.run();
            state = self.state();
        }
    }

    /// Waits as [`Syncer::wait`], without blocking the thread.
    pub(super) async fn wait_async(self: Arc<Self>, ticket: u64) -> Result<(), String> {
        let (sender, receiver) = oneshot::channel();
        {
            let mut state = self.state();
            if let Some(result) = state.result(ticket) {
                return result;
            }
            state.wanted = state.wanted.max(ticket);
            state.waiting.push_back((ticket, sender));
            self.start(&mut state);
        }
        let interrupted = |_| Err("the program ends".to_owned());
        receiver.await.unwrap_or_else(interrupted)
    }

    /// Begins to write what was written to the disk, on another thread if there is one.
    pub(super) fn begin(self: &Arc<Self>) {
        if tokio::runtime::Handle::try_current().is_ok() {
            let mut state = self.state();
            state.wanted = state.written;
            self.start(&mut state);
        }
    }

    /// Starts the thread that waits for the disk, unless one runs. It ends its work even if the
    /// future that started it is dropped.
    fn start(self: &Arc<Self>, state: &mut State) {
        if !std::mem::replace(&mut state.running, true) {
            let syncer = Arc::clone(self);
            spawn_blocking(move || syncer.run());
        }
    }

    /// Waits for the disk until nothing is wanted any more. `running` must have been set.
    fn run(&self) {
        loop {
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
            state.wake();
            let is_done = state.wanted <= upto;
            state.running = !is_done;
            drop(state);
            self.done.notify_all();
            if is_done {
                return;
            }
        }
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

    /// Wakes the futures whose tickets are known. They wait nearly in the order of their tickets.
    fn wake(&mut self) {
        for (ticket, sender) in std::mem::take(&mut self.waiting) {
            match self.result(ticket) {
                // The call may have been abandoned.
                Some(result) => drop(sender.send(result)),
                None => self.waiting.push_back((ticket, sender)),
            }
        }
    }
}

/// Waits until the names in a folder are on the disk. Only Unix lets a program open a folder.
pub(super) fn sync_folder(folder: &PathBuf) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
