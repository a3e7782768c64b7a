//! A tool and the action that carries out its calls.

use std::{collections::BTreeSet, fmt, sync::Arc};

use futures_core::future::BoxFuture;
use jiff::Timestamp;
use serde_json::{Map, Value};
use toolwright_model::{Method, Role, ToolName, ToolSpec, WorkspaceName};
use toolwright_policy::{
    ParameterCheck, PolicyTool, Refusal, SandboxLayer, ScopeParameters, ScopeValues, TargetScope,
};
use uuid::Uuid;

use super::{
    asking::{Asking, Client},
    composition::Composition,
    core::RegisteredTool,
    secrets::CallSecrets,
    view::ScopedToolView,
};
use crate::{
    audit::{AuditError, AuditEvent, AuditSink as _, AuditedCall, SkillMoved, SkillRun},
    config::Repository,
    credentials::{Access, CredentialPart, CredentialRequest, Login},
    error::ToolError,
    output::ToolOutput,
    progress::{Listener, Printing},
    secret::Secret,
};

/// A tool: its [`ToolSpec`], and the action that carries out its calls. Cloning it is cheap.
#[derive(Clone)]
pub struct Tool {
    spec: Arc<ToolSpec>,
    action: Action,
    parameters: Arc<ScopeParameters>,
    composition: Option<Arc<Composition>>,
    lacking: Option<LackingLayers>,
    accepted: Option<Arc<Accepted>>,
    server: Option<Arc<str>>,
    /// The parts of the credentials of its service that a function of the program uses.
    parts: Arc<[CredentialPart]>,
}

/// The condition that the definition of a tool is the one that a person accepted.
type Accepted = dyn Fn() -> bool + Send + Sync;

/// Returns the layers of the sandbox that the machine lacks for a call, given the values of the tool's scope
/// parameters.
pub type LackingLayers = fn(&ScopeValues) -> BTreeSet<SandboxLayer>;

/// The action that carries out a call.
#[derive(Clone)]
pub(crate) enum Action {
    /// The request that the spec's binding describes.
    Binding,
    /// A function of the program.
    Native(Arc<Native>),
}

pub(crate) type Native =
    dyn Fn(ToolContext, Value) -> BoxFuture<'static, Result<Value, ToolError>> + Send + Sync;

/// The context of a call that a native tool receives.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolContext {
    /// The tool as it was when the call began.
    pub(crate) entry: Arc<RegisteredTool>,
    /// The role of the caller.
    pub role: Role,
    /// The called tool.
    pub tool: ToolName,
    /// The id of the call, as in the audit.
    pub correlation_id: Uuid,
    /// The time of the call.
    pub time: Timestamp,
    /// The workspace of the tool's service that the call is for; none if the service has no named ones.
    pub workspace: Option<WorkspaceName>,
    /// The values of the scope parameters that the tool declares.
    pub(crate) values: ScopeValues,
    /// The URLs that the call may request.
    pub(crate) targets: TargetScope,
    /// The caller's own view, for the calls that the tool makes.
    pub(crate) view: ScopedToolView,
    /// The function that receives the progress of the call.
    pub(crate) progress: Option<Listener>,
    /// The client that answers requests of a server.
    pub(crate) client: Client,
    /// The secrets to remove from the tool's result.
    pub(crate) secrets: CallSecrets,
    /// The call, as the audit describes it.
    pub(crate) call: Option<AuditedCall>,
}

impl ToolContext {
    /// Returns the caller's own view. Calls through it have the caller's role, scope and approvals,
    /// and the audit names this call as their parent. A tool that needs other tools must call them
    /// here. Through a registry of its own it would let every caller do everything that the tool
    /// can do.
    #[must_use]
    pub const fn view(&self) -> &ScopedToolView {
        &self.view
    }

