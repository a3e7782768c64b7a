//! The state that all views of a registry share.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, OnceLock},
};

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use tokio::sync::watch;
use toolwright_model::{Role, ServiceName, ToolName, ToolSpec};
use toolwright_policy::{PolicyTool, Snapshot};

use super::{
    rates::Rates, revocation::Revocations, tool::Tool, view::Scope, violations::Violations,
};
use crate::{
    approval::{ApprovalStore, ArgumentPointer},
    audit::{AuditEvent, AuditSink as _, Recorder, ScopeAlert, What, bounded_name},
    canonical::digest,
    config::{Repository, ServiceConfig, ViolationLimits},
    credentials::Credentials,
    exchange::{eab::Sessions, http::Executor, request::PathFormats},
    schema::{ArgumentSchema, Violation},
    system::Clock,
};

/// The state that all views of a registry share. Only the policy and the revocations change after
/// the registry is built.
pub(crate) struct Core {
    pub(crate) tools: BTreeMap<ToolName, RegisteredTool>,
    pub(crate) policy: watch::Sender<Arc<Policy>>,
    pub(crate) revocations: Revocations,
    pub(crate) violations: Violations,
    pub(crate) rates: Rates,
    pub(crate) credentials: Credentials,
    pub(crate) approvals: Arc<dyn ApprovalStore>,
    pub(crate) audit: Recorder,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) executor: Executor,
    pub(crate) sessions: Sessions,
    pub(crate) repository: Repository,
}

/// One tool of a registry.
pub(crate) struct RegisteredTool {
    pub(crate) tool: Tool,
    pub(crate) schema: ArgumentSchema,
    pub(crate) path_formats: PathFormats,
    pub(crate) output: ArgumentSchema,
    spec_digest: OnceLock<String>,
}

/// An immutable snapshot of the operator's decisions. A decision about a call reads one snapshot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Policy {
    pub(crate) snapshot: Snapshot,
    pub(crate) violations: ViolationLimits,
    pub(crate) services: BTreeMap<ServiceName, ServiceConfig>,
    pub(crate) approval_lifetime: SignedDuration,
    /// The arguments that are masked for the person who approves.
    pub(crate) mask: Vec<ArgumentPointer>,
}

impl Core {
    /// Changes the policy in force, as a new snapshot.
    pub(crate) fn change_snapshot(&self, change: impl FnOnce(&mut Policy)) {
        self.policy.send_modify(|in_force| {
            let mut policy = Policy::clone(in_force);
            change(&mut policy);
            *in_force = Arc::new(policy);
        });
    }

    /// Returns the policy in force. A gate takes it once and decides by that snapshot.
    pub(crate) fn policy(&self) -> Arc<Policy> {
        Arc::clone(&self.policy.borrow())
    }
}

impl Core {
    /// Counts a violation of a scope, and records an alert if the run had several.
    pub(crate) fn count_violation(&self, scope: &Scope, time: Timestamp) {
        let limits = self.policy().violations;
        let count = self.violations.count(scope);
        if count != limits.alert_after {
            return;
        }
        let alert = ScopeAlert {
            role: scope.role.clone(),
            run: scope.run.run.as_deref().map(bounded_name),
            count,
            halted: limits.halt,
        };
        // The refused calls are in the audit. If the alert cannot be recorded, the next event is
        // preceded by one with the number of lost events.
        let event = AuditEvent::new(time, None, What::ScopeAlert(alert));
        let _ = self.audit.record(&event);
    }
}

impl RegisteredTool {
    pub(crate) fn new(tool: Tool) -> Self {
        Self {
            tool,
            schema: ArgumentSchema::default(),
            path_formats: PathFormats::default(),
            output: ArgumentSchema::default(),
            spec_digest: OnceLock::new(),
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
    /// Checks whether the role was granted the tool.
    pub(crate) fn is_granted(&self, role: &Role, tool: &ToolName) -> bool {
        self.snapshot.is_granted(role, tool)
    }

    /// Checks whether the tool is on.
    pub(crate) fn is_enabled(&self, tool: &ToolName) -> bool {
        self.snapshot.is_enabled(tool)
    }

    /// Returns the settings of a service, or the defaults if the operator set none.
    pub(crate) fn service(&self, service: &ServiceName) -> ServiceConfig {
        self.services.get(service).cloned().unwrap_or_default()
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
