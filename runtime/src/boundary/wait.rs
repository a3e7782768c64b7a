//! An agent waits for the decision about its own call, rather than to repeat it.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::view::ScopedToolView;
use crate::{
    approval::{ApprovalError, ApprovalId, Verdict},
    error::ToolError,
};

/// The longest wait.
const LONGEST: Duration = Duration::from_hours(1);

/// The interval between two looks.
const LOOK: Duration = Duration::from_millis(100);

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
            let waited = self.look(id).await.map_err(|error| ToolError::Undecided {
                message: error.to_string(),
            })?;
            let left = until.saturating_duration_since(Instant::now());
            if waited != Waited::Undecided || left.is_zero() {
                return Ok(waited);
            }
            sleep(LOOK.min(left)).await;
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
