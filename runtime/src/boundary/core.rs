//! The state that all views of a registry share.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use jiff::SignedDuration;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};
use toolwright_model::{Mask, Projection, Role, ServiceName, ToolName, ToolSpec};
use toolwright_policy::{PolicyTool, RefusalReason, Snapshot};

use super::{
    menu::Menus, peers::Peers, provenance::Provenance, rates::Rates, revocation::Revocations,
    tool::Tool, tools::Tools, view::Scope, violations::Violations, wait::Undecided,
};
use crate::{
    approval::{ApprovalStore, ArgumentPointer, Masks},
    audit::{
        Alert, AlertRule, AuditEvent, AuditSink as _, AuditedCall, Reason, Recorder, Violated,
        What, bounded, bounded_name,
    },
    availability::{Availability, Override, Overrides},
    canonical::digest,
    config::{ApproverConfig, NotifyConfig, Repository, ViolationLimits, Workspaces},
    credentials::Credentials,
    discovery::Searcher,
    exchange::{
        eab::{RunContext, Sessions},
        http::Executor,
        oauth::AccessTokens,
        redact::RecentRedactors,
        request::PathFormats,
    },
    files::{FileLimits, FileStore},
    notify::Notifier,
    schema::{ArgumentSchema, Violation},
    system::Clock,
};

/// The state that all views of a registry share. Only the policy with its tools, the availability and the
/// revocations change after the registry is built.
pub(crate) struct Core {
    pub(crate) policy: watch::Sender<Arc<Policy>>,
    pub(crate) availability: Arc<Availability>,
    pub(crate) revocations: Revocations,
    pub(crate) violations: Violations,
    pub(crate) rates: Rates,
    pub(crate) peers: Peers,
    pub(crate) credentials: Credentials,
    /// The redactors of the secrets of the latest calls.
    pub(crate) redactors: RecentRedactors,
    pub(crate) approvals: Arc<dyn ApprovalStore>,
    /// The requests without a decision, for the calls that wait.
    pub(crate) undecided: Undecided,
    pub(crate) audit: Arc<Recorder>,
    pub(crate) notifier: Notifier,
    /// The requests whose expiry is waited for.
    pub(crate) expiries: Arc<Semaphore>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) executor: Executor,
    /// The access tokens that authorization servers have issued.
    pub(crate) tokens: AccessTokens,
    pub(crate) sessions: Sessions,
    pub(crate) repository: Repository,
    /// True if calls that only read pass while the audit cannot be written.
    pub(crate) reads_without_audit: bool,
    /// The folder of the configuration, if there is one.
    pub(crate) workspace: Option<String>,
    /// The search of discovery, if the program has one.
    pub(crate) searcher: Option<Arc<dyn Searcher>>,
    pub(crate) menus: Menus,
    /// The store of files, if the program has one.
    pub(crate) files: Option<FileStore>,
    /// The limits of saved answers.
    pub(crate) file_limits: FileLimits,
    /// Where values come from, if the operator asks for it.
    pub(crate) provenance: Option<Provenance>,
}

/// The greatest length of a workspace in the audit, in characters.
const WORKSPACE_LIMIT: usize = 256;

/// The greatest length of a switch in words, in characters.
const SWITCH_LIMIT: usize = 256;

/// One tool of a registry.
pub(crate) struct RegisteredTool {
    pub(crate) tool: Tool,
    pub(crate) schema: ArgumentSchema,
    pub(crate) path_formats: PathFormats,
    pub(crate) output: ArgumentSchema,
    masks: Masks,
    output_masks: Masks,
    spec_digest: OnceLock<String>,
    /// The parts of a response that the tool returns; all if there is none.
    pub(crate) mask: Option<Mask>,
}

