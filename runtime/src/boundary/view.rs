//! A role's view of the registry: the only handle that an agent holds.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use toolwright_model::{Category, Role, ServiceName, ToolName, ToolSpec, WorkspaceName};
use toolwright_policy::{VariableFault, Variables};
use uuid::Uuid;

use super::{
    answers::with_cut_result,
    artifact::ArtifactMethod,
    asking::{Asker, Client},
    core::{Core, Policy, RegisteredTool},
    covered::Covered,
    files::Delivery,
    shown::{Constants, ServiceConstants},
    workspaces::Offered,
};
use crate::{
    audit::{AuditEvent, AuditSink as _, ClientContext, ProfileResolved, What, bounded_name},
    error::OpenError,
    exchange::eab::RunContext,
    progress::{Listener, Progress},
    secret::Secret,
};

/// The tools that an agent of one role can list and call: those that the role was granted and that
/// are switched on. Cloning it is cheap.
#[derive(Clone)]
pub struct ScopedToolView {
    core: Arc<Core>,
    scope: Scope,
}

/// The caller, and the limits of its run.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub(crate) role: Role,
    /// The number of the view, for revocation.
    pub(crate) number: u64,
    pub(crate) allow_list: Option<BTreeSet<String>>,
    pub(crate) run: Arc<RunContext>,
    /// The workspaces that the calls of services are bound to.
    pub(crate) bound: Arc<BTreeMap<ServiceName, WorkspaceName>>,
    /// The variables of the run.
    pub(crate) variables: Arc<Variables>,
    /// True if a scope of the role refers to a variable that cannot be inserted. The view is then
    /// empty.
    pub(crate) lacks_variables: bool,
    /// The id of the calling call, if a tool calls through this view.
    pub(crate) parent: Option<Uuid>,
    /// The number of tools through which a call was made.
    pub(crate) depth: usize,
    /// The category of the tool of discovery through which the calls are made.
    pub(crate) through: Option<Category>,
    /// True if the calls read something for a person who approves, which nobody has asked for.
    pub(crate) for_approval: bool,
    pub(crate) client: Arc<ClientContext>,
    /// The caller's own token, for services whose credentials exchange it.
    pub(crate) caller_token: Option<Secret>,
    /// How long calls wait for a person.
    pub(crate) wait: Duration,
    pub(crate) delivery: Delivery,
    /// True if answers are never cut.
    pub(crate) whole_answers: bool,
    /// The function that receives the progress of transfers.
    pub(crate) progress: Option<Listener>,
    /// The client that answers requests of servers.
    pub(crate) asker: Client,
    /// The calls that a person approved together, if this is the view of a composed tool.
    pub(crate) covered: Option<Arc<Covered>>,
    pub(crate) standing: Standing,
}

