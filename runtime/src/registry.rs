//! The registry: the tools, their grants, and the context of their calls.
//!
//! A registry is a capability boundary, not a directory: an agent gets a
//! [`ScopedToolView`], which lists and calls the tools that its role was granted and no others.

mod builder;
mod error;
mod policy;
mod reload;
mod tools;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

pub use builder::RegistryBuilder;
pub use error::{RegistryError, RegistryProblem};
use policy::{Findings, Statements};
use reload::FilePlaces;
use tokio::sync::watch;
use toolwright_model::{Role, ToolName, ToolSpec, WorkspaceName};
use toolwright_policy::{Pending, PolicyLock, Snapshot, Variables};

use crate::{
    approval::{self, ApprovalError, ApprovalHandle, ApprovalRequest, ApprovalStore, Decision},
    audit::{AuditError, AuditEvent, AuditSink},
    availability::{Availability, Override, Overrides},
    boundary::{
        core::{Core, Policy, RegisteredTool},
        view::ScopedToolView,
    },
    config::OpenIdConfig,
    credentials::{CredentialRequest, CredentialsError},
    error::OpenError,
    exchange::{SignInClient, eab::RunContext},
    notify::Notification,
};

/// The tools of a program and the grants of its roles. Cloning it is cheap.
#[derive(Clone)]
pub struct Registry {
    core: Arc<Core>,
    sources: Arc<Sources>,
}

/// The statements that a policy is compiled from, and the ones that match no tool.
struct Sources {
    statements: Statements,
    /// The places that the configuration named. They stay the same until the program ends.
    places: Option<FilePlaces>,
    findings: watch::Sender<Findings>,
    /// Held while the policy or the tools are replaced: each is compiled for the other.
    changing: Mutex<()>,
}

/// Everything that decides whether a tool is on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Switch {
    /// True if the tool's record switches it on.
    pub default: bool,
    /// True if the tool is on without an override.
    pub configured: bool,
    /// True if the program or the configuration switches it off. No override switches it on.
    pub disabled: bool,
    /// The operator's override.
    pub overridden: Option<Override>,
}

impl Switch {
    /// Returns whether the tool is on.
    #[must_use]
    pub fn is_on(&self) -> bool {
        match &self.overridden {
            Some(entry) => entry.enabled && !self.disabled,
            None => self.configured,
        }
    }
}

impl Registry {
    /// Creates a builder without tools, grants or an audit.
    #[must_use]
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// Returns the view of an agent with this role. A role without grants, or an unknown one, gets
    /// an empty view.
    #[must_use]
    pub fn for_agent(&self, role: &Role) -> ScopedToolView {
        ScopedToolView::new(Arc::clone(&self.core), role.clone())
    }

    /// Opens the view of an agent with this role for a run, with the variables that the scopes of the
    /// role refer to. The audit records the scopes with the variables inserted.
    ///
    /// # Errors
    /// [`OpenError`] if a variable cannot be inserted, or if the audit fails. There is no view then.
    pub fn open(
        &self,
        role: &Role,
        run: RunContext,
        variables: Variables,
    ) -> Result<ScopedToolView, OpenError> {
        let view = self.for_agent(role).with_variables(variables).in_run(run);
        view.check_variables().map_err(OpenError::Variables)?;
        view.record_scopes()?;
        Ok(view)
    }

    /// Returns the declared roles, sorted.
    #[must_use]
    pub fn roles(&self) -> Vec<Role> {
        self.core.policy().roles().cloned().collect()
    }

    /// Checks whether a role is declared.
    #[must_use]
    pub fn has_role(&self, role: &Role) -> bool {
        self.core.policy().snapshot.has_role(role)
    }

    /// Returns the tools that a role is granted, on or off, sorted by name: for the operator, never
    /// for an agent.
    #[must_use]
    pub fn granted(&self, role: &Role) -> Vec<ToolName> {
        let policy = self.core.policy();
        let tools = policy.tools.keys();
        let granted = tools.filter(|tool| policy.is_granted(role, tool));
        granted.cloned().collect()
    }

    /// Returns the named workspaces that the grants of a role let the calls of a tool be for, whatever
    /// the workspace of the caller is: for the operator, never for an agent.
    #[must_use]
    pub fn workspaces(&self, role: &Role, tool: &ToolSpec) -> Vec<WorkspaceName> {
        let policy = self.core.policy();
        let service = policy.services.get(&tool.service);
        let named = service.into_iter().flat_map(|service| service.named.keys());
        let variables = Variables::new();
        let allows = |name: &&WorkspaceName| {
            let (snapshot, name) = (&policy.snapshot, name.as_str());
            snapshot.allows_workspace(role, &tool.name, None, &variables, name)
        };
        named.filter(allows).cloned().collect()
    }

    /// Returns every tool, sorted by name, with its switch: for the operator, never for an agent.
    pub fn tools(&self) -> impl Iterator<Item = (Arc<ToolSpec>, bool)> + use<> {
        let switches = self.switches();
        switches.map(|(spec, switch)| (spec, switch.is_on()))
    }

    /// Returns every tool, sorted by name, with everything that decides whether it is on: for the
    /// operator, never for an agent. Tools that are [composed](crate::Tool::composed) of others have no
    /// switch, unless they have grants of their own.
    pub fn switches(&self) -> impl Iterator<Item = (Arc<ToolSpec>, Switch)> + use<> {
        let policy = self.core.policy();
        let overrides = self.core.availability.overrides();
        let governed = policy.tools.governed();
        let switches = governed.map(|entry| {
            let spec = entry.tool.spec();
            (Arc::clone(spec), switch(spec, &policy, &overrides))
        });
        switches.collect::<Vec<_>>().into_iter()
    }

