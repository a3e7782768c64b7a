//! Confined children that are kept for further jobs: the confinement takes many times as long as a small job.
//!
//! A child is kept for jobs of one owner with equal rights, and only if it may open no file: what a job uses, the
//! caller opens for it. While it waits, it is stopped, so nothing of a call runs after the end of the call.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use crate::{
    Confinement, Files, Network, Support,
    running::{Origin, Running},
};

/// The most children that are kept.
const MOST: usize = 16;

/// The most jobs of a child.
const JOBS: u32 = 64;

/// The time after which a child that waits ends.
const IDLE: Duration = Duration::from_secs(5);

/// The children that wait.
static WAITING: Mutex<Waiting> = Mutex::new(Waiting {
    children: Vec::new(),
    is_watched: false,
});

#[derive(Debug)]
struct Waiting {
    /// The last one has waited for the shortest time.
    children: Vec<Kept>,
    /// True while a thread ends those that have waited for too long.
    is_watched: bool,
}

/// A confined child.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) running: Running,
    rights: Rights,
    /// The jobs that it has carried out.
    jobs: u32,
    /// The time since which it waits.
    since: Instant,
}

/// The rights of a child, and the one it works for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rights {
    owner: String,
    confinement: Confinement,
    support: Support,
    origin: Origin,
}

impl Rights {
    /// Returns the rights that a child would have if it started now; none if such a child is not kept, since it could
    /// open files or connections.
    pub(crate) fn now(owner: &str, confinement: &Confinement, support: &Support) -> Option<Self> {
        let opens_nothing = confinement.files == Files::default()
            && confinement.network == Network::None
            && confinement.limits.scratch == 0;
        opens_nothing.then(|| Self {
            owner: owner.to_owned(),
            confinement: confinement.clone(),
            support: support.clone(),
            origin: Origin::now(),
        })
    }
}

impl Kept {
    /// A child that has not carried out a job yet.
    pub(crate) fn new(running: Running, rights: Rights) -> Self {
        Self {
            running,
            rights,
            jobs: 0,
            since: Instant::now(),
        }
    }
}

/// Takes a child that waits and has these rights.
pub(crate) fn take(rights: &Rights) -> Option<Kept> {
    let mut waiting = waiting();
    let mut children = waiting.children.iter();
    let found = children.rposition(|kept| kept.rights == *rights)?;
    let mut kept = waiting.children.remove(found);
    drop(waiting);
    (kept.running.is_alive() && kept.running.wake().is_ok()).then_some(kept)
}

/// Keeps a child after a job. Returns one that is not kept, and must end.
pub(crate) fn keep(mut kept: Kept) -> Option<Kept> {
    kept.jobs += 1;
    if kept.jobs >= JOBS || kept.running.stop().is_err() {
        return Some(kept);
    }
    let mut waiting = waiting();
    if !waiting.is_watched {
        let end_idle = || while end_idle() {};
        let thread = thread::Builder::new().name("toolwright-idle".to_owned());
        if thread.spawn(end_idle).is_err() {
            return Some(kept);
        }
        waiting.is_watched = true;
    }
    kept.since = Instant::now();
    waiting.children.push(kept);
    let is_full = waiting.children.len() > MOST;
    is_full.then(|| waiting.children.remove(0))
}

/// Ends the children that have waited for too long. Returns true if others wait.
fn end_idle() -> bool {
    thread::sleep(IDLE / 5);
    let mut waiting = waiting();
    waiting.children.retain(|kept| kept.since.elapsed() < IDLE);
    waiting.is_watched = !waiting.children.is_empty();
    waiting.is_watched
}

fn waiting() -> MutexGuard<'static, Waiting> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}
