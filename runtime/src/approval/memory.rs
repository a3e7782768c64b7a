//! Approvals in the memory of one process.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use jiff::Timestamp;

use super::{
    Admission, ApprovalError, ApprovalId, ApprovalRequest, ApprovalStore, Decision, Verdict,
};
use crate::tool::BoxFuture;

/// Approvals in the memory of one process, for programs that ask the person themselves.
#[derive(Debug, Default)]
pub struct MemoryApprovals {
    entries: Mutex<BTreeMap<ApprovalId, Entry>>,
}

#[derive(Debug)]
struct Entry {
    request: ApprovalRequest,
    decision: Option<Decision>,
}

impl MemoryApprovals {
    /// A store in which nothing waits.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self, now: Timestamp) -> MutexGuard<'_, BTreeMap<ApprovalId, Entry>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|_, entry| entry.request.is_live(now));
        entries
    }

    fn admit_now(&self, request: ApprovalRequest) -> Admission {
        let mut entries = self.lock(request.requested);
        let same = |verdict: Option<Verdict>| {
            entries
                .values()
                .find(|entry| {
                    entry.request.is_same_call(&request)
                        && entry.decision.as_ref().map(|decision| decision.verdict) == verdict
                })
                .map(|entry| (entry.request.clone(), entry.decision.clone()))
        };
        if let Some((approved, Some(decision))) = same(Some(Verdict::Approved)) {
            entries.remove(&approved.id);
            return Admission::Approved(approved, decision);
        }
        if let Some((rejected, Some(decision))) = same(Some(Verdict::Rejected)) {
            return Admission::Rejected(rejected, decision);
        }
        if let Some((waiting, None)) = same(None) {
            return Admission::Waiting(waiting);
        }
        let entry = Entry {
            request: request.clone(),
            decision: None,
        };
        entries.insert(request.id.clone(), entry);
        Admission::Waiting(request)
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
        id: ApprovalId,
        decision: Decision,
    ) -> Result<ApprovalRequest, ApprovalError> {
        match self.lock(decision.time).get_mut(&id) {
            Some(entry) if entry.decision.is_none() => {
                entry.decision = Some(decision);
                Ok(entry.request.clone())
            }
            _ => Err(ApprovalError::NotPending(id)),
        }
    }
}

impl ApprovalStore for MemoryApprovals {
    fn admit(&self, request: ApprovalRequest) -> BoxFuture<'_, Result<Admission, ApprovalError>> {
        Box::pin(async move { Ok(self.admit_now(request)) })
    }

    fn pending(
        &self,
        now: Timestamp,
    ) -> BoxFuture<'_, Result<Vec<ApprovalRequest>, ApprovalError>> {
        Box::pin(async move { Ok(self.pending_now(now)) })
    }

    fn decide(
        &self,
        id: ApprovalId,
        decision: Decision,
    ) -> BoxFuture<'_, Result<ApprovalRequest, ApprovalError>> {
        Box::pin(async move { self.decide_now(id, decision) })
    }
}
