//! The audit record of one call, filled in as the call passes the gates.

use std::time::Instant;

use jiff::Timestamp;
use toolwright_model::ToolSpec;
use uuid::Uuid;

use super::{Callee, Consent, Denial};
use crate::{
    audit::{
        Arguments, AuditError, AuditEvent, AuditSink, AuditedCall, AuditedFile, CallDecision,
        CallOutcome, Ending, Permission, Reason, What, bounded, bounded_name,
    },
    boundary::{
        core::{Core, RegisteredTool},
        view::Scope,
    },
    error::ToolError,
    files::FileRecord,
    output::ToolOutput,
};

/// The greatest length of a reason, a target or a person's name, in characters.
const TEXT_LIMIT: usize = 256;

/// The part of a call's record that is known so far.
pub(super) struct CallRecord<'a> {
    core: &'a Core,
    scope: &'a Scope,
    purpose: Purpose,
    time: Timestamp,
    call: AuditedCall,
}

/// The purpose of passing the gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The call is carried out.
    Call,
    /// The request of the call is shown.
    Plan,
}

/// A call that was let pass and has not ended. Its outcome is recorded in every case.
pub(super) struct Running<'a> {
    core: &'a Core,
    event: AuditEvent,
    started: Instant,
    outcome: Option<CallOutcome>,
}

impl<'a> CallRecord<'a> {
    pub(super) fn new(
        core: &'a Core,
        scope: &'a Scope,
        callee: Callee<'_>,
        purpose: Purpose,
    ) -> Self {
        let name = |text: &Option<String>| text.as_deref().map(bounded_name);
        let call = AuditedCall {
            parent: scope.parent,
            run: name(&scope.run.run),
            node: name(&scope.run.node),
            work_item: name(&scope.run.work_item),
            client: scope.client.as_ref().clone(),
            ..AuditedCall::new(scope.role.clone(), callee.in_words())
        };
        Self {
            core,
            scope,
            purpose,
            time: core.clock.now(),
            call,
        }
    }

    /// Records the called tool.
    pub(super) fn set_tool(&mut self, spec: &ToolSpec) {
        let ToolSpec {
            name,
            service,
            category,
            reason,
            ..
        } = spec;
        self.call.tool = name.to_string();
        self.call.service = Some(service.clone());
        self.call.category = Some(*category);
        self.call.governance_reason = reason.as_deref().map(|text| bounded(text, TEXT_LIMIT));
    }

    /// Takes the time of [`CallRecord::set_tool`] for a name that is no tool's, and records nothing.
    pub(super) fn set_unknown(&mut self, other: &ToolSpec) {
        let name = std::mem::take(&mut self.call.tool);
        self.set_tool(other);
        self.call.tool = name;
        self.call.service = None;
        self.call.category = None;
        self.call.governance_reason = None;
    }

    /// Records that the permission gate let the call pass to this tool, with the digest of the
    /// tool.
    pub(super) fn set_permitted(&mut self, entry: &RegisteredTool) {
        self.set_tool(entry.spec());
        self.call.spec_digest = Some(entry.spec_digest().to_owned());
    }

    /// Records the arguments by their names and their digest.
    pub(super) fn set_arguments(&mut self, arguments: Arguments) {
        self.call.arguments = Some(arguments);
    }

    /// Records the target of the call: an origin or a socket, and no other part of a URL.
    pub(super) fn set_target(&mut self, target: Option<String>) {
        self.call.target = target.map(|target| bounded(&target, TEXT_LIMIT));
    }

    /// Records the files that the request sends.
    pub(super) fn set_files(&mut self, files: &[FileRecord]) {
        self.call.files = files.iter().map(AuditedFile::from).collect();
    }

    /// Returns the id of the call.
    pub(super) const fn id(&self) -> Uuid {
        self.call.correlation_id
    }

    pub(super) const fn purpose(&self) -> Purpose {
        self.purpose
    }

    pub(super) const fn time(&self) -> Timestamp {
        self.time
    }

    /// Returns the keyed digest of the arguments; empty before [`CallRecord::set_arguments`].
    pub(super) fn argument_digest(&self) -> &str {
        let arguments = self.call.arguments.as_ref();
        arguments.map_or("", |arguments| arguments.digest.as_str())
    }

