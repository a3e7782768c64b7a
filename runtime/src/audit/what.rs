//! The kinds of events.

use serde::Serialize;
use toolwright_model::{Role, words};
use toolwright_policy::ResolvedParameter;

use super::{
    files::{AuditedFile, FileAccess},
    gap::Gap,
    mounts::{DefinitionAccepted, DefinitionChanged, ServerAsked},
    operators::{ConsoleUse, StandingGrantChange, TokenChange, ToolSwitched},
    reason::Reason,
    skills::{SkillMoved, SkillRun},
};
use crate::{
    done::Done,
    verdict::{ApprovalId, Verdict},
};

/// The kind of an event, with its fields.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum What {
    /// A call was allowed or denied.
    Decision(CallDecision),
    /// The request of a call was to be shown and not sent. It was shown if the decision allows it,
    /// and there is no outcome.
    DryRun(CallDecision),
    /// An allowed call has ended.
    Outcome(CallOutcome),
    /// A person decided about a waiting call.
    Approval(Approval),
    /// Clients were refused because they could not authenticate.
    LoginRefused(LoginRefused),
    /// The operator's policy was loaded and is in force.
    PolicyLoaded(PolicyLoaded),
    /// A policy was refused, and the one before it stays in force.
    PolicyRefused(PolicyRefused),
    /// A view was opened, with these scopes.
    ProfileResolved(ProfileResolved),
    /// A call was refused because it violates the scope of its role. It follows the decision.
    ScopeViolation(Violated),
    /// A call was refused because it would reach a protected path. It follows the decision.
    ProtectedPath(Violated),
    /// A rule of alerts was met.
    Alert(Alert),
    /// A person switched a tool on or off.
    ToolSwitched(ToolSwitched),
    /// A person approved calls in advance, or took that back.
    StandingGrant(StandingGrantChange),
    /// The standing of a skill changed.
    SkillMoved(SkillMoved),
    /// A run of a skill has ended.
    SkillRun(SkillRun),
    /// A person accepted the definition of a tool of a mounted MCP server, or removed it.
    DefinitionAccepted(DefinitionAccepted),
    /// The definition of a tool of a mounted MCP server is not the accepted one.
    DefinitionChanged(DefinitionChanged),
    /// A mounted MCP server asked its client for something.
    ServerAsked(ServerAsked),
    /// A person issued a token for clients of a server, or revoked it.
    TokenChanged(TokenChange),
    /// A person signed in to the console, signed out, or did something there that is no decision.
    Console(ConsoleUse),
    /// A client read a file of the store.
    FileRead(FileAccess),
    /// A person added a file to the store.
    FileAdded(FileAccess),
    /// A notification of a waiting call was not delivered.
    NotificationFailed(NotificationFailed),
    /// The audit file was no longer the one that this process had written to.
    AuditReopened(Reopened),
    /// Events are missing or damaged.
    AuditGap(Gap),
}

/// A decision about a call, and its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct CallDecision {
    /// Yes or no.
    pub decision: Permission,
    /// The reason.
    pub reason: Reason,
    /// The approval that allowed the call, or that the call waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "event-schema", schemars(with = "Option<String>"))]
    pub approval: Option<ApprovalId>,
    /// The person who approved or rejected the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
    /// The rule of the policy that refused the call: a scope parameter, with the place of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The standing grant that allowed the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing_grant: Option<String>,
    /// The end of a call that was refused, which has no other event: [`Ending::Denied`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Ending>,
    /// The time that the decision about a refused call took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// A detail of a refusal for the operator alone, such as a file that cannot be used; at most
    /// 256 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// The end of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct CallOutcome {
    /// The result of the call.
    pub outcome: Ending,
    /// The code of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The HTTP status of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// True if the response was truncated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The file that the answer was saved as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<AuditedFile>,
    /// What is certain about the effect of the call. Absent if the tool only reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "event-schema", schemars(with = "Option<String>"))]
    pub done: Option<Done>,
    /// The number of times that the request was sent, if that was not once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// The duration of the call in milliseconds.
    pub duration_ms: u64,
    /// The length of the answer as JSON, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// A person's decision about a waiting call. The role, the tool and the digest of the arguments are
