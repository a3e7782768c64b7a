//! The registry: which tools there are, who was granted them, and what a call of them needs.
//!
//! A registry is a capability boundary, not a directory: an agent gets a
//! [`ScopedToolView`], which lists and calls what its role was granted and no more.

mod builder;
mod error;
mod selection;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

pub use builder::RegistryBuilder;
pub use error::{RegistryError, RegistryProblem};
use jiff::SignedDuration;
use toolwright_model::{Role, ServiceName, ToolName, ToolSpec};

use crate::{
    approval::{self, ApprovalError, ApprovalId, ApprovalRequest, ApprovalStore, Decision},
    audit::AuditSink,
    clock::Clock,
    config::ServiceConfig,
    credentials::Credentials,
    eab::{Repository, Sessions},
    http::Executor,
    schema::ArgumentSchema,
    tool::Tool,
    view::ScopedToolView,
};

/// The tools of a program and the grants of its roles. Cloning it is cheap.
#[derive(Clone)]
pub struct Registry {
    core: Arc<Core>,
}

/// What all views of a registry share. It does not change once it is built.
pub(crate) struct Core {
    pub(crate) tools: BTreeMap<ToolName, Entry>,
    pub(crate) grants: BTreeMap<Role, BTreeSet<ToolName>>,
    pub(crate) services: BTreeMap<ServiceName, ServiceConfig>,
    pub(crate) credentials: Credentials,
    pub(crate) approvals: Arc<dyn ApprovalStore>,
    pub(crate) approval_lifetime: SignedDuration,
    pub(crate) audit: Arc<dyn AuditSink>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) executor: Executor,
    pub(crate) sessions: Sessions,
    pub(crate) repository: Repository,
    unmatched: Vec<RegistryProblem>,
}

/// One tool of the registry.
pub(crate) struct Entry {
    pub(crate) tool: Tool,
    pub(crate) enabled: bool,
    pub(crate) schema: ArgumentSchema,
    pub(crate) output: ArgumentSchema,
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

    /// The roles that were declared, sorted.
    pub fn roles(&self) -> impl Iterator<Item = &Role> {
        self.core.grants.keys()
    }

    /// What a role was granted, on or off, sorted by name: for the operator, never for an agent.
    pub fn granted(&self, role: &Role) -> impl Iterator<Item = &ToolName> {
        self.core.grants.get(role).into_iter().flatten()
    }

    /// Every tool, sorted by name, and whether it is on: for the operator, never for an agent.
    pub fn tools(&self) -> impl Iterator<Item = (&ToolSpec, bool)> {
        self.core
            .tools
            .values()
            .map(|entry| (entry.spec(), entry.enabled))
    }

    /// What selected nothing, where that was allowed.
    #[must_use]
    pub fn unmatched(&self) -> &[RegistryProblem] {
        &self.core.unmatched
    }

    /// Takes down a person's decision about a call that waits, and tells the audit: for the
    /// operator, never for an agent.
    ///
    /// # Errors
    /// When nothing with this id waits, or when the audit or the store fails.
    pub async fn decide(
        &self,
        id: ApprovalId,
        decision: Decision,
    ) -> Result<ApprovalRequest, ApprovalError> {
        let Core {
            approvals, audit, ..
        } = &*self.core;
        approval::decide(approvals.as_ref(), audit.as_ref(), id, decision).await
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
            .field("grants", &self.core.grants)
            .finish_non_exhaustive()
    }
}

impl Entry {
    fn new(tool: Tool, enabled: bool) -> Self {
        Self {
            tool,
            enabled,
            schema: ArgumentSchema::default(),
            output: ArgumentSchema::default(),
        }
    }

    pub(crate) fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }
}
