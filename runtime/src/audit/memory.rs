//! The audit in memory.

use std::sync::{Mutex, PoisonError};

use super::{AuditError, AuditEvent, AuditSink};

/// Events in the memory of the process, for tests and for programs that show them.
#[derive(Debug, Default)]
pub struct MemoryAudit {
    events: Mutex<Vec<AuditEvent>>,
}

impl MemoryAudit {
    /// An audit without events.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the recorded events, in order.
    #[must_use]
    pub fn events(&self) -> Vec<AuditEvent> {
        self.events
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl AuditSink for MemoryAudit {
    fn record(&self, event: &AuditEvent) -> Result<(), AuditError> {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.push(event.clone());
        Ok(())
    }
}
