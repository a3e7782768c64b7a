//! An agent waits for the decision about its own call, rather than to repeat it.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use tokio::{
    sync::Mutex,
    time::{Instant, sleep},
};

use super::{core::Core, view::ScopedToolView};
use crate::{
    approval::{ApprovalError, ApprovalId, Verdict},
    error::ToolError,
};

/// The longest wait.
const LONGEST: Duration = Duration::from_hours(1);

/// The interval between two looks of one call.
const LOOK: Duration = Duration::from_millis(50);

/// The age up to which a call uses the list that another call has read.
const FRESH: Duration = Duration::from_millis(25);

/// The state of a call that waited for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Waited {
    /// It was approved: calling again with the same arguments passes once.
    Approved,
    /// It was rejected.
    Rejected,
    /// Nobody has decided within the limit.
    Undecided,
    /// No call of this view waits under the id: it has expired, was used, or never waited.
    Unknown,
}

impl ScopedToolView {
    /// Waits until a person decides about a call of this role and run, at most for `limit` and never
    /// longer than an hour.
    ///
    /// # Errors
    /// [`ToolError::Undecided`] if the store of approvals fails.
    pub async fn wait(&self, id: &ApprovalId, limit: Duration) -> Result<Waited, ToolError> {
        let until = Instant::now() + limit.min(LONGEST);
        loop {
            let waited = self.look(id).await.map_err(undecided)?;
            let left = until.saturating_duration_since(Instant::now());
            if waited != Waited::Undecided || left.is_zero() {
                return Ok(waited);
            }
            self.until_decided(id, until).await.map_err(undecided)?;
        }
    }

    /// Waits until a request is no longer one of those without a decision, or until a time.
    async fn until_decided(&self, id: &ApprovalId, until: Instant) -> Result<(), ApprovalError> {
        let (core, scope) = (self.core(), self.scope());
        loop {
            let left = until.saturating_duration_since(Instant::now());
            sleep(LOOK.min(left)).await;
            let undecided = core.undecided.read(core).await?;
            if left.is_zero() || !undecided.contains(id) || scope.is_revoked(core) {
                return Ok(());
            }
        }
    }

    async fn look(&self, id: &ApprovalId) -> Result<Waited, ApprovalError> {
        let (core, scope) = (self.core(), self.scope());
        let found = core.approvals.find(id.clone()).await?;
        let now = core.clock.now();
        let own = found.filter(|found| {
            let request = &found.request;
            let is_own = request.role == scope.role && request.shown.run == scope.run.run;
            is_own && request.is_live(now) && !scope.is_revoked(core)
        });
        Ok(match own.map(|found| found.verdict) {
            None => Waited::Unknown,
            Some(None) => Waited::Undecided,
            Some(Some(Verdict::Approved)) => Waited::Approved,
            Some(Some(Verdict::Rejected)) => Waited::Rejected,
        })
    }
}

/// The requests without a decision, as one read of the store shows them. All calls that wait share it: a thousand
/// of them read the store no more often than one.
#[derive(Default)]
pub(crate) struct Undecided(Mutex<Option<Reading>>);

struct Reading {
    /// When the read began.
    time: Instant,
    ids: Arc<BTreeSet<ApprovalId>>,
}

impl Undecided {
    /// Returns the requests without a decision. The list is at most [`FRESH`] old when this is called.
    async fn read(&self, core: &Core) -> Result<Arc<BTreeSet<ApprovalId>>, ApprovalError> {
        let called = Instant::now();
        let mut last = self.0.lock().await;
        if let Some(reading) = last.as_ref()
            && reading.time + FRESH >= called
        {
            return Ok(Arc::clone(&reading.ids));
        }
        let time = Instant::now();
        let ids = Arc::new(core.approvals.undecided(core.clock.now()).await?);
        *last = Some(Reading {
            time,
            ids: Arc::clone(&ids),
        });
        Ok(ids)
    }
}

fn undecided(error: ApprovalError) -> ToolError {
    ToolError::Undecided {
        message: error.to_string(),
    }
}
