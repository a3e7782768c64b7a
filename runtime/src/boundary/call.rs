//! One call, gate by gate.
//!
//! known → granted → enabled → in the run's allow-list → arguments valid → within the scope →
//! can be confined → within the rate → approved → credentials → execute.
//!
//! The first four are one layer, the scope is another: each uses data of its own, and refuses what
//! it must not let pass even if the other one is wrong.
//!
//! The decision is recorded before the call has any effect, and the outcome after it; see
//! [`crate::audit`]. If a person must approve the call, every check that can refuse it comes first:
//! the request is planned, and a domain service is asked whether it can carry it out. An approval
//! is therefore used up only by a request that was sent, or may have been. If it is certain that
//! nothing was sent, the approval or the use of the standing grant is given back: no connection could
//! be made, the policy changed at the last moment, or the decision could not be recorded.
//!
//! Credentials are read once per call. Their constants are needed to check the arguments, and the
//! checked constants are the ones that are sent.

pub(crate) mod access;
pub(crate) mod approve;
mod arguments;
mod callee;
mod consent;
mod current;
mod discovery;
pub(crate) mod explain;
mod permission;
pub(crate) mod plan;
mod record;
mod scope;
mod trace;
mod unwind;
mod work;
mod workspace;

use std::sync::Arc;

use callee::Callee;
use consent::{ApprovalGate, Consent};
use record::{CallRecord, Purpose};
use serde_json::{Map, Value};
use toolwright_model::Method;
use tracing::Instrument;
use work::{Requester, Route, Work};

use super::{
    artifact::ArtifactMethod,
    core::RegisteredTool,
    files::Delivery,
    secrets::CallSecrets,
    tool::ToolContext,
    tools::Tools,
    view::ScopedToolView,
    wait::Waited,
    workspaces::{ARGUMENT, Chosen},
};
use crate::{
    ToolCall,
    audit::Reason,
    credentials::Access,
    error::ToolError,
    output::{Continuation, ToolOutput, continuation},
    target::Origin,
    workspace::ServiceWorkspace,
};

/// The greatest number of other tools through which a tool may be called.
const DEEPEST: usize = 8;

/// A call that has passed the gates before the approval.
struct Checked<'a> {
    requester: Requester<'a>,
    entry: &'a Arc<RegisteredTool>,
    arguments: Map<String, Value>,
    /// The method and the URL of the request; none for a function of the program.
    target: Option<(Method, String)>,
    workspace: Chosen,
    work: Work<'a>,
}

/// A call that may pass, with everything that carrying it out needs.
struct Permit<'a> {
    entry: &'a Arc<RegisteredTool>,
    arguments: Map<String, Value>,
    consent: Consent,
    workspace: Chosen,
    work: Work<'a>,
    limits: toolwright_policy::Permit,
}

/// The refusal of a call: the reason for the audit, and the error for the caller.
struct Denial {
    reason: Reason,
    consent: Consent,
    /// The rule of the policy that refused the call, with its place.
    rule: Option<String>,
    error: Box<ToolError>,
}

impl ScopedToolView {
    /// Calls a tool with typed arguments.
    ///
    /// The call is the one that [`ScopedToolView::call_json`] makes with the encoded arguments,
    /// except that bytes are returned and not stored as a file.
    ///
    /// # Errors
    /// [`ToolError`] if the call may not pass, if it fails, and if the answer was truncated or does
    /// not have the expected type.
    pub async fn call<T: ToolCall>(&self, arguments: T) -> Result<T::Output, ToolError> {
        let view = self.delivering(Delivery::Value);
        let called = view.call_json(T::NAME, arguments.encode());
        called.await?.typed()
    }

