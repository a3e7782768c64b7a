//! The audit of a registry: a sink that remembers the events it could not record.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use jiff::Timestamp;

use super::{
    Alert, AlertRule, Arguments, AuditError, AuditEvent, AuditSink, DigestKey, Gap, Pending, What,
    alerts::Alerts,
};

/// A sink, the number of events that it has lost, and the rules of alerts.
///
/// The event after a loss is preceded by one that records the loss. An event that completes an alert
/// is followed by the alert.
pub(crate) struct Recorder {
    sink: Arc<dyn AuditSink>,
    key: Option<DigestKey>,
    lost: Mutex<Gap>,
    alerts: Alerts,
    /// True if the values of arguments are recorded.
    values: bool,
}

impl Recorder {
    pub(crate) fn new(sink: Arc<dyn AuditSink>, key: Option<DigestKey>, values: bool) -> Self {
        Self {
            sink,
            key,
            lost: Mutex::default(),
            alerts: Alerts::default(),
            values,
        }
    }

    /// Returns whether the operator asks for the values of arguments.
    pub(crate) const fn records_values(&self) -> bool {
        self.values
    }

    /// Replaces the rules of alerts.
    pub(crate) fn watch(&self, rules: &[AlertRule]) {
        self.alerts.set_rules(rules);
    }

    /// Sets the delivery of alerts.
    pub(crate) fn deliver_alerts(
        &self,
        deliver: impl Fn(&Alert, Timestamp) + Send + Sync + 'static,
    ) {
        self.alerts.set_delivery(Box::new(deliver));
    }

    /// Records an alert, and delivers it even if it cannot be recorded.
    fn raise(&self, alert: Alert, time: Timestamp) {
        let event = AuditEvent::new(time, None, What::Alert(alert));
        let _ = self.record(&event);
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

impl Recorder {
    /// Records an event, and waits for the disk on another thread if that is necessary.
    pub(crate) async fn record_and_wait(&self, event: &AuditEvent) -> Result<(), AuditError> {
        let begun = self
            .record_lost(event)
            .and_then(|()| self.sink.record_soon(event));
        let recorded = match begun {
            Ok(Pending::Recorded) => Ok(()),
            Ok(Pending::Waiting(wait)) => wait.await,
            Err(error) => Err(error),
        };
        self.recorded(event, recorded)
    }

    /// Records several events, and waits for the disk once. The first event that cannot be recorded ends
    /// it.
    pub(crate) async fn record_all(&self, events: &[AuditEvent]) -> Result<(), AuditError> {
        let mut waits = Vec::new();
        for event in events {
            let begun = self
                .record_lost(event)
                .and_then(|()| self.sink.record_soon(event));
            match begun {
                Ok(Pending::Recorded) => self.recorded(event, Ok(()))?,
                Ok(Pending::Waiting(wait)) => waits.push((event, wait)),
                Err(error) => self.recorded(event, Err(error))?,
            }
        }
        for (event, wait) in waits {
            let recorded = wait.await;
            self.recorded(event, recorded)?;
        }
        Ok(())
    }

    /// Counts an event for the alerts, or as lost.
    fn recorded(
        &self,
        event: &AuditEvent,
        recorded: Result<(), AuditError>,
    ) -> Result<(), AuditError> {
        if let What::Alert(alert) = &event.what {
            self.alerts.deliver(alert, event.time);
        }
        for alert in self.alerts.count(event) {
            self.raise(alert, event.time);
        }
        if recorded.is_err() {
            self.add_lost(Gap {
                lost_events: 1,
                lost_outcomes: u64::from(matches!(event.what, What::Outcome(_))),
                ..Gap::default()
            });
        }
        recorded
    }
}

impl AuditSink for Recorder {
    fn backlog(&self) -> Option<String> {
        self.sink.backlog()
    }

    fn record(&self, event: &AuditEvent) -> Result<(), AuditError> {
        let recorded = self
            .record_lost(event)
            .and_then(|()| self.sink.record(event));
        self.recorded(event, recorded)
    }

    fn digest_key(&self) -> Result<DigestKey, AuditError> {
        match &self.key {
            Some(key) => Ok(key.clone()),
            None => self.sink.digest_key(),
        }
    }
}
