//! Notifications about the calls of a registry that wait for a person.

use std::sync::{Arc, Weak};

use tokio::{runtime::Handle, sync::OwnedSemaphorePermit, time::sleep};

use super::core::Core;
use crate::{approval::ApprovalRequest, notify::Notification};

/// The most requests whose expiry is waited for. Nobody is told of the expiry of further ones.
pub(crate) const MOST_EXPIRIES: usize = 1_000;

/// Tells people that a call has begun to wait, and later that nobody has decided in time.
pub(super) fn announce(core: &Arc<Core>, request: &ApprovalRequest) {
    let policy = core.policy();
    if policy.notify.is_empty() {
        return;
    }
    core.notifier
        .send(&policy.notify, &Notification::waiting(request));
    let permit = Arc::clone(&core.expiries).try_acquire_owned();
    if let (Ok(runtime), Ok(permit)) = (Handle::try_current(), permit) {
        runtime.spawn(expire(Arc::downgrade(core), request.clone(), permit));
    }
}

/// Waits for the expiry of a request, and tells people of it if nobody has decided.
async fn expire(core: Weak<Core>, request: ApprovalRequest, _permit: OwnedSemaphorePermit) {
    let lifetime = request.requested.duration_until(request.expires);
    sleep(lifetime.try_into().unwrap_or_default()).await;
    let Some(core) = core.upgrade() else {
        return;
    };
    let found = core.approvals.find(request.id.clone()).await;
    let is_undecided = matches!(found, Ok(Some(found)) if found.verdict.is_none());
    if is_undecided {
        let policy = core.policy();
        core.notifier
            .send(&policy.notify, &Notification::expired(&request));
    }
}
