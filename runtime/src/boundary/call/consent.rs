//! The gate of approval. Each approval of a person lets one call of a tool pass.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use toolwright_model::WorkspaceName;

use super::{
    Denial,
    current::Update,
    record::CallRecord,
    work::{MaskedRequest, Requester, Work},
};
use crate::{
    approval::{
        Admission, ApprovalHandle, ApprovalId, ApprovalRequest, Changes, Decision, Shown,
        ShownBody, ShownFile, ShownRequest, StandingGrant,
    },
    audit::Reason,
    boundary::{
        core::{Core, RegisteredTool},
        notices,
        secrets::CallSecrets,
        view::ScopedToolView,
    },
    canonical::{digest, sha256},
    error::ToolError,
    exchange::request::{PlannedRequest, is_json},
    files::FileRecord,
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
    /// A person approved the run of the composed tool that makes the call, and saw the call.
    Covered(Box<(ApprovalRequest, Decision)>),
}

impl Consent {
    /// Returns the version of the values that the person has approved to be changed.
    pub(super) fn version(&self) -> Option<&str> {
        let Self::Given(approved) = self else {
            return None;
        };
        approved.0.changes.as_ref().and_then(Changes::version)
    }
}

/// A call that has reached the gate.
#[derive(Clone, Copy)]
pub(super) struct ApprovalGate<'a> {
    pub(super) view: &'a ScopedToolView,
    pub(super) requester: Requester<'a>,
    pub(super) entry: &'a RegisteredTool,
    pub(super) work: &'a Work<'a>,
    /// The named workspace of the service.
    pub(super) workspace: Option<&'a WorkspaceName>,
    pub(super) arguments: &'a Map<String, Value>,
    pub(super) secrets: &'a CallSecrets,
}

impl ApprovalGate<'_> {
    /// Uses an approval up, or leaves a request waiting.
    pub(super) async fn check(self, record: &CallRecord<'_>) -> Result<Consent, Denial> {
        if !self.entry.spec().approval_required || !self.entry.tool.asks_itself() {
            return Ok(Consent::NotNeeded);
        }
        if let Some(consent) = self.covered(record)? {
            return Ok(consent);
        }
        let core = self.view.core();
        let shown = self.masked_request()?;
        let mut request = self.request(record, shown)?;
        request.changes = self.changes(&request, record).await;
        let own = request.id.clone();
        let admitted = core.approvals.admit(request).await;
        let admission = admitted.map_err(|error| Denial::undecided(error.to_string()))?;
        consent_of(admission, |request| {
            // Of equal calls, also of several programs, one has left the request.
            if request.id == own {
                notices::announce(core, request);
            }
        })
    }

    /// Returns the consent to a call that a person approved as a part of a run.
    fn covered(self, record: &CallRecord<'_>) -> Result<Option<Consent>, Denial> {
        let scope = self.requester.scope;
        let Some(covered) = &scope.covered else {
            return Ok(None);
        };
        let sent = self.sent_there()?;
        let tool = &self.entry.spec().name;
        // The person was not shown what the policy pins.
        let mut arguments = self.arguments.clone();
        let policy = self.requester.core.policy();
        for pinned in scope.pins(&policy, tool).unwrap_or_default().keys() {
            arguments.shift_remove(pinned);
        }
        let taken = covered.take(tool, &sent, &arguments, record.time());
        Ok(taken.map(|approved| Consent::Covered(Box::new(approved.clone()))))
    }

    /// Returns the digest of what would be sent, and to which workspace: what the approval of a run is
    /// bound to.
    pub(super) fn sent_there(self) -> Result<String, Denial> {
        let workspace = self.workspace.map(WorkspaceName::as_str);
        Ok(digest(
            &json!({"sent": self.sent()?, "workspace": workspace}),
        ))
    }

    /// Returns the digest of what would be sent.
    fn sent(self) -> Result<String, Denial> {
        let planned = self.work.request(self.requester);
        let planned = planned.map_err(|error| Denial::new(Reason::Undecided, error))?;
        Ok(match planned {
            Some(planned) => digest_of(&planned, self.work.files()),
            None => digest(&Value::Object(self.arguments.clone())),
        })
    }

    /// Returns the changes of an update that is about to wait. A call that is decided, or waits
    /// already, reads nothing.
    async fn changes(self, request: &ApprovalRequest, record: &CallRecord<'_>) -> Option<Changes> {
        let core = self.view.core();
        if !core.approvals.is_new(request).await.unwrap_or_default() {
            return None;
        }
        let policy = core.policy();
        let update = Update {
            view: self.view,
            policy: &policy,
            entry: self.entry,
            arguments: self.arguments,
            masked: &request.shown.arguments,
            secrets: self.secrets,
            workspace: self.workspace,
        };
        update.changes(record).await
    }

    /// Creates the request for approval. Two calls that would send the same request have the same
    /// digest.
    fn request(self, record: &CallRecord<'_>, shown: Shown) -> Result<ApprovalRequest, Denial> {
        let (requester, spec) = (self.requester, self.entry.spec());
        let sent = self.sent()?;
        let requested = record.time();
        let policy = requester.core.policy();
        let lifetime = policy.approval_lifetime;
        Ok(ApprovalRequest {
            id: ApprovalId::random(),
            handle: ApprovalHandle::random(),
            role: requester.scope.role.clone(),
            tool: spec.name.clone(),
            specification: self.entry.spec_digest().to_owned(),
            sent,
            argument_digest: record.argument_digest().to_owned(),
            policy: Some(policy.version_for(&requester.scope.role)),
            shown,
            changes: None,
            requested,
            expires: requested.saturating_add(lifetime).unwrap_or(requested),
        })
    }

    /// Returns the call as a person sees it: secrets are masked, and the operator's constants are
    /// removed.
    fn masked_request(self) -> Result<Shown, Denial> {
        let (requester, spec) = (self.requester, self.entry.spec());
        let run = &requester.scope.run;
        let approvers = self.approvers()?;
        let (masked, request) = self.masked()?;
        let shown = Shown {
            service: spec.service.clone(),
            workspace: self.workspace.cloned(),
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
            request,
            steps: Vec::new(),
        };
        self.redacted(&shown)
    }

    /// Returns the request of a call that is only planned, as a person sees it: with the places of
    /// the credentials. None if there is no request.
    pub(super) fn shown_request(self) -> Result<Option<ShownRequest>, Denial> {
        if self.entry.spec().approval_required {
            self.approvers()?;
        }
        let (_, request) = self.masked()?;
        let request = request.map(|mut request| {
            self.work.show_credentials(&mut request);
            request
        });
        self.redacted(&request)
    }

    /// Returns the names of those who may approve the call; none if every approver may.
    fn approvers(self) -> Result<Option<Vec<String>>, Denial> {
        let requester = self.requester;
        let started_by = requester.scope.run.started_by.as_deref();
        let policy = requester.core.policy();
        let approvers = policy.approvers_of(self.entry.spec(), started_by);
        if approvers.as_ref().is_some_and(Vec::is_empty) {
            let message = "nobody may approve this call: see `[approvals]` in toolwright.toml";
            return Err(Denial::undecided(message));
        }
        Ok(approvers)
    }

    /// Returns the masked arguments, and the request that they make.
    fn masked(self) -> Result<(Value, Option<ShownRequest>), Denial> {
        let policy = self.requester.core.policy();
        let arguments = Value::Object(self.arguments.clone());
        let masked = self.entry.masked(&arguments, &policy);
        let request = match &masked {
            Value::Object(masked) => self.work.masked_request(self.requester, masked),
            _ => Ok(None),
        };
        let request = request.map_err(|error| not_shown(&error))?;
        let shown = request.map(|request| shown_request(request, self.work.files()));
        Ok((masked, shown))
    }

    /// Returns a value without the secrets of the call.
    fn redacted<T: Serialize + DeserializeOwned>(self, value: &T) -> Result<T, Denial> {
        let redacted = self.secrets.redactor().value(json!(value));
        serde_json::from_value(redacted).map_err(|error| not_shown(&error))
    }
}

