//! The registry: which tools there are, who was granted them, and what a call of them needs.
//!
//! A registry is a capability boundary, not a directory: an agent gets a
//! [`ScopedToolView`], which lists and calls what its role was granted and no more.

mod builder;
mod error;
mod policy;
mod reload;
mod revocation;
mod selection;

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use arc_swap::ArcSwap;
pub use builder::RegistryBuilder;
pub use error::{RegistryError, RegistryProblem};
pub(crate) use policy::Policy;
use policy::Statements;
use reload::Places;
use revocation::Revocations;
use serde_json::Value;
use toolwright_model::{Role, ToolName, ToolSpec};

use crate::{
    approval::{self, ApprovalError, ApprovalHandle, ApprovalRequest, ApprovalStore, Decision},
    audit::{AuditError, AuditEvent, AuditSink, Recorder},
    canonical::digest,
    clock::Clock,
    credentials::Credentials,
    eab::{Repository, Sessions},
    error::Violation,
    http::Executor,
    request::PathFormats,
    schema::ArgumentSchema,
    tool::Tool,
    view::ScopedToolView,
};

/// The tools of a program and the grants of its roles. Cloning it is cheap.
#[derive(Clone)]
pub struct Registry {
    core: Arc<Core>,
}

/// What all views of a registry share. Only the policy and the revocations change after it is built.
pub(crate) struct Core {
    pub(crate) tools: BTreeMap<ToolName, Entry>,
    statements: Statements,
    /// The places that the configuration named, which stay as they are until the program ends.
    places: Option<Places>,
    policy: ArcSwap<Policy>,
    pub(crate) revocations: Revocations,
    pub(crate) credentials: Credentials,
    pub(crate) approvals: Arc<dyn ApprovalStore>,
    pub(crate) audit: Recorder,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) executor: Executor,
    pub(crate) sessions: Sessions,
    pub(crate) repository: Repository,
}

/// One tool of the registry.
pub(crate) struct Entry {
    pub(crate) tool: Tool,
    pub(crate) schema: ArgumentSchema,
    pub(crate) path_formats: PathFormats,
    pub(crate) output: ArgumentSchema,
    spec_digest: OnceLock<String>,
}

impl Core {
    /// The policy now. Whoever decides takes it once and decides by that.
    pub(crate) fn policy(&self) -> Arc<Policy> {
        self.policy.load_full()
    }
}

impl Registry {
    /// Begins a registry without tools, grants or an audit.
    #[must_use]
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// What an agent of this role can list and call. A role that was granted nothing, or that
    /// nobody has heard of, gets an empty view.
    #[must_use]
    pub fn for_agent(&self, role: &Role) -> ScopedToolView {
        ScopedToolView::new(Arc::clone(&self.core), role.clone())
    }

    /// The roles that are declared, sorted.
    #[must_use]
    pub fn roles(&self) -> Vec<Role> {
        self.core.policy().roles().cloned().collect()
    }

    /// The tools that a role is granted, on or off, sorted by name: for the operator, never for an
    /// agent.
    pub fn granted<'a>(&'a self, role: &'a Role) -> impl Iterator<Item = &'a ToolName> {
        let policy = self.core.policy();
        let tools = self.core.tools.keys();
        tools.filter(move |tool| policy.is_granted(role, tool))
    }

    /// Every tool, sorted by name, and whether it is on: for the operator, never for an agent.
    pub fn tools(&self) -> impl Iterator<Item = (&ToolSpec, bool)> {
        let policy = self.core.policy();
        let tools = self.core.tools.iter();
        tools.map(move |(name, entry)| (entry.spec(), policy.is_enabled(name)))
    }

    /// The selectors and services of the configuration that match nothing in a
    /// [partial](RegistryBuilder::partial) registry.
    #[must_use]
    pub fn unmatched(&self) -> Vec<RegistryProblem> {
        self.core.policy().unmatched.clone()
    }

    /// The faults in the input schemas of the tools that some role can call. A call of a tool
    /// whose schema does not compile is refused, and the audit records it. A pattern that does not
    /// compile refuses no argument. Neither affects another tool.
    #[must_use]
    pub fn schema_faults(&self) -> Vec<RegistryProblem> {
        let policy = self.core.policy();
        let callable = policy.callable().into_iter();
        let entries = callable.filter_map(|name| self.core.tools.get(name));
        entries.flat_map(Entry::schema_faults).collect()
    }

    /// Keeps a person's decision about a call that waits, and audits it: for the operator, never for
    /// an agent.
    ///
    /// # Errors
    /// When nothing with this handle waits, or when the audit or the store fails.
    pub async fn decide(
        &self,
        handle: ApprovalHandle,
        decision: Decision,
    ) -> Result<ApprovalRequest, ApprovalError> {
        let Core {
            approvals, audit, ..
        } = &*self.core;
        approval::decide(approvals.as_ref(), audit, handle, decision).await
    }

    /// Records an event that is not about a call, such as a refused login: for the operator,
    /// never for an agent.
    ///
    /// # Errors
    /// When the event was not recorded.
    pub fn record(&self, event: &AuditEvent) -> Result<(), AuditError> {
        self.core.audit.record(event)
    }

    /// Where calls wait for a person.
    #[must_use]
    pub fn approvals(&self) -> &Arc<dyn ApprovalStore> {
        &self.core.approvals
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry")
            .field("tools", &self.core.tools.keys())
            .field("policy", &self.core.policy())
            .finish_non_exhaustive()
    }
}

impl Entry {
    fn new(tool: Tool) -> Self {
        Self {
            tool,
            schema: ArgumentSchema::default(),
            path_formats: PathFormats::default(),
            output: ArgumentSchema::default(),
            spec_digest: OnceLock::new(),
        }
    }

    /// Returns what does not fit: by the schema of the arguments, then by the formats of the path.
    pub(crate) fn violations(&self, arguments: &Value) -> Result<Vec<Violation>, &str> {
        let spec = self.spec();
        match self.schema.violations(&spec.input_schema, arguments) {
            Ok(found) if found.is_empty() => self.path_formats.violations(spec, arguments),
            found => found,
        }
    }

    pub(crate) fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    /// The SHA-256 of the tool's record in canonical JSON, computed at the first call.
    pub(crate) fn spec_digest(&self) -> &str {
        self.spec_digest.get_or_init(|| {
            let record = serde_json::to_value(self.spec()).unwrap_or_default();
            digest(&record)
        })
    }

    fn schema_faults(&self) -> Vec<RegistryProblem> {
        let spec = self.spec();
        let tool = || spec.name.clone();
        if let Err(message) = self.schema.compiled(&spec.input_schema) {
            let message = message.to_owned();
            return vec![RegistryProblem::Schema {
                tool: tool(),
                message,
            }];
        }
        let patterns = self.schema.advisory(&spec.input_schema);
        let faults = patterns.map(|pattern| RegistryProblem::Pattern {
            tool: tool(),
            pattern: pattern.to_owned(),
        });
        faults.collect()
    }
}
