//! A person's decision, and its event in the audit.

use std::collections::BTreeMap;

use super::{ApprovalError, ApprovalHandle, ApprovalRequest, ApprovalStore, Decision};
use crate::audit::{
    Approval, Arguments, AuditEvent, AuditSink, AuditedCall, What, argument_names, bounded,
};

/// The greatest length of a person's name in the audit, in characters.
const PERSON_LIMIT: usize = 256;

/// The greatest length of a person's reason in the audit, in characters.
const REASON_LIMIT: usize = 512;

/// Keeps a person's decision about a call that waits, and returns the request that was decided on.
///
/// The decision is audited before it counts: one that cannot be recorded is not taken. Of two that
/// are taken at once both are recorded, and the store refuses the second.
///
/// # Errors
/// When nothing with this handle waits, or when the audit or the store fails.
pub async fn decide(
    store: &dyn ApprovalStore,
    audit: &dyn AuditSink,
    handle: ApprovalHandle,
    decision: Decision,
) -> Result<ApprovalRequest, ApprovalError> {
    let request = store
        .waiting(handle.clone(), decision.time)
        .await?
        .ok_or_else(|| ApprovalError::NotPending(handle.clone()))?;
    audit
        .record(&event(request, &decision))
        .map_err(ApprovalError::Audit)?;
    store.decide(handle, decision).await
}

fn event(request: ApprovalRequest, decision: &Decision) -> AuditEvent {
    let arguments = Arguments {
        names: argument_names(&request.shown.arguments),
        digest: request.argument_digest,
        key: String::new(),
        values: None,
        sources: BTreeMap::new(),
    };
    let call = AuditedCall {
        arguments: Some(arguments),
        ..AuditedCall::new(request.role, request.tool.to_string())
    };
    let what = What::Approval(Approval {
        decision: decision.verdict,
        approval: request.id,
        person: bounded(&decision.person, PERSON_LIMIT),
        os_user: bounded(&decision.os_user, PERSON_LIMIT),
        why: decision
            .why
            .as_deref()
            .map(|why| bounded(why, REASON_LIMIT)),
    });
    AuditEvent::new(decision.time, Some(call), what)
}
