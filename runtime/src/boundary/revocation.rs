//! Revocation of views that were handed out.

use std::{
    collections::BTreeMap,
    sync::{
        PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

use toolwright_model::Role;

/// The revoked views. Views are numbered in the order of their creation.
#[derive(Debug, Default)]
pub(crate) struct Revocations {
    issued: AtomicU64,
    /// The last void number of each role's views.
    void: RwLock<BTreeMap<Role, u64>>,
}

impl Revocations {
    /// Returns the number of the next view.
    pub(crate) fn issue(&self) -> u64 {
        self.issued.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Voids all views of the role that were handed out so far.
    pub(crate) fn revoke(&self, role: &Role) {
        let mut void = self.void.write().unwrap_or_else(PoisonError::into_inner);
        void.insert(role.clone(), self.issued.load(Ordering::SeqCst));
    }

    /// Checks whether the view with this role and number is void.
    pub(crate) fn is_revoked(&self, role: &Role, number: u64) -> bool {
        let void = self.void.read().unwrap_or_else(PoisonError::into_inner);
        void.get(role).is_some_and(|last| number <= *last)
    }
}
