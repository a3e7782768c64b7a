//! An event, and the call that it is about.

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::Value;
use toolwright_model::{Category, Role, ServiceName, ToolName};
use uuid::Uuid;

use super::{
    bounds::{bounded, bounded_name},
    client::ClientContext,
    files::AuditedFile,
    source::Source,
    what::{
        Gap, LoginRefused, NotificationFailed, Permission, PolicyLoaded, PolicyRefused, Reopened,
        StandingGrantChange, ToolSwitched, What,
    },
};
use crate::{availability::Override, system};

/// The version of the events' format, in the field `v`.
pub const FORMAT: u8 = 2;

/// The greatest number of argument names that is recorded.
const NAMES_LIMIT: usize = 64;

/// The greatest length of a reason or an address, in characters.
const TEXT_LIMIT: usize = 128;

/// The greatest length of a person's reason, in characters.
const REASON_LIMIT: usize = 512;

/// One event. Its JSON form is one flat object.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct AuditEvent {
    /// The version of the format: [`FORMAT`].
    pub v: u8,
    /// The time of the event.
    pub time: Timestamp,
    /// The kind of the event, with its fields.
    #[serde(flatten)]
    pub what: What,
    /// The call that the event is about, if it is about one.
    #[serde(flatten)]
    pub call: Option<AuditedCall>,
    /// The process that recorded the event.
    #[serde(flatten)]
    pub source: &'static Source,
}

/// The call that an event is about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AuditedCall {
    /// The id of the call, equal in all events of one call.
    pub correlation_id: Uuid,
    /// The id of the call that made this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Uuid>,
    /// The role that called. At most 64 characters of it are recorded.
    #[serde(serialize_with = "serialize_role")]
    pub role: Role,
    /// The name that was called, at most 64 characters of it. It may be the name of no tool. For a
    /// call by type of artifact that matches no tool, it is the method and the type.
    pub tool: String,
    /// The service of the tool, if there is such a tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceName>,
    /// The category of the tool, if there is such a tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// The overlay's reason for the tool's governance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub governance_reason: Option<String>,
    /// The SHA-256 of the tool's record in canonical JSON: the tool's specification at the time of
    /// the call. Absent if the call did not pass the permission gate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec_digest: Option<String>,
    /// The origin of the planned URL, or `unix:` and the path of a socket. Absent if nothing was
    /// planned and for a tool that is a function of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The arguments. Absent if the call was refused before they were looked at: by the permission
    /// gate, or for want of credentials.
    #[serde(flatten)]
    pub arguments: Option<Arguments>,
    /// The files of the store that the request sends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<AuditedFile>,
    /// The run of the pipeline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The node of the pipeline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The work item of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_item: Option<String>,
    /// The client that called.
    #[serde(flatten)]
    pub client: ClientContext,
}

/// The arguments of a call, without their values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Arguments {
    /// The names of the arguments, at most 64 of them and 64 characters of each.
    #[serde(rename = "argument_names")]
    pub names: Vec<String>,
    /// The keyed digest of the arguments, including those that the operator pins.
    #[serde(rename = "argument_digest")]
    pub digest: String,
    /// The id of the digest's key.
    #[serde(rename = "digest_key", skip_serializing_if = "String::is_empty")]
    pub key: String,
}

impl AuditedCall {
    /// Creates a call with a new id and no further fields.
    pub(crate) fn new(role: Role, tool: String) -> Self {
        Self {
            correlation_id: Uuid::new_v4(),
            parent: None,
            role,
            tool,
            service: None,
            category: None,
            governance_reason: None,
            spec_digest: None,
            target: None,
            arguments: None,
            files: Vec::new(),
            run: None,
            node: None,
            work_item: None,
            client: ClientContext::default(),
        }
    }
}

impl AuditEvent {
    /// An event of this process.
    pub(crate) fn new(time: Timestamp, call: Option<AuditedCall>, what: What) -> Self {
        Self {
            v: FORMAT,
            time,
            what,
            call,
            source: Source::this_process(),
        }
    }