/// An immutable snapshot of the operator's decisions. A decision about a call reads one snapshot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Policy {
    /// The tools that the policy was compiled for: both change at the same moment.
    pub(crate) tools: Arc<Tools>,
    /// The roles, their scopes and the switches, with the operator's overrides.
    pub(crate) snapshot: Snapshot,
    /// The overrides that the snapshot was made with.
    pub(crate) overrides: Arc<Overrides>,
    /// The same in words. A call of a switched tool must not take longer because they are put into words.
    pub(crate) switches: Arc<BTreeMap<ToolName, String>>,
    pub(crate) violations: ViolationLimits,
    pub(crate) services: BTreeMap<ServiceName, Workspaces>,
    pub(crate) approval_lifetime: SignedDuration,
    /// The arguments that are masked for the person who approves.
    pub(crate) mask: Vec<ArgumentPointer>,
    /// Those who may approve, and which calls. If there are none, every approver may approve all.
    pub(crate) approvers: Vec<ApproverConfig>,
    /// True if nobody approves a call of a run that he or she started.
    pub(crate) four_eyes: bool,
    /// The ways by which people learn of calls that wait.
    pub(crate) notify: NotifyConfig,
    /// The number of tools from which on a view offers discovery; none if none does.
    pub(crate) discovery_threshold: Option<usize>,
    /// The operator's rules of alerts.
    pub(crate) alerts: Vec<AlertRule>,
    /// The versions of the roles' policies, computed when they are first needed. Overrides do not
    /// change them.
    pub(crate) versions: Arc<Mutex<BTreeMap<Role, String>>>,
}

impl Core {
    /// Returns the policy in force, with the operator's overrides. A gate takes it once and decides by
    /// that snapshot.
    ///
    /// The policy and the overrides change independently. They are read as a pair that was in force
    /// at one moment: an old override together with a new policy might allow what neither allows
    /// with its own counterpart.
    pub(crate) fn policy(&self) -> Arc<Policy> {
        loop {
            let in_force = Arc::clone(&self.policy.borrow());
            let overrides = self.availability.overrides();
            if Arc::ptr_eq(&in_force.overrides, &overrides) {
                return in_force;
            }
            let policy = Arc::new(Policy::clone(&in_force).overridden(overrides));
            let is_current = self.policy.send_if_modified(|current| {
                let is_same = Arc::ptr_eq(current, &in_force);
                if is_same {
                    *current = Arc::clone(&policy);
                }
                is_same
            });
            if is_current {
                return policy;
            }
        }
    }
}

impl Core {
    /// Returns the tools of the policy in force. Whoever needs them twice takes them once.
    pub(crate) fn tools(&self) -> Arc<Tools> {
        Arc::clone(&self.policy.borrow().tools)
    }

    /// Records that a call violates a scope, and an alert if the run had several violations.
    pub(crate) fn record_violation(
        &self,
        scope: &Scope,
        call: Option<AuditedCall>,
        reason: Reason,
        rule: Option<String>,
    ) {
        // The agent has not asked for a read that is made for an approval.
        let count = (!scope.for_approval).then(|| self.violations.count(scope));
        let violated = Violated {
            reason,
            rule,
            count,
        };
        let what = match reason {
            Reason::Policy(RefusalReason::ProtectedPath) => What::ProtectedPath(violated),
            _ => What::ScopeViolation(violated),
        };
        let time = self.clock.now();
        // The refused call is in the audit. If these events cannot be recorded, the next event is
        // preceded by one with the number of lost events.
        let _ = self.audit.record(&AuditEvent::new(time, call, what));
        let limits = self.policy().violations;
        if count == Some(limits.alert_after) {
            let alert = Alert {
                alert: "scope_violations".to_owned(),
                role: Some(bounded_name(scope.role.as_str())),
                run: scope.run.run.as_deref().map(bounded_name),
                tool: None,
                count: limits.alert_after,
                halted: limits.halt,
            };
            let event = AuditEvent::new(time, None, What::Alert(alert));
            let _ = self.audit.record(&event);
        }
    }

    /// Returns the workspace of a run, for the audit.
    pub(crate) fn workspace_of(&self, run: &RunContext) -> Option<String> {
        let named = run.workspace.as_deref().or(self.workspace.as_deref());
        named.map(|workspace| bounded(workspace, WORKSPACE_LIMIT))
    }
}

impl std::fmt::Debug for RegisteredTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.tool.fmt(f)
    }
}

impl RegisteredTool {
    pub(crate) fn new(tool: Tool) -> Self {
        Self {
            schema: ArgumentSchema::default(),
            path_formats: PathFormats::default(),
            output: ArgumentSchema::default(),
            masks: Masks::default(),
            output_masks: Masks::default(),
            spec_digest: OnceLock::new(),
            mask: tool.spec().projection.as_ref().map(Projection::mask),
            tool,
        }
    }

