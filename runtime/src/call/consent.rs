//! The gate of approval: a tool that needs it passes once for each approval of a person.

use serde_json::{Map, Value};

use super::{Denial, record::Record};
use crate::{
    approval::{Admission, ApprovalId, ApprovalRequest, shown},
    audit::Reason,
    error::ToolError,
    registry::{Core, Entry},
    view::Scope,
};

/// What a person has to do with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Consent {
    /// Nothing, or it did not get that far.
    NotNeeded,
    /// The call waits for a person.
    Awaited(ApprovalId),
    /// This person approved or rejected it.
    Given(ApprovalId, String),
}

/// Uses an approval up, or leaves a request waiting.
pub(super) async fn check(
    core: &Core,
    scope: &Scope,
    entry: &Entry,
    arguments: &Map<String, Value>,
    record: &Record<'_>,
) -> Result<Consent, Denial> {
    let spec = entry.spec();
    if !spec.approval_required {
        return Ok(Consent::NotNeeded);
    }
    let requested = record.time();
    let request = ApprovalRequest {
        id: ApprovalId::random(),
        role: scope.role.clone(),
        tool: spec.name.clone(),
        argument_digest: record.argument_digest().to_owned(),
        arguments: shown(&Value::Object(arguments.clone()), &spec.input_schema),
        requested,
        expires: requested
            .saturating_add(core.approval_lifetime)
            .unwrap_or(requested),
    };
    match core.approvals.admit(request).await {
        Ok(Admission::Approved(request, decision)) => {
            Ok(Consent::Given(request.id, decision.person))
        }
        Ok(Admission::Rejected(ApprovalRequest { id, expires, .. }, decision)) => Err(Denial {
            reason: Reason::ApprovalRejected,
            consent: Consent::Given(id.clone(), decision.person),
            error: Box::new(ToolError::ApprovalRejected { id, expires }),
        }),
        Ok(Admission::Waiting(ApprovalRequest { id, expires, .. })) => Err(Denial {
            reason: Reason::ApprovalRequired,
            consent: Consent::Awaited(id.clone()),
            error: Box::new(ToolError::ApprovalRequired { id, expires }),
        }),
        Err(error) => Err(Denial::undecided(error.to_string())),
    }
}
