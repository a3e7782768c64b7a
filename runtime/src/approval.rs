//! Approval: a call that waits for a person.
//!
//! An approval is bound to the role, the run, the tool's specification, and the exact request to
//! send, without credentials. A named person decides it out of band. It lets one call pass, and it
//! expires.
//!
//! The caller receives the [`ApprovalId`] of the request; a person names it by its
//! [`ApprovalHandle`], which the caller never receives. Neither [`decide`] nor
//! [`ApprovalStore::decide`] is reachable from a [`ScopedToolView`](crate::ScopedToolView). Where
//! decisions come from another process, they are signed with an [`ApproverKey`] that the serving
//! process does not have. The protection and its limits are described in
//! `docs/threat-model.md`.

mod changes;
mod decided;
mod decision;
mod handle;
mod key;
mod mask;
mod memory;
mod page;
mod request;
mod standing;
mod verify;

use std::{collections::BTreeSet, fmt, pin::Pin};

pub use changes::{Change, Changes};
pub(crate) use changes::{Masked, common, compare};
pub use decided::decide;
pub use decision::Decision;
pub use handle::ApprovalHandle;
use jiff::Timestamp;
pub use key::{Approver, ApproverKey, ApproverKeys, PublicKey, Signature};
pub use mask::ArgumentPointer;
pub(crate) use mask::Masks;
pub use memory::MemoryApprovals;
pub use page::{ApprovalPage, NotAConsole};
pub use request::{ApprovalRequest, Shown, ShownBody, ShownFile, ShownRequest, ShownStep};
pub use standing::{MOST_USES, StandingGrant, StandingId, StandingTerms};
pub use verify::{Unverified, verify};

pub use crate::verdict::{ApprovalId, NotAnApprovalId, Verdict};
use crate::{
    audit::AuditError,
    statement::{NAME_LIMIT, REASON_LIMIT},
};

/// The future of a method of a store. It can be sent to another thread.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The default bound on the requests of one role and run that wait at once.
pub const MOST_WAITING: usize = 20;

/// A store of requests for approval and of the decisions about them.
///
/// A store only keeps records. Whether a decision counts is decided by [`verify`], which every
/// store calls before it lets a call pass. [`MemoryApprovals`] is the store of one process; the
/// crate `toolwright-state` keeps approvals in a database that processes share.
pub trait ApprovalStore: Send + Sync {
    /// Lets the call pass if a verified approval of the same call is there, and uses that approval
    /// up. Of several callers at once only one passes.
    ///
    /// Otherwise returns the rejection that is still in force, or leaves a request waiting: the one
    /// that is already there for the same call, or this one.
    fn admit(&self, request: ApprovalRequest) -> BoxFuture<'_, Result<Admission, ApprovalError>>;

    /// Returns whether [`admit`](Self::admit) would leave this request waiting as a new one, as far as
    /// that can be told without deciding. The values before an update are read only then, and so
    /// never with a store that does not implement this.
    fn is_new<'a>(&'a self, _: &'a ApprovalRequest) -> BoxFuture<'a, Result<bool, ApprovalError>> {
        Box::pin(async { Ok(false) })
    }

    /// Puts back an approval that a call used up without sending anything.
    fn give_back(
        &self,
        request: ApprovalRequest,
        decision: Decision,
    ) -> BoxFuture<'_, Result<(), ApprovalError>>;