    /// Records that the call may not pass, and returns the error for the caller.
    pub(super) fn deny(self, denial: Denial) -> ToolError {
        let mut decision = decision(Permission::Deny, denial.reason, &denial.consent);
        let detail = denial.error.detail();
        decision.detail = detail.map(|detail| bounded(&detail, TEXT_LIMIT));
        decision.rule = denial.rule.map(|rule| bounded(&rule, TEXT_LIMIT));
        let what = match self.purpose {
            Purpose::Call => What::Decision(decision),
            Purpose::Plan => What::DryRun(decision),
        };
        let (core, scope, time) = (self.core, self.scope, self.time);
        let event = AuditEvent::new(time, Some(self.call), what);
        let recorded = core.audit.record(&event);
        // The agent has not asked for a read that is made for an approval.
        if denial.reason.violates_a_scope() && !scope.for_approval {
            core.count_violation(scope, time);
        }
        match recorded {
            Ok(()) => *denial.error,
            Err(error) => undecided(&error),
        }
    }

    /// Records that the request of the call is shown. If that cannot be recorded, it is not shown.
    pub(super) fn planned(self, reason: Reason) -> Result<(), ToolError> {
        let planned = decision(Permission::Allow, reason, &Consent::NotNeeded);
        let event = AuditEvent::new(self.time, Some(self.call), What::DryRun(planned));
        let recorded = self.core.audit.record(&event);
        recorded.map_err(|error| undecided(&error))
    }

    /// Records that the call may pass. If that cannot be recorded, the call is refused.
    pub(super) fn allow(self, consent: &Consent) -> Result<Running<'a>, ToolError> {
        let reason = match consent {
            Consent::Given(..) => Reason::Approved,
            Consent::Standing(_) => Reason::StandingGrant,
            Consent::NotNeeded | Consent::Awaited(_) | Consent::Refused(..) => Reason::Granted,
        };
        let what = What::Decision(decision(Permission::Allow, reason, consent));
        let event = AuditEvent::new(self.time, Some(self.call), what);
        let recorded = self.core.audit.record(&event);
        recorded.map_err(|error| undecided(&error))?;
        Ok(Running {
            core: self.core,
            event,
            started: Instant::now(),
            outcome: None,
        })
    }
}

impl Running<'_> {
    /// Records how the call ended.
    pub(super) fn finish(mut self, result: &Result<ToolOutput, ToolError>) {
        self.outcome = Some(match result {
            Ok(output) => CallOutcome {
                outcome: Ending::Ok,
                error: None,
                status: output.status,
                truncated: output.truncated,
                file: output.file.as_ref().map(AuditedFile::from),
                duration_ms: 0,
            },
            Err(error) => CallOutcome {
                outcome: Ending::Error,
                error: Some(error.code().to_owned()),
                status: error.status(),
                truncated: false,
                file: None,
                duration_ms: 0,
            },
        });
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let abandoned = CallOutcome {
            outcome: Ending::Abandoned,
            error: None,
            status: None,
            truncated: false,
            file: None,
            duration_ms: 0,
        };
        let mut outcome = self.outcome.take().unwrap_or(abandoned);
        outcome.duration_ms = self
            .started
            .elapsed()
            .as_millis()
            .try_into()
            .unwrap_or(u64::MAX);
        self.event.time = self.core.clock.now();
        self.event.what = What::Outcome(outcome);
        // An effect cannot be undone if its outcome cannot be recorded. The decision is evidence of
        // the call, and the next event is preceded by one with the number of lost outcomes.
        let _ = self.core.audit.record(&self.event);
    }
}

fn decision(decision: Permission, reason: Reason, consent: &Consent) -> CallDecision {
    let (approval, person) = match consent {
        Consent::NotNeeded => (None, None),
        Consent::Awaited(id) => (Some(id), None),
        Consent::Refused(id, person) => (Some(id), Some(person)),
        Consent::Given(approved) => (Some(&approved.0.id), Some(&approved.1.person)),
        Consent::Standing(grant) => (None, Some(&grant.decision.person)),
    };
    let standing_grant = match consent {
        Consent::Standing(grant) => Some(grant.id.to_string()),
        _ => None,
    };
    CallDecision {
        decision,
        reason,
        approval: approval.cloned(),
        person: person.map(|person| bounded(person, TEXT_LIMIT)),
        rule: None,
        standing_grant,
        detail: None,
    }
}

fn undecided(error: &AuditError) -> ToolError {
    ToolError::Undecided {
        message: error.to_string(),
    }
}
