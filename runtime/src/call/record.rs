//! What the audit is told of one call, as it becomes known.

use std::time::Instant;

use jiff::Timestamp;
use serde_json::Value;
use toolwright_model::{Role, ToolSpec};
use uuid::Uuid;

use super::{Asked, Consent, Denial};
use crate::{
    audit::{AuditError, AuditEvent, Decision, Ending, Outcome, Reason, Verdict, What},
    canonical::digest,
    error::ToolError,
    registry::{Core, Entry},
    tool::{ToolContext, ToolOutput},
};

/// The longest name of a tool or an argument that is recorded, in characters.
const NAME_LIMIT: usize = 64;

/// The most names of arguments that are recorded.
const NAMES_LIMIT: usize = 64;

/// What is known of a call so far.
pub(super) struct Record<'a> {
    core: &'a Core,
    event: AuditEvent,
}

/// A call that was let pass and has not ended. Whatever becomes of it, its outcome is recorded.
pub(super) struct Running<'a> {
    record: Record<'a>,
    started: Instant,
    outcome: Option<Outcome>,
}

impl<'a> Record<'a> {
    pub(super) fn new(core: &'a Core, role: &Role, asked: Asked<'_>, arguments: &Value) -> Self {
        let event = AuditEvent {
            time: core.clock.now(),
            correlation_id: Uuid::new_v4(),
            role: role.clone(),
            tool: asked.in_words(),
            service: None,
            category: None,
            governance_reason: None,
            argument_names: argument_names(arguments),
            argument_digest: digest(arguments),
            what: denied(Reason::Undecided, Consent::NotNeeded),
        };
        Self { core, event }
    }

    /// The call is one of this tool.
    pub(super) fn is_of(&mut self, spec: &ToolSpec) {
        self.event.tool = spec.name.to_string();
        self.event.service = Some(spec.service.clone());
        self.event.category = Some(spec.category);
        self.event.governance_reason.clone_from(&spec.reason);
    }

    /// The call is made with these arguments.
    pub(super) fn is_with(&mut self, arguments: &Value) {
        self.event.argument_names = argument_names(arguments);
        self.event.argument_digest = digest(arguments);
    }

    /// The id of the call.
    pub(super) const fn id(&self) -> Uuid {
        self.event.correlation_id
    }

    pub(super) const fn time(&self) -> Timestamp {
        self.event.time
    }

    pub(super) fn argument_digest(&self) -> &str {
        &self.event.argument_digest
    }

    pub(super) fn context(&self, entry: &Entry) -> ToolContext {
        ToolContext {
            role: self.event.role.clone(),
            tool: entry.spec().name.clone(),
            correlation_id: self.event.correlation_id,
            time: self.event.time,
        }
    }

    /// Records that the call may not pass, and gives the error that the caller is told.
    pub(super) fn deny(mut self, denial: Denial) -> ToolError {
        self.event.what = denied(denial.reason, denial.consent);
        match self.core.audit.record(&self.event) {
            Ok(()) => *denial.error,
            Err(error) => undecided(&error),
        }
    }

    /// Records that the call may pass. If that cannot be recorded, it may not.
    pub(super) fn allow(mut self, consent: Consent) -> Result<Running<'a>, ToolError> {
        let reason = match consent {
            Consent::Given(..) => Reason::Approved,
            Consent::NotNeeded | Consent::Awaited(_) => Reason::Granted,
        };
        self.event.what = decision(Verdict::Allow, reason, consent);
        let recorded = self.core.audit.record(&self.event);
        recorded.map_err(|error| undecided(&error))?;
        Ok(Running {
            record: self,
            started: Instant::now(),
            outcome: None,
        })
    }
}

impl Running<'_> {
    /// Records how the call ended.
    pub(super) fn ended(mut self, result: &Result<ToolOutput, ToolError>) {
        self.outcome = Some(match result {
            Ok(output) => Outcome {
                outcome: Ending::Ok,
                error: None,
                status: output.status,
                truncated: output.truncated,
                duration_ms: 0,
            },
            Err(error) => Outcome {
                outcome: Ending::Error,
                error: Some(error.code().to_owned()),
                status: error.status(),
                truncated: false,
                duration_ms: 0,
            },
        });
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let abandoned = Outcome {
            outcome: Ending::Abandoned,
            error: None,
            status: None,
            truncated: false,
            duration_ms: 0,
        };
        let mut outcome = self.outcome.take().unwrap_or(abandoned);
        outcome.duration_ms = self
            .started
            .elapsed()
            .as_millis()
            .try_into()
            .unwrap_or(u64::MAX);
        let event = &mut self.record.event;
        event.time = self.record.core.clock.now();
        event.what = What::Outcome(outcome);
        // What was done is done: that it cannot be recorded does not undo it. The decision tells
        // of the call, and the next one is refused if the audit still fails.
        let _ = self.record.core.audit.record(event);
    }
}

fn denied(reason: Reason, consent: Consent) -> What {
    decision(Verdict::Deny, reason, consent)
}

fn decision(decision: Verdict, reason: Reason, consent: Consent) -> What {
    let (approval, person) = match consent {
        Consent::NotNeeded => (None, None),
        Consent::Awaited(id) => (Some(id), None),
        Consent::Given(id, person) => (Some(id), Some(person)),
    };
    What::Decision(Decision {
        decision,
        reason,
        approval,
        person,
    })
}

fn undecided(error: &AuditError) -> ToolError {
    ToolError::Undecided {
        message: error.to_string(),
    }
}

pub(crate) fn argument_names(arguments: &Value) -> Vec<String> {
    let fields = arguments
        .as_object()
        .into_iter()
        .flat_map(|fields| fields.keys());
    fields.take(NAMES_LIMIT).map(|name| bounded(name)).collect()
}

/// A name that a caller made up, so that it fits on a line.
pub(super) fn bounded(name: &str) -> String {
    name.chars()
        .take(NAME_LIMIT)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}