    /// Records refused attempts to authenticate from one address. The caller counts them, so a
    /// flood of attempts is one event.
    #[must_use]
    pub fn login_refused(time: Timestamp, peer: &str, reason: &str, count: u64) -> Self {
        let what = What::LoginRefused(LoginRefused {
            peer: bounded(peer, TEXT_LIMIT),
            reason: bounded(reason, TEXT_LIMIT),
            count,
        });
        Self::new(time, None, what)
    }

    /// A policy that is in force from now on.
    #[must_use]
    pub fn policy_loaded(time: Timestamp, digest: &str) -> Self {
        let policy = bounded(digest, TEXT_LIMIT);
        Self::new(time, None, What::PolicyLoaded(PolicyLoaded { policy }))
    }

    /// A policy that is not used because of problems.
    #[must_use]
    pub fn policy_refused(time: Timestamp, digest: &str, problems: usize) -> Self {
        let policy = bounded(digest, TEXT_LIMIT);
        let what = What::PolicyRefused(PolicyRefused { policy, problems });
        Self::new(time, None, what)
    }

    /// A person's switch of a tool; `enabled` is none if its default applies again.
    #[must_use]
    pub fn tool_switched(
        time: Timestamp,
        tool: &ToolName,
        enabled: Option<bool>,
        entry: &Override,
    ) -> Self {
        let what = What::ToolSwitched(ToolSwitched {
            tool: tool.clone(),
            enabled,
            person: bounded(&entry.by, TEXT_LIMIT),
            os_user: bounded(&system::user(), TEXT_LIMIT),
            why: bounded(&entry.why, REASON_LIMIT),
        });
        Self::new(time, None, what)
    }

    /// A standing grant that begins, or that a person revokes.
    #[must_use]
    pub fn standing_grant(time: Timestamp, change: StandingGrantChange) -> Self {
        let change = StandingGrantChange {
            person: bounded(&change.person, TEXT_LIMIT),
            os_user: bounded(&change.os_user, TEXT_LIMIT),
            why: bounded(&change.why, REASON_LIMIT),
            ..change
        };
        Self::new(time, None, What::StandingGrant(change))
    }

    /// A notification that was not delivered.
    pub(crate) fn notification_failed(time: Timestamp, failed: NotificationFailed) -> Self {
        let reason = bounded(&failed.reason, REASON_LIMIT);
        let what = What::NotificationFailed(NotificationFailed { reason, ..failed });
        Self::new(time, None, what)
    }

    /// A change of the audit file that this process did not make.
    pub(crate) fn audit_reopened(time: Timestamp, reopened: Reopened) -> Self {
        Self::new(time, None, What::AuditReopened(reopened))
    }

    /// Events that are missing or damaged.
    pub(crate) fn audit_gap(time: Timestamp, gap: Gap) -> Self {
        Self::new(time, None, What::AuditGap(gap))
    }

    /// Returns whether the event precedes a change: an allowed call of a tool that changes state,
    /// or a person's decision.
    pub(crate) fn precedes_change(&self) -> bool {
        match &self.what {
            What::Approval(_) | What::ToolSwitched(_) | What::StandingGrant(_) => true,
            What::Decision(decision) => {
                let category = self.call.as_ref().and_then(|call| call.category);
                let reads = matches!(category, Some(Category::Observe | Category::Report));
                decision.decision == Permission::Allow && !reads
            }
            _ => false,
        }
    }
}

fn serialize_role<S: Serializer>(role: &Role, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&bounded_name(role.as_str()))
}

/// The names of arguments, bounded in number and length.
pub(crate) fn argument_names(arguments: &Value) -> Vec<String> {
    let fields = arguments.as_object().into_iter();
    let names = fields.flat_map(|fields| fields.keys());
    names
        .take(NAMES_LIMIT)
        .map(|name| bounded_name(name))
        .collect()
}