    /// Puts back the use of a standing grant that a call counted without sending anything. A store
    /// without standing grants has nothing to put back.
    fn give_back_standing(&self, _: StandingGrant) -> BoxFuture<'_, Result<(), ApprovalError>> {
        Box::pin(async { Ok(()) })
    }

    /// Returns the request with this id, if it waits or was decided and is not used.
    fn find(&self, id: ApprovalId) -> BoxFuture<'_, Result<Option<FoundRequest>, ApprovalError>>;

    /// The requests that wait at this time, the oldest first.
    fn pending(&self, now: Timestamp)
    -> BoxFuture<'_, Result<Vec<ApprovalRequest>, ApprovalError>>;

    /// The ids of the requests that wait at this time. A call that waits for its decision reads them several times a
    /// second.
    fn undecided(
        &self,
        now: Timestamp,
    ) -> BoxFuture<'_, Result<BTreeSet<ApprovalId>, ApprovalError>> {
        Box::pin(async move {
            let pending = self.pending(now).await?.into_iter();
            Ok(pending.map(|request| request.id).collect())
        })
    }

    /// Returns the request with this handle, if it waits at this time.
    fn waiting(
        &self,
        handle: ApprovalHandle,
        now: Timestamp,
    ) -> BoxFuture<'_, Result<Option<ApprovalRequest>, ApprovalError>> {
        Box::pin(async move {
            let mut pending = self.pending(now).await?.into_iter();
            Ok(pending.find(|request| request.handle == handle))
        })
    }

    /// Keeps a person's decision and returns the request that was decided on. A request can be
    /// decided once. The store does not audit the decision; [`decide`] does.
    fn decide(
        &self,
        handle: ApprovalHandle,
        decision: Decision,
    ) -> BoxFuture<'_, Result<ApprovalRequest, ApprovalError>>;
}

/// A request that waits, or whose decision is in force.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundRequest {
    /// The request.
    pub request: ApprovalRequest,
    /// The verdict, if a person has decided.
    pub verdict: Option<Verdict>,
}

/// The outcome for a call that needs approval.
#[derive(Clone, Debug, PartialEq)]
pub enum Admission {
    /// It was approved, and that approval is now used up.
    Approved(ApprovalRequest, Decision),
    /// A standing grant covers it, and has counted it.
    Standing(Box<StandingGrant>),
    /// It was rejected, and the rejection is still in force.
    Rejected(ApprovalRequest, Decision),
    /// It waits for a person.
    Waiting(ApprovalRequest),
    /// It waits for a person, and a decision that was there has been discarded as invalid.
    Discarded(ApprovalRequest, Unverified),
    /// Too many requests of the role and run wait already, so this one was not added.
    Full,
}

/// The error of a store of approvals.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApprovalError {
    /// No request with this handle waits: it never did, it has expired, or it was decided.
    NotPending(ApprovalHandle),
    /// The string is not a handle.
    NotAHandle(String),
    /// The name of the person is empty, too long, or has an invisible character.
    NoPerson,
    /// The reason is empty, too long, or has an invisible character.
    NoReason,
    /// A standing grant would let no call pass, or too many.
    Terms,
    /// The decision could not be recorded, so it was not taken.
    Audit(AuditError),
    /// The request or the decision does not hold what it should.
    Unverified(Unverified),
    /// A key cannot be read, written or used.
    Key(String),
    /// The store itself failed.
    Store(String),
}

impl fmt::Display for ApprovalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotPending(handle) => write!(
                f,
                "no request `{handle}` waits for approval: it has expired, was decided, or never existed"
            ),
            Self::NotAHandle(text) if text.parse::<ApprovalId>().is_ok() => write!(
                f,
                "`{text}` is the id that the caller received; a person names the request by its handle, which `toolwright approvals` shows"
            ),
            Self::NotAHandle(text) => write!(
                f,
                "`{text}` is not the handle of a request: twelve hexadecimal digits"
            ),
            Self::NoPerson => write!(
                f,
                "the name of the person must be one line of 1 to {NAME_LIMIT} visible characters"
            ),
            Self::NoReason => write!(
                f,
                "the reason must be one line of 1 to {REASON_LIMIT} visible characters"
            ),
            Self::Terms => write!(
                f,
                "a standing grant ends in the future and lets 1 to {MOST_USES} calls pass"
            ),
            Self::Audit(error) => write!(f, "{error}; nothing was decided"),
            Self::Unverified(fault) => fault.fmt(f),
            Self::Key(message) => f.write_str(message),
            Self::Store(message) => write!(f, "the store of approvals failed: {message}"),
        }
    }
}

impl std::error::Error for ApprovalError {}

impl From<Unverified> for ApprovalError {
    fn from(fault: Unverified) -> Self {
        Self::Unverified(fault)
    }
}