    /// Calls a tool with arguments as JSON: an object, or null for no arguments.
    ///
    /// If the registry has a store of files, an answer of bytes becomes a file of the store, and the
    /// output describes it. Otherwise the bytes are part of the output, as base64.
    ///
    /// A call through a tool of [discovery](crate::discovery) is the call of the tool that it names.
    ///
    /// # Errors
    /// [`ToolError`] if the call may not pass or fails.
    pub async fn call_json(&self, name: &str, arguments: Value) -> Result<ToolOutput, ToolError> {
        match self.discovery_tool(name) {
            // Rare parts of a call are in boxes, so that a future of a usual call is small: it is moved often.
            Some((tool, menu)) => Box::pin(discovery::call(self, tool, menu, arguments)).await,
            None => run_and_wait(self, Callee::Tool(name), arguments).await,
        }
    }

    /// Calls a method by the type of artifact that it takes: `validate`, `kicad_pcb`.
    ///
    /// This is a call of the tool that [`ScopedToolView::for_artifact`] returns, with the same
    /// gates and the same audit. The service must report that it takes the type at the time of the
    /// call.
    ///
    /// # Errors
    /// [`ToolError::ArtifactNotPermitted`] if the view has no such tool,
    /// [`ToolError::ArtifactAmbiguous`] if it has several; otherwise the errors of
    /// [`ScopedToolView::call_json`].
    pub async fn call_for_artifact(
        &self,
        method: &str,
        artifact_type: &str,
        arguments: Value,
    ) -> Result<ToolOutput, ToolError> {
        let callee = Callee::Artifact(ArtifactMethod {
            method,
            artifact_type,
        });
        run_and_wait(self, callee, arguments).await
    }
}

/// Runs a call. If a person must approve it and the view waits, runs it again after the decision.
async fn run_and_wait(
    view: &ScopedToolView,
    callee: Callee<'_>,
    arguments: Value,
) -> Result<ToolOutput, ToolError> {
    let limit = view.scope().wait;
    if limit.is_zero() {
        return run(view, callee, arguments).await;
    }
    let result = run(view, callee, arguments.clone()).await;
    let Err(ToolError::ApprovalRequired { id, .. }) = &result else {
        return result;
    };
    match Box::pin(view.wait(id, limit)).await? {
        Waited::Approved | Waited::Rejected => run(view, callee, arguments).await,
        Waited::Undecided | Waited::Unknown => result,
    }
}

/// Runs a call through all gates, and carries it out if they let it pass.
async fn run(
    view: &ScopedToolView,
    callee: Callee<'_>,
    arguments: Value,
) -> Result<ToolOutput, ToolError> {
    let record = CallRecord::new(view.core(), view.scope(), callee, Purpose::Call);
    let span = trace::begin(callee, view.scope(), record.id());
    // The gates are many nested futures. A box keeps them out of the types of the caller's futures, whose
    // nesting the compiler limits.
    let gates = Box::pin(pass_gates(view, callee, arguments, record));
    let result = gates.instrument(span.clone()).await;
    trace::end(&span, &result);
    result
}

