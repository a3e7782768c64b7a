//! The audit of a registry: a sink that remembers the events it could not record.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::{Arguments, AuditError, AuditEvent, AuditSink, DigestKey, Gap, What};

/// A sink, and the number of events that it has lost.
///
/// The next event is preceded by one that records the loss.
pub(crate) struct Recorder {
    sink: Arc<dyn AuditSink>,
    key: Option<DigestKey>,
    lost: Mutex<Gap>,
}

impl Recorder {
    pub(crate) fn new(sink: Arc<dyn AuditSink>, key: Option<DigestKey>) -> Self {
        Self {
            sink,
            key,
            lost: Mutex::default(),
        }
    }

    /// Describes arguments by their names and their digest.
    pub(crate) fn describe(&self, arguments: &Value) -> Result<Arguments, AuditError> {
        Ok(self.digest_key()?.describe(arguments))
    }

    /// Takes the losses so far, to be recorded.
    fn take_lost(&self) -> Gap {
        std::mem::take(&mut *self.lost.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add_lost(&self, gap: Gap) {
        *self.lost.lock().unwrap_or_else(PoisonError::into_inner) += gap;
    }

    fn record_lost(&self, event: &AuditEvent) -> Result<(), AuditError> {
        let lost = self.take_lost();
        if lost == Gap::default() {
            return Ok(());
        }
        let recorded = self.sink.record(&AuditEvent::audit_gap(event.time, lost));
        if recorded.is_err() {
            self.add_lost(lost);
        }
        recorded
    }
}

impl AuditSink for Recorder {
    fn record(&self, event: &AuditEvent) -> Result<(), AuditError> {
        let recorded = self
            .record_lost(event)
            .and_then(|()| self.sink.record(event));
        if recorded.is_err() {
            self.add_lost(Gap {
                lost_events: 1,
                lost_outcomes: u64::from(matches!(event.what, What::Outcome(_))),
                ..Gap::default()
            });
        }
        recorded
    }

    fn digest_key(&self) -> Result<DigestKey, AuditError> {
        match &self.key {
            Some(key) => Ok(key.clone()),
            None => self.sink.digest_key(),
        }
    }
}
