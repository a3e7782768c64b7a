//! Metrics in a program without the sink `otlp`.

use toolwright::config::SinkConfig;

use crate::{absent, metrics::Family, sink::SinkError};

/// A receiver of metrics over HTTP, which this program cannot have.
pub enum OtlpMetrics {}

impl OtlpMetrics {
    /// Refuses the receiver of a configuration.
    ///
    /// # Errors
    /// Always: this program was built without the sink.
    pub fn new(config: &SinkConfig, _started: u64) -> Result<Self, SinkError> {
        Err(absent(config.kind))
    }

    /// Sends metrics.
    ///
    /// # Errors
    /// Never: the type has no value.
    #[expect(clippy::unused_async, reason = "with the sink, it waits")]
    pub async fn push(&self, _families: &[Family]) -> Result<(), SinkError> {
        match *self {}
    }
}
