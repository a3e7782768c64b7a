//! The part of a limit that one client may take.
//!
//! Where each client has a token of its own, none of them can shut the others out: it gets at most half of the
//! sessions, connections, calls, tasks and memory of the server. Clients that share one token share the whole.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use tokio::sync::Semaphore;

use crate::admission::Admission;

/// The shares of clients in a limit.
#[derive(Debug)]
pub(crate) struct Shares {
    limit: usize,
    /// The shares in use, by the names of their clients.
    clients: Mutex<BTreeMap<String, Weak<Semaphore>>>,
}

/// Returns how much of a limit one client may take.
pub(crate) const fn share_of(limit: usize) -> usize {
    limit.div_ceil(2)
}

/// Checks whether a client has as much of a limit as one client may take. A client without a token of its own
/// has no share.
pub(crate) fn has_its_share<'a>(
    client: &Admission,
    owners: impl Iterator<Item = &'a Admission>,
    limit: usize,
) -> bool {
    client.own_name().is_some()
        && owners.filter(|owner| owner.is_of_same(client)).count() >= share_of(limit)
}

/// Returns a semaphore with this many permits, or with the most that there can be.
pub(crate) fn semaphore(permits: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(permits.min(Semaphore::MAX_PERMITS)))
}

impl Shares {
    /// Divides a limit among clients.
    pub(crate) const fn new(limit: usize) -> Self {
        Self {
            limit,
            clients: Mutex::new(BTreeMap::new()),
        }
    }

    /// The limit of one client.
    pub(crate) const fn share(&self) -> usize {
        share_of(self.limit)
    }

    /// Returns the share of a client; none if it has no token of its own.
    pub(crate) fn of(&self, admission: Option<&Admission>) -> Option<Arc<Semaphore>> {
        let name = admission?.own_name()?;
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = clients.get(name).and_then(Weak::upgrade) {
            return Some(share);
        }
        clients.retain(|_, share| share.strong_count() > 0);
        let share = semaphore(self.share());
        clients.insert(name.to_owned(), Arc::downgrade(&share));
        Some(share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_in_use_as_long_as_a_part_of_it_is() {
        let shares = Shares::new(3);
        let (one, other) = (Admission::with_name("one"), Admission::with_name("other"));
        let first = shares.of(Some(&one)).unwrap();
        let part = first.clone().try_acquire_many_owned(2).unwrap();
        drop(first);
        assert_eq!(shares.of(Some(&one)).unwrap().available_permits(), 0);
        assert_eq!(shares.of(Some(&other)).unwrap().available_permits(), 2);
        drop(part);
        assert_eq!(shares.of(Some(&one)).unwrap().available_permits(), 2);
        assert!(shares.of(None).is_none());
    }
}