async fn pass_gates(
    view: &ScopedToolView,
    callee: Callee<'_>,
    arguments: Value,
    mut record: CallRecord<'_>,
) -> Result<ToolOutput, ToolError> {
    let (core, scope) = (view.core(), view.scope());
    let secrets = CallSecrets::new(&core.redactors);
    let arguments = arguments::Given::new(arguments);
    let tools = core.tools();
    let permit = match decide(view, &tools, callee, arguments, &mut record, &secrets).await {
        Ok(permit) => permit,
        Err(denial) => {
            let denial = denial.without_secrets(&secrets);
            return secrets.leave(Err(record.deny(denial)));
        }
    };
    let (call, time) = (record.id(), record.time());
    let running = match record.allow(&permit.consent).await {
        Ok(running) => running,
        Err(error) => {
            consent::give_back(core, permit.consent).await;
            return secrets.leave(Err(error));
        }
    };
    core.peers
        .remember(scope, &permit.entry.spec().service, &permit.workspace);
    let context = ToolContext {
        entry: Arc::clone(permit.entry),
        role: scope.role.clone(),
        tool: permit.entry.spec().name.clone(),
        correlation_id: call,
        time,
        workspace: permit.workspace.name.clone(),
        values: permit.limits.values.clone(),
        targets: permit.limits.targets.clone(),
        view: view.called_from(call),
        progress: scope.progress.clone(),
        client: scope.asker.clone(),
        secrets: secrets.clone(),
        call: running.call(),
    };
    // A function of the program may have done something before the error that it returns.
    let is_request = matches!(permit.work, Work::Service(..));
    let spec = permit.entry.spec();
    let paged = spec.pagination.is_some().then(|| permit.arguments.clone());
    let requester = Requester { core, scope, call };
    let source = permit.workspace.name.clone().map(|name| ServiceWorkspace {
        service: spec.service.clone(),
        workspace: Some(name),
    });
    let mut limits = permit.limits;
    if scope.for_approval {
        let most = limits.max_response_bytes.unwrap_or(u64::MAX);
        limits.max_response_bytes = Some(most.min(current::LONGEST_READ));
    }
    let done = permit.work.carry_out(
        requester,
        context,
        permit.arguments,
        limits,
        permit.consent.version(),
        running.attempts(),
    );
    let mut result = secrets.leave(done.await);
    let may_be_sent = running.attempts().may_be_sent();
    if let Ok(output) = &mut result {
        follow(permit.entry, paged.as_ref(), &permit.workspace, output);
        project(permit.entry, output);
    }
    if let Ok(output) = result {
        result = Ok(view.cut_answer(&spec.name, source, output).await);
    }
    if let (Some(provenance), Ok(output)) = (&core.provenance, &result) {
        provenance.remember(scope, call, &output.value);
    }
    running.finish(&result);
    let sent_nothing = result.as_ref().is_err_and(ToolError::has_sent_nothing);
    if is_request && sent_nothing && !may_be_sent {
        consent::give_back(core, permit.consent).await;
    }
    result
}

/// Sets the request for the next page.
fn follow(
    entry: &RegisteredTool,
    arguments: Option<&Map<String, Value>>,
    workspace: &Chosen,
    output: &mut ToolOutput,
) {
    let Some(arguments) = arguments else {
        return;
    };
    let link = output.link.as_deref();
    output.next = continuation(entry.spec(), arguments, &output.value, link);
    // The next page is one of the same workspace.
    if let Continuation::With(more) = &mut output.next {
        more.extend(workspace.argument());
    }
}

/// Leaves the parts that the tool returns. A saved answer is what the service sent.
fn project(entry: &RegisteredTool, output: &mut ToolOutput) {
    if let (Some(mask), None) = (&entry.mask, &output.file) {
        mask.apply(&mut output.value);
    }
}

