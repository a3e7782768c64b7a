//! A person's decision, and its event in the audit.

use uuid::Uuid;

use super::{ApprovalError, ApprovalId, ApprovalRequest, ApprovalStore, Decision};
use crate::{
    audit::{Approval, AuditEvent, AuditSink, What},
    call::argument_names,
};

/// Takes down a person's decision about a call that waits, and returns what was decided on.
///
/// The audit tells of it before it counts: a decision that cannot be recorded is not taken. Of two
/// that are taken at once both are recorded, and the store refuses the second.
///
/// # Errors
/// When nothing with this id waits, or when the audit or the store fails.
pub async fn decide(
    store: &dyn ApprovalStore,
    audit: &dyn AuditSink,
    id: ApprovalId,
    decision: Decision,
) -> Result<ApprovalRequest, ApprovalError> {
    let mut pending = store.pending(decision.time).await?.into_iter();
    let request = pending
        .find(|request| request.id == id)
        .ok_or_else(|| ApprovalError::NotPending(id.clone()))?;
    audit
        .record(&event(request, &decision))
        .map_err(ApprovalError::Audit)?;
    store.decide(id, decision).await
}

fn event(request: ApprovalRequest, decision: &Decision) -> AuditEvent {
    AuditEvent {
        time: decision.time,
        correlation_id: Uuid::new_v4(),
        role: request.role,
        tool: request.tool.to_string(),
        service: None,
        category: None,
        governance_reason: None,
        argument_names: argument_names(&request.arguments),
        argument_digest: request.argument_digest,
        what: What::Approval(Approval {
            decision: decision.verdict,
            approval: request.id,
            person: decision.person.clone(),
        }),
    }
}
