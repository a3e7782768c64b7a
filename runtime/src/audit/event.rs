//! An event, and the call that it is about.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::Value;
use toolwright_model::{
    Category, Effect, Role, ServiceName, ToolName, ToolSpec, WorkspaceName, words,
};
use toolwright_policy::ResolvedParameter;
use uuid::Uuid;

use super::{
    bounds::{bounded, bounded_name},
    client::ClientContext,
    files::AuditedFile,
    gap::Gap,
    mounts::{DefinitionAccepted, DefinitionChanged, ServerAsked},
    operators::{ConsoleUse, StandingGrantChange, TokenChange, ToolSwitched},
    skills::{SkillMoved, SkillRun},
    source::Source,
    what::{
        LoginRefused, NotificationFailed, Permission, PolicyLoaded, PolicyRefused, Reopened, What,
    },
};
use crate::{availability::Override, system};

/// The version of the events' format, in the field `v`.
pub const FORMAT: u8 = 3;

/// The greatest number of argument names that is recorded.
const NAMES_LIMIT: usize = 64;

/// The greatest length of a reason or an address, in characters.
const TEXT_LIMIT: usize = 128;

/// The greatest length of a person's reason, in characters.
const REASON_LIMIT: usize = 512;

/// The service name of the tools that Toolwright itself offers.
pub const OWN_SERVICE: &str = "toolwright";

/// The section of the tools that are skills.
pub const SKILLS: &str = "skills";

/// One event. Its JSON form is one flat object.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct AuditEvent {
    /// The version of the format: [`FORMAT`].
    pub v: u8,
    /// The time of the event.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub time: Timestamp,
    /// The kind of the event, with its fields.
    #[serde(flatten)]
    pub what: What,
    /// The call that the event is about, if it is about one.
    #[serde(flatten)]
    pub call: Option<AuditedCall>,
    /// The process that recorded the event.
    #[serde(flatten)]
    #[cfg_attr(feature = "event-schema", schemars(with = "Source"))]
    pub source: &'static Source,
}

/// The call that an event is about.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct AuditedCall {
    /// The id of the call, equal in all events of one call.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub correlation_id: Uuid,
    /// The id of the call that made this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "event-schema", schemars(with = "Option<String>"))]
    pub parent: Option<Uuid>,
    /// The role that called. At most 64 characters of it are recorded.
    #[serde(serialize_with = "serialize_role")]
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub role: Role,
    /// The name that was called, at most 64 characters of it. It may be the name of no tool. For a
    /// call by type of artifact that matches no tool, it is the method and the type.
    pub tool: String,
    /// The service of the tool, if there is such a tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "event-schema", schemars(with = "Option<String>"))]
    pub service: Option<ServiceName>,
    /// The category of the tool, if there is such a tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "event-schema", schemars(with = "Option<String>"))]
    pub category: Option<Category>,
    /// The effect of the tool on the state of its service, if there is such a tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "event-schema", schemars(with = "Option<String>"))]
    pub effect: Option<Effect>,
    /// The kind of the tool, if there is such a tool. A call through a tool of discovery is one of discovery.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "event-schema", schemars(with = "Option<String>"))]
    pub kind: Option<ToolKind>,
    /// The tool of discovery through which the call was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<&'static str>,
    /// The operator's switch of the tool that was in force, with the person who set it.
    #[serde(rename = "override", skip_serializing_if = "Option::is_none")]
    pub switch: Option<String>,
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
    /// The scope parameters of the role in the run, with the variables filled in. Recorded if the
    /// operator asks for values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(
        feature = "event-schema",
        schemars(with = "Vec<super::schema::ScopeSchema>")
    )]
    pub scopes: Vec<ResolvedParameter>,
    /// The agent that called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The workspace of the caller: the folder of the configuration, or what the program names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The workspace of the service that the call is for. Absent if the service has no named ones, or
    /// if the call was refused before one was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "event-schema", schemars(with = "Option<String>"))]
    pub source_workspace: Option<WorkspaceName>,
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

words! {
    /// The kind of a tool.
    ToolKind {
        /// A tool of a service or of the program.
        Raw = "raw",
        /// A skill: a sequence of calls of other tools.
        Skill = "skill",
        /// A tool that finds, describes or calls other tools or skills.
        Discovery = "discovery",
    }
}

impl ToolKind {
    /// Returns the kind of a tool. The tools that Toolwright itself offers have its name as their
    /// service.
    #[must_use]
    pub fn from_spec(spec: &ToolSpec) -> Self {
        if spec.service.as_str() != OWN_SERVICE {
            return Self::Raw;
        }
        if spec.section == SKILLS {
            Self::Skill
        } else {
            Self::Discovery
        }
    }
}

