//! Approvals in a folder, shared by processes.
//!
//! A request is one file, `pending/SCOPE-DIGEST.json`; a decision moves it to `approved/` or
//! `rejected/`. A lock serialises every change. An approval is used by creating `used/ID`, which
//! only one process can do, so it is used once even if its file is put back. A crash between two
//! steps loses the file. The call must then be requested again, which is the safe side.

mod files;

use std::{
    io,
    path::{Path, PathBuf},
};

use files::{Files, RequestState, StoredRequest};
use jiff::Timestamp;

use super::{
    Admission, ApprovalError, ApprovalHandle, ApprovalRequest, ApprovalStore, ApproverKeys,
    Decision, MOST_WAITING, Unverified, Verdict, verify,
};
use crate::system::{Interrupted, offload};
use futures_core::future::BoxFuture;

/// Approvals in a folder: one process calls, and a person approves from another.
///
/// Decisions count only if they are signed by a key of an [approver](ApproverKeys). The folder is
/// made accessible to its owner only, or to a group, and is refused if others can change it.
#[derive(Clone, Debug)]
pub struct FolderApprovals {
    folder: PathBuf,
    group: Option<String>,
    keys: ApproverKeys,
    most_waiting: usize,
}

impl FolderApprovals {
    /// Creates a store in this folder, which is created with the first request. Decisions must be
    /// signed by the key of the user who runs this process, unless other keys are set.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            group: None,
            keys: ApproverKeys::of_user(),
            most_waiting: MOST_WAITING,
        }
    }

    /// Sets the keys of the approvers.
    #[must_use]
    pub fn keys(mut self, keys: ApproverKeys) -> Self {
        self.keys = keys;
        self
    }

    /// Shares the folder with the members of a group of the operating system, for approvers other
    /// than the user who runs the tools.
    #[must_use]
    pub fn shared_with(mut self, group: Option<String>) -> Self {
        self.group = group;
        self
    }

    /// Bounds how many requests of one role and run may wait at once.
    #[must_use]
    pub const fn most_waiting(mut self, most: usize) -> Self {
        self.most_waiting = most;
        self
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns whether decisions signed by this key count here.
    ///
    /// # Errors
    /// [`ApprovalError::Key`] when the keys cannot be read.
    pub fn accepts(&self, key: &super::PublicKey) -> Result<bool, ApprovalError> {
        Ok(self.keys.read()?.contains(key))
    }

    fn admit_now(&self, request: ApprovalRequest) -> Result<Admission, ApprovalError> {
        let keys = self.keys.read()?;
        let files = self.files().map_err(|error| self.failed(&error))?;
        let admitted = admit(&files, request, &keys, self.most_waiting);
        admitted.map_err(|error| self.failed(&error))
    }

    fn decide_now(
        &self,
        handle: &ApprovalHandle,
        decision: Decision,
    ) -> Result<ApprovalRequest, ApprovalError> {
        let failed = |error| self.failed(&error);
        let not_pending = || ApprovalError::NotPending(handle.clone());
        if !self.folder.exists() {
            return Err(not_pending());
        }
        let keys = self.keys.read()?;
        let files = self.files().map_err(failed)?;
        let pending = files.read_all(RequestState::Pending).map_err(failed)?;
        let mut named = pending.into_iter().map(|record| record.request);
        let request = named
            .find(|request| request.handle == *handle)
            .filter(|request| request.is_live(decision.time))
            .ok_or_else(not_pending)?;
        // Applies the rules of its use, so a decision that cannot count is rejected here.
        let mut now = request.clone();
        (now.requested, now.expires) = (decision.time, request.expires);
        verify(&request, &decision, &now, Some(&keys))?;
        let standing = match decision.verdict {
            Verdict::Approved => RequestState::Approved,
            Verdict::Rejected => RequestState::Rejected,
        };
        let record = StoredRequest {
            request,
            decision: Some(decision),
        };
        files.put(standing, &record).map_err(failed)?;
        files
            .remove(RequestState::Pending, &record.request)
            .map_err(failed)?;
        Ok(record.request)
    }

    fn pending_now(&self, now: Timestamp) -> io::Result<Vec<ApprovalRequest>> {
        if !self.folder.exists() {
            return Ok(Vec::new());
        }
        let records = self.files()?.read_all(RequestState::Pending)?;
        let requests = records.into_iter().map(|record| record.request);
        let mut pending: Vec<_> = requests.filter(|request| request.is_live(now)).collect();
        pending.sort_by(|a, b| (a.requested, &a.id).cmp(&(b.requested, &b.id)));
        Ok(pending)
    }

    fn files(&self) -> io::Result<Files> {
        Files::lock(&self.folder, self.group.as_deref())
    }

    fn failed(&self, error: &io::Error) -> ApprovalError {
        ApprovalError::Store(format!("{}: {error}", self.folder.display()))
    }
}

