//! The audit record of one call, filled in as the call passes the gates.

use std::time::Instant;

use jiff::Timestamp;
use serde_json::{Map, Value};
use toolwright_model::{Effect, ToolSpec};
use toolwright_schema::json_length;
use uuid::Uuid;

use super::{Callee, Consent, Denial};
use crate::{
    audit::{
        Arguments, AuditError, AuditEvent, AuditSink, AuditedCall, AuditedFile, CallDecision,
        CallOutcome, Ending, Permission, Reason, ToolKind, What, bounded, bounded_name,
        bounded_value,
    },
    boundary::{
        core::{Core, RegisteredTool},
        secrets::CallSecrets,
        view::Scope,
        workspaces::Chosen,
    },
    discovery::DiscoveryTool,
    done::{Attempts, Done},
    error::ToolError,
    files::FileRecord,
    output::ToolOutput,
};

/// The greatest length of a reason, a target or a person's name, in characters.
const TEXT_LIMIT: usize = 256;

/// The greatest number of scope parameters that is recorded.
const MOST_SCOPES: usize = 32;

/// The part of a call's record that is known so far.
pub(super) struct CallRecord<'a> {
    core: &'a Core,
    scope: &'a Scope,
    purpose: Purpose,
    time: Timestamp,
    begun: Instant,
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
    attempts: Attempts,
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
            agent: name(&scope.run.agent),
            workspace: core.workspace_of(&scope.run),
            kind: scope.through.map(|_| ToolKind::Discovery),
            via: scope
                .through
                .map(|category| DiscoveryTool::Call(category).name()),
            client: scope.client.as_ref().clone(),
            ..AuditedCall::new(scope.role.clone(), callee.in_words())
        };
        Self {
            core,
            scope,
            purpose,
            time: core.clock.now(),
            begun: Instant::now(),
            call,
        }
    }

    /// Records the called tool.
    pub(super) fn set_tool(&mut self, spec: &ToolSpec) {
        let ToolSpec {
            name,
            service,
            category,
            effect,
            reason,
            ..
        } = spec;
        let policy = self.core.policy();
        self.call.tool = name.to_string();
        self.call.service = Some(service.clone());
        self.call.category = Some(*category);
        self.call.effect = Some(*effect);
        // A call through a tool of discovery counts as one of discovery.
        let kind = || ToolKind::from_spec(spec);
        self.call.kind = Some(self.call.kind.unwrap_or_else(kind));
        self.call.switch = policy.switches.get(name).cloned();
        self.call.governance_reason = reason.as_deref().map(|text| bounded(text, TEXT_LIMIT));
    }

    /// Takes the time of [`CallRecord::set_tool`] for a name that is no tool's, and records nothing.
    pub(super) fn set_unknown(&mut self, other: &ToolSpec) {
        let name = std::mem::take(&mut self.call.tool);
        let kind = self.call.kind;
        self.set_tool(other);
        self.call.tool = name;
        self.call.service = None;
        self.call.category = None;
        self.call.effect = None;
        self.call.kind = kind;
        self.call.switch = None;
        self.call.governance_reason = None;
    }

    /// Records that the permission gate let the call pass to this tool, with the digest of the
    /// tool.
    pub(super) fn set_permitted(&mut self, entry: &RegisteredTool) {
        self.set_tool(entry.spec());
        self.call.spec_digest = Some(entry.spec_digest().to_owned());
    }

    /// Records the named workspace of the service.
    pub(super) fn set_workspace(&mut self, chosen: &Chosen) {
        self.call.source_workspace.clone_from(&chosen.name);
    }

    /// Records the arguments by their names and their digest.
    pub(super) fn set_arguments(&mut self, arguments: Arguments) {
        self.call.arguments = Some(arguments);
    }

    /// Records the values of arguments that fit the schema, with the secrets masked, and the scopes
    /// of the role, if the operator asks for them; and which results the values come from.
    pub(super) fn set_values(
        &mut self,
        entry: &RegisteredTool,
        arguments: &Map<String, Value>,
        secrets: &CallSecrets,
    ) {
        if let (Some(provenance), Some(recorded)) =
            (&self.core.provenance, &mut self.call.arguments)
        {
            let arguments = Value::Object(arguments.clone());
            recorded.sources = provenance.sources(self.scope, &arguments);
        }
        if !self.core.audit.records_values() {
            return;
        }
        let policy = self.core.policy();
        let masked = entry.masked(&Value::Object(arguments.clone()), &policy);
        let masked = secrets.redactor().value(masked);
        if let Some(recorded) = &mut self.call.arguments {
            recorded.values = Some(bounded_value(masked));
        }
        let node = self.scope.run.node.as_deref();
        let (role, variables) = (&self.scope.role, &self.scope.variables);
        let scopes = policy.snapshot.resolved_scopes(role, node, variables);
        self.call.scopes = scopes.unwrap_or_default();
        self.call.scopes.truncate(MOST_SCOPES);
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
        let rule = decision.rule.clone();
        let what = match self.purpose {
            Purpose::Call => {
                decision.outcome = Some(Ending::Denied);
                decision.duration_ms = Some(milliseconds(self.begun));
                What::Decision(decision)
            }
            Purpose::Plan => What::DryRun(decision),
        };
        let (core, scope, time) = (self.core, self.scope, self.time);
        let event = AuditEvent::new(time, Some(self.call), what);
        let recorded = core.audit.record(&event);
        if denial.reason.violates_a_scope() {
            core.record_violation(scope, event.call, denial.reason, rule);
        }
        match recorded {
            Ok(()) => *denial.error,
            Err(error) => unavailable(&error),
        }
    }

    /// Records that the request of the call is shown. If that cannot be recorded, it is not shown.
    pub(super) fn planned(self, reason: Reason) -> Result<(), ToolError> {
        let planned = decision(Permission::Allow, reason, &Consent::NotNeeded);
        let event = AuditEvent::new(self.time, Some(self.call), What::DryRun(planned));
        let recorded = self.core.audit.record(&event);
        recorded.map_err(|error| unavailable(&error))
    }

    /// Records that the call may pass. If that cannot be recorded, the call is refused, unless it reads
    /// and the operator lets such calls pass.
    pub(super) async fn allow(self, consent: &Consent) -> Result<Running<'a>, ToolError> {
        let reason = match consent {
            Consent::Given(..) | Consent::Covered(..) => Reason::Approved,
            Consent::Standing(_) => Reason::StandingGrant,
            Consent::NotNeeded | Consent::Awaited(_) | Consent::Refused(..) => Reason::Granted,
        };
        let what = What::Decision(decision(Permission::Allow, reason, consent));
        let event = AuditEvent::new(self.time, Some(self.call), what);
        match self.core.audit.record_and_wait(&event).await {
            Ok(()) => {}
            Err(_) if self.core.reads_without_audit && event.reads() => {}
            Err(error) => return Err(unavailable(&error)),
        }
        Ok(Running {
            core: self.core,
            event,
            started: Instant::now(),
            outcome: None,
            attempts: Attempts::default(),
        })
    }
}

