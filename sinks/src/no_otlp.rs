//! Metrics in a program without the sink `otlp`.

use toolwright::config::SinkConfig;

use crate::{absent, metrics::Family, sink::SinkError};

/// A receiver of metrics over HTTP, which this program cannot have.
pub enum OtlpMetrics {}

impl OtlpMetrics {
    /// Refuses the receiver of a configuration.
    ///
    /// # Errors
    /// In every case.
    pub fn new(config: &SinkConfig, _started: u64) -> Result<Self, SinkError> {
        Err(absent(config.kind))
    }

    /// Sends metrics.
    ///
    /// # Errors
    /// There is no receiver that could be asked.
    #[expect(clippy::unused_async, reason = "with the sink, it waits")]
    pub async fn push(&self, _families: &[Family]) -> Result<(), SinkError> {
        match *self {}
    }
}