    /// Calls another tool for the caller: [`ScopedToolView::call_json`] of [`ToolContext::view`].
    ///
    /// # Errors
    /// [`ToolError`] if the caller may not call the tool or the call fails.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<ToolOutput, ToolError> {
        self.view.call_json(tool, arguments).await
    }

    /// Returns the values of the scope parameters that the tool declares, as the operator sets them
    /// for the caller. The arguments of the call fit them. The tool must obey them in what the
    /// arguments lead to: a search leaves out the files that
    /// [`ScopeValues::allows`] refuses.
    #[must_use]
    pub const fn scope(&self) -> &ScopeValues {
        &self.values
    }

    /// Records the end of the run of a skill that this call is.
    ///
    /// # Errors
    /// When the event was not recorded.
    pub fn record_skill_run(&self, run: SkillRun) -> Result<(), AuditError> {
        let core = self.view.core();
        let event = AuditEvent::skill_run(core.clock.now(), self.call.clone(), run);
        core.audit.record(&event)
    }

    /// Records a change of the standing of a skill that this call has caused.
    ///
    /// # Errors
    /// When the event was not recorded.
    pub fn record_skill_move(&self, moved: SkillMoved) -> Result<(), AuditError> {
        let core = self.view.core();
        let event = AuditEvent::skill_moved(core.clock.now(), moved);
        core.audit.record(&event)
    }

    /// Checks a string that the call leads to against a scope parameter of the tool, as
    /// [`ScopeValues::check`] does: the real path of a file, the branch that is checked out. A refusal is
    /// recorded as a violation of the scope, or as the use of a protected path, and counts as one.
    ///
    /// # Errors
    /// [`ToolError::OutOfScope`] if the string does not fit the parameter.
    pub fn check(&self, parameter: &str, text: &str) -> Result<(), ToolError> {
        let checked = self.values.check(parameter, text);
        checked.map_err(|refusal| self.refused(refusal))
    }

    /// Records a refusal as a violation, and returns the error for the caller.
    pub(crate) fn refused(&self, refusal: Refusal) -> ToolError {
        let (core, scope) = (self.view.core(), self.view.scope());
        let (call, rule) = (self.call.clone(), refusal.rule_at_its_place());
        core.record_violation(scope, call, refusal.reason.into(), rule);
        ToolError::OutOfScope {
            tool: self.tool.clone(),
            reason: refusal.reason,
            rule: refusal.rule,
        }
    }

    /// Checks a result against the output schema of the tool, if it has one.
    ///
    /// # Errors
    /// [`ToolError::UnusableAnswer`] if the result does not fit.
    pub fn check_output(&self, output: &Value) -> Result<(), ToolError> {
        let entry = &self.entry;
        let Some(schema) = entry.spec().output_schema.as_ref() else {
            return Ok(());
        };
        let found = entry.output.violations(schema.whole(), output);
        let message = match found.map(|violations| violations.into_iter().next()) {
            Ok(None) => return Ok(()),
            Ok(Some(violation)) => format!("{}: {}", violation.pointer, violation.message),
            Err(reason) => reason.to_owned(),
        };
        Err(ToolError::UnusableAnswer {
            status: None,
            message: format!("the result does not fit the schema of the tool: {message}"),
            request: None,
        })
    }

    /// Returns the repository that the call works on: that of the run, or else the configured one.
    #[must_use]
    pub fn repository(&self) -> &Repository {
        let (core, scope) = (self.view.core(), self.view.scope());
        scope.run.repository.as_ref().unwrap_or(&core.repository)
    }

    /// Returns the layers of the sandbox that a call of the role requires, if it writes or runs something. The
    /// machine has those of a tool that was declared [within a sandbox](Tool::within_sandbox).
    #[must_use]
    pub fn sandbox(&self) -> BTreeSet<SandboxLayer> {
        self.view.core().policy().snapshot.sandbox(&self.role)
    }

    /// Returns the receiver of output that the call has before its result. The caller sees it as progress,
    /// without the secrets of the call.
    #[must_use]
    pub fn printing(&self) -> Printing {
        self.secrets.printing(self.progress.as_ref())
    }

    /// Returns the way to the client of the call, for the requests of the server that carries it out. The calls
    /// that a tool makes in turn have none.
    #[must_use]
    pub fn asking(&self) -> Asking {
        let (client, core) = (self.client.clone(), Arc::clone(self.view.core()));
        Asking::new(client, core, self.call.clone(), self.secrets.clone())
    }

    /// Reads the user and the password with which the tool logs in at its service: those of the account
    /// of the caller's role, in the workspace of the call. They are removed from the tool's result and
    /// errors.
    ///
    /// # Errors
    /// [`ToolError::Credentials`] if the credentials cannot be used, or have no user.
    pub async fn login(&self) -> Result<Login, ToolError> {
        Ok(self.access().await?.login()?)
    }

    /// Reads a part of the credentials of the tool's service: of the account of the caller's role, in the
    /// workspace of the call. They are removed from the tool's result and errors.
    ///
    /// # Errors
    /// [`ToolError::Credentials`] if the credentials cannot be used, or lack the part.
    pub async fn credential(&self, part: CredentialPart) -> Result<Secret, ToolError> {
        Ok(self.access().await?.part(part)?)
    }

    /// Reads the credentials of the tool's service. Their secrets leave with no result and no error.
    async fn access(&self) -> Result<Access, ToolError> {
        let core = self.view.core();
        let policy = core.policy();
        let account = policy.snapshot.account(&self.role);
        let request = CredentialRequest::new(&self.entry.spec().service, account);
        let request = request.in_workspace(self.workspace.as_ref());
        let access = core.credentials.read_for_call(request).await?;
        self.secrets.add(access.secrets());
        Ok(access)
    }

    /// Removes a string from the tool's result and errors. Use it for secrets that the tool obtains
    /// itself; the credentials of its service are removed in any case.
    pub fn conceal(&self, secret: impl Into<String>) {
        self.secrets.add([Secret::new(secret.into())]);
    }
}

