//! A destination of events.

use std::{fmt, pin::Pin};

use toolwright_audit::TailEvent;

/// A further destination of the events of an audit.
pub trait Sink: Send {
    /// Delivers events in order. It ends without an error after the destination has all of them as
    /// durably as it can.
    ///
    /// After an error, or if it is abandoned, the same events are delivered again. The destination
    /// knows those that it has by the hash of their line. `instance` names the audit: its events have
    /// numbers that those of another audit have, too.
    fn deliver<'a>(&'a mut self, instance: &'a str, events: &'a [TailEvent]) -> Delivery<'a>;
}

/// A delivery that goes on.
pub type Delivery<'a> = Pin<Box<dyn Future<Output = Result<(), SinkError>> + Send + 'a>>;

/// The reason why events could not be delivered. It contains no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SinkError(pub String);

impl fmt::Display for SinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SinkError {}
