//! A request for approval: the call that it is bound to, and its summary for the approver.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolwright_model::{Category, Effect, Role, ServiceName, ToolName, WorkspaceName};

use super::{ApprovalHandle, ApprovalId, Changes, verify::CLOCK_SKEW};
use crate::{
    canonical::digest,
    files::{FileHandle, FileRecord},
};

/// A call that waits for a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalRequest {
    /// The name that the caller receives.
    pub id: ApprovalId,
    /// The name that a person decides with.
    pub handle: ApprovalHandle,
    /// The role that wants to call.
    pub role: Role,
    /// The tool that it wants to call.
    pub tool: ToolName,
    /// The SHA-256 of the tool's record: the specification at the time of the call.
    pub specification: String,
    /// The SHA-256 of the planned request, without credentials: method, URL, headers and body, the
    /// envelope of a domain service's method, or the arguments of a native tool.
    pub sent: String,
    /// The keyed digest of the arguments, as the audit records it.
    pub argument_digest: String,
    /// The version of the role's policy at the time of the call. None in requests of programs that
    /// did not record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// The summary for the approver.
    pub shown: Shown,
    /// The values that an update would change, as they were when the request was made. Nothing is
    /// decided by them: they are no part of the digest. None if the call is no update.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
    /// When the call was made.
    pub requested: Timestamp,
    /// Until when it can be approved, and the approval used.
    pub expires: Timestamp,
}

/// The summary of a waiting call that the approver sees.
///
/// Values that the schema declares secret, and those that the operator lists, are masked by their
/// length and digest. Everything else is what will be sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shown {
    /// The service.
    pub service: ServiceName,
    /// The workspace of the service; none if the service has no named ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<WorkspaceName>,
    /// The one-sentence summary in the tool's specification.
    pub summary: String,
    /// The category.
    pub category: Category,
    /// The effect.
    pub effect: Effect,
    /// True if the call may destroy or overwrite something.
    pub destructive: bool,
    /// The run, the node and the work item that the call belongs to, if they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The node of the pipeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The work item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_item: Option<String>,
    /// The person who started the run, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_by: Option<String>,
    /// The names of those who may approve the call; none if every approver may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approvers: Option<Vec<String>>,
    /// The arguments.
    pub arguments: Value,
    /// The request; none if a function of the program carries the call out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<ShownRequest>,
    /// The calls that a composed tool is about to make, in order. The approval covers these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<ShownStep>,
}

/// A call of a composed tool as a person is shown it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShownStep {
    /// The name of the step.
    pub step: String,
    /// The tool that it calls.
    pub tool: ToolName,
    /// The workspace of the service; none if the service has no named ones, or if it is not known yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<WorkspaceName>,
    /// The one-sentence summary in the tool's specification.
    pub summary: String,
    /// True if the call needs an approval.
    pub approval_required: bool,
    /// The greatest number of such calls.
    pub most: u64,
    /// The arguments, with a placeholder for each value that comes from a result.
    pub arguments: Value,
    /// The places of these values, as JSON Pointers, and where each comes from.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub from_results: BTreeMap<String, String>,
    /// The request; none if values are not known yet, or if a function of the program carries the call
    /// out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<ShownRequest>,
    /// The SHA-256 of the planned request, or of the arguments with their placeholders.
    pub sent: String,
}

/// A request as a person is shown it, without credentials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShownRequest {
    /// The HTTP method.
    pub method: String,
    /// The URL; the path of the socket for a domain service on one.
    pub url: String,
    /// The headers, in order.
    pub headers: Vec<(String, String)>,
    /// The body, without its files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<ShownBody>,
    /// The files of the store that the body contains, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ShownFile>,
}

/// A file of a request as a person is shown it. Its content cannot change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShownFile {
    /// The handle.
    pub handle: FileHandle,
    /// The name, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The media type.
    pub media_type: String,
    /// The size in bytes.
    pub size: u64,
    /// The SHA-256 of the content.
    pub sha256: String,
}

impl From<&FileRecord> for ShownFile {
    fn from(file: &FileRecord) -> Self {
        Self {
            handle: file.handle.clone(),
            name: file.name.clone(),
            media_type: file.media_type.clone(),
            size: file.size,
            sha256: file.sha256.clone(),
        }
    }
}

/// The body of a request as a person is shown it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShownBody {
    /// A JSON value.
    Json(Value),
    /// Text.
    Text(String),
    /// Other bytes.
    Bytes {
        /// The number of elements.
        length: usize,
        /// Their SHA-256.
        sha256: String,
    },
}

impl ApprovalRequest {
    /// Returns the SHA-256 of everything that an approval is bound to, and of the approver's
    /// summary: 64 hexadecimal digits. Two requests for the same call have the same digest.
    #[must_use]
    pub fn digest(&self) -> String {
        digest(&json!({
            "role": self.role,
            "tool": self.tool,
            "specification": self.specification,
            "sent": self.sent,
            "shown": self.shown,
        }))
    }

    /// Returns the SHA-256 of the role and the run: requests that have it in common share a limit.
    #[must_use]
    pub fn scope_digest(&self) -> String {
        digest(&json!([self.role, self.shown.run]))
    }

    /// Returns whether the request can still be approved, or its approval used.
    #[must_use]
    pub fn is_live(&self, now: Timestamp) -> bool {
        now < self.expires
    }

    /// Returns whether this request still waits for the approval of this call: it is live, waits no
    /// longer than one made now, and is bound to the same request and policy. Of two calls at once,
    /// the one that began first may come second, and the clocks of two programs differ.
    #[must_use]
    pub fn waits_for(&self, call: &Self) -> bool {
        let now = call.requested;
        let lifetime = |request: &Self| request.requested.duration_until(request.expires);
        self.is_live(now)
            && lifetime(self) <= lifetime(call)
            && now.duration_until(self.requested) <= CLOCK_SKEW
            && self.has_policy_of(call)
            && self.digest() == call.digest()
    }

    /// Returns whether the policy of the role is the one at the time of this request.
    pub(super) fn has_policy_of(&self, call: &Self) -> bool {
        self.policy.is_none() || self.policy == call.policy
    }
}
