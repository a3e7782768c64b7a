//! One call, gate by gate.
//!
//! known → granted → enabled → in the run's allow-list → arguments valid → approved → credentials
//! → execute. Scope parameters belong between the arguments and the approval, rates between the
//! approval and the credentials.
//!
//! The decision is recorded before anything is done, the outcome after it; see [`crate::audit`].
//! Where a person has to approve, what cannot be done is refused before: the request is planned,
//! and a domain service is asked whether it can carry it out. So an approval is used up by one
//! execution, and by nothing else.
//!
//! Credentials are read once a call: their constants are needed to check the arguments, and what
//! was checked is what is sent.

mod arguments;
mod asked;
mod consent;
mod permission;
mod record;
mod work;

pub(crate) use asked::{Artifact, Asked};
use consent::Consent;
pub(crate) use permission::permitted;
use record::Record;
pub(crate) use record::argument_names;
use record::bounded;
use serde_json::{Map, Value};
use work::{Asker, Route, Work};

use crate::{
    audit::Reason,
    error::ToolError,
    pages::continuation,
    registry::{Core, Entry},
    tool::ToolOutput,
    view::Scope,
};

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
    core: &Core,
    scope: &Scope,
    asked: Asked<'_>,
    arguments: Value,
) -> Result<ToolOutput, ToolError> {
    let mut record = Record::new(core, &scope.role, asked, &arguments);
    match decide(core, scope, asked, arguments, &mut record).await {
        Err(denial) => Err(record.deny(denial)),
        Ok(permit) => {
            let context = record.context(permit.entry);
            let call = record.id();
            let running = record.allow(permit.consent)?;
            let spec = permit.entry.spec();
            let paged = spec.pagination.is_some().then(|| permit.arguments.clone());
            let asker = Asker { core, scope, call };
            let work = permit.work;
            let mut result = work.carry_out(asker, context, permit.arguments).await;
            running.ended(&result);
            if let (Ok(output), Some(arguments)) = (&mut result, paged) {
                let link = output.link.as_deref();
                output.next = continuation(spec, &arguments, &output.value, link);
            }
            result
        }
    }
}

async fn decide<'a>(
    core: &'a Core,
    scope: &Scope,
    asked: Asked<'a>,
    arguments: Value,
    record: &mut Record<'_>,
) -> Result<Permit<'a>, Denial> {
    let entry = permission::check(core, scope, asked, record)?;
    let route = Route::of(core, entry, asked)?;
    let arguments = arguments::check(entry, &route, arguments, record)?;
    let mut draft = route.plan(&arguments)?;
    if entry.spec().approval_required {
        let call = record.id();
        draft.ready(Asker { core, scope, call }).await?;
    }
    let consent = consent::check(core, scope, entry, &arguments, record).await?;
    let work = draft
        .authorise()
        .map_err(|denial| denial.despite(&consent))?;
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

    /// The denial of a call that a person had consented to.
    fn despite(mut self, consent: &Consent) -> Self {
        self.consent = consent.clone();
        self
    }

    /// It could not be decided, which means no.
    fn undecided(message: impl Into<String>) -> Self {
        let message = message.into();
        Self::new(Reason::Undecided, ToolError::Undecided { message })
    }
}