/// copied from the call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct Approval {
    /// The decision: whether the call may pass, once.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub decision: Verdict,
    /// The id of the request.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub approval: ApprovalId,
    /// The name of the person, as the person gave it.
    pub person: String,
    /// The user of the operating system who decided.
    #[serde(rename = "person_os_user")]
    pub os_user: String,
    /// The person's reason, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A notification that was not delivered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct NotificationFailed {
    /// The id of the request that it was about. Absent for an alert.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "event-schema", schemars(with = "Option<String>"))]
    pub approval: Option<ApprovalId>,
    /// What it told.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub notification: NotificationKind,
    /// The way that failed.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub way: NotificationWay,
    /// The reason.
    pub reason: String,
}

words! {
    /// What a notification is about: a call that waits, or an alert.
    NotificationKind {
        /// It has begun to wait.
        Waiting = "waiting",
        /// A person has approved it.
        Approved = "approved",
        /// A person has rejected it.
        Rejected = "rejected",
        /// Nobody has decided in time.
        Expired = "expired",
        /// A rule of alerts was met.
        Alert = "alert",
    }
}

words! {
    /// The way by which people are notified of waiting calls.
    NotificationWay {
        /// A signed request to a URL.
        Webhook = "webhook",
        /// A program of the operator's.
        Command = "command",
    }
}

/// Refused attempts to authenticate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct LoginRefused {
    /// The network address that the attempts came from.
    pub peer: String,
    /// The reason of the refusal.
    pub reason: String,
    /// The number of attempts that the event counts.
    pub count: u64,
}

/// A policy that is in force from now on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct PolicyLoaded {
    /// The digest of the policy.
    pub policy: String,
}

/// A policy that is not used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct PolicyRefused {
    /// The digest of the refused policy.
    pub policy: String,
    /// The number of problems.
    pub problems: usize,
}

/// The scopes of a view that was opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct ProfileResolved {
    /// The role.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub role: Role,
    /// The run of the pipeline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The node of the pipeline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The scope parameters with their variables inserted: the place of the rule, the parameter and
    /// its values. A pinned argument has no values here.
    #[cfg_attr(
        feature = "event-schema",
        schemars(with = "Vec<super::schema::ScopeSchema>")
    )]
    pub scopes: Vec<ResolvedParameter>,
}

/// A violation of a scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct Violated {
    /// The reason of the refusal.
    pub reason: Reason,
    /// The rule of the policy that refused the call: a scope parameter, with the place of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The number of violations of the role in the run, with this one. Absent for a read that is
    /// made for an approval, which does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

/// A rule of alerts that was met.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct Alert {
    /// The name of the rule: `scope_violations`, or that of a rule of the policy.
    pub alert: String,
    /// The role, if the rule counts by role or run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The run of the pipeline, if the rule counts by run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The tool, if the rule counts by tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The number of events that met the rule.
    pub count: u64,
    /// True if every further call of the run is refused.
    pub halted: bool,
}

/// A change of the audit file that this process did not make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct Reopened {
    /// The change of the file.
    pub reason: ReopenReason,
    /// The length of the file after the last event of this process, in bytes. Absent if this
    /// process had recorded nothing in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// A change of an audit file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReopenReason {
    /// It was renamed, as rotation does. It still exists under another name.
    Moved,
    /// It was deleted.
    Removed,
    /// It was deleted, and another file took its place.
    Replaced,
    /// It is shorter than it was.
    Truncated,
    /// The last event of this process is no longer in its place.
    Overwritten,
    /// It was absent or empty when this process opened it, although its key has been used.
    Missing,
    /// It contains a line that the audit did not write.
    Inserted,
    /// The head next to it was deleted, or is not one of this audit.
    HeadMissing,
    /// The head next to it was replaced by an older one.
    HeadChanged,
}

/// Yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// The call may pass.
    Allow,
    /// The call may not pass.
    Deny,
}

/// The end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// With a result.
    Ok,
    /// With an error.
    Error,
    /// The time for the call was over before the end.
    TimedOut,
    /// The caller went away before the end.
    Cancelled,
    /// The function of the program that carried it out panicked.
    Crashed,
    /// It was refused, and nothing was done.
    Denied,
}