impl Running<'_> {
    /// Returns the attempts to carry out the call.
    pub(super) const fn attempts(&self) -> &Attempts {
        &self.attempts
    }

    /// Returns the call as the audit describes it.
    pub(super) fn call(&self) -> Option<AuditedCall> {
        self.event.call.clone()
    }

    /// Returns what is certain about the effect of the call; none if the tool only reads.
    fn done(&self) -> Option<Done> {
        let call = self.event.call.as_ref()?;
        (call.effect != Some(Effect::Read)).then(|| self.attempts.done())
    }

    /// Records how the call ended.
    pub(super) fn finish(mut self, result: &Result<ToolOutput, ToolError>) {
        self.outcome = Some(match result {
            Ok(output) => CallOutcome {
                outcome: Ending::Ok,
                status: output.status,
                truncated: output.truncated,
                file: output.file.as_ref().map(AuditedFile::from),
                bytes: length(&output.value),
                ..cancelled()
            },
            Err(error) => CallOutcome {
                outcome: match error {
                    ToolError::Panicked { .. } => Ending::Crashed,
                    error if error.is_timeout() => Ending::TimedOut,
                    _ => Ending::Error,
                },
                error: Some(error.code().to_owned()),
                status: error.status(),
                bytes: error.body().and_then(length),
                ..cancelled()
            },
        });
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let outcome = self.outcome.take();
        let mut outcome = outcome.unwrap_or_else(cancelled);
        outcome.duration_ms = milliseconds(self.started);
        outcome.done = self.done();
        outcome.attempts = Some(self.attempts.count()).filter(|count| *count != 1);
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
        Consent::Given(approved) | Consent::Covered(approved) => {
            (Some(&approved.0.id), Some(&approved.1.person))
        }
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
        outcome: None,
        duration_ms: None,
        detail: None,
    }
}

/// The end of a call whose caller went away.
const fn cancelled() -> CallOutcome {
    CallOutcome {
        outcome: Ending::Cancelled,
        error: None,
        status: None,
        truncated: false,
        file: None,
        done: None,
        attempts: None,
        duration_ms: 0,
        bytes: None,
    }
}

fn milliseconds(since: Instant) -> u64 {
    since.elapsed().as_millis().try_into().unwrap_or(u64::MAX)
}

/// Returns the length of a value as JSON, in bytes.
fn length(value: &Value) -> Option<u64> {
    json_length(value).try_into().ok()
}

fn unavailable(error: &AuditError) -> ToolError {
    ToolError::AuditUnavailable {
        message: error.to_string(),
    }
}
