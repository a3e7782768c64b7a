//! Approvals in the memory of one process.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use jiff::Timestamp;

use super::{
    Admission, ApprovalError, ApprovalHandle, ApprovalId, ApprovalRequest, ApprovalStore, Decision,
    FoundRequest, MOST_WAITING, Verdict, verify,
};
use futures_core::future::BoxFuture;

/// Approvals in the memory of one process, for programs that ask the person themselves.
///
/// Decisions never leave the process, so they need no signature.
#[derive(Debug)]
pub struct MemoryApprovals {
    /// The entries by the digest of the request.
    entries: Mutex<BTreeMap<String, StoredEntry>>,
    most_waiting: usize,
}

#[derive(Debug)]
struct StoredEntry {
    request: ApprovalRequest,
    decision: Option<Decision>,
}

impl Default for MemoryApprovals {
    fn default() -> Self {
        Self {
            entries: Mutex::default(),
            most_waiting: MOST_WAITING,
        }
    }
}

impl MemoryApprovals {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Bounds how many requests of one role and run may wait at once.
    #[must_use]
    pub const fn most_waiting(mut self, most: usize) -> Self {
        self.most_waiting = most;
        self
    }

    fn lock(&self, now: Timestamp) -> MutexGuard<'_, BTreeMap<String, StoredEntry>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|_, entry| entry.request.is_live(now));
        entries
    }

    fn admit_now(&self, request: ApprovalRequest) -> Admission {
        let mut entries = self.lock(request.requested);
        let digest = request.digest();
        let Some(held) = entries.remove(&digest) else {
            return self.wait(&mut entries, digest, request);
        };
        let Some(decision) = held.decision.clone() else {
            if !held.request.waits_for(&request) {
                return self.wait(&mut entries, digest, request);
            }
            let waiting = Admission::Waiting(held.request.clone());
            entries.insert(digest, held);
            return waiting;
        };
        if let Err(fault) = verify(&held.request, &decision, &request, None) {
            return match self.wait(&mut entries, digest, request) {
                Admission::Waiting(request) => Admission::Discarded(request, fault),
                other => other,
            };
        }
        match decision.verdict {
            Verdict::Approved => Admission::Approved(held.request, decision),
            Verdict::Rejected => {
                let rejected = Admission::Rejected(held.request.clone(), decision);
                entries.insert(digest, held);
                rejected
            }
        }
    }

    fn wait(
        &self,
        entries: &mut BTreeMap<String, StoredEntry>,
        digest: String,
        request: ApprovalRequest,
    ) -> Admission {
        if self.is_full(entries, &request) {
            return Admission::Full;
        }
        let entry = StoredEntry {
            request: request.clone(),
            decision: None,
        };
        entries.insert(digest, entry);
        Admission::Waiting(request)
    }

    fn is_new_now(&self, request: &ApprovalRequest) -> bool {
        let entries = self.lock(request.requested);
        !entries.contains_key(&request.digest()) && !self.is_full(&entries, request)
    }

    /// Checks whether too many requests of the same role and run wait.
    fn is_full(&self, entries: &BTreeMap<String, StoredEntry>, request: &ApprovalRequest) -> bool {
        let scope = request.scope_digest();
        let waiting = entries.values().filter(|entry| entry.decision.is_none());
        let same = waiting.filter(|entry| entry.request.scope_digest() == scope);
        same.count() >= self.most_waiting
    }

    fn pending_now(&self, now: Timestamp) -> Vec<ApprovalRequest> {
        let mut pending: Vec<_> = self
            .lock(now)
            .values()
            .filter(|entry| entry.decision.is_none())
            .map(|entry| entry.request.clone())
            .collect();
        pending.sort_by_key(|request| request.requested);
        pending
    }

    fn decide_now(
        &self,
        handle: ApprovalHandle,
        decision: Decision,
    ) -> Result<ApprovalRequest, ApprovalError> {
        let mut entries = self.lock(decision.time);
        let mut waiting = entries
            .values_mut()
            .filter(|entry| entry.decision.is_none());
        match waiting.find(|entry| entry.request.handle == handle) {
            Some(entry) => {
                entry.decision = Some(decision);
                Ok(entry.request.clone())
            }
            None => Err(ApprovalError::NotPending(handle)),
        }
    }
}

impl ApprovalStore for MemoryApprovals {
    fn admit(&self, request: ApprovalRequest) -> BoxFuture<'_, Result<Admission, ApprovalError>> {
        Box::pin(async move { Ok(self.admit_now(request)) })
    }

    fn is_new<'a>(
        &'a self,
        request: &'a ApprovalRequest,
    ) -> BoxFuture<'a, Result<bool, ApprovalError>> {
        Box::pin(async move { Ok(self.is_new_now(request)) })
    }

    fn give_back(
        &self,
        request: ApprovalRequest,
        decision: Decision,
    ) -> BoxFuture<'_, Result<(), ApprovalError>> {
        Box::pin(async move {
            let mut entries = self.lock(decision.time);
            let digest = request.digest();
            let decision = Some(decision);
            entries.insert(digest, StoredEntry { request, decision });
            Ok(())
        })
    }

    fn find(&self, id: ApprovalId) -> BoxFuture<'_, Result<Option<FoundRequest>, ApprovalError>> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let found = entries.values().find(|entry| entry.request.id == id);
        let found = found.map(|entry| {
            let verdict = entry.decision.as_ref().map(|decision| decision.verdict);
            let request = entry.request.clone();
            FoundRequest { request, verdict }
        });
        Box::pin(async move { Ok(found) })
    }

    fn pending(
        &self,
        now: Timestamp,
    ) -> BoxFuture<'_, Result<Vec<ApprovalRequest>, ApprovalError>> {
        Box::pin(async move { Ok(self.pending_now(now)) })
    }

    fn decide(
        &self,
        handle: ApprovalHandle,
        decision: Decision,
    ) -> BoxFuture<'_, Result<ApprovalRequest, ApprovalError>> {
        Box::pin(async move { self.decide_now(handle, decision) })
    }
}