impl Tool {
    /// Creates a tool that sends the request of its binding.
    #[must_use]
    pub fn bound(spec: impl Into<Arc<ToolSpec>>) -> Self {
        Self {
            spec: spec.into(),
            action: Action::Binding,
            parameters: Arc::default(),
            composition: None,
            lacking: None,
            accepted: None,
            server: None,
            parts: Arc::default(),
        }
    }

    /// Creates a tool that is carried out by a function. The function receives the checked
    /// arguments as an object.
    ///
    /// The function is called only after every gate has let the call pass, regardless of the spec's
    /// binding.
    #[must_use]
    pub fn native<F, R>(spec: impl Into<Arc<ToolSpec>>, function: F) -> Self
    where
        F: Fn(ToolContext, Value) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        let function = move |context, arguments| -> BoxFuture<'static, _> {
            Box::pin(function(context, arguments))
        };
        Self::of_function(spec, Arc::new(function))
    }

    /// Creates a tool whose function only calls other tools, through [`ToolContext::view`].
    ///
    /// A policy neither grants nor limits it: a role is offered it if it is offered the tools of the
    /// composition, and each call that the function makes passes all gates. The spec states whether one
    /// of these calls needs an approval; the function asks for it with
    /// [`ToolContext::approve`], or lets each call ask for its own.
    #[must_use]
    pub fn composed<F, R>(
        spec: impl Into<Arc<ToolSpec>>,
        composition: Composition,
        function: F,
    ) -> Self
    where
        F: Fn(ToolContext, Value) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Value, ToolError>> + Send + 'static,
    {
        let mut tool = Self::native(spec, function);
        tool.composition = Some(Arc::new(composition));
        tool
    }

    /// Creates a tool that is carried out by a shared function.
    pub(crate) fn of_function(spec: impl Into<Arc<ToolSpec>>, function: Arc<Native>) -> Self {
        Self {
            spec: spec.into(),
            action: Action::Native(function),
            parameters: Arc::default(),
            composition: None,
            lacking: None,
            accepted: None,
            server: None,
            parts: Arc::default(),
        }
    }

    /// Declares the scope parameters of the tool. An operator sets them in the scopes of a profile,
    /// and a call must fit them. A parameter of an argument that the tool does not have is a problem
    /// of the registry.
    #[must_use]
    pub fn with_scope_parameters(mut self, parameters: ScopeParameters) -> Self {
        self.parameters = Arc::new(parameters);
        self
    }

    /// Declares that the tool writes or runs something in a sandbox, and the function that finds out which
    /// layers the machine lacks. A call whose role requires one of them is refused before it has any effect.
    #[must_use]
    pub fn within_sandbox(mut self, lacking: LackingLayers) -> Self {
        self.lacking = Some(lacking);
        self
    }

    /// Offers the tool only while a condition holds: that its definition is the one that a person accepted.
    /// It is checked at each decision, so it must be quick.
    #[must_use]
    pub fn while_accepted(mut self, accepted: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.accepted = Some(Arc::new(accepted));
        self
    }

    /// Declares that the tool logs in at a server with the credentials of its service, which
    /// [`ToolContext::login`] returns. A call of a role without an account there is refused before a
    /// person is asked. `server` is shown to the operator.
    #[must_use]
    pub fn logs_in_at(self, server: impl Into<Arc<str>>) -> Self {
        self.uses_credentials(server, [CredentialPart::Username])
    }

    /// Declares the parts of the credentials of its service that the tool uses, which
    /// [`ToolContext::credential`] returns. A call of a role whose account lacks one is refused before a
    /// person is asked. `at`, the server or the program that receives them, is shown to the operator.
    #[must_use]
    pub fn uses_credentials(
        mut self,
        at: impl Into<Arc<str>>,
        parts: impl IntoIterator<Item = CredentialPart>,
    ) -> Self {
        self.server = Some(at.into());
        self.parts = parts.into_iter().collect();
        self
    }

    /// Returns the parts of the credentials that the tool uses.
    pub(crate) fn credential_parts(&self) -> &[CredentialPart] {
        &self.parts
    }

    /// Checks whether a policy grants and limits the tool itself.
    pub(crate) fn is_governed(&self) -> bool {
        let composition = self.composition();
        composition.is_none_or(Composition::has_own_grants)
    }

    /// Checks whether the call of the tool itself asks for an approval, rather than the calls that it makes.
    pub(crate) fn asks_itself(&self) -> bool {
        self.composition().is_none_or(Composition::asks_itself)
    }

    /// Returns the server or the program that uses the credentials.
    pub(crate) fn server(&self) -> Option<&str> {
        self.server.as_deref()
    }

    /// Checks whether the definition of the tool is the one that a person accepted.
    pub(crate) fn is_accepted(&self) -> bool {
        self.accepted.as_ref().is_none_or(|accepted| accepted())
    }

    /// Returns the tool as one that is offered to nobody: what defined it is gone or has a fault.
    pub(crate) fn withdrawn(&self) -> Self {
        self.clone().while_accepted(|| false)
    }

    /// Returns the layers of the sandbox that the machine lacks for a call of the tool.
    pub(crate) fn lacking_layers(&self, values: &ScopeValues) -> BTreeSet<SandboxLayer> {
        let lacking = self.lacking.map(|lacking| lacking(values));
        lacking.unwrap_or_default()
    }

    /// Returns the method and the URL that a function of the program requests, if it declares them.
    pub(crate) fn target(&self, arguments: &Map<String, Value>) -> Option<(Method, String)> {
        let mut parameters = self.parameters.values();
        let url = parameters.find(|parameter| parameter.check == ParameterCheck::Url)?;
        let url = arguments.get(url.argument.as_deref()?)?.as_str()?;
        Some((Method::Get, url.to_owned()))
    }

    pub(crate) fn for_policy(&self) -> PolicyTool<'_> {
        PolicyTool {
            spec: &self.spec,
            parameters: &self.parameters,
        }
    }

    /// Returns the faults of the scope parameters, with their names.
    pub(crate) fn parameter_faults(&self) -> impl Iterator<Item = (&str, String)> {
        let parameters = self.parameters.iter();
        parameters.filter_map(|(name, parameter)| {
            let fault = parameter.fault(name, &self.spec)?;
            Some((name.as_str(), fault))
        })
    }

    /// Returns the spec of the tool.
    #[must_use]
    pub const fn spec(&self) -> &Arc<ToolSpec> {
        &self.spec
    }

    /// Returns what the tool calls, if it is composed of other tools.
    #[must_use]
    pub fn composition(&self) -> Option<&Composition> {
        self.composition.as_deref()
    }

    pub(crate) const fn action(&self) -> &Action {
        &self.action
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("name", &self.spec.name)
            .finish_non_exhaustive()
    }
}

impl From<ToolSpec> for Tool {
    fn from(spec: ToolSpec) -> Self {
        Self::bound(spec)
    }
}