    /// Checks arguments against the schema, and if they fit, against the formats of the path.
    pub(crate) fn violations(&self, arguments: &Value) -> Result<Vec<Violation>, &str> {
        let spec = self.spec();
        match self.schema.violations(spec.input_schema.whole(), arguments) {
            Ok(found) if found.is_empty() => self.path_formats.violations(spec, arguments),
            found => found,
        }
    }

    /// Returns arguments with each secret replaced by its length and digest.
    pub(crate) fn masked(&self, arguments: &Value, policy: &Policy) -> Value {
        let schema = self.spec().input_schema.whole();
        self.masks.mask(arguments, schema, &policy.mask)
    }

    /// Returns an answer with each secret replaced by its length and digest.
    pub(crate) fn masked_output(&self, answer: &Value) -> Value {
        match &self.spec().output_schema {
            Some(schema) => self.output_masks.mask(answer, schema.whole(), &[]),
            None => answer.clone(),
        }
    }

    pub(crate) fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    /// Returns the tool as a policy sees it.
    pub(crate) fn for_policy(&self) -> PolicyTool<'_> {
        self.tool.for_policy()
    }

    /// Returns the SHA-256 of the tool's record in canonical JSON, computed at the first call.
    pub(crate) fn spec_digest(&self) -> &str {
        self.spec_digest.get_or_init(|| {
            let record = serde_json::to_value(self.spec()).unwrap_or_default();
            digest(&record)
        })
    }
}

impl Policy {
    /// Returns the policy with these overrides of switches.
    pub(crate) fn overridden(mut self, overrides: Arc<Overrides>) -> Self {
        let switches = overrides.iter();
        let switches = switches.map(|(tool, entry)| (tool.clone(), entry.enabled));
        self.snapshot = self.snapshot.with_overrides(switches.collect());
        let described = overrides.iter();
        let described = described.map(|(tool, entry)| (tool.clone(), in_words(entry)));
        self.switches = Arc::new(described.collect());
        self.overrides = overrides;
        self
    }

    /// Checks whether the role was granted the tool.
    pub(crate) fn is_granted(&self, role: &Role, tool: &ToolName) -> bool {
        self.snapshot.is_granted(role, tool)
    }

    /// Returns the version of the policy of a role: the SHA-256 of what it is granted, and of what
    /// an approver is shown.
    pub(crate) fn version_for(&self, role: &Role) -> String {
        let mut versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(version) = versions.get(role) {
            return version.clone();
        }
        let mask = format!("{:?}", self.mask);
        let version = digest(&json!({"policy": self.snapshot.fingerprint(role), "mask": mask}));
        // Roles that are not declared have no calls to approve, and must not fill the memory.
        if self.roles().any(|known| known == role) {
            versions.insert(role.clone(), version.clone());
        }
        version
    }

    /// Returns the names of those who may approve a call of a tool in a run that a person started;
    /// none if every approver may.
    pub(crate) fn approvers_of(
        &self,
        spec: &ToolSpec,
        started_by: Option<&str>,
    ) -> Option<Vec<String>> {
        if self.approvers.is_empty() && !self.four_eyes {
            return None;
        }
        // Without a starter, anybody may have started the run.
        let is_another = |name: &str| started_by.is_some_and(|starter| starter != name);
        let may_approve = |approver: &&ApproverConfig| {
            let mut selectors = approver.approve.iter();
            selectors.any(|selector| selector.value.selects(spec))
                && (!self.four_eyes || is_another(&approver.name))
        };
        let approvers = self.approvers.iter().filter(may_approve);
        Some(approvers.map(|approver| approver.name.clone()).collect())
    }

    /// Returns the declared roles, sorted.
    pub(crate) fn roles(&self) -> impl Iterator<Item = &Role> {
        self.snapshot.roles()
    }

    /// Returns the tools that at least one role can call.
    pub(crate) fn callable(&self) -> BTreeSet<&ToolName> {
        self.snapshot.callable()
    }
}

/// Describes the operator's switch of a tool, for the audit.
fn in_words(switch: &Override) -> String {
    let state = if switch.enabled { "on" } else { "off" };
    let words = format!("{state} by {}: {}", switch.by, switch.why);
    bounded(&words, SWITCH_LIMIT)
}
