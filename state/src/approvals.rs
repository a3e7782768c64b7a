//! Calls that wait for a person.
//!
//! A row is one request. Its columns are for queries: what counts is the signed decision about the
//! request in the row, which [`verify`] checks. An approval is used by one update that only the first
//! of several transactions can make. A process that is killed before its commit leaves the approval
//! unused, and one that is killed after it leaves it used: the call must then be approved again.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use toolwright::approval::{
    Admission, ApprovalError, ApprovalHandle, ApprovalId, ApprovalRequest, ApprovalStore, Approver,
    BoxFuture, Decision, FoundRequest, StandingGrant, Unverified, Verdict, verify,
};

use crate::{
    State, StateError,
    database::{Row, Transaction, Value, encoded},
    standing,
};

/// The time for which requests are kept after their expiry.
const MEMORY: SignedDuration = SignedDuration::from_hours(30 * 24);

/// A stored request, with the decision about it.
pub(crate) struct StoredRequest {
    pub(crate) request: ApprovalRequest,
    decision: Option<Decision>,
}

impl StoredRequest {
    /// Reads the columns `request`, `decision` and `digest`. A row that was changed by hand, so its
    /// parts contradict each other, is as good as absent.
    pub(crate) fn read(row: &Row) -> Result<Option<Self>, StateError> {
        let Some(request) = parsed::<ApprovalRequest>(row.text(0)?) else {
            return Ok(None);
        };
        let decision = row.optional_text(1)?.map(parsed);
        let is_whole = request.digest() == row.text(2)?;
        Ok(match decision {
            Some(None) => None,
            _ if !is_whole => None,
            decision => Some(Self {
                request,
                decision: decision.flatten(),
            }),
        })
    }
}

fn parsed<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_str(text).ok()
}

impl State {
    async fn admit_now(&self, request: ApprovalRequest) -> Result<Admission, ApprovalError> {
        let approvers = self.approvers()?;
        let mut transaction = self.database.begin().await?;
        // Calls of the same role and run count together, and equal calls are of one role and run.
        transaction.lock(lock_key(&request.scope_digest())).await?;
        let admitted = admit(&mut transaction, request, &approvers, self.most_waiting).await?;
        transaction.commit().await?;
        Ok(admitted)
    }

    async fn is_new_now(&self, request: &ApprovalRequest) -> Result<bool, StateError> {
        let mut transaction = self.database.read().await?;
        let mut is_new = !is_full(&mut transaction, request, self.most_waiting).await?
            && !standing::covers(&mut transaction, request).await?;
        for standing in ["waiting", "approved", "rejected"] {
            let known = stored(&mut transaction, request, standing).await?;
            let now = request.requested;
            is_new &= !known.iter().any(|known| known.request.is_live(now));
        }
        transaction.commit().await?;
        Ok(is_new)
    }

    async fn give_back_now(&self, request: &ApprovalRequest) -> Result<(), StateError> {
        let mut transaction = self.database.begin().await?;
        let sql = "UPDATE approval SET standing = 'approved', used_at = NULL
            WHERE id = $1 AND standing = 'used'";
        let id = request.id.as_str().into();
        transaction.change(sql, vec![id]).await?;
        transaction.commit().await
    }

    async fn find_now(&self, id: &ApprovalId) -> Result<Option<FoundRequest>, StateError> {
        let mut transaction = self.database.read().await?;
        let sql = "SELECT request, decision, digest FROM approval
            WHERE id = $1 AND standing IN ('waiting', 'approved', 'rejected')";
        let rows = transaction.rows(sql, vec![id.as_str().into()]).await?;
        transaction.commit().await?;
        let stored = rows.first().map(StoredRequest::read).transpose()?.flatten();
        Ok(stored.map(|stored| {
            let verdict = stored.decision.map(|decision| decision.verdict);
            let request = stored.request;
            FoundRequest { request, verdict }
        }))
    }

    async fn pending_now(&self, now: Timestamp) -> Result<Vec<ApprovalRequest>, StateError> {
        let mut transaction = self.database.read().await?;
        let sql = "SELECT request, decision, digest FROM approval WHERE standing = 'waiting'
            ORDER BY requested_at, id";
        let rows = transaction.rows(sql, vec![]).await?;
        transaction.commit().await?;
        let mut pending = Vec::new();
        for row in &rows {
            let stored = StoredRequest::read(row)?.map(|stored| stored.request);
            pending.extend(stored.filter(|request| request.is_live(now)));
        }
        Ok(pending)
    }

