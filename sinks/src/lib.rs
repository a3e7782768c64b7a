//! Further destinations of the events of an audit.
//!
//! The file of the audit is the record, and also the spool: a [`Forwarder`] reads the events from it
//! and delivers them to a [`Sink`], in order and at least once. A [`Cursor`](toolwright_audit::Cursor)
//! next to the file states how far it came, so a killed process resumes there. The hash of its line
//! identifies an event that is delivered twice.
//!
//! If more events wait than the operator allows, the audit refuses calls that change something; see
//! [`Spool`](toolwright::audit::Spool).
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let config = toolwright::config::Config::read("toolwright.toml".as_ref())?;
//! for forwarder in toolwright_sinks::forwarders(&config.audit)? {
//!     tokio::spawn(forwarder.run());
//! }
//! # Ok(())
//! # }
//! ```

mod cursor_file;
mod forwarder;
pub mod metrics;
#[cfg(feature = "nats")]
mod nats;
#[cfg(feature = "otlp")]
mod otlp;
#[cfg(not(feature = "otlp"))]
#[path = "no_otlp.rs"]
mod otlp;
#[cfg(feature = "postgres")]
mod postgres;
mod sink;

pub use forwarder::{Forwarder, SinkStatus};
#[cfg(feature = "nats")]
pub use nats::NatsSink;
pub use otlp::OtlpMetrics;
#[cfg(feature = "otlp")]
pub use otlp::OtlpSink;
#[cfg(feature = "postgres")]
pub use postgres::PostgresSink;
pub use sink::{Delivery, Sink, SinkError};
use toolwright::config::{AuditConfig, SinkConfig, SinkKind};

/// Creates the forwarders of all sinks that a configuration names. They connect when they run.
///
/// # Errors
/// When this program was built without a sink, or the settings of a sink cannot be used.
pub fn forwarders(config: &AuditConfig) -> Result<Vec<Forwarder>, SinkError> {
    let sinks = config.sinks.iter();
    let forwarders = sinks.map(|sink| {
        let destination = format!("{} {}", sink.url.value, sink.subject);
        let spool = sink.spool();
        let forwarder = Forwarder::new(&config.file, &spool.sink, &destination, create(sink)?);
        Ok(match &config.instance {
            Some(instance) => forwarder.instance(instance),
            None => forwarder,
        })
    });
    forwarders.collect()
}

/// Creates the sink that a configuration names.
fn create(config: &SinkConfig) -> Result<Box<dyn Sink>, SinkError> {
    match config.kind {
        #[cfg(feature = "postgres")]
        SinkKind::Postgres => Ok(Box::new(PostgresSink::new(config)?)),
        #[cfg(not(feature = "postgres"))]
        SinkKind::Postgres => Err(absent(config.kind)),
        #[cfg(feature = "nats")]
        SinkKind::Nats => Ok(Box::new(NatsSink::new(config))),
        #[cfg(not(feature = "nats"))]
        SinkKind::Nats => Err(absent(config.kind)),
        #[cfg(feature = "otlp")]
        SinkKind::Otlp => Ok(Box::new(OtlpSink::new(config)?)),
        #[cfg(not(feature = "otlp"))]
        SinkKind::Otlp => Err(absent(config.kind)),
    }
}

#[cfg(not(all(feature = "nats", feature = "otlp", feature = "postgres")))]
fn absent(kind: SinkKind) -> SinkError {
    SinkError(format!(
        "this program was built without the sink `{kind}`: build it with `--features {kind}`"
    ))
}
