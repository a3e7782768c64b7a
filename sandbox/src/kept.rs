//! Confined children that are kept for further jobs: the confinement takes many times as long as a small job.
//!
//! A child is kept for jobs of one owner with equal rights: the same confinement of the same files, not only
//! of the same paths. While it waits, it is stopped, so nothing of a call runs after the end of the call.

use std::{
    fs::{self, Metadata},
    os::unix::fs::MetadataExt as _,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use crate::{
    Confinement, Network, Support,
    message::Identity,
    running::{Origin, Running},
    watch::{self, Watch},
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
    /// What covers its hidden paths, if there are any.
    covers: Option<Covers>,
    /// The jobs that it has carried out.
    jobs: u32,
    /// The time since which it waits.
    since: Instant,
}

/// What covers the hidden paths of a child.
#[derive(Debug)]
pub(crate) struct Covers {
    /// The covered files.
    pub(crate) files: Vec<Identity>,
    /// The mounts of the child. A cover goes if another process removes the path that it is at.
    pub(crate) mounts: Watch,
}

/// The rights of a child, and the one it works for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rights {
    owner: String,
    confinement: Confinement,
    support: Support,
    /// The files that its paths name.
    open: Vec<Identity>,
    /// The files that are covered.
    hidden: Vec<Identity>,
    origin: Origin,
    /// The changes of the mounts of this program until the child started.
    mounts: u64,
}

impl Rights {
    /// Returns the rights that a child would have if it started now; none if such a child is not kept.
    ///
    /// A file with several names is not hidden from a child that is kept: another process could put one of them
    /// in the place of another, which has the same number and is not covered.
    pub(crate) fn now(owner: &str, confinement: &Confinement, support: &Support) -> Option<Self> {
        let files = &confinement.files;
        let is_simple = !files.system && !files.own_program && confinement.limits.scratch == 0;
        let is_covered = files.hidden.is_empty() || support.mount;
        if !is_simple || !is_covered || confinement.network != Network::None {
            return None;
        }
        let mounts = watch::changes_here()?;
        let paths = [&files.read, &files.execute, &files.write];
        let paths = paths.into_iter().flatten().chain([&confinement.folder]);
        let open = paths.map(|path| Some(identity(&fs::metadata(path).ok()?)));
        let hidden = files.hidden.iter().map(|path| {
            let found = fs::symlink_metadata(path).ok()?;
            let is_one = found.is_dir() || (found.nlink() == 1 && !found.is_symlink());
            is_one.then(|| identity(&found))
        });
        Some(Self {
            owner: owner.to_owned(),
            confinement: confinement.clone(),
            support: support.clone(),
            open: open.collect::<Option<_>>()?,
            hidden: hidden.collect::<Option<_>>()?,
            origin: Origin::now(),
            mounts,
        })
    }

    /// Checks whether a child that started now would still have these rights.
    fn are_current(&self) -> bool {
        Self::now(&self.owner, &self.confinement, &self.support).as_ref() == Some(self)
    }
}

fn identity(found: &Metadata) -> Identity {
    (found.dev(), found.ino())
}

impl Kept {
    /// A child that has not carried out a job yet.
    pub(crate) fn new(running: Running, rights: Rights, covers: Option<Covers>) -> Self {
        Self {
            running,
            rights,
            covers,
            jobs: 0,
            since: Instant::now(),
        }
    }

    /// Checks that the hidden paths are covered as they were when it started, and that those files are hidden now.
    fn is_covered(&mut self) -> bool {
        match &mut self.covers {
            None => self.rights.hidden.is_empty(),
            Some(covers) => covers.files == self.rights.hidden && !covers.mounts.has_changed(),
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
    let is_usable = kept.is_covered() && kept.running.is_alive();
    (is_usable && kept.running.wake().is_ok()).then_some(kept)
}

/// Keeps a child after a job. Returns one that is not kept, and must end.
pub(crate) fn keep(mut kept: Kept) -> Option<Kept> {
    kept.jobs += 1;
    let is_fit = kept.jobs < JOBS && kept.rights.are_current() && kept.is_covered();
    if !is_fit || kept.running.stop().is_err() {
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
