//! The sinks of the audit and the metrics of a server, while it runs.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use tokio::{
    net::TcpListener,
    sync::watch,
    time::{sleep, timeout},
};
use toolwright::{
    approval::ApprovalStore as _,
    config::{AuditConfig, Config, SinkConfig, SinkKind},
};
use toolwright_mcp::serve_metrics;
use toolwright_sinks::{
    Forwarder, SinkStatus, forwarders,
    metrics::{Family, Metrics, text},
    push_metrics,
};
use toolwright_state::State;

use super::tell;
use crate::Failure;

/// The longest time for which metrics wait for the state.
const STATE_LIMIT: Duration = Duration::from_secs(2);

/// The time between two deliveries of metrics.
const PUSH: Duration = Duration::from_mins(1);

/// What is watched while a server runs.
pub(super) struct Monitor {
    config: Config,
    forwarders: Vec<Forwarder>,
    gauges: Gauges,
}

/// The sources of the metrics.
#[derive(Clone)]
struct Gauges {
    metrics: Metrics,
    audit: Arc<AuditConfig>,
    sinks: Vec<(String, watch::Receiver<SinkStatus>)>,
    state: State,
}

impl Monitor {
    /// Creates the forwarders. Nothing is connected yet.
    pub(super) fn new(config: Config, metrics: Metrics, state: State) -> Result<Self, Failure> {
        let forwarders = forwarders(&config.audit)?;
        let sinks = forwarders.iter();
        let sinks = sinks.map(|one| (one.name().to_owned(), one.status()));
        let gauges = Gauges {
            metrics,
            audit: Arc::new(config.audit.clone()),
            sinks: sinks.collect(),
            state,
        };
        Ok(Self {
            config,
            forwarders,
            gauges,
        })
    }

    /// Forwards the audit and answers with metrics until the runtime ends.
    pub(super) async fn start(self) -> Result<(), Failure> {
        for forwarder in self.forwarders {
            tokio::spawn(tell_changes(
                forwarder.name().to_owned(),
                forwarder.status(),
            ));
            tokio::spawn(forwarder.run());
        }
        let sinks = self.config.audit.sinks.into_iter();
        for sink in sinks.filter(|sink| sink.kind == SinkKind::Otlp) {
            tokio::spawn(self.gauges.clone().push(sink));
        }
        let Some(address) = self.config.metrics.listen else {
            return Ok(());
        };
        let unusable =
            |error| Failure::new(format!("cannot bind `{address}` for metrics: {error}"));
        let listener = TcpListener::bind(address).await.map_err(unusable)?;
        let bound = listener.local_addr().map_err(unusable)?;
        tell(&format!("metrics at http://{bound}/metrics"));
        let gauges = self.gauges;
        let read = move || {
            let gauges = gauges.clone();
            Box::pin(async move { text(&gauges.families().await) }) as _
        };
        tokio::spawn(serve_metrics(listener, Arc::new(read)));
        Ok(())
    }
}

impl Gauges {
    /// Sends the metrics to a receiver of OpenTelemetry every minute. A failure is not told: the next
    /// attempt sends the same counts, and the forwarder tells when the receiver is away.
    async fn push(self, sink: SinkConfig) {
        let started = Timestamp::now().as_nanosecond();
        let started = started.try_into().unwrap_or_default();
        loop {
            sleep(PUSH).await;
            let _ = push_metrics(&sink, &self.families().await, started).await;
        }
    }

    /// Returns the metrics at this time. What cannot be read is left out.
    async fn families(&self) -> Vec<Family> {
        let mut families = self.metrics.families();
        let mut waiting = Vec::new();
        for spool in &self.audit.options.spools {
            if let Ok(events) = spool.waiting(&self.audit.file) {
                waiting.push((spool.sink.clone(), events));
            }
        }
        families.push(Family::gauge(
            "toolwright_audit_sink_waiting_events",
            "The events that wait for a sink.",
            "sink",
            waiting,
        ));
        let spools = self.audit.options.spools.iter();
        families.push(Family::gauge(
            "toolwright_audit_sink_most_waiting_events",
            "The waiting events from which calls that change something are refused.",
            "sink",
            spools.map(|spool| (spool.sink.clone(), spool.most_waiting)),
        ));
        let sinks = self.sinks.iter();
        families.push(Family::gauge(
            "toolwright_audit_sink_failing",
            "1 if the last delivery to a sink failed.",
            "sink",
            sinks.map(|(name, status)| {
                let is_failing = status.borrow().error.is_some();
                (name.clone(), u64::from(is_failing))
            }),
        ));
        let pending = timeout(STATE_LIMIT, self.state.pending(Timestamp::now())).await;
        if let Ok(Ok(pending)) = pending {
            families.push(Family::value(
                "toolwright_approvals_waiting",
                "The calls that wait for a person.",
                pending.len() as u64,
            ));
        }
        families
    }
}

/// Tells the operator when a sink cannot be reached, and when it can be reached again.
async fn tell_changes(name: String, mut status: watch::Receiver<SinkStatus>) {
    let mut was_failing = false;
    while status.changed().await.is_ok() {
        let error = status.borrow_and_update().error.clone();
        match &error {
            Some(error) => tell(&format!(
                "cannot forward the audit to the sink `{name}`: {error}; its events wait in the file"
            )),
            None if was_failing => tell(&format!("the sink `{name}` receives the audit again")),
            None => {}
        }
        was_failing = error.is_some();
    }
}
