//! A child that is started before a job needs it: the start takes about as long as a small job.
//!
//! A program has at most one, from its first job on. It waits for its order, and ends if the program does.

use rustix::process::{Gid, Uid, getegid, geteuid};
use tokio::{
    runtime::{Handle, Id},
    sync::Mutex,
    task::spawn_blocking,
};

use crate::running::{Output, Running};

/// The spare child, and where it is from. It is locked while one is started.
static SPARE: Mutex<Option<(Origin, Running)>> = Mutex::const_new(None);

/// What a child has from the program at its start, and the program may have changed since: it can give up rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Origin {
    /// The runtime that watches it.
    runtime: Id,
    user: Uid,
    group: Gid,
}

impl Origin {
    fn now() -> Self {
        Self {
            runtime: Handle::current().id(),
            user: geteuid(),
            group: getegid(),
        }
    }
}

/// Takes the spare child, if there is one that waits for its order.
pub(crate) async fn take() -> Option<Running> {
    let (origin, mut running) = SPARE.lock().await.take()?;
    (origin == Origin::now() && running.is_alive()).then_some(running)
}

/// Starts a spare child in the background, unless there is one.
pub(crate) fn start() {
    spawn_blocking(|| {
        let origin = Origin::now();
        let mut spare = SPARE.blocking_lock();
        if spare.as_ref().is_none_or(|(of, _)| *of != origin) {
            // Without a spare child, the next job starts one for itself, or reports why it cannot.
            let started = Running::start(None, Output::None);
            *spare = started.ok().map(|running| (origin, running));
        }
    });
}
