//! Metrics of a server: counts of the events that its audit records, and gauges of what waits.
//!
//! A [`Family`] is one metric with all its samples. [`text`] writes families in the text format of
//! Prometheus. Labels have few values: names of registered tools, reasons, and names from the
//! configuration; never what a caller chose.

mod counts;
mod text;

use std::sync::{Arc, Mutex, PoisonError};

use counts::Counts;
pub use text::text;
use toolwright::audit::{AuditError, AuditEvent, AuditSink, DigestKey, Pending};

/// A metric with its samples.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Family {
    /// The name, with the unit and, of a counter, `_total` at its end.
    pub name: &'static str,
    /// The meaning, in one sentence.
    pub help: &'static str,
    /// The samples by their labels.
    pub samples: Samples,
}

/// The samples of a metric.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Samples {
    /// Counts since the process started.
    Counter(Vec<(Labels, u64)>),
    /// Values at this time.
    Gauge(Vec<(Labels, u64)>),
    /// Distributions since the process started.
    Histogram(Vec<(Labels, Histogram)>),
}

/// The labels of a sample: names and values.
pub type Labels = Vec<(&'static str, String)>;

/// A distribution of durations.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Histogram {
    /// The number of durations up to each of [`BOUNDS`], and not up to the one before it; the last
    /// number is that of longer ones.
    pub buckets: [u64; BOUNDS.len() + 1],
    /// The sum in seconds.
    pub sum: f64,
}

/// The bounds of the buckets, in seconds.
pub const BOUNDS: [f64; 12] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0,
];

impl Histogram {
    /// Returns the number of durations.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }
}

impl Family {
    /// A gauge: a value for each label.
    pub fn gauge(
        name: &'static str,
        help: &'static str,
        label: &'static str,
        values: impl IntoIterator<Item = (String, u64)>,
    ) -> Self {
        let values = values.into_iter();
        let samples = values.map(|(value, number)| (vec![(label, value)], number));
        Self {
            name,
            help,
            samples: Samples::Gauge(samples.collect()),
        }
    }

    /// A gauge of one value.
    #[must_use]
    pub fn value(name: &'static str, help: &'static str, value: u64) -> Self {
        Self {
            name,
            help,
            samples: Samples::Gauge(vec![(Vec::new(), value)]),
        }
    }
}

/// An audit that counts its events.
pub struct MeteredAudit<S> {
    audit: S,
    metrics: Metrics,
}

/// The counts of the events that a process recorded.
#[derive(Clone, Debug, Default)]
pub struct Metrics(Arc<Mutex<Counts>>);

impl Metrics {
    /// Returns an audit whose events are counted here, too.
    pub fn of<S: AuditSink>(&self, audit: S) -> MeteredAudit<S> {
        MeteredAudit {
            audit,
            metrics: self.clone(),
        }
    }

    /// Returns the counts.
    #[must_use]
    pub fn families(&self) -> Vec<Family> {
        self.counts(|counts| counts.families())
    }

    /// Counts an event that was not recorded.
    fn checked<T>(&self, recorded: Result<T, AuditError>) -> Result<T, AuditError> {
        if recorded.is_err() {
            self.counts(Counts::add_unrecorded);
        }
        recorded
    }

    fn counts<T>(&self, read: impl FnOnce(&mut Counts) -> T) -> T {
        read(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<S: AuditSink> AuditSink for MeteredAudit<S> {
    fn record(&self, event: &AuditEvent) -> Result<(), AuditError> {
        self.metrics.counts(|counts| counts.add(event));
        self.metrics.checked(self.audit.record(event))
    }

    fn record_soon(&self, event: &AuditEvent) -> Result<Pending, AuditError> {
        self.metrics.counts(|counts| counts.add(event));
        match self.metrics.checked(self.audit.record_soon(event))? {
            Pending::Recorded => Ok(Pending::Recorded),
            Pending::Waiting(wait) => {
                let metrics = self.metrics.clone();
                let wait = async move { metrics.checked(wait.await) };
                Ok(Pending::Waiting(Box::pin(wait)))
            }
        }
    }

    fn backlog(&self) -> Option<String> {
        self.audit.backlog()
    }

    fn digest_key(&self) -> Result<DigestKey, AuditError> {
        self.audit.digest_key()
    }
}