/// Runs a call through the gates before the approval.
async fn check<'a>(
    view: &'a ScopedToolView,
    tools: &'a Tools,
    callee: Callee<'a>,
    mut arguments: arguments::Given,
    record: &mut CallRecord<'_>,
    secrets: &CallSecrets,
) -> Result<Checked<'a>, Denial> {
    let (core, scope) = (view.core(), view.scope());
    let entry = permission::check(core, tools, scope, callee, record)?;
    if scope.depth > DEEPEST {
        return Err(Denial::new(
            Reason::NestedTooDeeply,
            ToolError::NestedTooDeeply,
        ));
    }
    let call = record.id();
    let requester = Requester { core, scope, call };
    let chosen = requester.choose(&core.policy(), entry, callee, arguments.get(ARGUMENT))?;
    if chosen.is_choice {
        arguments.remove(ARGUMENT);
    }
    record.set_workspace(&chosen);
    let access = requester.credentials(&entry.spec().service, &chosen).await;
    // A function of the program may use the secrets of its service too.
    secrets.add(access.iter().flat_map(Access::secrets));
    let route = Route::new(requester, entry, callee, access, &chosen)?;
    let arguments = arguments::check(view, entry, &route, &chosen, arguments, record).await?;
    record.set_values(entry, &arguments, secrets);
    let mut draft = route.plan(&arguments, requester)?;
    let target = draft.request_target();
    let target = target.or_else(|| entry.tool.target(&arguments));
    let origin = || {
        let (_, url) = target.as_ref()?;
        Origin::of_url(url).map(|origin| origin.to_string())
    };
    let server = || entry.tool.server().map(str::to_owned);
    record.set_target(draft.target().or_else(origin).or_else(server));
    record.set_files(draft.files());
    let asked = scope::Asked {
        requester,
        entry,
        arguments: &arguments,
        target: target.as_ref(),
        workspace: chosen.name.as_ref(),
    };
    asked.check(&core.policy())?;
    if entry.spec().approval_required && record.purpose() == Purpose::Call {
        draft.ready(requester).await?;
    }
    // The operator may have changed the policy in the meantime.
    let policy = core.policy();
    permission::recheck(core, &policy, scope, callee, entry)?;
    asked.check_and_count(&policy)?;
    let work = draft.authorise()?;
    Ok(Checked {
        requester,
        entry,
        arguments,
        target,
        workspace: chosen,
        work,
    })
}

/// Runs a call through all gates. Every check that can refuse the call comes before the approval,
/// which would be used up in vain.
async fn decide<'a>(
    view: &'a ScopedToolView,
    tools: &'a Tools,
    callee: Callee<'a>,
    arguments: arguments::Given,
    record: &mut CallRecord<'_>,
    secrets: &CallSecrets,
) -> Result<Permit<'a>, Denial> {
    let (core, scope) = (view.core(), view.scope());
    let checked = check(view, tools, callee, arguments, record, secrets).await?;
    let consent = checked.gate(view, secrets).check(record).await?;
    // Admission waits for the store of approvals, and the policy may have changed again. Both layers
    // decide by one policy, so a call passes only if some policy allows it as a whole.
    let policy = core.policy();
    let rechecked = permission::recheck(core, &policy, scope, callee, checked.entry);
    let limits = match rechecked.and_then(|()| checked.asked().check(&policy)) {
        Ok(limits) => limits,
        Err(denial) => {
            consent::give_back(core, consent).await;
            return Err(denial);
        }
    };
    Ok(Permit {
        entry: checked.entry,
        consent,
        workspace: checked.workspace,
        work: checked.work,
        limits,
        arguments: checked.arguments,
    })
}

impl Checked<'_> {
    /// Returns the question whether the scope of the role allows the call.
    fn asked(&self) -> scope::Asked<'_> {
        scope::Asked {
            requester: self.requester,
            entry: self.entry,
            arguments: &self.arguments,
            target: self.target.as_ref(),
            workspace: self.workspace.name.as_ref(),
        }
    }

    /// Returns the call at the gate of approval.
    fn gate<'c>(&'c self, view: &'c ScopedToolView, secrets: &'c CallSecrets) -> ApprovalGate<'c> {
        ApprovalGate {
            view,
            requester: self.requester,
            entry: self.entry,
            work: &self.work,
            workspace: self.workspace.name.as_ref(),
            arguments: &self.arguments,
            secrets,
        }
    }
}

impl Denial {
    fn new(reason: Reason, error: impl Into<ToolError>) -> Self {
        Self {
            reason,
            consent: Consent::NotNeeded,
            rule: None,
            error: Box::new(error.into()),
        }
    }

    /// Returns the denial without the secrets of the call.
    fn without_secrets(mut self, secrets: &CallSecrets) -> Self {
        self.error = Box::new(secrets.clean(*self.error));
        self
    }

    /// Creates the denial of a call that could not be decided.
    fn undecided(message: impl Into<String>) -> Self {
        let message = message.into();
        Self::new(Reason::Undecided, ToolError::Undecided { message })
    }
}