    /// Returns the record of a tool: for the operator, never for an agent.
    #[must_use]
    pub fn spec(&self, tool: &str) -> Option<Arc<ToolSpec>> {
        let tools = self.core.tools();
        tools.get(tool).map(|entry| Arc::clone(entry.tool.spec()))
    }

    /// Returns everything that decides whether a tool is on: for the operator, never for an agent. None if
    /// there is no such tool, or if it is [composed](crate::Tool::composed) of others.
    #[must_use]
    pub fn switch(&self, tool: &str) -> Option<Switch> {
        let (policy, overrides) = (self.core.policy(), self.core.availability.overrides());
        let entry = policy.tools.get(tool)?;
        let is_governed = entry.tool.is_governed();
        is_governed.then(|| switch(entry.spec(), &policy, &overrides))
    }

    /// Returns the selectors and services of the configuration that match nothing in a
    /// [partial](RegistryBuilder::partial) registry.
    #[must_use]
    pub fn unmatched(&self) -> Vec<RegistryProblem> {
        self.sources.findings.borrow().unmatched.clone()
    }

    /// Returns the tools that the selectors of the configuration match and that no person has
    /// accepted. Without a policy lock there are none.
    #[must_use]
    pub fn pending(&self) -> Vec<Pending> {
        self.sources.findings.borrow().pending.clone()
    }

    /// Returns the policy lock that accepts everything that the selectors of the configuration match.
    #[must_use]
    pub fn matched(&self) -> PolicyLock {
        self.sources.findings.borrow().matched.clone()
    }

    /// Returns the snapshot of the policy in force: for the operator, never for an agent.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.core.policy().snapshot.clone()
    }

    /// Returns the faults in the input schemas of the tools that some role can call. A call of a
    /// tool whose schema does not compile is refused, and the audit records it. A pattern that does
    /// not compile refuses no argument. Neither affects another tool.
    #[must_use]
    pub fn schema_faults(&self) -> Vec<RegistryProblem> {
        let policy = self.core.policy();
        let callable = policy.callable().into_iter();
        let entries = callable.filter_map(|name| policy.tools.get(name.as_str()));
        entries.flat_map(|entry| schema_faults(entry)).collect()
    }

    /// Keeps a person's decision about a call that waits, and audits it: for the operator, never
    /// for an agent.
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
        let decided = approval::decide(approvals.as_ref(), audit, handle, decision.clone()).await;
        if let Ok(request) = &decided {
            let notification = Notification::decided(request, &decision);
            let policy = self.core.policy();
            self.core.notifier.send(&policy.notify, &notification);
        }
        decided
    }

    /// Waits until everybody was told of the calls that wait, at most for `limit`. A program that is
    /// about to end calls it last.
    pub async fn finish_notifications(&self, limit: Duration) {
        self.core.notifier.finish(limit).await;
    }

    /// Reads the client that signs people in at an OpenID provider.
    ///
    /// # Errors
    /// [`CredentialsError`] if the credentials of the provider cannot be read, or hold no such client.
    pub async fn sign_in_client(
        &self,
        config: &OpenIdConfig,
    ) -> Result<SignInClient, CredentialsError> {
        let request = CredentialRequest::new(&config.service, None);
        let access = self.core.credentials.read_for_call(request).await?;
        SignInClient::new(access, config)
    }

    /// Records an event that is not about a call, such as a refused login: for the operator,
    /// never for an agent.
    ///
    /// # Errors
    /// When the event was not recorded.
    pub fn record(&self, event: &AuditEvent) -> Result<(), AuditError> {
        self.core.audit.record(event)
    }

    /// Records several such events, and waits for the disk once.
    ///
    /// # Errors
    /// When an event was not recorded. The ones before it may have been.
    pub async fn record_all(&self, events: &[AuditEvent]) -> Result<(), AuditError> {
        self.core.audit.record_all(events).await
    }

    /// Returns the source of the operator's switches.
    #[must_use]
    pub fn availability(&self) -> &Arc<Availability> {
        &self.core.availability
    }

    /// Returns the store of waiting calls.
    #[must_use]
    pub fn approvals(&self) -> &Arc<dyn ApprovalStore> {
        &self.core.approvals
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registry")
            .field("tools", &self.core.tools())
            .field("policy", &self.core.policy())
            .finish_non_exhaustive()
    }
}

fn switch(spec: &ToolSpec, policy: &Policy, overrides: &Overrides) -> Switch {
    Switch {
        default: spec.enabled_by_default,
        configured: policy.snapshot.is_configured_on(&spec.name),
        disabled: policy.snapshot.is_disabled(&spec.name),
        overridden: overrides.get(&spec.name).cloned(),
    }
}

/// Returns the faults in the input schema of a tool.
fn schema_faults(registered: &RegisteredTool) -> Vec<RegistryProblem> {
    let spec = registered.spec();
    let tool = || spec.name.clone();
    if let Err(message) = registered.schema.check_compiles(spec.input_schema.whole()) {
        let message = message.to_owned();
        return vec![RegistryProblem::Schema {
            tool: tool(),
            message,
        }];
    }
    let patterns = registered.schema.advisory(spec.input_schema.whole());
    let faults = patterns.map(|pattern| RegistryProblem::Pattern {
        tool: tool(),
        pattern: pattern.to_owned(),
    });
    faults.collect()
}