/// Puts back an approval, or the use of a standing grant, that a call used up without sending
/// anything. If that fails, it is lost, and a person must approve again.
pub(super) async fn give_back(core: &Core, consent: Consent) {
    match consent {
        Consent::Given(approved) => {
            let (request, decision) = *approved;
            let _ = core.approvals.give_back(request, decision).await;
        }
        Consent::Standing(grant) => {
            let _ = core.approvals.give_back_standing(*grant).await;
        }
        // The approval of a run is used once, whatever becomes of its calls.
        Consent::Covered(_) | Consent::NotNeeded | Consent::Awaited(_) | Consent::Refused(..) => {}
    }
}

/// Returns the consent that a store of approvals answers with, or the refusal of the call. A request
/// that waits is passed to `announce`.
pub(super) fn consent_of(
    admission: Admission,
    announce: impl FnOnce(&ApprovalRequest),
) -> Result<Consent, Denial> {
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
    announce(&request);
    let (id, expires) = (request.id, request.expires);
    Err(Denial {
        reason,
        rule: None,
        consent: Consent::Awaited(id.clone()),
        error: Box::new(ToolError::ApprovalRequired { id, expires }),
    })
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

/// Returns the digest of the request that would be sent.
fn digest_of(request: &PlannedRequest, files: &[FileRecord]) -> String {
    let mut sent = json!({
        "method": request.method.word(),
        "url": request.url.as_str(),
        "headers": request.headers,
        "body": request.body.as_deref().map(sha256),
    });
    if let (false, Some(sent)) = (files.is_empty(), sent.as_object_mut()) {
        let places = request.files.iter().zip(files);
        let places = places.map(|(place, file)| json!([place.at, file.size, file.sha256]));
        sent.insert("files".to_owned(), places.collect());
    }
    digest(&sent)
}

fn not_shown(error: &dyn std::fmt::Display) -> Denial {
    Denial::undecided(format!("the call cannot be shown for approval: {error}"))
}

fn shown_request(shown: MaskedRequest, files: &[FileRecord]) -> ShownRequest {
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
        url: request.url.into(),
        headers: request.headers,
        body: match bytes {
            Some(bytes) => Some(only_digest(&bytes)),
            None => {
                let is_shown = |bytes: &Vec<u8>| !bytes.is_empty() || files.is_empty();
                let bytes = request.body.filter(is_shown);
                bytes.map(|bytes| shown_body(bytes, is_json))
            }
        },
        files: files.iter().map(ShownFile::from).collect(),
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
