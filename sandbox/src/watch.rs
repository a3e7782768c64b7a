//! The mounts of a namespace, and whether they change.

use std::{
    fs::File,
    io,
    os::fd::OwnedFd,
    sync::{Mutex, PoisonError},
};

/// The open list of the mounts of a namespace.
#[derive(Debug)]
pub(crate) struct Watch {
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "no kernel but Linux has such a list")
    )]
    list: File,
}

impl Watch {
    /// Opens the list of this process.
    pub(crate) fn open() -> io::Result<Self> {
        let list = File::open("/proc/self/mountinfo")?;
        Ok(Self { list })
    }

    /// Checks whether the mounts have changed since the list was opened, or since the last check.
    #[cfg(target_os = "linux")]
    pub(crate) fn has_changed(&mut self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let change = PollFlags::PRI | PollFlags::ERR;
        let mut events = [PollFd::new(&self.list, PollFlags::PRI)];
        let polled = poll(&mut events, Some(&Timespec::default()));
        let [event] = events;
        polled.is_err() || event.revents().intersects(change)
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn has_changed(&mut self) -> bool {
        true
    }
}

impl From<OwnedFd> for Watch {
    fn from(list: OwnedFd) -> Self {
        Self { list: list.into() }
    }
}

impl From<Watch> for OwnedFd {
    fn from(watch: Watch) -> Self {
        watch.list.into()
    }
}

/// Returns how many changes of this program's mounts were noticed; none if they cannot be noticed.
pub(crate) fn changes_here() -> Option<u64> {
    static HERE: Mutex<Option<(Watch, u64)>> = Mutex::new(None);
    let mut here = HERE.lock().unwrap_or_else(PoisonError::into_inner);
    if here.is_none() {
        *here = Some((Watch::open().ok()?, 0));
    }
    let (watch, changes) = here.as_mut()?;
    *changes += u64::from(watch.has_changed());
    Some(*changes)
}
