//! A child that is started before a job needs it: the start takes about as long as a small job.
//!
//! A program has at most one, from its first job on. It waits for its order, and ends if the program does.

use tokio::{
    runtime::{Handle, Id},
    sync::Mutex,
    task::spawn_blocking,
};

use crate::running::{Output, Running};

/// The spare child, and the runtime that watches it. It is locked while one is started.
static SPARE: Mutex<Option<(Id, Running)>> = Mutex::const_new(None);

/// Takes the spare child, if there is one that waits for its order.
pub(crate) async fn take() -> Option<Running> {
    let mut spare = SPARE.lock().await;
    let (_, mut running) = spare.take_if(|(runtime, _)| *runtime == Handle::current().id())?;
    running.is_alive().then_some(running)
}

/// Starts a spare child in the background, unless there is one.
pub(crate) fn start() {
    spawn_blocking(|| {
        let runtime = Handle::current().id();
        let mut spare = SPARE.blocking_lock();
        if spare.as_ref().is_none_or(|(of, _)| *of != runtime) {
            // Without a spare child, the next job starts one for itself, or reports why it cannot.
            let started = Running::start(None, Output::None);
            *spare = started.ok().map(|running| (runtime, running));
        }
    });
}
