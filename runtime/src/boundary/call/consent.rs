//! The gate of approval. Each approval of a person lets one call of a tool pass.

use serde_json::{Map, Value, json};

use super::{
    Denial,
    record::CallRecord,
    work::{MaskedRequest, Requester, Work},
};
use crate::{
    approval::{
        Admission, ApprovalHandle, ApprovalId, ApprovalRequest, Decision, Shown, ShownBody,
        ShownRequest, StandingGrant, mask,
    },
    audit::Reason,
    boundary::{
        core::{Core, RegisteredTool},
        secrets::CallSecrets,
    },
    canonical::{digest, sha256},
    error::ToolError,
    exchange::request::{PlannedRequest, is_json},
};

/// A person's consent to a call.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Consent {
    /// Not needed, or not reached.
    NotNeeded,
    /// The call waits for a person.
    Awaited(ApprovalId),
    /// A person rejected it.
    Refused(ApprovalId, String),
    /// A standing grant of a person covers it, and has counted it.
    Standing(Box<StandingGrant>),
    /// A person approved it. The approval is used up.
    Given(Box<(ApprovalRequest, Decision)>),
}

/// Uses an approval up, or leaves a request waiting.
pub(super) async fn check(
    requester: Requester<'_>,
    entry: &RegisteredTool,
    work: &Work<'_>,
    arguments: &Map<String, Value>,
    record: &CallRecord<'_>,
    secrets: &CallSecrets,
) -> Result<Consent, Denial> {
    if !entry.spec().approval_required {
        return Ok(Consent::NotNeeded);
    }
    let shown = masked_request(requester, entry, work, arguments, secrets)?;
    let request = request(requester, entry, work, arguments, record, shown)?;
    let admitted = requester.core.approvals.admit(request).await;
    let admission = admitted.map_err(|error| Denial::undecided(error.to_string()))?;
    let (request, reason) = match admission {
        Admission::Approved(request, decision) => {
            return Ok(Consent::Given(Box::new((request, decision))));
        }
        Admission::Standing(grant) => return Ok(Consent::Standing(grant)),
        Admission::Rejected(request, decision) => return Err(denial_of(request, decision)),
        Admission::Full => {
            return Err(Denial::new(Reason::ApprovalLimit, ToolError::ApprovalLimit));
        }
        Admission::Waiting(request) => (request, Reason::ApprovalRequired),
        Admission::Discarded(request, _) => (request, Reason::ApprovalInvalid),
    };
    let (id, expires) = (request.id, request.expires);
    Err(Denial {
        reason,
        rule: None,
        consent: Consent::Awaited(id.clone()),
        error: Box::new(ToolError::ApprovalRequired { id, expires }),
    })
}

/// Puts back an approval that a call used up without sending anything. If that fails, the
/// approval is lost, and the call must be approved again.
pub(super) async fn give_back(core: &Core, consent: Consent) {
    if let Consent::Given(approved) = consent {
        let (request, decision) = *approved;
        let _ = core.approvals.give_back(request, decision).await;
    }
}

fn denial_of(request: ApprovalRequest, decision: Decision) -> Denial {
    let (id, expires) = (request.id, request.expires);
    Denial {
        reason: Reason::ApprovalRejected,
        rule: None,
        consent: Consent::Refused(id.clone(), decision.person),
        error: Box::new(ToolError::ApprovalRejected { id, expires }),
    }
}

