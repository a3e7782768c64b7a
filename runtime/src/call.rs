//! One call, gate by gate.
//!
//! known → granted → enabled → in the run's allow-list → arguments valid → approved → credentials
//! → execute. Scope parameters belong between the arguments and the approval, rates between the
//! approval and the credentials.
//!
//! The decision is recorded before anything is done, the outcome after it; see [`crate::audit`].
//! Where a person has to approve, what cannot be done is refused before: the request is planned,
//! and a domain service is asked whether it can carry it out. So an approval is used up by a request
//! that was sent, or may have been. If no connection could be made, the approval is given back.
//!
//! Credentials are read once a call: their constants are needed to check the arguments, and what
//! was checked is what is sent.

mod arguments;
mod asked;
mod consent;
mod leave;
mod permission;
mod record;
mod work;

pub(crate) use asked::{Artifact, Asked};
use consent::Consent;
pub(crate) use leave::CallSecrets;
pub(crate) use permission::permitted;
use record::Record;
use serde_json::{Map, Value};
use work::{Asker, Route, Work};

use crate::{
    audit::Reason,
    error::ToolError,
    pages::continuation,
    registry::Entry,
    tool::{ToolContext, ToolOutput},
    view::ScopedToolView,
};

/// Through how many other tools a tool may be called.
const DEEPEST: usize = 8;

/// A call that may pass, with all that it needs.
struct Permit<'a> {
    entry: &'a Entry,
    arguments: Map<String, Value>,
    consent: Consent,
    work: Work<'a>,
}

/// Why a call may not pass: what the audit is told, and what the caller is.
struct Denial {
    reason: Reason,
    consent: Consent,
    error: Box<ToolError>,
}

/// Runs a call through all gates, and carries it out if they let it pass.
pub(crate) async fn run(
    view: &ScopedToolView,
    asked: Asked<'_>,
    arguments: Value,
) -> Result<ToolOutput, ToolError> {
    let (core, scope) = (view.core(), view.scope());
    let secrets = CallSecrets::default();
    let arguments = arguments::Given::new(arguments);
    let mut record = Record::new(core, scope, asked);
    let permit = match decide(view, asked, arguments, &mut record, &secrets).await {
        Ok(permit) => permit,
        Err(denial) => {
            let denial = denial.cleaned(&secrets);
            return secrets.leave(Err(record.deny(denial)));
        }
    };
    let call = record.id();
    let context = ToolContext {
        role: scope.role.clone(),
        tool: permit.entry.spec().name.clone(),
        correlation_id: call,
        time: record.time(),
        view: view.called_from(call),
        secrets: secrets.clone(),
    };
    let running = match record.allow(&permit.consent) {
        Ok(running) => running,
        Err(error) => return secrets.leave(Err(error)),
    };
    let spec = permit.entry.spec();
    let paged = spec.pagination.is_some().then(|| permit.arguments.clone());
    let asker = Asker { core, scope, call };
    let done = permit.work.carry_out(asker, context, permit.arguments);
    let mut result = secrets.leave(done.await);
    running.ended(&result);
    if result.as_ref().is_err_and(ToolError::has_sent_nothing) {
        consent::give_back(core, permit.consent).await;
    }
    if let (Ok(output), Some(arguments)) = (&mut result, paged) {
        let link = output.link.as_deref();
        output.next = continuation(spec, &arguments, &output.value, link);
    }
    result
}

async fn decide<'a>(
    view: &'a ScopedToolView,
    asked: Asked<'a>,
    arguments: arguments::Given,
    record: &mut Record<'_>,
    secrets: &CallSecrets,
) -> Result<Permit<'a>, Denial> {
    let (core, scope) = (view.core(), view.scope());
    let entry = permission::check(core, scope, asked, record)?;
    if scope.depth > DEEPEST {
        return Err(Denial::new(
            Reason::NestedTooDeeply,
            ToolError::NestedTooDeeply,
        ));
    }
    let route = Route::of(core, entry, asked)?;
    secrets.add(route.secrets(core, entry));
    let arguments = arguments::check(core, entry, &route, arguments, record).await?;
    let mut draft = route.plan(&arguments)?;
    record.goes_to(draft.target());
    let call = record.id();
    let asker = Asker { core, scope, call };
    if entry.spec().approval_required {
        draft.ready(asker).await?;
    }
    // Time has passed, and the operator may have decided otherwise.
    permission::recheck(core, scope, asked, entry)?;
    // Whatever can be refused is refused before, so that no approval is used up in vain.
    let work = draft.authorise()?;
    let consent = consent::check(asker, entry, &work, &arguments, record, secrets).await?;
    Ok(Permit {
        entry,
        arguments,
        consent,
        work,
    })
}

impl Denial {
    fn new(reason: Reason, error: impl Into<ToolError>) -> Self {
        Self {
            reason,
            consent: Consent::NotNeeded,
            error: Box::new(error.into()),
        }
    }

    /// Returns the denial without the secrets of the call.
    fn cleaned(mut self, secrets: &CallSecrets) -> Self {
        self.error = Box::new(secrets.clean(*self.error));
        self
    }

    /// It could not be decided, which means no.
    fn undecided(message: impl Into<String>) -> Self {
        let message = message.into();
        Self::new(Reason::Undecided, ToolError::Undecided { message })
    }
}