/// Lets a call pass, or leaves it waiting.
fn admit(
    files: &Files,
    request: ApprovalRequest,
    keys: &[super::PublicKey],
    most_waiting: usize,
) -> io::Result<Admission> {
    let mut discarded = None;
    for standing in [RequestState::Rejected, RequestState::Approved] {
        let Some(held) = files.get(standing, &request)? else {
            continue;
        };
        match verify_stored(&held, standing, &request, keys) {
            Ok(decision) if standing == RequestState::Rejected => {
                return Ok(Admission::Rejected(held.request, decision));
            }
            Ok(decision) => {
                let is_first = files.mark_used(&held.request)?;
                files.remove(standing, &request)?;
                if is_first {
                    return Ok(Admission::Approved(held.request, decision));
                }
            }
            Err(fault) => {
                files.remove(standing, &request)?;
                discarded = Some(fault).filter(|fault| *fault != Unverified::Expired);
            }
        }
    }
    let waiting = match files.get(RequestState::Pending, &request)? {
        Some(held) if held.is_the_call(&request) => held.request,
        _ => {
            files.forget_expired(request.requested)?;
            if files.count(RequestState::Pending, &request)? >= most_waiting {
                return Ok(Admission::Full);
            }
            let record = StoredRequest {
                request,
                decision: None,
            };
            files.put(RequestState::Pending, &record)?;
            record.request
        }
    };
    Ok(match discarded {
        Some(fault) => Admission::Discarded(waiting, fault),
        None => Admission::Waiting(waiting),
    })
}

/// The decision of a record, if it counts. The place of the file decides nothing: the signed
/// verdict does.
fn verify_stored(
    held: &StoredRequest,
    standing: RequestState,
    call: &ApprovalRequest,
    keys: &[super::PublicKey],
) -> Result<Decision, Unverified> {
    let decision = held.decision.as_ref().ok_or(Unverified::NotSigned)?;
    verify(&held.request, decision, call, Some(keys))?;
    let expected = match standing {
        RequestState::Rejected => Verdict::Rejected,
        RequestState::Pending | RequestState::Approved => Verdict::Approved,
    };
    if decision.verdict != expected {
        return Err(Unverified::Verdict);
    }
    Ok(decision.clone())
}

impl ApprovalStore for FolderApprovals {
    fn admit(&self, request: ApprovalRequest) -> BoxFuture<'_, Result<Admission, ApprovalError>> {
        let store = self.clone();
        Box::pin(async move { offload(move || store.admit_now(request)).await? })
    }

    fn give_back(
        &self,
        request: ApprovalRequest,
        decision: Decision,
    ) -> BoxFuture<'_, Result<(), ApprovalError>> {
        let store = self.clone();
        let record = StoredRequest {
            request,
            decision: Some(decision),
        };
        let work = move || {
            let given = store.files().and_then(|files| files.give_back(&record));
            given.map_err(|error| store.failed(&error))
        };
        Box::pin(async move { offload(work).await? })
    }

    fn pending(
        &self,
        now: Timestamp,
    ) -> BoxFuture<'_, Result<Vec<ApprovalRequest>, ApprovalError>> {
        let store = self.clone();
        let work = move || store.pending_now(now).map_err(|error| store.failed(&error));
        Box::pin(async move { offload(work).await? })
    }

    fn decide(
        &self,
        handle: ApprovalHandle,
        decision: Decision,
    ) -> BoxFuture<'_, Result<ApprovalRequest, ApprovalError>> {
        let store = self.clone();
        Box::pin(async move { offload(move || store.decide_now(&handle, decision)).await? })
    }
}

impl From<Interrupted> for ApprovalError {
    fn from(_: Interrupted) -> Self {
        Self::Store("the program ends".to_owned())
    }
}