    async fn decide_now(
        &self,
        handle: ApprovalHandle,
        decision: Decision,
    ) -> Result<ApprovalRequest, ApprovalError> {
        let approvers = self.approvers()?;
        let mut transaction = self.database.begin().await?;
        let sql = "SELECT request, decision, digest FROM approval
            WHERE handle = $1 AND standing = 'waiting'";
        let rows = transaction.rows(sql, vec![handle.as_str().into()]).await?;
        let stored = rows.first().map(StoredRequest::read).transpose()?.flatten();
        let request = stored.map(|stored| stored.request);
        let request = request.filter(|request| request.is_live(decision.time));
        let Some(request) = request else {
            transaction.commit().await?;
            return Err(ApprovalError::NotPending(handle));
        };
        // Applies the rules of its use, so a decision that cannot count is rejected here.
        let mut now = request.clone();
        now.requested = decision.time;
        if let Err(fault) = verify(&request, &decision, &now, Some(&approvers)) {
            transaction.commit().await?;
            return Err(fault.into());
        }
        let is_first = store_decision(&mut transaction, &request, &decision).await?;
        transaction.commit().await?;
        if is_first {
            Ok(request)
        } else {
            Err(ApprovalError::NotPending(handle))
        }
    }
}

/// Lets a call pass, or leaves it waiting.
async fn admit(
    transaction: &mut Transaction<'_>,
    request: ApprovalRequest,
    approvers: &[Approver],
    most_waiting: usize,
) -> Result<Admission, StateError> {
    let mut discarded = None;
    // A rejection that is in force wins over an approval.
    for verdict in [Verdict::Rejected, Verdict::Approved] {
        for stored in stored(transaction, &request, standing_of(verdict)).await? {
            match check(&stored, verdict, &request, approvers) {
                Ok(decision) if verdict == Verdict::Rejected => {
                    return Ok(Admission::Rejected(stored.request, decision));
                }
                Ok(decision) => {
                    if use_up(transaction, &stored.request, request.requested).await? {
                        return Ok(Admission::Approved(stored.request, decision));
                    }
                }
                Err(fault) => {
                    discard(transaction, &stored.request).await?;
                    discarded = Some(fault).filter(|fault| *fault != Unverified::Expired);
                }
            }
        }
    }
    if let Some(grant) = standing::count(transaction, &request, approvers).await? {
        return Ok(Admission::Standing(Box::new(grant)));
    }
    let waiting = match wait(transaction, request, most_waiting).await? {
        Some(waiting) => waiting,
        None => return Ok(Admission::Full),
    };
    Ok(match discarded {
        Some(fault) => Admission::Discarded(waiting, fault),
        None => Admission::Waiting(waiting),
    })
}

/// Returns the request that waits for the call: the one that is there, or the new one; none if too
/// many wait.
async fn wait(
    transaction: &mut Transaction<'_>,
    request: ApprovalRequest,
    most_waiting: usize,
) -> Result<Option<ApprovalRequest>, StateError> {
    for waiting in stored(transaction, &request, "waiting").await? {
        if waiting.request.waits_for(&request) {
            return Ok(Some(waiting.request));
        }
        discard(transaction, &waiting.request).await?;
    }
    forget(transaction, request.requested).await?;
    if is_full(transaction, &request, most_waiting).await? {
        return Ok(None);
    }
    insert(transaction, &request, None).await?;
    Ok(Some(request))
}

/// Checks whether too many requests of the same role and run wait.
async fn is_full(
    transaction: &mut Transaction<'_>,
    request: &ApprovalRequest,
    most_waiting: usize,
) -> Result<bool, StateError> {
    let scope = request.scope_digest();
    let sql = "SELECT COUNT(*) FROM approval
        WHERE scope = $1 AND standing = 'waiting' AND expires_at > $2";
    let values = vec![scope.as_str().into(), request.requested.into()];
    let rows = transaction.rows(sql, values).await?;
    let count = rows.first().map_or(Ok(0), |row| row.number(0))?;
    Ok(usize::try_from(count).is_ok_and(|count| count >= most_waiting))
}

/// Stores a request, with a decision if it was decided elsewhere.
pub(crate) async fn insert(
    transaction: &mut Transaction<'_>,
    request: &ApprovalRequest,
    decision: Option<&Decision>,
) -> Result<(), StateError> {
    let decided = decision.map(|decision| standing_of(decision.verdict));
    let values = vec![
        request.id.as_str().into(),
        request.handle.as_str().into(),
        request.digest().into(),
        request.scope_digest().into(),
        request.role.as_str().into(),
        request.tool.as_str().into(),
        decided.unwrap_or("waiting").into(),
        encoded(request)?.into(),
        Value::from(decision.map(encoded).transpose()?),
        request.requested.into(),
        request.expires.into(),
    ];
    let sql = "INSERT INTO approval (id, handle, digest, scope, role, tool, standing, request,
            decision, requested_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        ON CONFLICT (id) DO NOTHING";
    transaction.change(sql, values).await.map(drop)
}

/// Returns the stored requests for the same call.
async fn stored(
    transaction: &mut Transaction<'_>,
    request: &ApprovalRequest,
    standing: &'static str,
) -> Result<Vec<StoredRequest>, StateError> {
    let sql = "SELECT request, decision, digest FROM approval
        WHERE digest = $1 AND standing = $2 ORDER BY requested_at, id";
    let values = vec![request.digest().into(), standing.into()];
    let rows = transaction.rows(sql, values).await?;
    let stored: Result<Vec<_>, _> = rows.iter().map(StoredRequest::read).collect();
    Ok(stored?.into_iter().flatten().collect())
}