/// Creates the request for approval of a call. Two calls that would send the same request have the
/// same digest.
fn request(
    requester: Requester<'_>,
    entry: &RegisteredTool,
    work: &Work<'_>,
    arguments: &Map<String, Value>,
    record: &CallRecord<'_>,
    shown: Shown,
) -> Result<ApprovalRequest, Denial> {
    let spec = entry.spec();
    let planned = work.request(requester);
    let planned = planned.map_err(|error| Denial::new(Reason::Undecided, error))?;
    let sent = match planned {
        Some(planned) => digest_of(&planned),
        None => digest(&Value::Object(arguments.clone())),
    };
    let requested = record.time();
    let policy = requester.core.policy();
    let lifetime = policy.approval_lifetime;
    Ok(ApprovalRequest {
        id: ApprovalId::random(),
        handle: ApprovalHandle::random(),
        role: requester.scope.role.clone(),
        tool: spec.name.clone(),
        specification: entry.spec_digest().to_owned(),
        sent,
        argument_digest: record.argument_digest().to_owned(),
        policy: Some(policy.version_for(&requester.scope.role)),
        shown,
        requested,
        expires: requested.saturating_add(lifetime).unwrap_or(requested),
    })
}

/// Returns the digest of the request that would be sent.
fn digest_of(request: &PlannedRequest) -> String {
    digest(&json!({
        "method": request.method.word(),
        "url": request.url,
        "headers": request.headers,
        "body": request.body.as_deref().map(sha256),
    }))
}

/// Returns the call as a person sees it: secrets are masked, and the operator's constants are
/// removed.
fn masked_request(
    requester: Requester<'_>,
    entry: &RegisteredTool,
    work: &Work<'_>,
    arguments: &Map<String, Value>,
    secrets: &CallSecrets,
) -> Result<Shown, Denial> {
    let (spec, run) = (entry.spec(), &requester.scope.run);
    let policy = requester.core.policy();
    let approvers = policy.approvers_of(spec, run.started_by.as_deref());
    if approvers.as_ref().is_some_and(Vec::is_empty) {
        let message = "nobody may approve this call: see `[approvals]` in toolwright.toml";
        return Err(Denial::undecided(message));
    }
    let arguments = Value::Object(arguments.clone());
    let masked = mask(&arguments, spec.input_schema.whole(), &policy.mask);
    let request = match &masked {
        Value::Object(masked) => work.masked_request(requester, masked),
        _ => Ok(None),
    };
    let request = request.map_err(|error| not_shown(&error))?;
    let shown = Shown {
        service: spec.service.clone(),
        summary: spec.short.clone(),
        category: spec.category,
        effect: spec.effect,
        destructive: spec.hints.destructive,
        run: run.run.clone(),
        node: run.node.clone(),
        work_item: run.work_item.clone(),
        started_by: run.started_by.clone(),
        approvers,
        arguments: masked,
        request: request.map(shown_request),
    };
    let redacted = secrets.redactor().value(json!(shown));
    serde_json::from_value(redacted).map_err(|error| not_shown(&error))
}

fn not_shown(error: &dyn std::fmt::Display) -> Denial {
    Denial::undecided(format!("the call cannot be shown for approval: {error}"))
}

fn shown_request(shown: MaskedRequest) -> ShownRequest {
    let (request, bytes) = match shown {
        MaskedRequest::Whole(request) => (request, None),
        MaskedRequest::WithoutBody(request, body) => (request, body),
    };
    let media_type = request.headers.iter();
    let media_type = media_type
        .rev()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let is_json = media_type.is_some_and(|(_, media_type)| is_json(media_type));
    ShownRequest {
        method: request.method.word().to_owned(),
        url: request.url,
        headers: request.headers,
        body: match bytes {
            Some(bytes) => Some(only_digest(&bytes)),
            None => request.body.map(|bytes| shown_body(bytes, is_json)),
        },
    }
}

fn only_digest(bytes: &[u8]) -> ShownBody {
    ShownBody::Bytes {
        length: bytes.len(),
        sha256: sha256(bytes),
    }
}

fn shown_body(bytes: Vec<u8>, is_json: bool) -> ShownBody {
    let value = is_json
        .then(|| serde_json::from_slice(&bytes).ok())
        .flatten();
    match (value, String::from_utf8(bytes)) {
        (Some(value), _) => ShownBody::Json(value),
        (None, Ok(text)) => ShownBody::Text(text),
        (None, Err(error)) => only_digest(error.as_bytes()),
    }
}
