//! The audit: the caller, the tool, the decision and the result of each call.
//!
//! A refused call leaves one [`CallDecision`] event, with the outcome [`Ending::Denied`]. A violation
//! of a scope leaves a second one. An allowed call leaves a decision event before anything is done
//! and a [`CallOutcome`] event afterwards; both carry the call's correlation id. If the decision
//! cannot be recorded, the call is refused. If the outcome cannot be recorded, the result stands,
//! since its effect has happened, and the next event is preceded by a [`Gap`] event with the number
//! of lost outcomes.
//!
//! A person's decision about a waiting call leaves one [`Approval`] event before it takes effect.
//! The decision events of the call carry the same approval id.
//!
//! No event holds a secret, nor the value of an argument unless the operator asks for it. Arguments are
//! recorded by name and by a digest under a [`DigestKey`], so a short value cannot be guessed from its
//! digest. Every string that a caller chose is bounded in length, and its invisible characters are
//! escaped.
//!
//! `docs/audit.md` documents every field.

mod alerts;
mod bounds;
mod client;
mod event;
mod file;
mod files;
mod gap;
mod key;
mod memory;
mod mounts;
mod operators;
mod reason;
mod recorder;
#[cfg(feature = "event-schema")]
mod schema;
mod skills;
mod source;
mod what;

use std::{fmt, pin::Pin, sync::Arc};

pub use crate::done::Done;
pub use alerts::{AlertGroup, AlertRule, AlertTrigger};
pub(crate) use bounds::{bounded, bounded_name, bounded_value};
pub use client::ClientContext;
pub(crate) use event::argument_names;
pub use event::{
    Arguments, AuditEvent, AuditedCall, FORMAT, OWN_SERVICE, SKILLS, ToolKind, ValueSource,
};
pub use file::{AuditFile, AuditMode, AuditOptions, Spool};
pub use files::{AuditedFile, FileAccess};
pub use gap::Gap;
pub use key::DigestKey;
pub use memory::MemoryAudit;
pub use mounts::{DefinitionAccepted, DefinitionChanged, ServerAnswer, ServerAsked, ServerRequest};
pub use operators::{ConsoleAction, ConsoleUse, StandingGrantChange, TokenChange, ToolSwitched};
pub use reason::{Reason, RefusalReason};
pub(crate) use recorder::Recorder;
#[cfg(feature = "event-schema")]
pub use schema::json_schema;
pub use skills::{SkillMoved, SkillRun};
pub use source::Source;
pub use what::{
    Alert, Approval, CallDecision, CallOutcome, Ending, LoginRefused, NotificationFailed,
    NotificationKind, NotificationWay, Permission, PolicyLoaded, PolicyRefused, ProfileResolved,
    ReopenReason, Reopened, Violated, What,
};

/// A destination of audit events.
///
/// It is called while a call is decided, so it must be quick. Several threads may call it at once.
pub trait AuditSink: Send + Sync {
    /// Records an event durably.
    ///
    /// # Errors
    /// When the event was not recorded. A call that was being decided is then refused.
    fn record(&self, event: &AuditEvent) -> Result<(), AuditError>;

    /// Records an event, and returns what is still to be waited for until it is durable. Callers
    /// that must not block their thread use it.
    ///
    /// The default is to record it durably.
    ///
    /// # Errors
    /// As [`AuditSink::record`].
    fn record_soon(&self, event: &AuditEvent) -> Result<Pending, AuditError> {
        self.record(event).map(|()| Pending::Recorded)
    }

    /// Returns why calls that change something must not pass, although their events could be recorded:
    /// too many events wait for a further destination.
    ///
    /// The default is that they may pass.
    fn backlog(&self) -> Option<String> {
        None
    }

    /// Returns the key of the digests in this audit.
    ///
    /// The default is a random key that all such sinks of the process share. A sink that several
    /// processes write to overrides it: their digests must be comparable.
    ///
    /// # Errors
    /// Fails if there is no usable key. Calls are then refused.
    fn digest_key(&self) -> Result<DigestKey, AuditError> {
        DigestKey::of_this_process()
    }
}

/// An event that was handed to a sink.
pub enum Pending {
    /// It is recorded as durably as the sink promises.
    Recorded,
    /// It is recorded durably when the future ends without an error.
    Waiting(Pin<Box<dyn Future<Output = Result<(), AuditError>> + Send>>),
}

/// An event that could not be recorded, or a digest that could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditError(pub String);

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the audit failed: {}", self.0)
    }
}

impl std::error::Error for AuditError {}

impl<S: AuditSink + ?Sized> AuditSink for Arc<S> {
    fn record(&self, event: &AuditEvent) -> Result<(), AuditError> {
        (**self).record(event)
    }

    fn record_soon(&self, event: &AuditEvent) -> Result<Pending, AuditError> {
        (**self).record_soon(event)
    }

    fn backlog(&self) -> Option<String> {
        (**self).backlog()
    }

    fn digest_key(&self) -> Result<DigestKey, AuditError> {
        (**self).digest_key()
    }
}