/// The function that tells whether the caller may still call; none if nothing but a revocation ends
/// that.
#[derive(Clone, Default)]
pub(crate) struct Standing(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl ScopedToolView {
    pub(crate) fn new(core: Arc<Core>, role: Role) -> Self {
        let scope = Scope {
            role,
            number: core.revocations.issue(),
            allow_list: None,
            run: Arc::default(),
            bound: Arc::default(),
            variables: Arc::default(),
            lacks_variables: false,
            parent: None,
            depth: 0,
            through: None,
            for_approval: false,
            client: Arc::default(),
            caller_token: None,
            wait: Duration::ZERO,
            delivery: Delivery::Store,
            whole_answers: false,
            progress: None,
            asker: Client::default(),
            covered: None,
            standing: Standing::default(),
        };
        Self { core, scope }.resolved()
    }

    /// Checks the variables of the view against the policy in force.
    pub(crate) fn check_variables(&self) -> Result<(), Vec<VariableFault>> {
        let Scope {
            role,
            run,
            variables,
            ..
        } = &self.scope;
        let policy = self.core.policy();
        policy
            .snapshot
            .check_variables(role, run.node.as_deref(), variables)
    }

    /// Records the scopes of the view in the audit.
    pub(crate) fn record_scopes(&self) -> Result<(), OpenError> {
        let Scope {
            role,
            run,
            variables,
            ..
        } = &self.scope;
        let node = run.node.as_deref();
        let policy = self.core.policy();
        let scopes = policy.snapshot.resolved_scopes(role, node, variables);
        let scopes = scopes.map_err(|fault| OpenError::Variables(vec![fault]))?;
        let resolved = ProfileResolved {
            role: role.clone(),
            run: run.run.as_deref().map(bounded_name),
            node: node.map(bounded_name),
            scopes,
        };
        let what = What::ProfileResolved(resolved);
        let event = AuditEvent::new(self.core.clock.now(), None, what);
        self.core.audit.record(&event).map_err(OpenError::Audit)
    }

    fn resolved(mut self) -> Self {
        self.scope.lacks_variables = self.check_variables().is_err();
        self
    }

    pub(crate) const fn core(&self) -> &Arc<Core> {
        &self.core
    }

    pub(crate) const fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Returns this view with another destination of answers.
    pub(crate) fn delivering(&self, delivery: Delivery) -> Self {
        let mut view = self.clone();
        view.scope.delivery = delivery;
        view
    }

    /// Returns this view for the calls that a call makes in turn.
    pub(crate) fn called_from(&self, call: Uuid) -> Self {
        let mut view = self.clone();
        view.scope.parent = Some(call);
        view.scope.depth += 1;
        view.scope.through = None;
        view.scope.delivery = Delivery::Value;
        view.scope.progress = None;
        view.scope.asker = Client::default();
        view.scope.covered = None;
        view
    }

    /// Returns this view with calls that a person approved together.
    pub(crate) fn covered_by(&self, covered: Arc<Covered>) -> Self {
        let mut view = self.clone();
        view.scope.covered = Some(covered);
        view
    }

    /// Returns this view for the call that reads what a call changes, for the person who approves it.
    pub(crate) fn reading_for_approval(&self, call: Uuid) -> Self {
        let mut view = self.called_from(call);
        view.scope.for_approval = true;
        view.scope.wait = Duration::ZERO;
        view
    }

    /// Returns this view for the call of a tool through a tool of discovery.
    pub(crate) fn through(&self, category: Category) -> Self {
        let mut view = self.clone();
        view.scope.through = Some(category);
        view
    }

    /// Returns the role of the view.
    #[must_use]
    pub const fn role(&self) -> &Role {
        &self.scope.role
    }

    /// Narrows the view to the named tools. Names of tools that the view does not have are ignored.
    #[must_use]
    pub fn narrowed_to<N: AsRef<str>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        let names = names.into_iter().map(|name| name.as_ref().to_owned());
        let before = self.scope.allow_list.take();
        let kept = names.filter(|name| before.as_ref().is_none_or(|before| before.contains(name)));
        self.scope.allow_list = Some(kept.collect());
        self
    }

    /// Sets the pipeline run of the view. Domain services receive it with each call, and the
    /// overrides of its node apply.
    #[must_use]
    pub fn in_run(mut self, run: RunContext) -> Self {
        self.scope.run = Arc::new(run);
        self.resolved()
    }

    /// Binds the calls of a service's tools to one of its workspaces, such as for typed calls. The
    /// tools that the role may not use there leave the view.
    #[must_use]
    pub fn in_workspace(mut self, service: ServiceName, workspace: WorkspaceName) -> Self {
        Arc::make_mut(&mut self.scope.bound).insert(service, workspace);
        self
    }

    /// Sets the workspace that the caller works in. Services that have workspaces offer only this one,
    /// unless their settings leave the choice to the argument of a call. The audit records it.
    #[must_use]
    pub fn for_workspace(mut self, workspace: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.scope.run).workspace = Some(workspace.into());
        self
    }

    /// Sets the variables that the scopes of the role refer to. If one of them cannot be inserted,
    /// the view is empty; [`Registry::open`](crate::Registry::open) returns the reason instead.
    #[must_use]
    pub fn with_variables(mut self, variables: Variables) -> Self {
        self.scope.variables = Arc::new(variables);
        self.resolved()
    }

    /// Sets the client of the view. The audit records it with each call.
    #[must_use]
    pub fn for_client(mut self, client: ClientContext) -> Self {
        self.scope.client = Arc::new(client.bounded());
        self
    }

    /// Sets the caller's own token. It is exchanged for a token of a service whose credentials say so
    /// (`subject` of `oauth`), and is sent nowhere else.
    #[must_use]
    pub fn on_behalf_of(mut self, token: impl Into<String>) -> Self {
        self.scope.caller_token = Some(Secret::new(token.into()));
        self
    }

    /// Lets calls pass only while the function returns true, such as while the caller's token is
    /// accepted. It is called at each gate, also after a call has waited for a person, and must be
    /// quick. Calls are then refused as those of a revoked view.
    #[must_use]
    pub fn while_valid(mut self, is_valid: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.scope.standing = Standing(Some(Arc::new(is_valid)));
        self
    }

    /// Reports the progress of the transfers of calls: of requests with files, and of answers. The
    /// function must be quick. It is called four times a second at most, and not at all by a transfer
    /// that ends earlier.
    #[must_use]
    pub fn reporting_to(mut self, listener: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.scope.progress = Some(Listener::new(listener));
        self
    }

    /// Passes the requests that mounted servers make in calls on to the client. By default they are refused.
    #[must_use]
    pub fn asking(mut self, asker: impl Asker + 'static) -> Self {
        self.scope.asker = Client::new(asker);
        self
    }

    /// Lets calls that need an approval wait for the decision, at most this long and never longer
    /// than an hour. By default they are refused at once, and the caller repeats them.
    #[must_use]
    pub const fn waiting_for(mut self, limit: Duration) -> Self {
        self.scope.wait = limit;
        self
    }

    /// Never cuts answers: a program reads them, not a model.
    #[must_use]
    pub const fn with_whole_answers(mut self) -> Self {
        self.scope.whole_answers = true;
        self
    }

    /// Returns the tools of the view that offer a method for a type of artifact. Several services
    /// may have the same method, such as `validate` for `kicad_pcb`.
    #[must_use]
    pub fn for_artifact(&self, method: &str, artifact_type: &str) -> Vec<ToolName> {
        let artifact = ArtifactMethod {
            method,
            artifact_type,
        };
        let policy = self.core.policy();
        let entries = self.entries(&policy);
        let entries = entries.filter(|entry| artifact.is_for(entry.spec()));
        entries.map(|entry| entry.spec().name.clone()).collect()
    }

    /// Returns the workspaces that the calls of a tool may be for; none if its service has no named
    /// ones, or if the view does not have the tool.
    #[must_use]
    pub fn workspaces(&self, tool: &str) -> Vec<WorkspaceName> {
        let policy = self.core.policy();
        let permitted = self.scope.permits(&self.core, &policy, tool);
        let entry = permitted.ok().and_then(|()| policy.tools.get(tool));
        let offered = entry.map(|entry| self.scope.workspaces(&policy, entry.spec()));
        let offered = offered.iter().flat_map(Offered::each).flatten();
        offered.cloned().collect()
    }

    /// Returns the tools of the view, sorted by name, as an agent sees them: without the arguments
    /// that the operator pins, and with one that chooses a workspace if there are several.
    ///
    /// If the credentials of a service cannot be read, its tools keep all their arguments, and
    /// calls of them are refused.
    #[must_use]
    pub fn specs(&self) -> Vec<Arc<ToolSpec>> {
        self.specs_and_constants(&self.core.policy()).0
    }

    /// Returns the tools of the view by a policy, with the service constants that they are shown
    /// without.
    pub(crate) fn specs_and_constants(
        &self,
        policy: &Policy,
    ) -> (Vec<Arc<ToolSpec>>, ServiceConstants) {
        let mut constants = Constants::new(&self.core.credentials, policy, &self.scope);
        let shown = self
            .entries(policy)
            .map(|entry| self.allowing_cuts(constants.show(entry)));
        let specs = shown.collect();
        (specs, constants.into_read())
    }

    /// Returns one tool of the view, as an agent sees it, or a tool of discovery if the view offers it.
    #[must_use]
    pub fn spec(&self, name: &str) -> Option<Arc<ToolSpec>> {
        if let Some((tool, menu)) = self.discovery_tool(name) {
            return Some(Arc::clone(menu.entry(tool)?.tool.spec()));
        }
        let policy = self.core.policy();
        // A name that no tool has is checked like the others, so that the time tells nothing.
        self.scope.permits(&self.core, &policy, name).ok()?;
        let entry = policy.tools.get(name)?;
        let mut constants = Constants::new(&self.core.credentials, &policy, &self.scope);
        Some(self.allowing_cuts(constants.show(entry)))
    }

    /// Returns a tool as an agent sees it: its result may be cut, if the view cuts answers.
    fn allowing_cuts(&self, spec: Arc<ToolSpec>) -> Arc<ToolSpec> {
        match self.cut_limit() {
            Some(_) => Arc::new(with_cut_result(Arc::unwrap_or_clone(spec))),
            None => spec,
        }
    }

    /// Returns the tools of the view by a policy.
    fn entries<'p>(&'p self, policy: &'p Policy) -> impl Iterator<Item = &'p RegisteredTool> {
        let permitted = |(name, _): &(&ToolName, &Arc<RegisteredTool>)| {
            (self.scope)
                .permits(&self.core, policy, name.as_str())
                .is_ok()
        };
        let entries = policy.tools.iter().filter(permitted);
        entries.map(|(_, entry)| entry.as_ref())
    }
}

impl Standing {
    pub(super) fn holds(&self) -> bool {
        self.0.as_ref().is_none_or(|is_valid| is_valid())
    }
}

impl std::fmt::Debug for Standing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Standing")
    }
}

impl std::fmt::Debug for ScopedToolView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScopedToolView")
            .field("role", &self.scope.role)
            .finish_non_exhaustive()
    }
}