/// The arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
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
    /// The values, with those that are secret by their schema masked. Recorded if the operator asks
    /// for them and they fit the schema.
    #[serde(rename = "arguments", skip_serializing_if = "Option::is_none")]
    pub values: Option<Value>,
    /// The results of earlier calls of the run that hold the same values, by the JSON Pointers of the
    /// values in the arguments. Recorded if the operator asks for it.
    #[serde(rename = "value_sources", skip_serializing_if = "BTreeMap::is_empty")]
    pub sources: BTreeMap<String, Vec<ValueSource>>,
}

/// The place of a value in the result of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "event-schema", derive(schemars::JsonSchema))]
pub struct ValueSource {
    /// The id of the call.
    #[cfg_attr(feature = "event-schema", schemars(with = "String"))]
    pub call: Uuid,
    /// The JSON Pointer of the value in its result.
    pub at: String,
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
            effect: None,
            kind: None,
            via: None,
            switch: None,
            governance_reason: None,
            spec_digest: None,
            target: None,
            arguments: None,
            scopes: Vec::new(),
            agent: None,
            workspace: None,
            source_workspace: None,
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

    /// A change of the standing of a skill.
    #[must_use]
    pub fn skill_moved(time: Timestamp, moved: SkillMoved) -> Self {
        let moved = SkillMoved {
            person: moved.person.map(|person| bounded(&person, TEXT_LIMIT)),
            os_user: bounded(&moved.os_user, TEXT_LIMIT),
            why: bounded(&moved.why, REASON_LIMIT),
            ..moved
        };
        Self::new(time, None, What::SkillMoved(moved))
    }

    /// The end of a run of a skill.
    pub(crate) fn skill_run(time: Timestamp, call: Option<AuditedCall>, run: SkillRun) -> Self {
        let run = SkillRun {
            step: run.step.map(|step| bounded_name(&step)),
            error: run.error.map(|error| bounded_name(&error)),
            warning: run.warning.map(|warning| bounded(&warning, REASON_LIMIT)),
            ..run
        };
        Self::new(time, call, What::SkillRun(run))
    }

    /// A definition of a tool of a mounted MCP server that a person accepts or removes.
    #[must_use]
    pub fn definition_accepted(time: Timestamp, accepted: DefinitionAccepted) -> Self {
        let accepted = DefinitionAccepted {
            mounted_tool: bounded_name(&accepted.mounted_tool),
            person: bounded(&accepted.person, TEXT_LIMIT),
            os_user: bounded(&accepted.os_user, TEXT_LIMIT),
            why: bounded(&accepted.why, REASON_LIMIT),
            ..accepted
        };
        Self::new(time, None, What::DefinitionAccepted(accepted))
    }

    /// A definition of a tool of a mounted MCP server that is not the accepted one.
    #[must_use]
    pub fn definition_changed(time: Timestamp, changed: DefinitionChanged) -> Self {
        let changed = DefinitionChanged {
            mounted_tool: bounded_name(&changed.mounted_tool),
            ..changed
        };
        Self::new(time, None, What::DefinitionChanged(changed))
    }

    /// A request of a mounted MCP server, with the call that it was made in.
    #[must_use]
    pub fn server_asked(time: Timestamp, call: Option<AuditedCall>, asked: ServerAsked) -> Self {
        Self::new(time, call, What::ServerAsked(asked))
    }

    /// A token that a person issues or revokes.
    #[must_use]
    pub fn token_changed(time: Timestamp, change: TokenChange) -> Self {
        let change = TokenChange {
            workspace: change.workspace.as_deref().map(bounded_name),
            person: bounded(&change.person, TEXT_LIMIT),
            os_user: bounded(&change.os_user, TEXT_LIMIT),
            why: bounded(&change.why, REASON_LIMIT),
            ..change
        };
        Self::new(time, None, What::TokenChanged(change))
    }

    /// What a person did at the console.
    #[must_use]
    pub fn console(time: Timestamp, used: ConsoleUse) -> Self {
        let used = ConsoleUse {
            person: bounded(&used.person, TEXT_LIMIT),
            os_user: bounded(&used.os_user, TEXT_LIMIT),
            why: used.why.map(|why| bounded(&why, REASON_LIMIT)),
            ..used
        };
        Self::new(time, None, What::Console(used))
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
            What::Approval(_)
            | What::ToolSwitched(_)
            | What::StandingGrant(_)
            | What::SkillMoved(_)
            | What::DefinitionAccepted(_)
            | What::TokenChanged(_) => true,
            What::Decision(decision) => decision.decision == Permission::Allow && !self.reads(),
            _ => false,
        }
    }

    /// Returns whether the event is about a call of a tool that only reads.
    pub(crate) fn reads(&self) -> bool {
        let call = self.call.as_ref();
        call.is_some_and(|call| {
            matches!(call.category, Some(Category::Observe | Category::Report))
                && call.effect == Some(Effect::Read)
        })
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