/// Returns the decision about a request, if it counts. The column of its standing decides nothing:
/// the signed verdict does.
fn check(
    stored: &StoredRequest,
    verdict: Verdict,
    call: &ApprovalRequest,
    approvers: &[Approver],
) -> Result<Decision, Unverified> {
    let decision = stored.decision.as_ref().ok_or(Unverified::NotSigned)?;
    verify(&stored.request, decision, call, Some(approvers))?;
    if decision.verdict != verdict {
        return Err(Unverified::Verdict);
    }
    Ok(decision.clone())
}

/// Uses an approval. Only the first of several transactions can.
async fn use_up(
    transaction: &mut Transaction<'_>,
    request: &ApprovalRequest,
    now: Timestamp,
) -> Result<bool, StateError> {
    let sql = "UPDATE approval SET standing = 'used', used_at = $1
        WHERE id = $2 AND standing = 'approved' AND used_at IS NULL";
    let values = vec![now.into(), request.id.as_str().into()];
    Ok(transaction.change(sql, values).await? == 1)
}

async fn discard(
    transaction: &mut Transaction<'_>,
    request: &ApprovalRequest,
) -> Result<(), StateError> {
    let sql = "UPDATE approval SET standing = 'discarded' WHERE id = $1";
    let id = request.id.as_str().into();
    transaction.change(sql, vec![id]).await.map(drop)
}

/// Stores a decision. Only the first of several can be stored.
async fn store_decision(
    transaction: &mut Transaction<'_>,
    request: &ApprovalRequest,
    decision: &Decision,
) -> Result<bool, StateError> {
    let sql = "UPDATE approval SET standing = $1, decision = $2
        WHERE id = $3 AND standing = 'waiting'";
    let values = vec![
        standing_of(decision.verdict).into(),
        encoded(decision)?.into(),
        request.id.as_str().into(),
    ];
    Ok(transaction.change(sql, values).await? == 1)
}

/// Removes requests that expired long ago.
async fn forget(transaction: &mut Transaction<'_>, now: Timestamp) -> Result<(), StateError> {
    let Ok(before) = now.checked_sub(MEMORY) else {
        return Ok(());
    };
    let sql = "DELETE FROM approval WHERE expires_at < $1";
    transaction.change(sql, vec![before.into()]).await.map(drop)
}

const fn standing_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Approved => "approved",
        Verdict::Rejected => "rejected",
    }
}

/// Returns the key of the lock for a digest. Equal keys of different digests only cost time.
fn lock_key(digest: &str) -> i64 {
    let digits: String = digest.chars().take(15).collect();
    i64::from_str_radix(&digits, 16).unwrap_or_default()
}

impl ApprovalStore for State {
    fn admit(&self, request: ApprovalRequest) -> BoxFuture<'_, Result<Admission, ApprovalError>> {
        Box::pin(self.admit_now(request))
    }

    fn is_new<'a>(
        &'a self,
        request: &'a ApprovalRequest,
    ) -> BoxFuture<'a, Result<bool, ApprovalError>> {
        Box::pin(async move { Ok(self.is_new_now(request).await?) })
    }

    fn give_back(
        &self,
        request: ApprovalRequest,
        _: Decision,
    ) -> BoxFuture<'_, Result<(), ApprovalError>> {
        Box::pin(async move { Ok(self.give_back_now(&request).await?) })
    }

    fn give_back_standing(&self, grant: StandingGrant) -> BoxFuture<'_, Result<(), ApprovalError>> {
        Box::pin(async move {
            let mut transaction = self.database.begin().await?;
            standing::put_back(&mut transaction, &grant).await?;
            Ok(transaction.commit().await?)
        })
    }

    fn find(&self, id: ApprovalId) -> BoxFuture<'_, Result<Option<FoundRequest>, ApprovalError>> {
        Box::pin(async move { Ok(self.find_now(&id).await?) })
    }

    fn pending(
        &self,
        now: Timestamp,
    ) -> BoxFuture<'_, Result<Vec<ApprovalRequest>, ApprovalError>> {
        Box::pin(async move { Ok(self.pending_now(now).await?) })
    }

    fn undecided(
        &self,
        now: Timestamp,
    ) -> BoxFuture<'_, Result<BTreeSet<ApprovalId>, ApprovalError>> {
        Box::pin(async move { Ok(self.waiting_ids(now).await?) })
    }

    fn waiting(
        &self,
        handle: ApprovalHandle,
        now: Timestamp,
    ) -> BoxFuture<'_, Result<Option<ApprovalRequest>, ApprovalError>> {
        Box::pin(async move { Ok(self.waiting_request(&handle, now).await?) })
    }

    fn decide(
        &self,
        handle: ApprovalHandle,
        decision: Decision,
    ) -> BoxFuture<'_, Result<ApprovalRequest, ApprovalError>> {
        Box::pin(self.decide_now(handle, decision))
    }
}
