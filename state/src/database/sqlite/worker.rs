//! The thread that owns a connection.

use std::{
    sync::mpsc::{Sender, channel},
    thread,
};

use rusqlite::Connection;
use tokio::{sync::oneshot, time::timeout};

use super::file::{DatabaseFile, Identity};
use crate::{StateError, database::STEP_LIMIT};

/// Work for the thread.
type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// A connection in a thread of its own. Dropping it closes the connection.
pub(super) struct Worker {
    jobs: Sender<Job>,
    /// The file that was opened.
    pub(super) identity: Identity,
}

impl Worker {
    /// Opens a database.
    pub(super) async fn start(file: DatabaseFile, may_create: bool) -> Result<Self, StateError> {
        let (jobs, queue) = channel::<Job>();
        let (opened, opening) = oneshot::channel();
        let run = move || match file.open(may_create) {
            Ok((mut connection, identity)) => {
                if opened.send(Ok(identity)).is_ok() {
                    queue.into_iter().for_each(|job| job(&mut connection));
                }
            }
            Err(error) => drop(opened.send(Err(error))),
        };
        let thread = thread::Builder::new().name("toolwright-state".to_owned());
        thread.spawn(run)?;
        let identity = answer(opening).await??;
        Ok(Self { jobs, identity })
    }

    /// Runs work in the thread.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StateError> {
        let (done, doing) = oneshot::channel();
        let job = move |connection: &mut Connection| drop(done.send(work(connection)));
        self.jobs.send(Box::new(job)).map_err(|_| ended())?;
        answer(doing).await?.map_err(StateError::unreachable)
    }
}

/// Waits for an answer of the thread, but not for ever.
async fn answer<T>(doing: oneshot::Receiver<T>) -> Result<T, StateError> {
    // A little longer than SQLite itself waits for a lock.
    match timeout(STEP_LIMIT * 2, doing).await {
        Ok(answer) => answer.map_err(|_| ended()),
        Err(_) => Err(StateError::unreachable("the database does not answer")),
    }
}

fn ended() -> StateError {
    StateError::unreachable("the connection has ended")
}
